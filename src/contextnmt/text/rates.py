"""How likely a capitalized word of a source without a target is a symbol (A26).

Choi et al. 2017 do not tell which words of a test sentence become symbols, for which the training
text needs the target. Decided here: what training did most likely with such a word. A name is found
word by word, from left to right through a run of capitalized words, since a word goes the way of
the word before it more often than not (York after New). Of every capitalized word that training saw
in one of five contexts, the table ``rates.tsv`` holds how often it was part of a symbol there, and
how often it stayed text; it has a header and the columns

- ``word``: the word, without a lower-case tail (London of London-based);
- ``context``: ``opening`` at a sentence start, else ``first`` in a run, else ``symbol`` or ``text``
  for what became of the word before it in the run; ``acronym`` for all capitals outside of names;
- ``symbol``, ``text``: how often it became a symbol, or part of one, and how often not.

A probability from few occurrences leans on that of the word in all contexts, and this on what
training did in this context with rare words of the same last letters, of which it also matters
whether they occur in lower case.
"""

import enum
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.text.names import (
    Sentence,
    Span,
    capitalized_runs,
    is_name,
    opens_sentence,
    words_of_run,
)
from contextnmt.text.shards import ShardedCounts

HEADER = "word\tcontext\tsymbol\ttext"

#: The last letters of a word that stand for it while it is rare, from none to three.
ENDINGS = (0, 2, 3)

#: A word seen no more often than this is rare: it says what words of its ending do.
RARE = 10

#: As many occurrences weigh as much as what is assumed of a word (or of an ending) before them.
#: These three were chosen on the dev part of canada-laws and on held-out lines of WMT14.
WORD_WEIGHT = 3
ENDING_WEIGHT = 5

#: What is assumed of a word where training saw nothing at all.
UNSEEN = 0.5


class Context(enum.StrEnum):
    """Where a capitalized word stands."""

    OPENING = "opening"
    FIRST = "first"
    AFTER_SYMBOL = "symbol"
    AFTER_TEXT = "text"
    ACRONYM = "acronym"


class Sighting(NamedTuple):
    """A capitalized word in its context, and whether it became (part of) a symbol."""

    word: str
    context: Context
    is_symbol: bool


def first_context(sentence: Sentence, run: Span) -> Context:
    """The context of the first word of a run."""
    return Context.OPENING if opens_sentence(sentence.pieces, run.start) else Context.FIRST


def next_context(is_symbol: bool) -> Context:
    """The context of the word after one that is (part of) a symbol or is text."""
    return Context.AFTER_SYMBOL if is_symbol else Context.AFTER_TEXT


def sightings(
    sentence: Sentence, names: set[int], acronyms: Iterable[tuple[str, bool]]
) -> list[Sighting]:
    """What became of each capitalized word of a training sentence.

    `names`: the places that names took; `acronyms`: those elsewhere, and whether each is a symbol.
    """
    seen = []
    for run in capitalized_runs(sentence):
        context = first_context(sentence, run)
        for place, word in words_of_run(sentence.pieces, run):
            is_symbol = place in names
            seen.append(Sighting(word, context, is_symbol))
            context = next_context(is_symbol)
    seen += (Sighting(word, Context.ACRONYM, is_symbol) for word, is_symbol in acronyms)
    return seen


def probable_names(sentence: Sentence, is_symbol: Callable[[str, Context], bool]) -> list[Span]:
    """The names of a sentence: within a run, each maximal row of words for which `is_symbol`."""
    names = []
    for run in capitalized_runs(sentence):
        context = first_context(sentence, run)
        marks = []
        for place, word in words_of_run(sentence.pieces, run):
            marks.append((place, is_symbol(word, context)))
            context = next_context(marks[-1][1])
        for marked, group in groupby(marks, key=lambda mark: mark[1]):
            if marked:
                places = [place for place, _ in group]
                stop = places[-1] + 1
                span = Span(places[0], stop, run.rest if stop == run.stop else 0)
                if is_name(span.text(sentence.pieces)):
                    names.append(span)
    return names


