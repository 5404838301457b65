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

    `layers` are the sizes of its tanh layers, the last one being the size C of the context vector;
    `end_of_sentence` counts the source's end-of-sentence symbol among the words.
    """

    layers: tuple[int, ...]
    end_of_sentence: bool = False


@dataclasses.dataclass(frozen=True)
class ModelSettings:
    """Sizes and parts of a model; the defaults are those of Choi et al. 2017 (A6, A36, A37)."""

    embedding: int = 620
    hidden: int = 1000
    alignment: int = 2000
    maxout: int = 500
    contextualizer: ContextualizerSettings | None = None
    dropout: float = 0.0
    initialisation: str = "gaussian"


def model_settings(block: Mapping[str, Any]) -> ModelSettings:
    """The settings that a `model` block describes.

    Raises UserError if a key is unknown, a value of the wrong type, or a size not positive.
    """
    nested = block.get("contextualizer")
    if nested is not None:
        nested = contextualizer_settings(nested)
    bounds = {
        **dict.fromkeys(["embedding", "hidden", "alignment", "maxout"], SIZE),
        "dropout": (0, 0.99),
    }
    return record(ModelSettings, "model", {**block, "contextualizer": nested}, bounds)


def contextualizer_settings(block: Any) -> ContextualizerSettings:
    """The settings that a `contextualizer` block describes; raises UserError likewise."""
    name = "model.contextualizer"
    if not isinstance(block, Mapping):
        raise UserError(f"{name} is {block!r}: it must be null or a block with `layers`")
    layers = block.get("layers")
    if layers is None or not layers or not all(type(size) is int and size > 0 for size in layers):
        raise UserError(f"{name}.layers is {layers!r}: it must be a list of sizes such as [1000]")
    return record(ContextualizerSettings, name, {**block, "layers": tuple(layers)}, {})
