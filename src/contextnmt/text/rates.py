"""How likely a capitalized word of a source without a target is a symbol (A26).

Choi et al. 2017 do not tell which words of a test sentence become symbols, for which the training
text needs the target. Decided here: those that training makes likely enough. A name is found word
by word, from left to right through a run of capitalized words, since a word goes the way of the
word before it more often than not (York after New). Of every capitalized word that training saw in
one of five positions, the table ``rates.tsv`` holds how often it was part of a symbol there, and
how often it stayed text; it has a header and the columns

- ``word``: the word, without its tail (London of London-based);
- ``position``: ``opening`` at a sentence start, else ``first`` in a run, else ``symbol`` or
  ``text`` for what became of the word before it in the run; ``acronym`` once more for all capitals
  outside of names;
- ``symbol``, ``text``: how often it became a symbol, or part of one, and how often not.

Rows are sorted by word and position (by code points), one for each.

A probability from few occurrences leans on that of the word in all positions (an acronym's on its
own), and this on what training did in this position with rare words of the same last letters, of
which those that are more frequent in lower case are apart.
"""

import enum
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.text.names import (
    Sentence,
    Span,
    capitalized_runs,
    is_name,
    opens_sentence,
    words_of_run,
)

HEADER = "word\tposition\tsymbol\ttext"

#: The last letters of a word that stand for it while it is rare, from none to three.
ENDINGS = (0, 2, 3)

#: A word seen no more often than this is rare: it says what words of its ending do.
RARE = 10

#: As many occurrences weigh as much as what is assumed of a word (or of an ending) before them.
#: All constants here were chosen by F1 of names on a few real texts, which it hardly depends on:
#: benchmarks/published/symbolization.md says on which.
WORD_WEIGHT = 3
ENDING_WEIGHT = 5

#: What is assumed of a word where training saw nothing at all.
UNSEEN = 0.5

#: A word at least this likely becomes (part of) a symbol, unless the user says otherwise.
THRESHOLD = 0.3


class Position(enum.StrEnum):
    """Where a capitalized word stands."""

    OPENING = "opening"
    FIRST = "first"
    AFTER_SYMBOL = "symbol"
    AFTER_TEXT = "text"
    ACRONYM = "acronym"


POSITIONS = frozenset(Position)

#: What becomes of a capitalized word.
SYMBOL, TEXT = "symbol", "text"


class Sighting(NamedTuple):
    """A capitalized word in its position, and whether it became (part of) a symbol."""

    word: str
    position: Position
    is_symbol: bool


def first_position(sentence: Sentence, run: Span) -> Position:
    """The position of the first word of a run."""
    return Position.OPENING if opens_sentence(sentence.pieces, run.start) else Position.FIRST


def next_position(is_symbol: bool) -> Position:
    """The position of the word after one that is (part of) a symbol or is text."""
    return Position.AFTER_SYMBOL if is_symbol else Position.AFTER_TEXT


def sightings(
    sentence: Sentence, names: set[int], acronyms: Iterable[tuple[str, bool]]
) -> list[Sighting]:
    """What became of each capitalized word of a training sentence.

    `names`: the places that names took; `acronyms`: those elsewhere, and whether each is a symbol.
    """
    seen = []
    for run in capitalized_runs(sentence):
        position = first_position(sentence, run)
        for place, word in words_of_run(sentence.pieces, run):
            is_symbol = place in names
            seen.append(Sighting(word, position, is_symbol))
            position = next_position(is_symbol)
    seen += (Sighting(word, Position.ACRONYM, is_symbol) for word, is_symbol in acronyms)
    return seen


def probable_names(sentence: Sentence, is_symbol: Callable[[str, Position], bool]) -> list[Span]:
    """The names of a sentence: within a run, each maximal row of words for which `is_symbol`."""
    names = []
    for run in capitalized_runs(sentence):
        position = first_position(sentence, run)
        marks = []
        for place, word in words_of_run(sentence.pieces, run):
            marks.append((place, is_symbol(word, position)))
            position = next_position(marks[-1][1])
        for marked, group in groupby(marks, key=lambda mark: mark[1]):
            if marked:
                places = [place for place, _ in group]
                stop = places[-1] + 1
                span = Span(places[0], stop, run.rest if stop == run.stop else 0)
                if is_name(span.text(sentence.pieces)):
                    names.append(span)
    return names