class RateCounts:
    """Counts of sightings over a training text."""

    def __init__(self) -> None:
        self.counts = ShardedCounts()

    def add(self, seen: Iterable[Sighting]) -> None:
        """Count the sightings of a sentence."""
        for word, context, is_symbol in seen:
            self.counts.add((word, context, "symbol" if is_symbol else "text"))

    def write(self, path: Path) -> None:
        """Write the table, sorted by word and context."""

        def lines() -> Iterator[str]:
            yield HEADER
            for (word, context), group in groupby(
                self.counts.merged(), key=lambda row: row.key[:2]
            ):
                counts = {row.key[2]: row.frequency for row in group}
                yield f"{word}\t{context}\t{counts.get('symbol', 0)}\t{counts.get('text', 0)}"

        write_lines(path, lines())


class Occurrences(NamedTuple):
    """How often something was seen, and how often as a symbol."""

    symbol: int = 0
    seen: int = 0

    def share(self, assumed: float, weight: float) -> float:
        """The share of symbols, in which `assumed` counts like `weight` occurrences."""
        return (self.symbol + weight * assumed) / (self.seen + weight)


NEVER = Occurrences()


class Rates:
    """The table in memory: word and context -> probability that the word is part of a symbol.

    `lower_counts`: how often training has a word, to look its lower-cased form up.
    """

    def __init__(
        self, rows: Iterable[tuple[str, Context, Occurrences]], lower_counts: Mapping[str, int]
    ) -> None:
        self.lower_counts = lower_counts
        self.in_context: dict[tuple[str, Context], Occurrences] = {}
        self.of_word: dict[str, Occurrences] = {}
        for word, context, found in rows:
            self.in_context[word, context] = found
            self.of_word[word] = plus(self.of_word.get(word, NEVER), found)
        self.of_ending: dict[tuple[Context, bool, str], Occurrences] = defaultdict(Occurrences)
        for (word, context), found in self.in_context.items():
            if self.of_word[word].seen <= RARE:
                for ending in self.endings(word, context):
                    self.of_ending[ending] = plus(self.of_ending[ending], found)
        self.known: dict[tuple[str, Context], float] = {}

    def endings(self, word: str, context: Context) -> list[tuple[Context, bool, str]]:
        """What stands for a rare word: its context, if it occurs in lower case, and its ending."""
        lower = word.lower() in self.lower_counts
        return [
            (context, lower, word[len(word) - letters :])
            for letters in ENDINGS
            if letters < len(word)
        ]

    def probability(self, word: str, context: Context) -> float:
        """How likely `word` in `context` is (part of) a symbol."""
        key = (word, context)
        if key not in self.known:
            estimate = UNSEEN
            for ending in self.endings(word, context):
                estimate = self.of_ending.get(ending, NEVER).share(estimate, ENDING_WEIGHT)
            estimate = self.of_word.get(word, NEVER).share(estimate, WORD_WEIGHT)
            estimate = self.in_context.get(key, NEVER).share(estimate, WORD_WEIGHT)
            self.known[key] = estimate
        return self.known[key]


def plus(first: Occurrences, second: Occurrences) -> Occurrences:
    """The sum of two."""
    return Occurrences(first.symbol + second.symbol, first.seen + second.seen)


def read_rates(path: Path) -> Iterator[tuple[str, Context, Occurrences]]:
    """The rows of a table of rates. Raises UserError, naming the line, at a malformed row."""
    lines = read_lines(path)
    if next(lines, None) != HEADER:
        raise UserError(f"{path}, line 1: not a table of rates: its header is {HEADER!r}")
    for number, line in enumerate(lines, start=2):
        columns = line.split("\t")
        try:
            word, context, symbol, text = columns
            found = Occurrences(int(symbol), int(symbol) + int(text))
            yield word, Context(context), found
        except ValueError:
            raise UserError(
                f"{path}, line {number}: a row needs word, context "
                f"({', '.join(Context)}) and two whole numbers, separated by tabs; "
                f"this one is {line!r}"
            ) from None
