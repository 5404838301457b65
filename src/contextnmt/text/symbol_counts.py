"""Counts over a training text that become its tables: rule dictionary and rates.

`contextnmt.text.rules` and `contextnmt.text.rates` say what stands in them.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from contextnmt.text.rates import HEADER as RATES_HEADER
from contextnmt.text.rates import Sighting
from contextnmt.text.rules import HEADER as RULES_HEADER
from contextnmt.text.spills import Counted, SpilledCounts
from contextnmt.text.symbols import Symbol

#: What becomes of a capitalized word: the last column of a key of `RateCounts`.
SYMBOL, TEXT = "symbol", "text"


class RuleCounts:
    """How often a symbol stood for what: keys are type, source and target."""

    def __init__(self) -> None:
        self.counts = SpilledCounts()

    def add(self, symbols: Iterable[Symbol]) -> None:
        """Count the symbols of a sentence pair."""
        for symbol in symbols:
            self.counts.add((symbol.kind, symbol.source, symbol.target))

    def rows(self) -> Iterator[str]:
        """The lines of the rule dictionary. Call it once, at the end."""
        return rule_rows(self.counts.merged())


class RateCounts:
    """What became of capitalized words how often: keys are word, position, and SYMBOL or TEXT."""

    def __init__(self) -> None:
        self.counts = SpilledCounts()

    def add(self, seen: Iterable[Sighting]) -> None:
        """Count the sightings of a sentence."""
        for word, position, is_symbol in seen:
            self.counts.add((word, position, SYMBOL if is_symbol else TEXT))

    def rows(self) -> Iterator[str]:
        """The lines of the table of rates. Call it once, at the end."""
        return rate_rows(self.counts.merged())


def rule_rows(counts: Iterable[Counted]) -> Iterator[str]:
    """The lines of a rule dictionary, from counts like those of `RuleCounts` in their order."""
    yield RULES_HEADER
    for key, frequency in counts:
        yield "\t".join((*key, str(frequency)))


def rate_rows(counts: Iterable[Counted]) -> Iterator[str]:
    """The lines of a table of rates, from counts like those of `RateCounts` in their order."""
    yield RATES_HEADER
    for (word, position), group in groupby(counts, key=lambda row: row.key[:2]):
        found = {row.key[2]: row.frequency for row in group}
        yield f"{word}\t{position}\t{found.get(SYMBOL, 0)}\t{found.get(TEXT, 0)}"
