"""Parts of a pool whose pairs have given scores."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from contextnmt.files import write_pairs
from contextnmt.selection.select import SCORED

Scored = tuple[float, int]  # a pair's score and its words on the target side

NEWS = [(0.5, 3), (-1.0, 2), (0.25, 4)]
WEB = [(0.25, 1), (float("inf"), 0), (-2.0, 5), (3.0, 1)]


class Part(NamedTuple):
    """The files of a part; its scores are also its source side."""

    source: Path
    target: Path
    scores: Path


def write_scores(path: Path, scored: Sequence[Scored]) -> Path:
    """A file of scores."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.array(scored, SCORED))
    return path


def write_part(folder: Path, name: str, scored: Sequence[Scored]) -> Part:
    """A part of the pool, its text and its scores."""
    text = folder / f"{name}.en.gz", folder / f"{name}.fr.gz"
    write_pairs(*text, [(str(score), " ".join(["w"] * words)) for score, words in scored])
    return Part(*text, write_scores(folder / f"{name}.scores.npy", scored))


def cut_up(folder: Path, corpus: str, scored: Sequence[Scored], shards: int) -> list[Part]:
    """A corpus in so many contiguous parts, some of which may be empty."""
    bounds = [len(scored) * number // shards for number in range(shards + 1)]
    return [
        write_part(folder, f"{corpus}.{number + 1}of{shards}", scored[bounds[number] : end])
        for number, end in enumerate(bounds[1:])
    ]
