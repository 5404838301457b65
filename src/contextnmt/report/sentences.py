"""Sentences of an experiment's texts that are named by a few words in them."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from contextnmt.report.experiment import Experiment

#: The lines of each text by its name.
Texts = Mapping[str, Sequence[str]]


class Place(NamedTuple):
    """A line of a text, counted from 1."""

    text: str
    line: int


def texts_of(about: Experiment, pair: str) -> list[str]:
    """The texts of a language pair that are translated: test texts first, then dev texts."""
    return list(dict.fromkeys([*about.test[pair], *about.dev[pair]]))


def text_of(path: Path) -> tuple[str, str]:
    """The language pair and the text of a file ``…/{pair}/{text}.{language}.gz``."""
    return path.absolute().parent.name, path.name.split(".")[0]


def place_of(words: str, sources: Texts) -> Place | None:
    """The first line, in the order of the texts, that has these words in a row; None if none has.

    Blanks do not count, so that words as a paper prints them are found in tokenized text
    (``Disney's efforts`` in ``Disney 's efforts``), but the first and the last word are whole.
    """
    wanted = "".join(words.split())
    for text, lines in sources.items():
        for number, line in enumerate(lines, start=1):
            if has(line.split(), wanted):
                return Place(text, number)
    return None


def has(tokens: Sequence[str], wanted: str) -> bool:
    """Whether some tokens in a row, without blanks between them, are `wanted`."""
    joined = "".join(tokens)
    start = joined.find(wanted)
    if start < 0:
        return False
    borders = {0, *accumulate(map(len, tokens))}
    while start >= 0:
        if {start, start + len(wanted)} <= borders:
            return True
        start = joined.find(wanted, start + 1)
    return False


def nowhere(words: str, sources: Texts) -> str:
    """What is said of words that no line has in a row."""
    return f"no sentence of {', '.join(sources)} has the words “{words}” in a row"
