"""What fixes a training run: the `training` block of a system, as a typed record."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from contextnmt.errors import UserError
from contextnmt.settings import json_object, record

#: Smallest and largest values of what decides whether a pair is kept.
LIMITS = {"max_length": (1, math.inf), "unknown_limit": (0, 1)}

#: What the settings that are names may be.
CHOICES = {
    "optimizer": ("adam", "adadelta"),
    "loss": ("mean", "sum"),
    "precision": ("fp32", "tf32", "bf16"),
}


@dataclasses.dataclass(frozen=True)
class TrainingSettings:
    """The recipe; the defaults are those of Choi et al. 2017 (sec. 5.3; A10, A13, A22, A24).

    optimizer, learning_rate
        `adam`, with betas 0.9 and 0.999 and eps 1e-8, or `adadelta`, with rho 0.95 and eps 1e-6,
        whose rate is to be 1, as Bahdanau et al. 2015 know none (B.2, A48). It never decays.
    loss
        Summed over the words of a sentence, and over the sentences of a batch averaged (`mean`) or
        summed (`sum`, as in the code of Bahdanau et al.; A9).
    batch_size, sort_batches
        Sentence pairs an update; how many batches' pairs are sorted by length before they are cut.
    clip
        Largest L2 norm of the gradient of the loss. With `adadelta`, a gradient whose norm is not
        finite is replaced by a tenth of the parameters, as in the code of Bahdanau et al.
    max_length, unknown_limit
        Pairs are dropped if a side has more than `max_length` symbols, or if more than the share
        `unknown_limit` of the symbols of both sides together is unknown (1: no such filter).
    validate_every, patience, max_updates
        Updates between two validations (greedy BLEU on the dev texts); how many of them in
        a row may bring no gain, after which the best weights are the model; updates after which
        training ends in any case. Without patience, it ends nowhere else, and the last weights are
        the model (A22).
    precision
        `fp32`; `tf32`, which rounds the factors of matrix products on a GPU and changes nothing on
        a CPU; or `bf16`, in which matrices are multiplied in bfloat16, while weights, softmax,
        loss and the optimizer's state have 32 bits (A46).
    device, threads
        `cpu` or `cuda`; threads of torch on the CPU: they are part of the recipe, since the order
        of a sum changes its last bits.
    """

    optimizer: str = "adam"
    learning_rate: float = 4e-4
    loss: str = "mean"
    batch_size: int = 80
    sort_batches: int = 20
    clip: float = 1.0
    max_length: int = 50
    unknown_limit: float = 0.1
    validate_every: int = 10_000
    patience: int | None = 10
    max_updates: int = 1_000_000
    precision: str = "fp32"
    device: str = "cpu"
    threads: int = 1

    @property
    def replaces_non_finite(self) -> bool:
        """Whether a gradient that is not finite is replaced: part of Adadelta's recipe."""
        return self.optimizer == "adadelta"


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

    Raises UserError if a key is unknown, a value of the wrong type or none of the choices, or a
    number out of bounds.
    """
    counts = ["batch_size", "sort_batches", "validate_every", "patience"]
    bounds = {
        **LIMITS,
        **dict.fromkeys([*counts, "max_updates", "threads"], (1, math.inf)),
        "learning_rate": (1e-12, 1e3),
        "clip": (1e-12, math.inf),
    }
    settings = record(TrainingSettings, "training", block, bounds)
    for key, choices in CHOICES.items():
        value = getattr(settings, key)
        if value not in choices:
            raise UserError(f"training.{key} is {value!r}: choose from {', '.join(choices)}")
    return settings


def pair_filter(option: str, text: str) -> PairFilter:
    """The filter that the value `text` of an option describes, a JSON object.

    Raises UserError if it is none, a key unknown or missing, a value of the wrong type, or out of
    bounds.
    """
    return record(PairFilter, option, json_object(option, text), LIMITS)
