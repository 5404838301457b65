"""Tables of what symbols replace, how right those of the source alone are, what becomes of them."""

import random
from collections import Counter
from typing import Any

import pytest
from results_folder import Made, csv_rows

from contextnmt.errors import UserError
from contextnmt.evaluation.symbol_scores import Error, Reason
from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.results import Results
from contextnmt.report.symbolization import (
    COUNT,
    REASONS,
    most_frequent,
    restoration_table,
    symbol_errors_table,
    symbol_scores_table,
    symbols_table,
)
from contextnmt.report.tables import Block, Table, texts_of
from contextnmt.text.rules import Rule


@pytest.fixture
def table(corpora: Results) -> Table:
    """The table of the words that symbols replace most often."""
    return symbols_table(corpora)


def shown(block: Block, label: str) -> list[str]:
    """The cells of the row with this label, with their remarks."""
    return [cell.plain for cell in dict(block.rows)[label]]


def labels(block: Block) -> list[str]:
    return [label for label, _ in block.rows]


def test_the_most_frequent_of_each_type_are_shown(table: Table) -> None:
    rows = csv_rows(table)
    of_rules = {"C": 5, "N": COUNT, "S": COUNT}
    assert Counter((row["pair"], row["type"]) for row in rows) == {
        (pair, kind): number for pair in ("en-fr", "en-de") for kind, number in of_rules.items()
    }
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


def test_blocks_go_by_pair_and_type(table: Table) -> None:
    assert [block.title for block in table.blocks] == [
        f"English → {language}: {kind}"
        for language in ("French", "German")
        for kind in ("numbers", "names", "acronyms")
    ]
    assert labels(table.blocks[2])[:2] == ["IMF", "A|B"]
    assert shown(table.blocks[2], "IMF") == ["FMI (40)", "42"]
    assert shown(table.blocks[2], "A|B") == ["A|B", "3"]


def test_a_bar_in_a_word_does_not_part_a_row(table: Table) -> None:
    assert r"| A\|B " in texts_of(table)["md"]


def test_the_most_frequent_are_those_of_a_full_sort() -> None:
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


def test_scores_stand_by_text_and_type(corpora: Results) -> None:
    block = symbol_scores_table(corpora).blocks[0]
    assert block.title == "English → French"
    assert labels(block) == [
        *("dev: numbers", "dev: names", "dev: acronyms", "dev: all"),
        *("test: numbers", "test: names", "test: acronyms", "test: all"),
    ]
    assert shown(block, "dev: numbers") == ["1,000", "1,000", "100.0", "100.0", "100.0"]
    assert shown(block, "dev: names") == ["100", "80", "70.0", "87.5", "77.8"]
    assert shown(block, "test: acronyms") == ["0", "0", "–", "–", "–"]


def test_reasons_are_added_up_over_the_texts(corpora: Results) -> None:
    _, block, *others = symbol_scores_table(corpora).blocks
    assert len(others) == 2
    assert block.title == "English → French: wrong decisions"
    expected = {
        "false: not in the target: translated, converted or left out": ["0", "40", "0", "40"],
        "false: fewer or more words with both sides": ["0", "20", "0", "20"],
        "missed: fewer or more words from the source alone": ["0", "20", "0", "20"],
    }
    assert labels(block) == list(expected)
    assert [shown(block, label) for label in expected] == list(expected.values())


def test_counts_of_a_row_add_up(corpora: Results) -> None:
    scores = csv_rows(symbol_scores_table(corpora))
    assert {(row["pair"], row["text"]) for row in scores} == {
        (pair, text) for pair in ("en-fr", "en-de") for text in ("dev", "test")
    }
    for row in scores:
        false = sum(int(row[column]) for column in row if column.startswith("false_"))
        if row["type"] in "NSC":
            right = float(row["precision_percent"] or 0) * int(row["source_alone"]) / 100
            assert int(row["source_alone"]) - false == pytest.approx(right)


