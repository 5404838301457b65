"""The table of what the replacement of unknown words gains."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from sentence_results import written

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.experiment import experiment_of
from contextnmt.report.unknown_words_table import unknown_words_table

#: BLEU of a seed whose unknown words stay, and with each heuristic.
KEPT, REPLACED = 20.0, {0: 21.0, 1: 23.5, 2: 23.0}


def make(
    folder: Path, seeds: tuple[int, ...] = (1,), heuristics: tuple[int, ...] = (0, 1, 2)
) -> Any:
    """The arguments of the command for the two RNNsearch of a table that also has others."""
    files: dict[str, list[Path]] = {"scores": [], "replaced_scores": [], "statistics": []}
    for system in ("rnnsearch-50", "rnnsearch-30"):
        for seed in seeds:
            run = f"en-fr/{system}/{seed}"
            bleu = seed + (5 if system == "rnnsearch-50" else 0)
            names = [f"{text}.beam12" for text in ("dev", "test")]
            replaced = {f"{name}.replaced{h}": h for name in names for h in heuristics}
            contents = {
                f"score/{run}/scores.json": {name: {"bleu": KEPT + bleu} for name in names},
                f"score/{run}/replaced.json": {
                    name: {"bleu": REPLACED[h] + bleu} for name, h in replaced.items()
                },
                f"replace-unknown/{run}/replaced.json": {
                    name: {"unknown": 4 + seed, "words": 100} for name in replaced
                },
            }
            for (path, content), option in zip(contents.items(), files, strict=True):
                write_json(folder / path, content)
                files[option].append(folder / path)
    about = experiment("bahdanau2015", seeds)
    return {**files, "about": experiment_of(about), "out": folder / "unknown-words"}


def test_systems_are_shown_with_what_each_heuristic_gains(tmp_path: Path) -> None:
    written(unknown_words_table, make(tmp_path))
    (block,) = read_json(tmp_path / "unknown-words.json")["blocks"]
    assert block["title"] == "English → French, test, beam 12"
    assert [labels[-1] or labels[0] for labels in block["columns"]] == [
        "unknown words (%)",
        "kept",
        "copied (0)",
        "looked up (1)",
        "lower case looked up (2)",
    ]
    shown = {
        row["label"]: [f"{cell['text']} {cell['remark']}".strip() for cell in row["cells"]]
        for row in block["rows"]
    }
    assert shown == {
        "RNNsearch-30": ["5.00", "21.00", "22.00 (+1.00)", "24.50 (+3.50)", "24.00 (+3.00)"],
        "RNNsearch-50": ["5.00", "26.00", "27.00 (+1.00)", "29.50 (+3.50)", "29.00 (+3.00)"],
        "RNNsearch (Jean et al. 2015)": ["–", "29.97", "–", "–", "33.08 (+3.11)"],
    }
    best = [[cell["best"] for cell in row["cells"]] for row in block["rows"]]
    assert best == [[False, False, False, True, False]] * 2 + [[False] * 5]


def test_the_numbers_are_kept_in_full(tmp_path: Path) -> None:
    written(unknown_words_table, make(tmp_path, seeds=(1, 2)))
    with open(tmp_path / "unknown-words.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    (row,) = (
        row
        for row in rows
        if (row["system"], row["text"], row["heuristic"]) == ("rnnsearch-30", "dev", "1")
    )
    assert row["bleu"] == "25" and row["gain"] == "3.5" and row["unknown_percent"] == "5.5"
    assert row["seeds"] == "2" and row["bleu_deviation"] == "0.7071067812"
    assert [row["bleu"] for row in rows if row["source"] == "paper"] == [
        "29.97",
        "33.08",
    ]


def test_seeds_are_averaged_and_the_notes_say_so(tmp_path: Path) -> None:
    written(unknown_words_table, make(tmp_path, seeds=(1, 2), heuristics=(2,)))
    table = read_json(tmp_path / "unknown-words.json")
    cells = table["blocks"][0]["rows"][0]["cells"]
    assert [f"{cell['text']} {cell['remark']}" for cell in cells] == [
        "5.50 ± 0.71",
        "21.50 ± 0.71",
        "24.50 ± 0.71 (+3.00)",
    ]
    notes = " ".join(table["notes"])
    assert "2 seeds" in notes
    assert "attention or of whole words: RNNencdec-30, RNNencdec-50, RNNsearch-50*." in notes


def test_a_missing_score_is_named(tmp_path: Path) -> None:
    arguments = make(tmp_path)
    write_json(arguments["scores"][0], {"test.beam1": {"bleu": 1}})
    with pytest.raises(UserError, match=r"rnnsearch-50/1/scores.json: no bleu of test.beam12"):
        written(unknown_words_table, arguments)


def test_a_gap_is_a_dash_and_a_note(tmp_path: Path) -> None:
    arguments = make(tmp_path, seeds=(1, 2))
    for option, name in [("scores", "test.beam12"), ("replaced_scores", "test.beam12.replaced1")]:
        path = arguments[option][-1 if option == "scores" else 0]
        write_json(path, read_json(path) | {name: {"gap": f"{name} has 2 lines"}})
    written(unknown_words_table, arguments)
    table = read_json(tmp_path / "unknown-words.json")
    shown = {
        row["label"]: [cell["text"] for cell in row["cells"]] for row in table["blocks"][0]["rows"]
    }
    assert shown["RNNsearch-30"] == ["5.50", "–", "22.50", "25.00", "24.50"]
    assert shown["RNNsearch-50"] == ["5.50", "26.50", "27.50", "–", "29.50"]
    marked = [[cell["best"] for cell in row["cells"]] for row in table["blocks"][0]["rows"][:2]]
    assert marked == [[False, False, False, True, False], [False, False, False, False, True]]
    remarks = [cell["remark"] for cell in table["blocks"][0]["rows"][0]["cells"]]
    assert not any("(" in remark for remark in remarks)
    where = "No score: English → French, test"
    assert f"{where}, kept: RNNsearch-30 (test.beam12 has 2 lines)." in table["notes"]
    named = "RNNsearch-50 (test.beam12.replaced1 has 2 lines)"
    assert f"{where}, looked up (1): {named}." in table["notes"]
    with open(tmp_path / "unknown-words.csv", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["text"] == "test"]
    without = {
        (r["system"], r["heuristic"]) for r in rows if r["source"] == "here" if not r["bleu"]
    }
    assert without == {("rnnsearch-30", ""), ("rnnsearch-50", "1")}
    assert all(row["seeds"] == "2" for row in rows if row["source"] == "here")


def test_a_missing_run_is_named(tmp_path: Path) -> None:
    arguments = make(tmp_path, seeds=(1, 2))
    arguments["statistics"].pop()
    with pytest.raises(UserError, match="statistics: no file for en-fr/rnnsearch-30/2"):
        written(unknown_words_table, arguments)


def test_a_stale_system_is_named_so(tmp_path: Path) -> None:
    arguments = make(tmp_path)
    stale = {"en-fr": {"rnnsearch-30": "model.hidden was 9, is 8 now"}}
    about = replace(arguments["about"], stale=stale)
    written(unknown_words_table, arguments | {"about": about})
    table = read_json(tmp_path / "unknown-words.json")
    labels = [row["label"] for row in table["blocks"][0]["rows"]]
    assert labels[:2] == ["RNNsearch-30 (stale)", "RNNsearch-50"]
    assert any("RNNsearch-30 (model.hidden was 9, is 8 now)" in note for note in table["notes"])
