"""The table of BLEU by sentence length: groups for readers, windows too in the CSV file."""

import csv
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from made_up_lengths import BINS, STARTS, lengths_of

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.report.experiment import experiment_of
from contextnmt.report.lengths import length_scores_table
from contextnmt.report.tables import Table, read_table, write_table

ABOUT = experiment("bahdanau2015")
SYSTEMS = [system["id"] for system in ABOUT["systems"]]


def made_up() -> dict[str, Any]:
    """What length-scores writes of all systems."""
    return lengths_of("test.beam12", SYSTEMS, [1])


def table_of(folder: Path, content: Any, **about: Any) -> Table:
    """The table of a file of one pair."""
    path = folder / "en-fr/test.beam12.json"
    write_json(path, content)
    write_table(folder / "length-scores", length_scores_table([path], experiment_of(ABOUT | about)))
    return read_table(folder / "length-scores.json")


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "length-scores.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_readers_see_the_groups_of_the_figure(tmp_path: Path) -> None:
    table = table_of(tmp_path, made_up())
    (block,) = table.blocks
    assert block.title == "English → French, test, beam 12"
    assert block.columns == [
        ("up to 10 words", "400 sentences"),
        ("11–20 words", "1,500 sentences"),
        ("21–30 words", "7 sentences"),
        ("31–40 words", "0 sentences"),
        ("41–50 words", "3 sentences"),
    ]  # none beyond the longest sentence
    assert [label for label, _ in block.rows] == [each["label"] for each in ABOUT["systems"]]
    _, cells = block.rows[1]
    assert [cell.plain for cell in cells] == ["22.00 (21.00 to 23.00)"] * 2 + ["–"] * 3
    assert "22.00 (21.00 to 23.00)" in (tmp_path / "length-scores.md").read_text()
    assert "22.00 (21.00 to 23.00)" in (tmp_path / "length-scores.tex").read_text()
    notes = " ".join(table.notes)
    for said in ("fewer than 20 sentences", "1,000 draws", "95 %", "running windows"):
        assert said in notes
    assert "seeds" not in notes


def test_every_number_is_in_the_csv_file(tmp_path: Path) -> None:
    table_of(tmp_path, made_up())
    rows = rows_of(tmp_path)
    assert len(rows) == len(SYSTEMS) * (len(BINS) + len(STARTS))
    of_one = [row for row in rows if row["system"] == "rnnencdec-50"]
    first, *_, last = of_one[: len(BINS)]
    assert first == {
        **{"pair": "en-fr", "text": "test", "beam": "12", "system": "rnnencdec-50"},
        **{"kind": "bin", "from": "0", "to": "10", "sentences": "400", "mean_length": "4.5"},
        **{"bleu": "24", "low": "23", "high": "25", "gap": ""},
    }
    assert (last["from"], last["to"], last["sentences"], last["bleu"]) == ("51", "", "0", "")
    few = of_one[2]  # too few to be shown
    assert (few["sentences"], few["bleu"], few["low"]) == ("7", "24", "23")
    window = of_one[len(BINS)]
    assert (window["kind"], window["from"], window["to"]) == ("window", "1", "7")
    assert (window["mean_length"], window["bleu"], window["high"]) == ("5.5", "23.9", "24.9")


def test_a_system_without_scores_has_its_reason(tmp_path: Path) -> None:
    content = made_up()
    content["systems"]["rnnsearch-30"] = {"gap": "no translation of seed 2"}
    content["seeds"] = [1, 2]
    table = table_of(tmp_path, content)
    cell, *rest = dict(table.blocks[0].rows)["RNNsearch-30"]
    assert (cell.text, cell.remark) == ("–", "no translation of seed 2")
    assert {each.plain for each in rest} == {"–"}
    (row,) = (row for row in rows_of(tmp_path) if row["system"] == "rnnsearch-30")
    assert (row["kind"], row["bleu"], row["gap"]) == ("", "", "no translation of seed 2")
    assert "Mean of 2 seeds." in table.notes


def test_a_system_that_is_not_finished_has_dashes_and_a_note(tmp_path: Path) -> None:
    content = made_up()
    del content["systems"]["rnnsearch-30"]
    table = table_of(tmp_path, content, gaps={"en-fr": {"rnnsearch-30": "not trained"}})
    cells = dict(table.blocks[0].rows)["RNNsearch-30"]
    assert [cell.plain for cell in cells] == ["–"] * 5
    assert "Not finished: English → French: RNNsearch-30 (not trained)." in table.notes


def test_a_text_without_sentences_has_one_empty_group(tmp_path: Path) -> None:
    content = made_up() | {"windows": []}
    content["bins"] = [{**each, "sentences": 0} for each in content["bins"]]
    for scores in content["systems"].values():
        scores["bins"] = [{"bleu": None, "interval": None}] * len(BINS)
        scores["windows"] = []
    (block,) = table_of(tmp_path, content).blocks
    assert block.columns == [("up to 10 words", "0 sentences")]
    assert {cell.plain for _, cells in block.rows for cell in cells} == {"–"}


@pytest.mark.parametrize("lacking", ["name", "systems", "bins", "rnnsearch-30", "windows"])
def test_a_file_that_lacks_something_is_named(tmp_path: Path, lacking: str) -> None:
    content = made_up()
    content.pop(lacking, None)
    content.get("systems", {}).pop(lacking, None)
    with pytest.raises(UserError, match=r"test\.beam12\.json: no scores by length of all systems"):
        table_of(tmp_path, content)
    with pytest.raises(UserError, match="make this file again"):
        table_of(tmp_path, [1])


def test_scores_belong_to_groups(tmp_path: Path) -> None:
    content = made_up()
    content["systems"]["rnnsearch-30"]["bins"].pop()
    with pytest.raises(UserError, match="no scores by length of all systems"):
        table_of(tmp_path, content)


def test_files_belong_to_pairs(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no file for en-fr"):
        write_table(tmp_path / "length-scores", length_scores_table([], experiment_of(ABOUT)))
