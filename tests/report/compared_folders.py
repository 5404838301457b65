"""Results folders as `snakemake` leaves them, as far as a comparison reads them."""

from copy import deepcopy
from pathlib import Path
from typing import Any

from evaluation.systems import REFERENCES, damaged

from contextnmt.configuration import layers
from contextnmt.files import write_json, write_lines

DEMO = layers.of_call(Path(__file__).parents[2], [], {"seeds": [1, 2, 3]})

#: Dotted keys of a record and their values, other than those of `make_folder`.
Changes = dict[str, Any]


def make_folder(
    folder: Path,
    runs: tuple[str, ...] = ("en-fr/baseline/1", "en-fr/context/1"),
    share: float = 0.3,
    changes: Changes | None = None,
    beams: tuple[int, ...] = (12,),
) -> Path:
    """Trained and translated runs, whose translations have this share of wrong words.

    Every system of the demo with three seeds is in the configuration.
    """
    configure(folder, beams)
    for run in runs:
        pair, _, seed = run.split("/")
        content = record(int(seed))
        for key, value in (changes or {}).items():
            *steps, last = key.split(".")
            block = content
            for step in steps:
                block = block[step]
            block[last] = value
        write_json(folder / f"train/{run}/model.json", content)
        for beam in beams:
            translation = damaged(share, seed=100 * len(run) + int(seed))
            for stage in ("translate", "restore"):
                write_lines(folder / f"{stage}/{run}/test.beam{beam}.gz", translation)
        write_lines(folder / f"tokenize/{pair}/test.{pair.partition('-')[2]}.gz", REFERENCES)
        write_json(folder / f"restore/{run}/restored.json", {})
    return folder


def configure(
    folder: Path, beams: tuple[int, ...], gaps: dict[str, dict[str, str]] | None = None
) -> None:
    """Write a configuration with one text, which is translated with these beam widths."""
    configuration = deepcopy(DEMO)
    for roles in configuration["roles"].values():
        roles["dev"] = []
    for experiment in configuration["experiments"].values():
        experiment["decoding"]["beams"] = list(beams)
    about = {"digest": "", "deviations": []}
    papers = dict.fromkeys(DEMO["experiments"], about)
    told = {"configuration": configuration, "gaps": gaps or {}, "papers": papers}
    write_json(folder / "configuration.json", told)


def record(seed: int) -> dict[str, Any]:
    """A model.json, without the keys that no comparison reads."""
    side = {"sha256": "ab" * 32, "tokens": 1234, "unknowns": 56}
    vocabulary = {"sha256": "cd" * 32, "words": 800}
    return {
        "model": {"hidden": 64, "contextualizer": None, "smoother": {"words": "all"}},
        "training": {"learning_rate": 0.001, "patience": None},
        "seed": seed,
        "data": {
            "manifest": {
                "train": {"pairs": 100, "source": side, "target": dict(side)},
                "vocabulary": {"limit": 800, "source": vocabulary, "target": dict(vocabulary)},
            },
            "dev": {"pairs": 10, "source": {"sha256": "ef" * 32}},
            "filters": [],
            "pairs": 99,
            "dropped": {"empty": 1},
        },
        "environment": {"commit": "1" * 40, "dirty": False, "packages": {"sacrebleu": "2.6.0"}},
    }
