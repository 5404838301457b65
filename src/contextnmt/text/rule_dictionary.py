"""The stage `rule-dictionary`: what `symbolize` writes for the parts of a text becomes one table.

What comes out is, byte for byte, what `symbolize` writes for the whole text: of one source, the
targets stay in the order in which the text has them first, which decides between equally frequent
ones (A33). Rows stream through, those of one source at a time.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import one_of_each
from contextnmt.files import atomic_all
from contextnmt.progress import progress
from contextnmt.text.rates import Rate, plus, rate_rows, read_rates
from contextnmt.text.rules import read_rules, rule_rows

#: Type, source and target of a rule, and how often it occurred.
Counted = tuple[tuple[str, ...], int]


def rule_dictionary(
    rules: Annotated[
        list[Path], typer.Option(help="rule dictionary of a part; repeatable, in their order")
    ],
    rates: Annotated[
        list[Path], typer.Option(help="table of rates of a part; repeatable, one for each --rules")
    ],
    rules_out: Annotated[Path, typer.Option(help="where to write the rule dictionary of all")],
    rates_out: Annotated[Path, typer.Option(help="where to write the table of rates of all")],
) -> None:
    """Merge what symbolize wrote beside the parts of a training text: rule dictionaries and rates.

    Each part needs to be symbolized with the word counts of the whole text. The parts are given in
    the order of the text: it decides which of two equally frequent targets restoration takes.

    Example: contextnmt rule-dictionary --rules one.rules.tsv --rules two.rules.tsv
    --rates one.rates.tsv --rates two.rates.tsv --rules-out rules.tsv --rates-out rates.tsv
    """
    one_of_each("part", rules=rules, rates=rates)
    tables = (
        rule_rows(
            merge_rules(((row[:3], row.frequency) for row in read_rules(path)) for path in rules)
        ),
        rate_rows(merge_rates(map(read_rates, rates))),
    )
    with atomic_all([rules_out, rates_out]) as (rules_file, rates_file):
        for out, rows in zip((rules_file, rates_file), tables, strict=True):
            out.writelines(f"{row}\n" for row in progress(rows, "rule dictionary", "rows"))


def merge_rates(tables: Iterable[Iterable[Rate]]) -> Iterator[Rate]:
    """Every word and position of sorted `tables` once, its occurrences summed."""
    for (word, position), rows in groupby(heapq.merge(*tables), key=lambda row: row[:2]):
        yield word, position, reduce(plus, (found for _, _, found in rows))


def merge_rules(tables: Iterable[Iterable[Counted]]) -> Iterator[Counted]:
    """Every key of `tables` once, its counts summed: sorted by all of a key but its last string.

    So is each of the tables. Keys that differ in their last string alone come in the order in which
    they are seen first when the tables are read one after the other; only these are held in memory
    together.
    """

    def group_of(row: Counted) -> tuple[str, ...]:
        return row[0][:-1]

    rows = heapq.merge(*tables, key=group_of)  # of equal groups, that of the first table first
    for _, group in groupby(rows, key=group_of):
        sums: Counter[tuple[str, ...]] = Counter()
        for key, frequency in group:
            sums[key] += frequency
        yield from sums.items()
