"""The phenomena table: shares and counts of what is tagged in the test text."""

import csv
from pathlib import Path

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.phenomena_table import counts_of, phenomena_table
from contextnmt.report.tables import write_table


def test_shares_and_counts(results: Results, tmp_path: Path) -> None:
    files = results.files("phenomena/*/*/*/test.json")
    write_table(tmp_path / "phenomena", phenomena_table(files, results.experiment))
    with open(tmp_path / "phenomena.csv", newline="") as stream:
        rows = {(r["pair"], r["system"], r["phenomenon"]): r for r in csv.DictReader(stream)}
    row = rows["en-de", "symbol", "name unseen"]
    assert (row["right"], row["total"], row["right_percent"]) == ("6", "30", "20")
    block = read_json(tmp_path / "phenomena.json")["blocks"][0]
    assert block["columns"][-1] == ["acronyms", ""]
    cell = {"text": "15.0", "remark": "(3/20)", "best": False, "marked": False}
    assert block["rows"][1]["cells"][-1] == cell
    assert all(cell["best"] for cell in block["rows"][-1]["cells"])


def test_counts_of_seeds_are_added_up(results_of_seeds: Results, tmp_path: Path) -> None:
    files = results_of_seeds.files("phenomena/*/*/*/*.json")
    write_table(tmp_path / "phenomena", phenomena_table(files, results_of_seeds.experiment))
    row = read_json(tmp_path / "phenomena.json")["data"][0]
    assert (row["right"], row["total"], row["right_percent"]) == (60, 240, 25.0)


def test_a_phenomenon_that_the_text_lacks_is_left_out(tmp_path: Path) -> None:
    tables = {"kinds": {"number": {"right": 1, "total": 2}}, "names_by_seen": {}}
    content = {"test.beam12": tables | {"ambiguous_by_distance": {}}}
    write_json(tmp_path / "test.json", content)
    assert counts_of(tmp_path / "test.json", 12) == {"number": (1, 2)}
    with pytest.raises(UserError, match=r"no counts for test\.beam1:"):
        counts_of(tmp_path / "test.json", 1)
