"""BLEU by sentence length: the table, with windows in its CSV file too, and the figure."""

from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of
from made_up_lengths import BINS, STARTS, lengths_of
from results_folder import as_svg, csv_rows

from contextnmt.files import write_json
from contextnmt.report.figures import save_all
from contextnmt.report.lengths import length_curves, length_scores_table
from contextnmt.report.results import Results

ABOUT = experiment("bahdanau2015")
SYSTEMS = [system["id"] for system in ABOUT["systems"]]


@pytest.fixture
def content() -> dict[str, Any]:
    """The file that length-scores writes of all systems."""
    return lengths_of("test.beam12", SYSTEMS, [1])


def made(folder: Path, content: Any, **about: Any) -> Results:
    write_json(folder / "length-scores/bahdanau2015/en-fr/test.beam12.json", content)
    return results_of(folder, ABOUT | about)


@as_svg
def draw(folder: Path, content: dict[str, Any]) -> str:
    """The figure as SVG."""
    save_all(length_curves(made(folder, content)), folder)
    return (folder / "lengths.en-fr.svg").read_text()


def test_readers_see_the_groups_of_the_figure(tmp_path: Path, content: dict[str, Any]) -> None:
    table = length_scores_table(made(tmp_path, content))
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
    notes = " ".join(table.notes)
    for said in ("fewer than 20 sentences", "1,000 draws", "95 %", "running windows"):
        assert said in notes
    assert "seeds" not in notes


def test_every_number_is_in_the_csv_file(tmp_path: Path, content: dict[str, Any]) -> None:
    rows = csv_rows(length_scores_table(made(tmp_path, content)))
    assert len(rows) == len(SYSTEMS) * (len(BINS) + len(STARTS))
    of_one = [row for row in rows if row["system"] == "rnnencdec-50"]
    assert of_one[0] == {
        **{"pair": "en-fr", "text": "test", "beam": "12", "system": "rnnencdec-50"},
        **{"kind": "bin", "from": "0", "to": "10", "sentences": "400", "mean_length": "4.5"},
        **{"bleu": "24", "low": "23", "high": "25", "gap": ""},
    }
    few, last, window = of_one[2], of_one[len(BINS) - 1], of_one[len(BINS)]
    assert (few["sentences"], few["bleu"]) == ("7", "24")  # too few to be shown
    assert (last["from"], last["to"], last["sentences"], last["bleu"]) == ("51", "", "0", "")
    keys = ("kind", "from", "to", "mean_length", "bleu", "high")
    assert [window[key] for key in keys] == ["window", "1", "7", "5.5", "23.9", "24.9"]


def test_a_system_without_scores_has_its_reason(tmp_path: Path, content: dict[str, Any]) -> None:
    content["systems"]["rnnsearch-30"] = {"gap": "no translation of seed 2"}
    content["seeds"] = [1, 2]
    table = length_scores_table(made(tmp_path, content))
    cells = dict(table.blocks[0].rows)["RNNsearch-30"]
    assert [cell.plain for cell in cells] == ["– no translation of seed 2", *["–"] * 4]
    (row,) = (row for row in csv_rows(table) if row["system"] == "rnnsearch-30")
    assert (row["kind"], row["bleu"], row["gap"]) == ("", "", "no translation of seed 2")
    assert "Mean of 2 seeds." in table.notes
    svg = draw(tmp_path, content)
    assert svg.count("(no scores)</") == svg.count(">RNNsearch-30 (no scores)</") == 1
    assert ">of test, beam 12, mean of 2 seeds</" in svg


def test_a_text_without_sentences_has_one_empty_group(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    content |= {"windows": [], "bins": [each | {"sentences": 0} for each in content["bins"]]}
    none = {"bins": [{"bleu": None, "interval": None}] * len(BINS), "windows": []}
    content["systems"] = dict.fromkeys(SYSTEMS, none)
    (block,) = length_scores_table(made(tmp_path, content)).blocks
    assert block.columns == [("up to 10 words", "0 sentences")]
    assert {cell.plain for _, cells in block.rows for cell in cells} == {"–"}
    assert ">fewer than 200 sentences: no running window</" in draw(tmp_path, content)
    content["systems"] = {system: {"gap": "no such file"} for system in SYSTEMS}
    assert draw(tmp_path, content).count("(no scores)</") == len(SYSTEMS)


def test_the_figure_has_systems_bins_and_the_text(tmp_path: Path, content: dict[str, Any]) -> None:
    svg = draw(tmp_path, content)
    texts = ["English → French", "of test, beam 12", "21–30", "(1,500)", "up to 10", "41–50", "(0)"]
    for text in [*texts, *(system["label"] for system in ABOUT["systems"])]:
        assert f">{text}</" in svg, text
    assert "over 50" not in svg  # beyond the longest sentence
    assert svg.count(">too few</") == 3
    assert "no running window" not in svg
