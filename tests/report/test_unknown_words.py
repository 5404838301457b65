"""The table of what the replacement of unknown words gains."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.results import Results
from contextnmt.report.tables import Cell, Table, texts_of
from contextnmt.report.unknown_words import unknown_words_table

#: BLEU of a seed whose unknown words stay, and are replaced.
KEPT, REPLACED = 20.0, 23.0


def make(folder: Path, seeds: tuple[int, ...] = (1,)) -> Results:
    """Results of an experiment with two RNNsearch whose unknown words are replaced."""
    names = [f"{text}.beam12" for text in ("dev", "test")]
    for system, better in (("rnnsearch-30", 0), ("rnnsearch-50", 5)):
        for seed in seeds:
            run, bleu = f"en-fr/{system}/{seed}", seed + better
            contents: dict[str, Any] = {
                f"score/{run}/scores.json": {name: {"bleu": KEPT + bleu} for name in names},
                f"score/{run}/replaced.json": {
                    f"{name}.replaced": {"bleu": REPLACED + bleu} for name in names
                },
                f"replace-unknown/{run}/replaced.json": {
                    f"{name}.replaced": {"unknown": 4 + seed, "words": 100} for name in names
                },
            }
            for path, content in contents.items():
                write_json(folder / path, content)
    of_pair = [("en-fr", system) for system in ("rnnsearch-30", "rnnsearch-50")]
    return replace(results_of(folder, experiment("bahdanau2015", seeds)), replaced=of_pair)


def shown(table: Table) -> dict[str, list[str]]:
    """The cells that readers see of each system."""
    (block,) = table.blocks
    return {label: [cell.plain for cell in cells] for label, cells in block.rows}


def csv_rows(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(texts_of(table)["csv"].split("\n")))


def test_systems_are_shown_with_what_replacing_gains(tmp_path: Path) -> None:
    table = unknown_words_table(make(tmp_path))
    (block,) = table.blocks
    assert block.title == "English → French, test, beam 12"
    assert block.columns == [("unknown words (%)", ""), ("BLEU", "kept"), ("BLEU", "replaced")]
    assert shown(table) == {
        "RNNsearch-30": ["5.00", "21.00", "24.00 (+3.00)"],
        "RNNsearch-50": ["5.00", "26.00", "29.00 (+3.00)"],
        "RNNsearch (Jean et al. 2015)": ["–", "29.97", "33.08 (+3.11)"],
    }
    best = [[cell.best for cell in cells] for _, cells in block.rows]
    assert best == [[False, False, True]] * 2 + [[False] * 3]
    assert "copy words that do not begin with a lower-case letter" in " ".join(table.notes)


def test_the_numbers_are_kept_in_full(tmp_path: Path) -> None:
    rows = csv_rows(unknown_words_table(make(tmp_path, seeds=(1, 2))))
    (row,) = (row for row in rows if (row["system"], row["text"]) == ("rnnsearch-30", "dev"))
    assert row["bleu_kept"] == "21.5" and row["bleu_replaced"] == "24.5" and row["gain"] == "3"
    assert row["unknown_percent"] == "5.5"
    assert row["seeds"] == "2" and row["bleu_replaced_deviation"] == "0.7071067812"
    (paper,) = (row for row in rows if row["source"] == "paper")
    assert (paper["bleu_kept"], paper["bleu_replaced"], paper["seeds"]) == ("29.97", "33.08", "")


def test_seeds_are_averaged_and_the_notes_say_so(tmp_path: Path) -> None:
    table = unknown_words_table(make(tmp_path, seeds=(1, 2)))
    cells = shown(table)["RNNsearch-30"]
    assert cells == ["5.50 ± 0.71", "21.50 ± 0.71", "24.50 ± 0.71 (+3.00)"]
    notes = " ".join(table.notes)
    assert "2 seeds" in notes
    assert "attention or of whole words: RNNencdec-30, RNNencdec-50, RNNsearch-50*." in notes


@pytest.mark.parametrize(
    ("path", "lacking"),
    [
        ("score/en-fr/rnnsearch-50/1/scores.json", "test.beam12"),
        ("score/en-fr/rnnsearch-50/1/replaced.json", "test.beam12.replaced"),
        ("replace-unknown/en-fr/rnnsearch-50/1/replaced.json", "test.beam12.replaced"),
    ],
)
def test_a_file_that_lacks_a_translation_is_named(tmp_path: Path, path: str, lacking: str) -> None:
    results = make(tmp_path)
    content = read_json(tmp_path / path).items()
    write_json(tmp_path / path, {name: each for name, each in content if name.startswith("dev")})
    with pytest.raises(UserError, match=f"{path}: no {lacking} in it: make this file again"):
        unknown_words_table(results)


def test_a_gap_is_a_dash_and_a_note(tmp_path: Path) -> None:
    results = make(tmp_path, seeds=(1, 2))
    for path, name in [
        ("score/en-fr/rnnsearch-30/2/scores.json", "test.beam12"),
        ("score/en-fr/rnnsearch-50/1/replaced.json", "test.beam12.replaced"),
    ]:
        content = read_json(tmp_path / path)
        write_json(tmp_path / path, content | {name: {"gap": f"{name} has 2 lines"}})
    table = unknown_words_table(results)
    (_, first), (_, second), _ = table.blocks[0].rows
    spread = "± 0.71"
    assert first == [Cell("5.50", spread), Cell("–"), Cell("24.50", spread, best=True)]
    assert second == [Cell("5.50", spread), Cell("26.50", spread, best=True), Cell("–")]
    where = "No score: English → French, test"
    assert f"{where}, kept: RNNsearch-30 (test.beam12 has 2 lines)." in table.notes
    named = "RNNsearch-50 (test.beam12.replaced has 2 lines)"
    assert f"{where}, replaced: {named}." in table.notes
    here = [row for row in csv_rows(table) if (row["text"], row["source"]) == ("test", "here")]
    means = {row["system"]: (row["bleu_kept"], row["bleu_replaced"], row["gain"]) for row in here}
    assert means == {"rnnsearch-30": ("", "24.5", ""), "rnnsearch-50": ("26.5", "", "")}
    assert all(row["seeds"] == "2" for row in here)


def test_a_stale_system_is_named_so(tmp_path: Path) -> None:
    stale = {"en-fr": {"rnnsearch-30": "model.hidden was 9, is 8 now"}}
    table = unknown_words_table(replace(make(tmp_path), stale=stale))
    assert list(shown(table))[:2] == ["RNNsearch-30 (stale)", "RNNsearch-50"]
