"""Table 3: words and coverage before and after symbolization."""

import csv
from pathlib import Path

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.table3 import table3


def test_our_numbers_stand_beside_the_papers(results: Results, tmp_path: Path) -> None:
    table3(results.files("coverage/*.json"), results.experiment, tmp_path / "table3")
    with open(tmp_path / "table3.csv", newline="") as stream:
        rows = {(r["pair"], r["language"], r["quantity"]): r for r in csv.DictReader(stream)}
    assert len(rows) == 2 * 2 * 3
    assert rows["en-fr", "fr", "unique_words"] == {
        "pair": "en-fr",
        "language": "fr",
        "quantity": "unique_words",
        "before": "4000",
        "after": "2500",
        "paper_before": "1.73M",
        "paper_after": "0.49M",
    }
    assert rows["en-de", "de", "coverage_percent"]["paper_after"] == "95.3"
    first = read_json(tmp_path / "table3.json")["blocks"][0]["rows"][2]
    assert first["label"] == "English: coverage (%)"
    assert [cell["text"] for cell in first["cells"]] == ["91.2", "97.5", "96.1", "99.1"]


def test_a_file_without_a_side_is_named(results: Results, tmp_path: Path) -> None:
    write_json(tmp_path / "en-fr.json", {"en": {"before": {}, "after": {}}})
    files = [tmp_path / "en-fr.json", results.folder / "coverage/en-de.json"]
    with pytest.raises(UserError, match=r"en-fr.json: no unique_words of en"):
        table3(files, results.experiment, tmp_path / "table3")


def test_a_missing_pair_is_named(results: Results, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--coverage: no file for en-fr"):
        table3([results.folder / "coverage/en-de.json"], results.experiment, tmp_path / "t")
