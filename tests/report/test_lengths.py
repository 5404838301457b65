"""BLEU by sentence length: the table, with windows in its CSV file too, and the figure."""

import csv
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of
from made_up_lengths import BINS, STARTS, lengths_of

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.report.figures import save_all
from contextnmt.report.lengths import length_curves, length_scores_table
from contextnmt.report.results import Results
from contextnmt.report.tables import Table, texts_of

ABOUT = experiment("bahdanau2015")
SYSTEMS = [system["id"] for system in ABOUT["systems"]]


@pytest.fixture
def content() -> dict[str, Any]:
    """The file that length-scores writes of all systems."""
    return lengths_of("test.beam12", SYSTEMS, [1])


@pytest.fixture
def without_scores(content: dict[str, Any]) -> dict[str, Any]:
    """Such a file of two seeds, where one system is a gap."""
    content["systems"]["rnnsearch-30"] = {"gap": "no translation of seed 2"}
    return content | {"seeds": [1, 2]}


def made(folder: Path, content: Any, **about: Any) -> Results:
    write_json(folder / "length-scores/bahdanau2015/en-fr/test.beam12.json", content)
    return results_of(folder, ABOUT | about)


def csv_rows(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(texts_of(table)["csv"].split("\n")))


def draw(folder: Path, content: dict[str, Any], out: str = "out", **about: Any) -> str:
    """The figure as SVG."""
    save_all(length_curves(made(folder, content, **about)), folder / out)
    return (folder / out / "lengths.en-fr.svg").read_text()


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


def test_a_system_without_scores_has_its_reason(
    tmp_path: Path, without_scores: dict[str, Any]
) -> None:
    table = length_scores_table(made(tmp_path, without_scores))
    cells = dict(table.blocks[0].rows)["RNNsearch-30"]
    assert [cell.plain for cell in cells] == ["– no translation of seed 2", *["–"] * 4]
    (row,) = (row for row in csv_rows(table) if row["system"] == "rnnsearch-30")
    assert (row["kind"], row["bleu"], row["gap"]) == ("", "", "no translation of seed 2")
    assert "Mean of 2 seeds." in table.notes


def test_a_system_that_is_not_finished_has_dashes(tmp_path: Path, content: dict[str, Any]) -> None:
    del content["systems"]["rnnsearch-30"]
    gaps = {"en-fr": {"rnnsearch-30": "not trained"}}
    table = length_scores_table(made(tmp_path, content, gaps=gaps))
    cells = dict(table.blocks[0].rows)["RNNsearch-30"]
    assert [cell.plain for cell in cells] == ["–"] * 5


def test_a_text_without_sentences_has_one_empty_group(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    content |= {"windows": [], "bins": [each | {"sentences": 0} for each in content["bins"]]}
    none = {"bins": [{"bleu": None, "interval": None}] * len(BINS), "windows": []}
    content["systems"] = dict.fromkeys(SYSTEMS, none)
    (block,) = length_scores_table(made(tmp_path, content)).blocks
    assert block.columns == [("up to 10 words", "0 sentences")]
    assert {cell.plain for _, cells in block.rows for cell in cells} == {"–"}


def test_a_file_that_lacks_something_is_named(tmp_path: Path, content: dict[str, Any]) -> None:
    del content["systems"]["rnnsearch-30"]["bins"]
    for function in (length_scores_table, lambda results: list(length_curves(results))):
        with pytest.raises(UserError, match=r"test\.beam12\.json: no bins in it: make this file"):
            function(made(tmp_path, content))


def test_the_figure_has_systems_bins_and_the_text(tmp_path: Path, content: dict[str, Any]) -> None:
    svg = draw(tmp_path, content)
    texts = ["English → French", "of test, beam 12", "21–30", "(1,500)", "up to 10", "41–50", "(0)"]
    for text in [*texts, *(system["label"] for system in ABOUT["systems"])]:
        assert f">{text}</" in svg, text
    assert "over 50" not in svg  # beyond the longest sentence
    assert svg.count(">too few</") == 3
    assert "no running window" not in svg
    assert "seeds" not in svg


def test_figures_are_the_same_bytes_each_time(tmp_path: Path, content: dict[str, Any]) -> None:
    for out in ("a", "b"):
        draw(tmp_path, content, out)
    written = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert written == [f"lengths.en-fr.{suffix}" for suffix in ("pdf", "png", "svg")]
    for name in written:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_figure_names_a_stale_system_so(tmp_path: Path, content: dict[str, Any]) -> None:
    svg = draw(tmp_path, content, stale={"en-fr": {"rnnsearch-30": "hidden was 9"}})
    assert svg.count("(stale)</") == svg.count(">RNNsearch-30 (stale)</") == 1


def test_the_figure_names_a_system_without_scores_so(
    tmp_path: Path, without_scores: dict[str, Any]
) -> None:
    svg = draw(tmp_path, without_scores)
    assert ">RNNsearch-30 (no scores)</" in svg
    assert ">RNNsearch-50</" in svg
    assert ">of test, beam 12, mean of 2 seeds</" in svg


def test_a_text_too_short_for_windows_says_so(tmp_path: Path, content: dict[str, Any]) -> None:
    content |= {"windows": []}
    for scores in content["systems"].values():
        scores["windows"] = []
    assert ">fewer than 200 sentences: no running window</" in draw(tmp_path, content)


def test_all_systems_without_scores_make_an_empty_figure(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    content["systems"] = {system: {"gap": "no such file"} for system in SYSTEMS}
    assert draw(tmp_path, content).count("(no scores)</") == len(SYSTEMS)
