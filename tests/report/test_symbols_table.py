"""The table of what symbols replace most often."""

import csv
import random
from collections import Counter
from pathlib import Path

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.symbols import COUNT, most_frequent, symbols_table
from contextnmt.report.tables import write_table
from contextnmt.text.rules import Rule


@pytest.fixture(scope="module")
def table(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables") / "symbols"
    write_table(
        out, symbols_table(results.files("rule-dictionary/*/rules.tsv"), results.experiment)
    )
    return out


def test_the_most_frequent_of_each_type_are_shown(table: Path) -> None:
    with open(table.with_suffix(".csv"), newline="") as stream:
        rows = list(csv.DictReader(stream))
    shown = Counter((row["pair"], row["type"]) for row in rows)
    assert shown == {(pair, kind): n for pair in ("en-fr", "en-de") for kind, n in SHOWN.items()}
    assert rows[0] == {
        "pair": "en-fr",
        "type": "C",
        "source": "IMF",
        "target": "FMI",
        "count": "42",
        "target_count": "40",
    }
    names = [row for row in rows if (row["pair"], row["type"]) == ("en-de", "S")]
    assert [row["source"] for row in names] == [f"Ville-{n:03}" for n in range(COUNT)]


#: Of the rules of `results_folder`.
SHOWN = {"C": 5, "N": COUNT, "S": COUNT}


def test_blocks_go_by_pair_and_type(table: Path) -> None:
    blocks = read_json(table.with_suffix(".json"))["blocks"]
    assert [block["title"] for block in blocks] == [
        f"English → {language}: {kind}"
        for language in ("French", "German")
        for kind in ("numbers", "names", "acronyms")
    ]
    first, second, *_ = blocks[2]["rows"]
    assert first["label"] == "IMF"
    assert [(cell["text"], cell["remark"]) for cell in first["cells"]] == [
        ("FMI", "(40)"),
        ("42", ""),
    ]
    assert [(cell["text"], cell["remark"]) for cell in second["cells"]] == [
        ("A|B", ""),
        ("3", ""),
    ]


def test_a_bar_in_a_word_does_not_part_a_row(table: Path) -> None:
    assert r"| A\|B " in table.with_suffix(".md").read_text()


def test_the_selection_is_that_of_a_full_sort() -> None:
    chance = random.Random(1)
    rules = sorted(
        (
            Rule(kind, f"{source}", f"{target}", chance.randint(1, 9))
            for kind in "CNS"
            for source in range(300)
            for target in range(chance.randint(1, 3))
        ),
        key=lambda rule: rule[:2],
    )
    total: Counter[tuple[str, str]] = Counter()
    for rule in rules:
        total[rule.kind, rule.source] += rule.frequency
    expected = [
        (kind, source, count)
        for wanted in "CNS"
        for (kind, source), count in sorted(total.items(), key=lambda item: (-item[1], item[0]))
        if kind == wanted
    ]
    found = [(row["type"], row["source"], row["count"]) for row in most_frequent(iter(rules))]
    assert found == [
        row for kind in "CNS" for row in [each for each in expected if each[0] == kind][:COUNT]
    ]


def test_of_equally_frequent_targets_the_first_is_shown() -> None:
    rules = [Rule("C", "UN", "ONU", 5), Rule("C", "UN", "UN", 5)]
    assert [row["target"] for row in most_frequent(rules)] == ["ONU"]


def test_a_missing_pair_is_named(results: Results, tmp_path: Path) -> None:
    only = [results.folder / "rule-dictionary/en-de/rules.tsv"]
    with pytest.raises(UserError, match="rules: no file for en-fr"):
        write_table(tmp_path / "symbols", symbols_table(only, results.experiment))
