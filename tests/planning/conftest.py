"""A made-up configuration, and jobs on its texts."""

from collections.abc import Callable
from typing import Any

import pytest

from contextnmt.planning.jobs import Job


@pytest.fixture
def configuration() -> dict[str, Any]:
    """Two training texts, one of them in eight parts, of which a fifth is selected for en-fr."""
    recipe = {
        "model": {"embedding": 2, "hidden": 3, "alignment": 4, "maxout": 5},
        "training": {"max_updates": 700, "batch_size": 80, "unknown_limit": None, "filters": "own"},
    }
    texts = {
        "news": {"lines_recalled": {"en-fr": 800_000, "en-de": 100_000}, "shards": 8},
        "talks": {"lines": 200_000},
        "dev": {"lines": 3000},
        "test": {"lines": 2000},
        "letters": {},
    }
    return {
        "preset": "own",
        "pairs": ["en-fr", "en-de"],
        "corpora": {
            "news": {"files": {"news.tgz": {"bytes": 5000}, "test.tgz": {}}, "texts": texts}
        },
        "roles": {
            "en-fr": {"train": ["news", "talks"], "dev": ["dev"], "test": ["test"]},
            "en-de": {"train": ["news"], "dev": ["letters"], "test": ["test"]},
        },
        "experiments": {
            "choi2017": {
                "decoding": {"beams": [1]},
                "systems": {"baseline": {"label": "Baseline", "view": "word", **recipe}},
            }
        },
        "select": {"en-fr": {"in_domain": ["dev"], "pairs": 200_000, "target_words": None}},
        "text": {"vocabulary_size": 97},
    }


@pytest.fixture
def job() -> Callable[..., Job]:
    """Make a job: its rule, inputs and outputs below results/own/, and what else it has."""

    def make(rule: str, inputs: str, outputs: str, **rest: Any) -> Job:
        below = [[f"results/own/{name}" for name in each.split()] for each in (inputs, outputs)]
        return Job(rule, rest.pop("wildcards", {"pair": "en-fr"}), *below, **rest)

    return make
