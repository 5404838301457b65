"""The `training` block of a system."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from contextnmt.configuration.values import (
    KEYS,
    MINIMUM_LENGTH,
    Count,
    Positive,
    Share,
    Text,
    json_object,
    read,
)


@dataclass(frozen=True, config=KEYS, kw_only=True)
class TrainingRecipe:
    """The recipe for all language pairs alike; the defaults are those of Choi et al. 2017."""

    optimizer: Literal["adam", "adadelta"] = "adam"
    """adam (betas 0.9 and 0.999, eps 1e-8; A10) or adadelta (rho 0.95, eps 1e-6; A48)."""
    learning_rate: Annotated[float, Field(strict=True, gt=0, le=1)] = 4e-4
    """Adam: step size (A10). Adadelta: a factor on its steps; 1: none, as in the paper (A48)."""
    linear_decay: Share = 0.0
    """Share of max_updates, at the end, in which the learning rate falls linearly to zero; 0: it
    never decays, as in the papers."""
    loss: Literal["mean", "sum"] = "mean"
    """Summed over the words of each sentence, then averaged (mean) or summed (sum, as in the code
    of Bahdanau et al.; A9) over the batch."""
    batch_size: Count = 80
    """Sentence pairs per update (A10)."""
    sort_batches: Count = 20
    """The pairs of this many batches are sorted by length together, then cut into batches (A24)."""
    clip: Positive = 1.0
    """Largest L2 norm of the gradient; a larger gradient is scaled down to it. With adadelta, a
    gradient that is not finite is replaced by a tenth of the parameters, as in the code of Bahdanau
    et al."""
    max_length: Count = 50
    """Longest training sentence on either side, in tokens of the view."""
    validate_every: Count = 10_000
    """Updates between two validations (greedy BLEU on the dev set)."""
    patience: Count | None = 10
    """Validations in a row without gain after which training ends, with the best weights; null
    trains up to max_updates and takes the last weights (A22)."""
    max_updates: Count = 1_000_000
    """Updates after which training stops even if dev BLEU still rises."""
    precision: Literal["fp32", "tf32", "bf16"] = "fp32"
    """fp32; tf32, which rounds factors of matrix products on a GPU; or bf16, with weights, softmax,
    loss and the optimizer's state in 32 bits (A46)."""
    threads: Count = 1
    """Processor threads of one training. They are part of the recipe: the order in which numbers
    are added changes the last bits."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class TrainingSettings(TrainingRecipe):
    """The recipe of one system for one language pair (Choi et al. 2017, sec. 5.3; A13)."""

    unknown_limit: Share = 0.1
    """Largest share of unknown words in a training pair, both sides together; 1 keeps all pairs."""
    validation: Literal["view", "restored"] = "view"
    """The text that the dev BLEU is of (A22): tokens of the view with subwords joined, or restored
    words."""
    minimum_length: Share = MINIMUM_LENGTH
    """Least length of a greedy translation of the dev texts, as a share of its source's (A19)."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Where the model is trained."""

    @property
    def replaces_non_finite(self) -> bool:
        """Whether a gradient that is not finite is replaced: part of Adadelta's recipe."""
        return self.optimizer == "adadelta"


@dataclass(frozen=True, config=KEYS)
class PairFilter:
    """Which training pairs a system keeps, in its own view of the text (A13, A14)."""

    data: Text
    """Folder of `contextnmt binarize`, with the text in that view."""
    max_length: Count
    """Longest sentence kept on either side, in tokens of the view."""
    unknown_limit: Share
    """Largest share of unknown words in a pair, both sides together."""


def training_settings(block: Mapping[str, Any]) -> TrainingSettings:
    """The settings of a `training` block. Raises UserError if a key or a value is not allowed."""
    return read(TrainingSettings, "training", block)


def pair_filter(option: str, text: str) -> PairFilter:
    """The filter that the JSON object `text` of an option describes.

    Raises UserError if it is none, or a key or a value is missing or not allowed.
    """
    return read(PairFilter, option, json_object(option, text))
