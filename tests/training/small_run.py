"""A model and a recipe that learn something within a second, as settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import PairFilter, TrainingSettings
from contextnmt.training.loop import Training
from contextnmt.training.process import Signals, prepare
from contextnmt.training.validation import Restored

MODEL = {
    "embedding": 16,
    "hidden": 24,
    "alignment": 16,
    "maxout": 16,
    "dropout": 0.1,
    "initialisation": "glorot",
}
RECIPE = {
    "learning_rate": 0.01,
    "batch_size": 20,
    "sort_batches": 4,
    "unknown_limit": 1.0,
    "validate_every": 10,
    "max_updates": 40,
}


def dev(data: Path) -> tuple[list[Path], list[Path]]:
    """The dev text that the fixture `reversal` lays beside the ids: its two sides."""
    return [data / "dev.x"], [data / "dev.y"]


def training(
    data: Path,
    folder: Path,
    filters: Sequence[PairFilter] = (),
    identity: Mapping[str, Any] | None = None,
    restored: Restored | None = None,
    signals: Signals | None = None,
    model: Mapping[str, Any] = MODEL,
    **changes: Any,
) -> Training:
    """A training of `model` by the recipe with these changes, its state taken up in `folder`."""
    recipe = TrainingSettings(**{**RECIPE, **changes})
    folders = folder / "state", folder / "board"
    prepare(recipe)
    made = Training(
        *(data, dev(data), ModelSettings(**model), recipe, 1, *folders),
        filters=filters,
        identity=identity,
        restored=restored,
        signals=signals,
    )
    made.resume()
    return made
