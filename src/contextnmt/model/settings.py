"""What fixes the architecture of a model: the `model` block of a system, as a typed record."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from contextnmt.errors import UserError
from contextnmt.settings import record

SIZE = (1, math.inf)


@dataclasses.dataclass(frozen=True)
class ContextualizerSettings:
    """The bag-of-words network NN of Choi et al. 2017, sec. 3.3 (A11).

    layers
        Sizes of its tanh layers, the last one being the size C of the context vector.
    end_of_sentence
        Whether the source's end-of-sentence symbol counts among the words.
    table
        `own`: the first layer reads the one-hot word, so it is a table of |V| x layers[0];
        `shared`: it reads the source embedding.
    """

    layers: tuple[int, ...]
    end_of_sentence: bool = False
    table: str = "own"


@dataclasses.dataclass(frozen=True)
class SmootherSettings:
    """Context-aware smoothing of Chen et al. 2017, in the ways of spec sec. 3.5 (A43).

    network
        `fcwm` (feed-forward) or `ccwm` (convolutional).
    words
        `unknown`: V takes the place of the vector of an unknown word; `all`: it also stands beside
        the vector of every word, which doubles the input.
    decoder
        Whether target words are smoothed too, by the words before them.
    window
        Words on each side of a source word, the paper's n; the decoder looks at twice as many.
    """

    network: str
    words: str
    decoder: bool = False
    window: int = 2


@dataclasses.dataclass(frozen=True)
class ModelSettings:
    """Sizes and parts of a model; the defaults are those of Choi et al. 2017 (A6, A36, A37).

    cell
        `lstm`, or `gru`: the unit of Bahdanau et al. 2015, with the biases of their code (A7).
    attention
        False: RNN Encoder-Decoder, a forward encoder whose last state is all the decoder sees;
        `alignment` is then of no effect.
    readout_rank
        Size of a linear layer between maxout and words (A8); None: there is none.
    """

    embedding: int = 620
    hidden: int = 1000
    alignment: int = 2000
    maxout: int = 500
    contextualizer: ContextualizerSettings | None = None
    dropout: float = 0.0
    initialisation: str = "gaussian"
    cell: str = "lstm"
    attention: bool = True
    readout_rank: int | None = None
    smoother: SmootherSettings | None = None


def model_settings(block: Mapping[str, Any]) -> ModelSettings:
    """The settings that a `model` block describes.

    Raises UserError if a key or a part is unknown, a value of the wrong type, or a size not
    positive.
    """
    parts: dict[str, Any] = {}
    for key, settings in (
        ("contextualizer", contextualizer_settings),
        ("smoother", smoother_settings),
    ):
        part = block.get(key)
        parts[key] = None if part is None else settings(part)
    sizes = ["embedding", "hidden", "alignment", "maxout", "readout_rank"]
    bounds = {**dict.fromkeys(sizes, SIZE), "dropout": (0, 0.99)}
    model = record(ModelSettings, "model", {**block, **parts}, bounds)
    choose("model.cell", model.cell, ("lstm", "gru"))
    return model


def recorded_settings(block: Mapping[str, Any]) -> ModelSettings:
    """The settings in the model.json of a training; raises UserError likewise.

    Before the key `table` was there, the contextualizer had the table of the source.
    """
    part = block.get("contextualizer")
    before = {"table": "shared", **part} if isinstance(part, Mapping) else part
    return model_settings({**block, "contextualizer": before})


def contextualizer_settings(block: Any) -> ContextualizerSettings:
    """The settings that a `contextualizer` block describes; raises UserError likewise."""
    name = "model.contextualizer"
    if not isinstance(block, Mapping):
        raise UserError(f"{name} is {block!r}: it must be null or a block with `layers`")
    layers = block.get("layers")
    if layers is None or not layers or not all(type(size) is int and size > 0 for size in layers):
        raise UserError(f"{name}.layers is {layers!r}: it must be a list of sizes such as [1000]")
    settings = record(ContextualizerSettings, name, {**block, "layers": tuple(layers)}, {})
    choose(f"{name}.table", settings.table, ("own", "shared"))
    return settings


def smoother_settings(block: Any) -> SmootherSettings:
    """The settings that a `smoother` block describes; raises UserError likewise."""
    name = "model.smoother"
    if not isinstance(block, Mapping):
        raise UserError(f"{name} is {block!r}: it must be null or a block with `network`, `words`")
    smoother = record(SmootherSettings, name, block, {"window": SIZE})
    choose(f"{name}.network", smoother.network, ("fcwm", "ccwm"))
    choose(f"{name}.words", smoother.words, ("unknown", "all"))
    if smoother.network == "ccwm" and smoother.window < 2:
        raise UserError(
            f"{name}.window is {smoother.window}: ccwm needs at least 2, since its filters span "
            "three words; or choose fcwm"
        )
    return smoother


def choose(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises UserError if `value` is not among `choices`."""
    if value not in choices:
        raise UserError(f"{name} is {value!r}: choose from {', '.join(choices)}")
