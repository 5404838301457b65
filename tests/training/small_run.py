"""A model and a recipe that learn something within a second, as settings."""

from pathlib import Path

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
