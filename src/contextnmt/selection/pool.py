"""The pool: the texts to select from, part by part, and what the parts are called."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_pairs

#: How the name of a part's file of scores ends.
SCORES = ".scores.npy"


def read_pool(source: Sequence[Path], target: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """All pairs of the pool, part by part.

    Raises UserError unless both sides are given as often and have as many lines.
    """
    if len(source) != len(target):
        raise UserError(
            f"--source is given {len(source)} times and --target {len(target)} times: "
            "every part has both sides"
        )
    return chain.from_iterable(map(read_pairs, source, target))


def part_name(scores: Path) -> str:
    """The name of the part of the pool whose scores a file has: PART.scores.npy.

    Raises UserError if the file has another name.
    """
    name = scores.name.removesuffix(SCORES)
    if name in ("", scores.name):
        raise UserError(f"{scores}: no name of a file of scores: call it PART{SCORES}")
    return name


def corpus_name(part: str) -> str:
    """The corpus that a part belongs to: its name up to the first dot."""
    return part.partition(".")[0]
