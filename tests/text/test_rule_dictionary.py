"""The stage rule-dictionary: a text in parts has the tables of the whole."""

import tracemalloc
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.text.rates import HEADER as RATES_HEADER
from contextnmt.text.rule_dictionary import rule_dictionary
from contextnmt.text.symbol_tables import RULES_HEADER, best_targets, read_rules


def merge(folder: Path, prefixes: list[str]) -> tuple[Path, Path]:
    """The files that `rules` makes of the tables of `prefixes`: rule dictionary and rates."""
    out = folder / "merged.rules.tsv", folder / "merged.rates.tsv"
    tables = ([folder / f"{name}.{kind}.tsv" for name in prefixes] for kind in ("rules", "rates"))
    rule_dictionary(*tables, *out)
    return out


def write_table(folder: Path, header: str, name: str, rows: list[str]) -> None:
    write_lines(folder / name, [header, *rows])


def test_counts_add_up_and_of_equally_frequent_targets_the_first_wins(tmp_path: Path) -> None:
    tables = {
        "a": ["N\t2010\t2010\t1", "N\t5,000\t5000\t1", "N\t6,000\t6000\t1", "S\tLake\tlac\t1"],
        "b": ["N\t6,000\t6 000\t2", "S\tBonn\tBonn\t3", "S\tLake\tLac\t9"],
        "c": ["S\tLake\tLac\t1", "S\tLake\tSee\t10", "S\tLake\tlac\t9"],
    }
    for name, rows in tables.items():
        write_table(tmp_path, RULES_HEADER, f"{name}.rules.tsv", rows)
    rates = {"a": ["Bonn\tfirst\t1\t0", "York\tfirst\t0\t2"], "b": [], "c": ["Bonn\tfirst\t1\t3"]}
    for name, rows in rates.items():
        write_table(tmp_path, RATES_HEADER, f"{name}.rates.tsv", rows)
    merged, merged_rates = merge(tmp_path, ["a", "b", "c"])
    assert list(read_lines(merged_rates))[1:] == ["Bonn\tfirst\t2\t3", "York\tfirst\t0\t2"]
    assert list(read_lines(merged))[4:] == [
        "N\t6,000\t6 000\t2",
        "S\tBonn\tBonn\t3",
        "S\tLake\tlac\t10",
        "S\tLake\tLac\t10",
        "S\tLake\tSee\t10",
    ]
    # Names that stay and numbers that are only written as the language does need no rule.
    assert best_targets(read_rules(merged), ("en", "fr")) == {
        ("N", "5,000"): "5000",
        ("S", "Lake"): "lac",
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["S\tBonn\tBonn"], "line 2: a row needs"),
        (["X\tBonn\tBonn\t1"], "line 2: a row needs"),
        (["S\tBonn\t\t3"], "line 2: a row needs"),
        ([f"S\tBonn\tBonn\t{'9' * 5000}"], "line 2: a row needs"),
        (["S\tBonn\tBonn\t3", "S\tAachen\tAix\t2"], "line 3: 'S Aachen' comes after 'S Bonn'"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, rows: list[str], message: str) -> None:
    write_table(tmp_path, RULES_HEADER, "a.rules.tsv", rows)
    write_table(tmp_path, RATES_HEADER, "a.rates.tsv", [])
    with pytest.raises(UserError, match=message):
        merge(tmp_path, ["a"])
    assert not list(tmp_path.glob("*merged*"))


def test_a_rate_of_thousands_of_digits_is_named(tmp_path: Path) -> None:
    write_table(tmp_path, RULES_HEADER, "a.rules.tsv", [])
    write_table(tmp_path, RATES_HEADER, "a.rates.tsv", [f"Bonn\tfirst\t1\t{'9' * 5000}"])
    with pytest.raises(UserError, match="line 2: a row needs"):
        merge(tmp_path, ["a"])


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
