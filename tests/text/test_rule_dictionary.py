"""The stage rule-dictionary: a text in parts has the tables of the whole."""

import itertools
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.text.rates import HEADER as RATES_HEADER
from contextnmt.text.rates import Position, Sighting, counted
from contextnmt.text.rule_dictionary import rule_dictionary
from contextnmt.text.rules import HEADER as RULES_HEADER
from contextnmt.text.rules import best_targets, counted_rules, read_rules
from contextnmt.text.symbol_tables import table_lines

SYMBOLS = st.tuples(
    st.sampled_from("NSC"),
    st.sampled_from(["Lake", "Lake B", "É", "8"]),
    st.sampled_from(["lac", "Lac", "Lake", "A"]),
)
SIGHTINGS = st.builds(
    Sighting, st.sampled_from(["Lake", "Lac", "É"]), st.sampled_from(Position), st.booleans()
)


def parts_of(items: Sequence, shards: int) -> list[Sequence]:
    """`items` in contiguous parts, some of them empty where the items are few."""
    ends = [number * len(items) // shards for number in range(shards + 1)]
    return [items[start:end] for start, end in itertools.pairwise(ends)]


def write_tables(
    prefix: Path, symbols: Sequence[tuple[str, str, str]], seen: Sequence[Sighting]
) -> None:
    """The tables of a part."""
    rules = table_lines(RULES_HEADER, counted_rules(Counter(symbols)))
    rates = table_lines(RATES_HEADER, counted(Counter(seen)))
    prefix.with_suffix(".rules.tsv").write_text("".join(rules))
    prefix.with_suffix(".rates.tsv").write_text("".join(rates))


def merge(folder: Path, prefixes: list[str]) -> tuple[Path, Path]:
    """The files that `rules` makes of the tables of `prefixes`: rule dictionary and rates."""
    out = folder / "merged.rules.tsv", folder / "merged.rates.tsv"
    tables = ([folder / f"{name}.{kind}.tsv" for name in prefixes] for kind in ("rules", "rates"))
    rule_dictionary(*tables, *out)
    return out


@given(st.lists(SYMBOLS, max_size=40), st.lists(SIGHTINGS, max_size=40), st.sampled_from([1, 3, 8]))
@settings(deadline=None, max_examples=40)
def test_tables_do_not_depend_on_the_parts(
    tmp_path_factory: pytest.TempPathFactory,
    symbols: list[tuple[str, str, str]],
    seen: list[Sighting],
    shards: int,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    write_tables(folder / "whole", symbols, seen)
    names = [f"{number}of{shards}" for number in range(1, shards + 1)]
    for name, *part in zip(names, parts_of(symbols, shards), parts_of(seen, shards), strict=True):
        write_tables(folder / name, *part)
    whole = [folder / "whole.rules.tsv", folder / "whole.rates.tsv"]
    for merged, expected in zip(merge(folder, names), whole, strict=True):
        assert merged.read_bytes() == expected.read_bytes()


def write_table(folder: Path, header: str, name: str, rows: list[str]) -> None:
    write_lines(folder / name, [header, *rows])


def test_of_equally_frequent_targets_the_first_of_the_first_part_wins(tmp_path: Path) -> None:
    tables = {
        "a": ["N\t2010\t2010\t1", "N\t5,000\t5000\t1", "N\t6,000\t6000\t1", "S\tLake\tlac\t1"],
        "b": ["N\t6,000\t6 000\t2", "S\tBonn\tBonn\t3", "S\tLake\tLac\t9"],
        "c": ["S\tLake\tLac\t1", "S\tLake\tSee\t10", "S\tLake\tlac\t9"],
    }
    for name, rows in tables.items():
        write_table(tmp_path, RULES_HEADER, f"{name}.rules.tsv", rows)
    for name in "abc":
        write_table(tmp_path, RATES_HEADER, f"{name}.rates.tsv", [])
    merged, _ = merge(tmp_path, ["a", "b", "c"])
    assert list(read_lines(merged))[4:] == [
        "N\t6,000\t6 000\t2",
        "S\tBonn\tBonn\t3",
        "S\tLake\tlac\t10",
        "S\tLake\tLac\t10",
        "S\tLake\tSee\t10",
    ]
    # Names that stay and numbers that are only written as the language does need no rule.
    assert best_targets(read_rules(merged), "en", "fr") == {
        ("N", "5,000"): "5000",
        ("S", "Lake"): "lac",
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["S\tBonn\tBonn"], "line 2: a row needs"),
        (["X\tBonn\tBonn\t1"], "line 2: a row needs"),
        (["S\tBonn\t\t3"], "line 2: a row needs"),
        (["S\tBonn\tBonn\t3", "S\tAachen\tAix\t2"], "line 3: 'S Aachen' comes after 'S Bonn'"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, rows: list[str], message: str) -> None:
    write_table(tmp_path, RULES_HEADER, "a.rules.tsv", rows)
    write_table(tmp_path, RATES_HEADER, "a.rates.tsv", [])
    with pytest.raises(UserError, match=message):
        merge(tmp_path, ["a"])
    assert not list(tmp_path.glob("*merged*"))


def test_every_part_has_both_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.rules.tsv"
    with pytest.raises(UserError, match="2 --rules, 1 --rates"):
        rule_dictionary([path, path], [path], tmp_path / "merged.rules", tmp_path / "merged.rates")


def test_memory_does_not_grow_with_the_tables(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        for name in "ab":
            lines = [f"S\tLake {number:06}\tlac {name}\t1" for number in range(rows)]
            write_table(tmp_path, RULES_HEADER, f"{name}.rules.tsv", lines)
            write_table(tmp_path, RATES_HEADER, f"{name}.rates.tsv", [])
        tracemalloc.start()
        try:
            merge(tmp_path, ["a", "b"])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is imported or cached at the first call
    assert peak(10_000) < peak(1_000) + 100_000
