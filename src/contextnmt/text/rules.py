"""The rule dictionary: what the training text puts in the target for what a symbol stands for.

Choi et al. 2017, section 4.3: one rule for each matching pair that became a symbol; no external
rules. It is a table that a person can read and edit, ``rules.tsv``, with a header and the columns

- ``type``: N (number), S (proper noun) or C (acronym);
- ``source``: the surface in the source text, words separated by blanks;
- ``target``: the surface in the target text; **empty** in the row that tells how often a name,
  standing alone as a candidate in the source, stayed text;
- ``count``: how often, in the training text.

Rows are sorted by type and source; of one source, the most frequent target comes first, of equally
frequent ones the one seen first (A33). Restoration takes the first; a row's place decides nothing
but ties, so lines may be edited, added or deleted freely. A number is only listed if its most
frequent target is not what re-formatting it for the target language gives anyway.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.text.numbers import reformat
from contextnmt.text.symbols import ACRONYM, NAME, NUMBER, Symbol

HEADER = "type\tsource\ttarget\tcount"


class Rule(NamedTuple):
    """One row of the rule dictionary."""

    kind: str
    source: str
    target: str
    frequency: int


class RuleCounts:
    """Counts of what symbols stood for, as large as the number of distinct rows."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, symbols: list[Symbol], text_names: list[str]) -> None:
        """Count the symbols of a sentence pair and the names of its source that stayed text."""
        for symbol in symbols:
            self.counts[symbol.kind, symbol.source, symbol.target] += 1
        for name in text_names:
            self.counts[NAME, name, ""] += 1

    def rules(self, source_language: str, target_language: str) -> Iterator[Rule]:
        """The rows of the rule dictionary, in the order of the file."""
        rules = [Rule(*surfaces, count) for surfaces, count in self.counts.items()]
        rules.sort(
            key=lambda rule: (rule.kind, rule.source, -rule.frequency)
        )  # stable: ties as seen
        for (kind, source), group in groupby(rules, key=lambda rule: rule[:2]):
            same = list(group)
            if kind != NUMBER or same[0].target != reformat(
                source, source_language, target_language
            ):
                yield from same


def write_rules(path: Path, rules: Iterator[Rule]) -> None:
    """Write `rules` as a rule dictionary."""

    def lines() -> Iterator[str]:
        yield HEADER
        for rule in rules:
            yield "\t".join(map(str, rule))

    write_lines(path, lines())


def read_rules(path: Path) -> Iterator[Rule]:
    """The rows of a rule dictionary. Raises UserError, naming the line, at a malformed row."""
    lines = read_lines(path)
    if next(lines, None) != HEADER:
        raise UserError(f"{path}, line 1: not a rule dictionary: its header is {HEADER!r}")
    for number, line in enumerate(lines, start=2):
        columns = line.split("\t")
        if len(columns) != 4 or columns[0] not in (NUMBER, NAME, ACRONYM) or not columns[1]:
            raise UserError(
                f"{path}, line {number}: a row needs type (N, S or C), source, target and count, "
                f"separated by tabs; this one is {line!r}"
            )
        kind, source, target, count = columns
        if not count.isdecimal():
            raise UserError(f"{path}, line {number}: count {count!r} is not a whole number")
        yield Rule(kind, source, target, int(count))


def best_targets(rules: Iterator[Rule]) -> dict[tuple[str, str], str]:
    """(type, source) -> most frequent target; of equally frequent ones, the first (A33)."""
    best: dict[tuple[str, str], Rule] = {}
    for rule in rules:
        key = (rule.kind, rule.source)
        if rule.target and (key not in best or rule.frequency > best[key].frequency):
            best[key] = rule
    return {key: rule.target for key, rule in best.items()}


class NameCounts(NamedTuple):
    """How often a name of the source became a symbol in training, and how often it stayed text."""

    symbol: int = 0
    text: int = 0


def name_counts(rules: Iterator[Rule]) -> dict[str, NameCounts]:
    """The counts of every name in the rule dictionary."""
    counts: dict[str, NameCounts] = {}
    for rule in rules:
        if rule.kind == NAME:
            symbol, text = counts.get(rule.source, NameCounts())
            more = (rule.frequency, 0) if rule.target else (0, rule.frequency)
            counts[rule.source] = NameCounts(symbol + more[0], text + more[1])
    return counts
