"""The tables beside a symbolized text, with a header, a row per line and a tab between columns.

The rule dictionary, ``rules.tsv``, says what the training text puts in the target for what a symbol
stands for (Choi et al. 2017, section 4.3): one rule for each matching pair that became a symbol.
External rules, which the paper leaves out, write numbers without a rule. A person can read and edit
the table; its columns are

- ``type``: N (number), S (proper noun) or C (acronym);
- ``source``: the surface in the source text, words separated by blanks;
- ``target``: the surface in the target text;
- ``count``: how often, in the training text.

Rows are sorted by type and source (by code points); the targets of one source come in the order in
which the text has them first. Restoration takes the most frequent one, of equals the upper one
(A33). Rows may be edited, added and deleted, as long as they stay sorted by type and source. That
trains systems with symbols again, whose validations restore words, unless `training.validation` is
``view``.

The table of symbols of a source without target, ``{text}.symbols.tsv.gz``, has the columns line
(from 1), symbol (``<S>_1``) and its words, separated by blanks; in the order of the text.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import COUNT, read_lines
from contextnmt.text.numbers import reformat
from contextnmt.text.pieces import SYMBOL

RULES_HEADER = "type\tsource\ttarget\tcount"
SYMBOLS_HEADER = "line\tsymbol\tsource"

#: Types of symbols.
KINDS = NUMBER, NAME, ACRONYM = "N", "S", "C"

#: Source and target language, by which external rules write numbers; None without these rules.
Languages = tuple[str, str] | None


def read_table(
    path: Path,
    header: str,
    row: str,
    is_row: Callable[[list[str]], bool],
    sorted_by: int = 0,
    unique: bool = False,
) -> Iterator[list[str]]:
    """The columns of each row of a table.

    `row` says what a row has, for messages, and `is_row` whether columns are that. Raises
    UserError, naming the line, at another header, at anything that is no row, and at a row that is
    not in its place by the first `sorted_by` columns, or `unique` and the second one with these.
    """
    lines = read_lines(path)
    if (first := next(lines, "")) != header:
        raise UserError(f"{path}, line 1: expected the header {header!r}, found {first[:80]!r}")
    last: list[str] = []
    for number, line in enumerate(lines, start=2):
        columns = line.split("\t")
        if len(columns) != header.count("\t") + 1 or not is_row(columns):
            raise UserError(
                f"{path}, line {number}: a row needs {row}, separated by tabs; this one is "
                f"{line[:80]!r}"
            )
        if (key := columns[:sorted_by]) < last or (unique and key == last):
            here, before = (repr(" ".join(each)[:80]) for each in (key, last))
            raise UserError(
                f"{path}, line {number}: {here} comes after {before}: sort the rows by their first "
                f"{sorted_by} columns{' and remove repeated ones' * unique}"
            )
        last = key
        yield columns


def table_lines(header: str, rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a table, each with its LF."""
    yield f"{header}\n"
    for row in rows:
        yield "\t".join(map(str, row)) + "\n"


def read_symbols(path: Path) -> dict[int, dict[str, str]]:
    """Symbol -> source surface, for each line that has symbols, from a file of `symbolize`."""
    symbols: dict[int, dict[str, str]] = {}
    for line, symbol, surface in read_table(
        path,
        SYMBOLS_HEADER,
        "line (from 1), symbol and source",
        lambda row: bool(re.fullmatch("(?!0)" + COUNT, row[0]) and SYMBOL.fullmatch(row[1])),
    ):
        symbols.setdefault(int(line), {})[symbol] = surface
    return symbols


class Rule(NamedTuple):
    """One row of the rule dictionary."""

    kind: str
    source: str
    target: str
    frequency: int


def read_rules(path: Path) -> Iterator[Rule]:
    """The rows of a rule dictionary.

    Raises UserError, naming the line, at a malformed row and at one that is not in its place.
    """
    for kind, source, target, count in read_table(
        path,
        RULES_HEADER,
        "type (N, S or C), source, target and count (a whole number)",
        lambda row: row[0] in KINDS and all(row) and bool(re.fullmatch(COUNT, row[3])),
        sorted_by=2,
    ):
        yield Rule(kind, source, target, int(count))


def counted_rules(counts: Counter[tuple[str, str, str]]) -> Iterator[Rule]:
    """The rows of a rule dictionary in their order, from counts of (type, source, target).

    The targets of one source stay in the order of their first occurrences.
    """
    for rule in sorted(counts, key=lambda rule: rule[:2]):
        yield Rule(*rule, counts[rule])


def best_targets(rules: Iterable[Rule], languages: Languages) -> dict[tuple[str, str], str]:
    """(type, source) -> most frequent target; of equally frequent ones, the first (A33).

    Only where it is not `without_rule` anyway: the names that look alike in both languages are
    most of a rule dictionary, and need no memory.
    """
    targets = {}
    for (kind, source), group in groupby(rules, key=lambda rule: rule[:2]):
        best = max(group, key=lambda rule: rule.frequency)  # of equals the first
        if best.target != without_rule(kind, source, languages):
            targets[kind, source] = best.target
    return targets


def without_rule(kind: str, source: str, languages: Languages) -> str:
    """Restore a symbol without a rule: a copy or, given `languages`, a number re-formatted."""
    return reformat(source, *languages) if languages and kind == NUMBER else source
