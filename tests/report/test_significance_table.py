"""The table of significance: intervals, differences, both tests, gaps."""

import csv
from pathlib import Path
from typing import Any

import pytest
from made_up_significance import make_significance
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.significance_table import significance_table, significant
from contextnmt.report.tables import write_table


@pytest.fixture
def files(results: Results, tmp_path: Path) -> list[Path]:
    """The files of both pairs, free to be changed."""
    made = make_significance(results.folder, results.about)
    copies = [tmp_path / path.parent.name / path.name for path in made]
    for path, copy in zip(made, copies, strict=True):
        write_json(copy, read_json(path))
    return copies


def table_of(files: list[Path], results: Results, folder: Path) -> dict[str, Any]:
    write_table(folder / "significance", significance_table(files, results.experiment))
    table: dict[str, Any] = read_json(folder / "significance.json")
    return table


def row_of(table: dict[str, Any], title: str, label: str) -> list[dict[str, Any]]:
    (block,) = [block for block in table["blocks"] if block["title"] == title]
    (row,) = [row["cells"] for row in block["rows"] if row["label"] == label]
    cells: list[dict[str, Any]] = row
    return cells


def test_scores_differences_and_tests(files: list[Path], results: Results, tmp_path: Path) -> None:
    table = table_of(files, results, tmp_path)
    bleu, interval = row_of(table, "English → French, test, beam 12", "Baseline")
    assert (bleu["text"], interval["text"]) == ("20.25", "18.25 to 22.25")
    cells = row_of(
        table, "English → French, test, beam 12: differences", "+Context (C) over Baseline"
    )
    assert [cell["text"] for cell in cells] == ["+1.50", "+0.60 to +2.40", "< 0.001", "< 0.001"]
    assert cells[0]["best"]


def test_a_difference_that_one_test_takes_for_chance_is_not_marked(
    files: list[Path], results: Results, tmp_path: Path
) -> None:
    content = read_json(files[0])
    content["contrasts"][0]["p_bootstrap"] = 0.0512
    write_json(files[0], content)
    cells = row_of(
        table_of(files, results, tmp_path),
        "English → French, test, beam 12: differences",
        "+Context (C) over Baseline",
    )
    assert (cells[0]["best"], cells[2]["text"]) == (False, "0.051")


def test_every_number_is_in_the_csv_file(
    files: list[Path], results: Results, tmp_path: Path
) -> None:
    table_of(files, results, tmp_path)
    with open(tmp_path / "significance.csv", newline="") as stream:
        rows = {(r["pair"], r["system"], r["baseline"]): r for r in csv.DictReader(stream)}
    row = rows["en-fr", "context", "baseline"]
    assert (row["text"], row["value"], row["low"], row["p_bootstrap"]) == (
        *("test", "1.5", "0.6"),
        "0.0002",
    )
    assert rows["en-de", "bpe", ""]["p_bootstrap"] == ""


def test_seeds_are_told_with_their_deviation(results_of_seeds: Results, tmp_path: Path) -> None:
    files = make_significance(results_of_seeds.folder, results_of_seeds.about)
    table = table_of(files, results_of_seeds, tmp_path)
    (cell, _) = row_of(table, "English → French, test_2017_flickr, beam 12", "Baseline")
    assert cell["remark"] == "± 0.50"
    assert "Mean ± standard deviation of 3 seeds." in table["notes"]


def test_a_gap_has_its_reason(files: list[Path], results: Results, tmp_path: Path) -> None:
    content = read_json(files[0])
    content["systems"]["context"] = {"gap": "no translation of seed 2"}
    for entry in content["contrasts"]:
        if "context" in (entry["system"], entry["baseline"]):
            for name in set(entry) - {"system", "baseline"}:
                del entry[name]
            entry["gap"] = "context: no translation of seed 2"
    write_json(files[0], content)
    table = table_of(files, results, tmp_path)
    cell, *_ = row_of(table, "English → French, test, beam 12", "+Context (C)")
    assert (cell["text"], cell["remark"]) == ("–", "no translation of seed 2")
    cell, *rest = row_of(
        table, "English → French, test, beam 12: differences", "+Context (C) over Baseline"
    )
    assert (cell["text"], cell["remark"]) == ("–", "context: no translation of seed 2")
    assert {each["text"] for each in rest} == {"–"}
    (row,) = [
        row
        for row in table["data"]
        if (row["pair"], row["system"], row["baseline"]) == ("en-fr", "context", "baseline")
    ]
    assert (row["value"], row["gap"]) == (None, "context: no translation of seed 2")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "test.beam1"}, "no significance of all systems with beam 12"),
        ({"systems": {}}, "no significance of all systems with beam 12"),
    ],
)
def test_another_file_is_refused(
    change: dict[str, Any], message: str, files: list[Path], results: Results, tmp_path: Path
) -> None:
    write_json(files[0], {**read_json(files[0]), **change})
    with pytest.raises(UserError, match=message):
        table_of(files, results, tmp_path)


def test_a_missing_text_is_refused(files: list[Path], results: Results, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no file for en-de/test"):
        table_of(files[:1], results, tmp_path)


def test_both_tests_have_to_agree() -> None:
    assert significant([0.049, 0.001])
    assert not significant([0.001, 0.05])
