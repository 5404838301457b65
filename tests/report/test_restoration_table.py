"""What became of the symbols in the translations."""

import csv
from pathlib import Path
from typing import Any

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.symbols import restoration_table
from contextnmt.report.tables import write_table

FILES = "restore/*/*/*/restored.json"


def made(results: Results, folder: Path, files: list[Path]) -> dict[str, Any]:
    """The table as the page reads it."""
    write_table(folder / "restoration", restoration_table(files, results.experiment))
    table: dict[str, Any] = read_json(folder / "restoration.json")
    return table


def test_systems_with_symbols_have_a_row_each(results: Results, tmp_path: Path) -> None:
    table = made(results, tmp_path, results.files(FILES))
    blocks = table["blocks"]
    assert [block["title"] for block in blocks] == ["English → French", "English → German"]
    assert blocks[0]["columns"] == [["rule"], ["copy"], ["dropped"], ["missing"]]
    assert {row["label"]: [cell["text"] for cell in row["cells"]] for row in blocks[0]["rows"]} == {
        "+Symbol (S)": ["2", "400", "3", "140"],
        "+C+S": ["3", "600", "3", "210"],
        "+BPE+C+S": ["6", "1,200", "3", "420"],
        "+BPE+S": ["7", "1,400", "3", "490"],
    }
    with open(tmp_path / "restoration.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * 4 * 4
    wanted = {"pair": "en-fr", "system": "symbol", "outcome": "copy", "symbols": "400"}
    assert wanted in rows
    assert not any("seeds" in note for note in table["notes"])


def test_seeds_are_added_up(results_of_seeds: Results, tmp_path: Path) -> None:
    table = made(results_of_seeds, tmp_path, results_of_seeds.files(FILES))
    first = table["blocks"][0]["rows"][0]["cells"]
    assert [cell["text"] for cell in first] == ["6", "1,200", "9", "420"]
    assert "Of 3 seeds together." in table["notes"]


def test_a_system_that_is_not_finished_has_dashes(results: Results, tmp_path: Path) -> None:
    about = results.about | {"gaps": {"en-fr": {"symbol": "not trained"}}}
    files = [path for path in results.files(FILES) if "en-fr/symbol/" not in str(path)]
    table = made(Results(results.folder, about), tmp_path, files)
    first, second = table["blocks"][0]["rows"][:2]
    assert [cell["text"] for cell in first["cells"]] == ["–"] * 4
    assert second["cells"][1]["text"] == "600"
    assert any("not trained" in note for note in table["notes"])


def test_a_run_without_counts_is_named(results: Results, tmp_path: Path) -> None:
    broken = tmp_path / "en-fr/symbol/1/restored.json"
    write_json(broken, {"test.beam12": {"rule": 1}})
    files = [broken if "fr/symbol/" in str(path) else path for path in results.files(FILES)]
    with pytest.raises(UserError, match=r"restored.json: no symbols of test.beam12 counted"):
        made(results, tmp_path, files)
    with pytest.raises(UserError, match="restored: no file for en-fr"):
        made(results, tmp_path, files[1:])