class Occurrences(NamedTuple):
    """How often something was seen, and how often as a symbol."""

    symbol: int = 0
    seen: int = 0

    def share(self, assumed: float, weight: float) -> float:
        """The share of symbols, in which `assumed` counts like `weight` occurrences."""
        return (self.symbol + weight * assumed) / (self.seen + weight)


NEVER = Occurrences()


class Rates:
    """The table in memory, about 400 bytes a row: how likely a word is (part of) a symbol.

    `counts`: how often the training text has a word, to compare it with its lower-cased form.
    """

    def __init__(
        self, rows: Iterable[tuple[str, Position, Occurrences]], counts: Mapping[str, int]
    ) -> None:
        self.counts = counts
        self.in_position: dict[tuple[str, Position], Occurrences] = {}
        self.of_word: dict[tuple[str, bool], Occurrences] = {}  # bool: is it an acronym?
        for word, position, found in rows:
            self.in_position[word, position] = found
            key = (word, position == Position.ACRONYM)
            self.of_word[key] = plus(self.of_word.get(key, NEVER), found)
        self.of_ending: dict[tuple[Position, bool, str], Occurrences] = defaultdict(Occurrences)
        for (word, position), found in self.in_position.items():
            if self.of_word[word, position == Position.ACRONYM].seen <= RARE:
                for ending in self.endings(word, position):
                    self.of_ending[ending] = plus(self.of_ending[ending], found)
        self.known: dict[tuple[str, Position], float] = {}

    def endings(self, word: str, position: Position) -> list[tuple[Position, bool, str]]:
        """What stands for a rare word: its position, if it is mostly lower case, and its ending."""
        lower = self.counts.get(word.lower(), 0) > self.counts.get(word, 0)
        return [
            (position, lower, word[len(word) - letters :])
            for letters in ENDINGS
            if letters < len(word)
        ]

    def probability(self, word: str, position: Position) -> float:
        """How likely `word` in `position` is (part of) a symbol."""
        key = (word, position)
        if key not in self.known:
            estimate = UNSEEN
            for ending in self.endings(word, position):
                estimate = self.of_ending.get(ending, NEVER).share(estimate, ENDING_WEIGHT)
            of_word = self.of_word.get((word, position == Position.ACRONYM), NEVER)
            estimate = of_word.share(estimate, WORD_WEIGHT)
            estimate = self.in_position.get(key, NEVER).share(estimate, WORD_WEIGHT)
            self.known[key] = estimate
        return self.known[key]


def plus(first: Occurrences, second: Occurrences) -> Occurrences:
    """The sum of two."""
    return Occurrences(first.symbol + second.symbol, first.seen + second.seen)


def read_rates(path: Path) -> Iterator[tuple[str, Position, Occurrences]]:
    """The rows of a table of rates.

    Raises UserError, naming the line, at a malformed row and at one that is not in its place.
    """
    lines = read_lines(path)
    if (header := next(lines, "")) != HEADER:
        raise UserError(
            f"{path}, line 1: not a table of rates: expected {HEADER!r}, found {header!r}"
        )
    last = ("", "")
    for number, line in enumerate(lines, start=2):
        columns = line.split("\t")
        if len(columns) != 4 or columns[1] not in POSITIONS or not counted(columns[2:]):
            raise UserError(
                f"{path}, line {number}: a row needs word, position ({', '.join(Position)}) and "
                f"two whole numbers, not both 0, separated by tabs; this one is {line!r}"
            )
        word, position, symbol, text = columns
        if (word, position) <= last:
            raise UserError(
                f"{path}, line {number}: {word!r} {position} comes after {' '.join(last)!r}: rows "
                "are sorted by word and position, one for each; move it to its place"
            )
        last = (word, position)
        yield word, Position(position), Occurrences(int(symbol), int(symbol) + int(text))


def rate_rows(counts: Iterable[tuple[tuple[str, ...], int]]) -> Iterator[str]:
    """The lines of a table of rates, from counts of (word, position, SYMBOL or TEXT) in its order.

    Of the two fates of a word in its position, either may come first.
    """
    yield HEADER
    for (word, position), group in groupby(counts, key=lambda row: row[0][:2]):
        found = {fate: frequency for (_, _, fate), frequency in group}
        yield f"{word}\t{position}\t{found.get(SYMBOL, 0)}\t{found.get(TEXT, 0)}"


def counted(numbers: list[str]) -> bool:
    """Are these whole numbers, and one of them not 0?"""
    return all(map(str.isdecimal, numbers)) and any(map(int, numbers))
