"""Lines of a text that a translation is scored on alone, as the stage `known-lines` wrote them."""

import itertools
from collections.abc import Collection, Iterable
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_json


def named_subsets(options: Iterable[str], names: Collection[str]) -> dict[str, Path]:
    """The file of each translation that is scored on a subset, from ``NAME=FILE``.

    Raises UserError at any other form, and if no translation has such a name.
    """
    subsets = {}
    for option in options:
        name, _, file = option.partition("=")
        if not file:
            raise UserError(f"--subset {option}: write NAME=FILE")
        if name not in names:
            raise UserError(f"--subset {option}: no --name {name}: name a translation")
        subsets[name] = Path(file)
    return subsets


def read_known_lines(path: Path, sentences: int) -> list[int]:
    """The lines, from 1, that `known_lines` wrote for a text of so many sentences.

    Raises UserError if they are of a text of another length, or if the file is something else.
    """
    content = read_json(path)
    try:
        stated, lines = content["sentences"], [int(line) for line in content["lines"]]
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{path}: not a file of `contextnmt known-lines`: make it again") from None
    if stated != sentences or not in_order(lines, sentences):
        raise UserError(
            f"{path} is of a text of {stated} sentences, and the reference has {sentences}: "
            "make it from this text"
        )
    return lines


def in_order(lines: Iterable[int], sentences: int) -> bool:
    """Whether `lines` are numbers from 1 to `sentences`, each larger than the one before."""
    bounded = [0, *lines, sentences + 1]
    return all(before < after for before, after in itertools.pairwise(bounded))
