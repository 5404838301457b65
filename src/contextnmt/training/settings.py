"""What fixes a training run: the `training` block of a system, as a typed record."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from contextnmt.settings import json_object, record

#: Smallest and largest values of what decides whether a pair is kept.
LIMITS = {"max_length": (1, math.inf), "unknown_limit": (0, 1)}


@dataclasses.dataclass(frozen=True)
class TrainingSettings:
    """The recipe; the defaults are those of Choi et al. 2017 (sec. 5.3; A10, A13, A22, A24).

    learning_rate
        Adam's, with betas 0.9 and 0.999 and eps 1e-8, never decayed.
    batch_size, sort_batches
        Sentence pairs an update; how many batches' pairs are sorted by length before they are cut.
    clip
        Largest L2 norm of the gradient of the loss, which is summed over the words of a sentence
        and averaged over the sentences of a batch (A9).
    max_length, unknown_limit
        Pairs are dropped if a side has more than `max_length` symbols, or if more than the share
        `unknown_limit` of the symbols of both sides together is unknown (1: no such filter).
    validate_every, patience, max_updates
        Updates between two validations (greedy BLEU on the development set); how many of them in
        a row may bring no gain; updates after which training ends in any case.
    device, threads
        `cpu` or `cuda`; threads of torch on the CPU: they are part of the recipe, since the order
        of a sum changes its last bits.
    """

    learning_rate: float = 4e-4
    batch_size: int = 80
    sort_batches: int = 20
    clip: float = 1.0
    max_length: int = 50
    unknown_limit: float = 0.1
    validate_every: int = 10_000
    patience: int = 10
    max_updates: int = 1_000_000
    device: str = "cpu"
    threads: int = 1


@dataclasses.dataclass(frozen=True)
class PairFilter:
    """Which training pairs a system keeps, in its own view of the text (A13, A14).

    data
        Folder of `contextnmt binarize`, with the text in that view.
    max_length, unknown_limit
        As in `TrainingSettings`.
    """

    data: str
    max_length: int
    unknown_limit: float


def training_settings(block: Mapping[str, Any]) -> TrainingSettings:
    """The settings that a `training` block describes.

    Raises UserError if a key is unknown, a value of the wrong type, or a number out of bounds.
    """
    counts = ["batch_size", "sort_batches", "validate_every", "patience"]
    bounds = {
        **LIMITS,
        **dict.fromkeys([*counts, "max_updates", "threads"], (1, math.inf)),
        "learning_rate": (1e-12, 1e3),
        "clip": (1e-12, math.inf),
    }
    return record(TrainingSettings, "training", block, bounds)


def pair_filter(option: str, text: str) -> PairFilter:
    """The filter that the value `text` of an option describes, a JSON object.

    Raises UserError if it is none, a key unknown or missing, a value of the wrong type, or out of
    bounds.
    """
    return record(PairFilter, option, json_object(option, text), LIMITS)
