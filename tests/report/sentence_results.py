"""Made-up translations with alignments."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from contextnmt.files import write_lines
from contextnmt.translation.alignment_file import Weights, write_alignments


def make_alignments(stem: Path, sources: Iterable[str], translations: list[list[str]]) -> None:
    """The files that `translate --alignments` writes of a text."""
    write_lines(stem.with_name(f"{stem.name}.gz"), map(" ".join, translations))
    weights = [
        weights_of(len(line) + 1, len(source.split()) + 1)
        for source, line in zip(sources, translations, strict=True)
    ]
    write_alignments(stem.with_name(f"{stem.name}.alignments.npz"), weights)


def weights_of(rows: int, columns: int) -> Weights:
    """Attention that moves from the first to the last word of the source."""
    distances = np.linspace(0, columns - 1, rows)[:, None] - np.arange(columns)
    weights = np.exp(-(distances**2))
    return np.asarray(weights / weights.sum(1, keepdims=True))
