"""What fixes the architecture of a model: the `model` block of a system, as a typed record."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from contextnmt.errors import UserError


@dataclasses.dataclass(frozen=True)
class ContextualizerSettings:
    """The bag-of-words network NN of Choi et al. 2017, sec. 3.3 (A11).

    `layers` are the sizes of its tanh layers, the last one being the size C of the context vector;
    `end_of_sentence` counts the source's end-of-sentence symbol among the words.
    """

    layers: tuple[int, ...] = (1000, 1000)
    end_of_sentence: bool = False


@dataclasses.dataclass(frozen=True)
class ModelSettings:
    """Sizes and parts of a model; the defaults are those of Choi et al. 2017 (spec sec. 1.2)."""

    embedding: int = 620
    hidden: int = 1000
    alignment: int = 2000
    maxout: int = 500
    contextualizer: ContextualizerSettings | None = None
    dropout: float = 0.0
    initialisation: str = "gaussian"


def model_settings(block: Mapping[str, Any]) -> ModelSettings:
    """The settings that a `model` block describes.

    Raises UserError if a key is unknown or a size is not positive.
    """
    fields = {field.name for field in dataclasses.fields(ModelSettings)}
    for key in block:
        if key not in fields:
            raise UserError(f"model.{key}: unknown key, choose from {', '.join(sorted(fields))}")
    contextualizer = block.get("contextualizer")
    if contextualizer is not None:
        contextualizer = ContextualizerSettings(
            tuple(contextualizer["layers"]), bool(contextualizer.get("end_of_sentence", False))
        )
    settings = ModelSettings(**{**block, "contextualizer": contextualizer})
    for key in ("embedding", "hidden", "alignment", "maxout"):
        if getattr(settings, key) < 1:
            raise UserError(f"model.{key} is {getattr(settings, key)}: it must be at least 1")
    return settings
