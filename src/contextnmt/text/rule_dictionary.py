"""The stage `rule-dictionary`: what `symbolize` writes for the parts of a text becomes one table.

What comes out is, byte for byte, what `symbolize` writes for the whole text: of one source, the
targets stay in the order in which the text has them first, which decides between equally frequent
ones (A33). Rows stream through, those of one source at a time.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, repeat
from operator import add, itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import one_of_each
from contextnmt.files import atomic_all
from contextnmt.progress import progress
from contextnmt.text.rates import HEADER as RATES_HEADER
from contextnmt.text.rates import read_rates
from contextnmt.text.symbol_tables import RULES_HEADER, read_rules, table_lines

#: The columns that both tables are sorted by.
PLACE = itemgetter(slice(2))


def rule_dictionary(
    rules: Annotated[list[Path], typer.Option(help="rule dictionary of a part; repeatable")],
    rates: Annotated[list[Path], typer.Option(help="its table of rates; one for each --rules")],
    rules_out: Annotated[Path, typer.Option(help="where to write the rule dictionary of all")],
    rates_out: Annotated[Path, typer.Option(help="where to write the table of rates of all")],
) -> None:
    """Merge the rule dictionaries and the rates of the parts of a training text.

    Each part needs to be symbolized with the word counts of the whole text. The parts are given in
    the order of the text, which decides which of two equally frequent targets restoration takes.

    Example: contextnmt rule-dictionary --rules one.rules.tsv --rules two.rules.tsv
    --rates one.rates.tsv --rates two.rates.tsv --rules-out rules.tsv --rates-out rates.tsv
    """
    one_of_each("part", rules=rules, rates=rates)
    tables = (
        table_lines(RULES_HEADER, merged(map(read_rules, rules), 3)),
        table_lines(RATES_HEADER, merged(map(read_rates, rates), 2)),
    )
    with atomic_all([rules_out, rates_out]) as (rules_file, rates_file):
        for out, lines in zip((rules_file, rates_file), tables, strict=True):
            out.writelines(progress(lines, "rule dictionary", "rows"))


def merged(tables: Iterable[Iterable[Sequence[Any]]], names: int) -> Iterator[Sequence[Any]]:
    """The rows of `tables`, those with the same first `names` columns as one: the others summed.

    Each table is sorted by its first two columns, and so are all. Rows that differ in their third
    name alone come in the order in which they are seen first when the tables are read one after the
    other; only these are held in memory together.
    """
    rows = heapq.merge(*tables, key=PLACE)  # of equal places, that of the first table first
    for _, group in groupby(rows, key=PLACE):
        sums: dict[Sequence[str], list[int]] = {}
        for row in group:
            before = sums.get(row[:names], repeat(0))
            sums[row[:names]] = list(map(add, before, row[names:]))
        yield from ((*key, *numbers) for key, numbers in sums.items())
