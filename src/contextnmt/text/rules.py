"""The rule dictionary: what the training text puts in the target for what a symbol stands for.

Choi et al. 2017, section 4.3: one rule for each matching pair that became a symbol. External
rules, which the paper leaves out, write numbers without a rule. The dictionary is a table that a
person can read and edit, ``rules.tsv``, with a header and the columns

- ``type``: N (number), S (proper noun) or C (acronym);
- ``source``: the surface in the source text, words separated by blanks;
- ``target``: the surface in the target text;
- ``count``: how often, in the training text.

Rows are sorted by type and source (by code points); the targets of one source come in the order in
which the text has them first. Restoration takes the most frequent one, of equals the upper one
(A33). Rows may be edited, added and deleted, as long as they stay sorted by type and source.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from contextnmt.text.numbers import reformat
from contextnmt.text.symbol_tables import read_table
from contextnmt.text.symbols import KINDS, NUMBER

#: Source and target language, by which external rules write numbers; None without these rules.
Languages = tuple[str, str] | None

HEADER = "type\tsource\ttarget\tcount"


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
        HEADER,
        "type (N, S or C), source, target and count (a whole number)",
        lambda row: row[0] in KINDS and all(row) and row[3].isdecimal(),
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
