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
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from contextnmt.files import COUNT
from contextnmt.text.names import Sentence, Span, capitalized_runs, is_name, opens_sentence
from contextnmt.text.symbol_tables import ACRONYM, NAME, NUMBER, Rule, read_table

HEADER = "word\tposition\tsymbol\ttext"

#: The last letters of a word that stand for it while it is rare, from none to three.
ENDINGS = (0, 2, 3)

#: A word seen no more often than this is rare: it says what words of its ending do.
RARE = 10

#: The rate assumed of a word (or of an ending) weighs as much as so many occurrences.
#: All constants here were chosen by F1 of names on a few real texts, which it hardly depends on:
#: benchmarks/published/symbolization.md says on which.
WORD_WEIGHT = 3
ENDING_WEIGHT = 5

#: The rate of a word where training saw nothing at all.
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

#: Whether a word becomes (part of) a symbol in a position.
IsSymbol = Callable[[str, Position], bool]

#: Find the names of a sentence that become symbols.
FindNames = Callable[[Sentence, IsSymbol], list[Span]]


class Sighting(NamedTuple):
    """A capitalized word in its position, and whether it became (part of) a symbol."""

    word: str
    position: Position
    is_symbol: bool


def walk(
    sentence: Sentence, is_symbol: Callable[[int, str, Position], bool]
) -> Iterator[list[tuple[Span, Sighting]]]:
    """The words of each run of capitalized words, and what became of them.

    `is_symbol` is asked, from left to right, for the place of a word, the word and its position.
    """
    for run in capitalized_runs(sentence):
        opens = opens_sentence(sentence.pieces, run[0].start)
        position = Position.OPENING if opens else Position.FIRST
        seen = []
        for span in run:
            word = span.text(sentence.pieces)
            marked = is_symbol(span.start, word, position)
            seen.append((span, Sighting(word, position, marked)))
            position = Position.AFTER_SYMBOL if marked else Position.AFTER_TEXT
        yield seen


def sightings(
    sentence: Sentence, names: set[int], acronyms: Iterable[tuple[str, bool]]
) -> list[Sighting]:
    """The fate of each capitalized word of a training sentence.

    `names`: the places that names took; `acronyms`: those elsewhere, and whether each is a symbol.
    """
    runs = walk(sentence, lambda place, word, position: place in names)
    seen = [sighting for run in runs for _, sighting in run]
    return seen + [Sighting(word, Position.ACRONYM, is_symbol) for word, is_symbol in acronyms]


def probable_names(sentence: Sentence, is_symbol: IsSymbol) -> list[Span]:
    """The names of a sentence: within a run, each maximal row of words for which `is_symbol`."""
    names = []
    for run in walk(sentence, lambda place, word, position: is_symbol(word, position)):
        for marked, group in groupby(run, key=lambda each: each[1].is_symbol):
            spans = [span for span, _ in group]
            span = Span(spans[0].start, spans[-1].stop, spans[-1].rest)
            if marked and is_name(span.text(sentence.pieces)):
                names.append(span)
    return names


def has_rule(rules: Iterable[Rule]) -> IsSymbol:
    """Whether a whole name, or an acronym, has a rule; about 150 bytes of memory for each."""
    known = {(rule.kind, rule.source) for rule in rules if rule.kind != NUMBER}
    return lambda words, position: (
        (ACRONYM if position is Position.ACRONYM else NAME, words) in known
    )


def listed_names(sentence: Sentence, is_symbol: IsSymbol) -> list[Span]:
    """The names of a sentence: within a run, from left to right, the longest for which `is_symbol`.

    Unlike that of `probable_names`, it is asked about whole names.
    """
    names: list[Span] = []
    for run in capitalized_runs(sentence):
        for number, first in enumerate(run):
            if not (names and first.start < names[-1].stop):
                spans = (Span(first.start, last.stop, last.rest) for last in reversed(run[number:]))
                listed = (s for s in spans if is_symbol(s.text(sentence.pieces), Position.FIRST))
                names += islice(listed, 1)
    return names


class Occurrences(NamedTuple):
    """How often something was seen, and how often as a symbol."""

    symbol: int = 0
    seen: int = 0

    def share(self, assumed: float, weight: float) -> float:
        """The share of symbols, in which `assumed` counts like `weight` occurrences."""
        return (self.symbol + weight * assumed) / (self.seen + weight)


NEVER = Occurrences()

Key = TypeVar("Key", bound=Hashable)


class Rate(NamedTuple):
    """One row of the table."""

    word: str
    position: Position
    symbol: int
    text: int


class Rates:
    """The table in memory, about 400 bytes per row: how likely a word is (part of) a symbol.

    `counts`: how often the training text has a word, to compare it with its lower-cased form.
    """

    def __init__(self, rows: Iterable[Rate], counts: Mapping[str, int]) -> None:
        self.counts = counts
        self.in_position = {
            (word, position): Occurrences(symbol, symbol + text)
            for word, position, symbol, text in rows
        }
        each = self.in_position.items()
        self.of_word = summed(  # and whether it is an acronym
            ((word, position == Position.ACRONYM), found) for (word, position), found in each
        )
        self.of_ending = summed(
            (ending, found)
            for (word, position), found in each
            if self.of_word[word, position == Position.ACRONYM].seen <= RARE
            for ending in self.endings(word, position)
        )
        self.known: dict[tuple[str, Position], float] = {}

    def endings(self, word: str, position: Position) -> list[tuple[Position, bool, str]]:
        """The class of a rare word: its position, whether it is mostly lower case, its ending."""
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

    def at_least(self, threshold: float) -> IsSymbol:
        """Whether a word in a position is at least so likely (part of) a symbol (A26)."""
        return lambda word, position: self.probability(word, position) >= threshold


def summed(found: Iterable[tuple[Key, Occurrences]]) -> dict[Key, Occurrences]:
    """The occurrences of each key together."""
    sums: dict[Key, Occurrences] = {}
    for key, (symbol, seen) in found:
        before = sums.get(key, NEVER)
        sums[key] = Occurrences(before.symbol + symbol, before.seen + seen)
    return sums


def read_rates(path: Path) -> Iterator[Rate]:
    """The rows of a table of rates.

    Raises UserError, naming the line, at a malformed row and at one that is not in its place.
    """
    for word, position, symbol, text in read_table(
        path,
        HEADER,
        f"word, position ({', '.join(Position)}) and two whole numbers, not both 0",
        lambda row: (
            row[1] in POSITIONS
            and all(re.fullmatch(COUNT, count) for count in row[2:])
            and any(map(int, row[2:]))
        ),
        sorted_by=2,
        unique=True,
    ):
        yield Rate(word, Position(position), int(symbol), int(text))


def counted(sightings: Counter[Sighting]) -> Iterator[Rate]:
    """The rows of a table of rates in their order, from how often there was each sighting."""
    for word, position in sorted({sighting[:2] for sighting in sightings}):
        symbol, text = (sightings[Sighting(word, position, fate)] for fate in (True, False))
        yield Rate(word, position, symbol, text)
