"""The tables of symbols made without the target: scores, reasons, and the worst errors."""

import csv
from pathlib import Path
from typing import Any

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.evaluation.symbol_errors import Error, Reason
from contextnmt.files import read_json, write_json
from contextnmt.report.symbols import (
    REASONS,
    symbol_errors_table,
    symbol_scores_table,
)
from contextnmt.report.tables import write_table


@pytest.fixture
def tables(results: Results, tmp_path: Path) -> Path:
    """A folder with both tables of `results`."""
    files = results.files("symbol-scores/*.json")
    write_table(tmp_path / "symbol-scores", symbol_scores_table(files, results.experiment))
    write_table(tmp_path / "symbol-errors", symbol_errors_table(files, results.experiment))
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def shown(block: dict[str, Any], label: str) -> list[str]:
    """The cells of the row with this label."""
    (cells,) = (row["cells"] for row in block["rows"] if row["label"] == label)
    return [cell["text"] for cell in cells]


def test_scores_stand_by_text_and_type(tables: Path) -> None:
    block = read_json(tables / "symbol-scores.json")["blocks"][0]
    assert block["title"] == "English → French"
    assert [row["label"] for row in block["rows"]] == [
        *("dev: numbers", "dev: names", "dev: acronyms", "dev: all"),
        *("test: numbers", "test: names", "test: acronyms", "test: all"),
    ]
    assert shown(block, "dev: numbers") == ["1,000", "1,000", "100.0", "100.0", "100.0"]
    assert shown(block, "dev: names") == ["100", "80", "70.0", "87.5", "77.8"]
    assert shown(block, "test: acronyms") == ["0", "0", "–", "–", "–"]


def test_reasons_are_added_up_over_the_texts(tables: Path) -> None:
    blocks = read_json(tables / "symbol-scores.json")["blocks"]
    assert len(blocks) == 4
    assert blocks[1]["title"] == "English → French: wrong decisions"
    assert [row["label"] for row in blocks[1]["rows"]] == [
        "false: not in the target: translated, converted or left out",
        "false: fewer or more words with both sides",
        "missed: fewer or more words from the source alone",
    ]
    assert [shown(blocks[1], row["label"]) for row in blocks[1]["rows"]] == [
        ["0", "40", "0", "40"],
        ["0", "20", "0", "20"],
        ["0", "20", "0", "20"],
    ]


def test_counts_of_a_row_add_up(tables: Path) -> None:
    scores = rows(tables / "symbol-scores.csv")
    assert {(row["pair"], row["text"]) for row in scores} == {
        (pair, text) for pair in ("en-fr", "en-de") for text in ("dev", "test")
    }
    for row in scores:
        false = sum(int(row[column]) for column in row if column.startswith("false_"))
        if row["type"] in "NSC":
            right = float(row["precision_percent"] or 0) * int(row["source_alone"]) / 100
            assert int(row["source_alone"]) - false == pytest.approx(right)


def test_the_most_frequent_errors_are_listed_with_their_examples(tables: Path) -> None:
    first, second = read_json(tables / "symbol-errors.json")["blocks"]
    assert first["text_columns"] == len(first["columns"]) - 1
    assert [column for (column,) in first["columns"]][-1] == "count"
    assert shown(first, "1") == [
        *("Germany", "names", "false", "not in the target: translated, converted or left out"),
        *("test:7", "… in Germany | and", "in", "2,000"),
    ]
    assert shown(second, "2")[0] == "New York"  # no line break in a row
    errors = rows(tables / "symbol-errors.csv")
    assert (errors[0]["pair"], errors[0]["surface"], errors[0]["count"]) == (
        "en-fr",
        "Germany",
        "2000",
    )
    assert r"… in Germany \| and" in (tables / "symbol-errors.md").read_text()
    assert "(" not in (tables / "symbol-errors.tex").read_text()


def test_every_reason_has_a_name() -> None:
    assert list(REASONS) == [error.value for error in Error]
    assert {reason for names in REASONS.values() for reason in names} == set(Reason)


def test_without_errors_there_is_nothing_to_list(results: Results, tmp_path: Path) -> None:
    files = []
    for path in results.files("symbol-scores/*.json"):
        content = read_json(path)
        for entry in content["texts"].values():
            entry["types"] = dict.fromkeys(entry["types"], entry["types"]["N"])
        write_json(tmp_path / path.name, content | {"errors": []})
        files.append(tmp_path / path.name)
    write_table(tmp_path / "scores", symbol_scores_table(files, results.experiment))
    write_table(tmp_path / "errors", symbol_errors_table(files, results.experiment))
    assert len(read_json(tmp_path / "scores.json")["blocks"]) == 2
    assert read_json(tmp_path / "errors.json")["blocks"] == []


def test_other_content_is_reported(results: Results, tmp_path: Path) -> None:
    files = [tmp_path / f"{pair}.json" for pair in ("en-fr", "en-de")]
    for path in files:
        write_json(path, {"texts": {}, "errors": []})
    with pytest.raises(UserError, match=r"en-fr\.json: not the symbol scores of dev, test:"):
        write_table(tmp_path / "a", symbol_scores_table(files, results.experiment))