def test_the_most_frequent_errors_are_listed_with_their_examples(corpora: Results) -> None:
    table = symbol_errors_table(corpora)
    first, second = table.blocks
    assert first.text_columns == len(first.columns) - 1
    assert first.columns[-1] == ("count",)
    assert shown(first, "1") == [
        *("Germany", "names", "false", "not in the target: translated, converted or left out"),
        *("test:7", "… in Germany | and", "in", "2,000"),
    ]
    assert shown(second, "2")[0] == "New York"  # no line break in a row
    error = csv_rows(table)[0]
    assert (error["pair"], error["surface"], error["count"]) == ("en-fr", "Germany", "2000")
    texts = texts_of(table)
    assert r"… in Germany \| and" in texts["md"]
    assert "(" not in texts["tex"]


def test_every_reason_has_a_name() -> None:
    assert list(dict.fromkeys(error for error, _ in REASONS)) == [error.value for error in Error]
    assert {reason for _, reason in REASONS} == set(Reason)


def test_without_errors_there_is_nothing_to_list(corpora: Results) -> None:
    for path in corpora.folder.glob("symbol-scores/*.json"):
        content = read_json(path)
        for entry in content["texts"].values():
            entry["types"] = dict.fromkeys(entry["types"], entry["types"]["N"])
        write_json(path, content | {"errors": []})
    assert len(symbol_scores_table(corpora).blocks) == 2
    assert symbol_errors_table(corpora).blocks == []


@pytest.fixture(scope="module")
def restoration(results: Made) -> Table:
    return restoration_table(results.results)


def test_systems_with_symbols_have_a_row_each(restoration: Table) -> None:
    first, second = restoration.blocks
    assert (first.title, second.title) == ("English → French", "English → German")
    assert first.columns == [("rule",), ("copy",), ("dropped",), ("missing",)]
    assert {label: [cell.text for cell in cells] for label, cells in first.rows} == {
        "+Symbol (S)": ["2", "400", "3", "140"],
        "+C+S": ["3", "600", "3", "210"],
        "+BPE+C+S": ["6", "1,200", "3", "420"],
        "+BPE+S": ["7", "1,400", "3", "490"],
    }
    rows = csv_rows(restoration)
    assert len(rows) == 2 * 4 * 4
    assert {"pair": "en-fr", "system": "symbol", "outcome": "copy", "symbols": "400"} in rows
    assert not any("seeds" in note for note in restoration.notes)


def test_seeds_are_added_up(results_of_seeds: Made) -> None:
    table = restoration_table(results_of_seeds.results)
    assert shown(table.blocks[0], "+Symbol (S)") == ["6", "1,200", "9", "420"]
    assert "Of 3 seeds together." in table.notes


def test_a_system_that_is_not_finished_has_dashes(results: Made) -> None:
    about = results.about | {"gaps": {"en-fr": {"symbol": "not trained"}}}
    block = restoration_table(Made(results.folder, about).results).blocks[0]
    assert shown(block, "+Symbol (S)") == ["–"] * 4
    assert shown(block, "+C+S")[1] == "600"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("symbol-scores/en-fr.json", {"texts": {}, "errors": []}, "no dev in it"),
        ("symbol-scores/en-fr.json", {}, "no texts in it"),
        ("restore/en-fr/symbol/1/restored.json", {"test.beam12": {"rule": 1}}, "no copy in it"),
        ("restore/en-fr/symbol/1/restored.json", {}, r"no test\.beam12 in it"),
    ],
)
def test_a_damaged_file_is_named(corpora: Results, file: str, content: Any, message: str) -> None:
    write_json(corpora.folder / file, content)
    with pytest.raises(UserError, match=f"{file}: {message}"):
        symbol_scores_table(corpora), restoration_table(corpora)


def test_a_damaged_rule_dictionary_is_named(corpora: Results) -> None:
    write_lines(corpora.folder / "rule-dictionary/en-de/rules.tsv", ["S\tOrlow"])
    with pytest.raises(UserError, match=r"en-de/rules\.tsv, line 1: expected the header"):
        symbols_table(corpora)
