"""The table of trainings, and the learning curves."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import EXPERIMENTS, experiment, results_of
from matplotlib.figure import Figure
from results_folder import Made, csv_rows

from contextnmt.errors import UserError
from contextnmt.files import write_json, write_lines
from contextnmt.report.figures import lines_of, scale_by_logarithm
from contextnmt.report.learning_curves import (
    curves,
    plot,
    still_gaining,
    trainings_table,
)
from contextnmt.report.results import Results, System
from contextnmt.report.tables import Table


def trained(**training: Any) -> dict[str, Any]:
    """A model.json with the keys of the table; its best update is 400 of 600."""
    recipe = {"optimizer": "adam", "patience": 10, "max_updates": 60000}
    recipe |= {"precision": "fp32", "device": "cpu", "threads": 1}
    return {
        "training": {**recipe, **training},
        "parameters": 1234567,
        "data": {"pairs": 8765},
        "updates": 600,
        "best": {"update": 400, "dev_bleu": 20.0},
        "stopped": "max_updates",
        "seconds": 75.5,
        "environment": {"gpu": "A GPU"},
    }


LOG = [
    {"kind": "machine", "update": 0, "processor": "A"},
    {"kind": "train", "update": 200, "epoch": 1.5, "loss": 3.0},
    {"kind": "dev", "update": 200, "bleu": 15.0, "loss": 3.5},
    {"kind": "train", "update": 390, "epoch": 2.9, "loss": 2.0},
    {"kind": "dev", "update": 400, "bleu": 20.0, "loss": 2.5},
    {"kind": "train", "update": 600, "epoch": 4.5, "loss": 1.0},
    {"kind": "dev", "update": 600, "bleu": 19.0, "loss": 2.6},
]


def made(
    folder: Path,
    *settings: dict[str, Any],
    log: list[dict[str, Any]] = LOG,
    name: str = "bahdanau2015",
) -> Results:
    """The trainings of the first systems of an experiment, which differ in these settings."""
    about = experiment(name) | {"pairs": ["en-fr"]}
    about["systems"] = about["systems"][: len(settings)]
    for system, training in zip(about["systems"], settings, strict=True):
        run = folder / f"train/en-fr/{system['id']}/1"
        write_json(run / "model.json", trained(**training))
        write_lines(run / "log.jsonl", map(json.dumps, log))
    return results_of(folder, about)


def validations(*bleu: float) -> list[dict[str, Any]]:
    return [{"kind": "dev", "update": at, "bleu": each} for at, each in enumerate(bleu)]


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        # The losses are those of the weights used.
        (LOG, {"train_loss": 2.0, "dev_loss": 2.5, "epochs": 4.5, "last_gain": -1.0}),
        (LOG[:1], {"train_loss": None, "dev_loss": None, "epochs": None, "last_gain": None}),
        (validations(15.0, 20.0, 18.0, 20.5), {"dev_loss": None, "last_gain": 0.5}),
        (validations(15.0), {"last_gain": None}),
    ],
)
def test_a_row_tells_of_losses_and_the_last_validation(
    tmp_path: Path, log: list[dict[str, Any]], expected: dict[str, float | None]
) -> None:
    row = trainings_table(made(tmp_path, {}, log=log)).data[0]
    assert {key: row[key] for key in expected} == expected


def test_trainings_that_ended_at_their_best_are_counted() -> None:
    """By pair; a training with one validation says nothing."""
    gains = {"a": 0.2, "b": -0.5, "c": 3.0, "d": None, "e": 1.5, "f": 0.0, "g": 0.004}
    rows: list[dict[str, Any]] = [
        {"source": "here", "pair": "en-fr", "system": system, "last_gain": gain}
        for system, gain in gains.items()
    ]
    rows += [{"source": "paper", "system": "a"}, rows[1] | {"pair": "en-de"}]
    (told,) = still_gaining(rows, "en-fr")
    assert told.startswith("In 3 of 6 trainings the last validation raised the best dev BLEU, ")
    assert ", by a median of 1.50: " in told
    (told,) = still_gaining(rows, "en-de")
    assert told == "No training had its highest dev BLEU at the last validation."
    assert still_gaining(rows[3:4], "en-fr") == []
    (told,) = still_gaining([rows[0]], "en-fr")
    assert ", by 0.20: " in told


def shown(table: Table) -> dict[str, dict[str, str]]:
    """The text of each cell of the first block by its row and column."""
    (block, *_) = table.blocks
    columns = [" ".join(column).strip() for column in block.columns]
    return {
        label: dict(zip(columns, (cell.text for cell in cells), strict=True))
        for label, cells in block.rows
    }


def test_settings_in_which_trainings_differ_are_columns_and_others_a_note(tmp_path: Path) -> None:
    gpu = {"device": "cuda", "precision": "bf16", "threads": 2}
    results = made(tmp_path, gpu, {"optimizer": "adadelta", "patience": None}, name="choi2017")
    table = trainings_table(results)
    rows = shown(table)
    columns = ("device", "precision", "optimizer", "patience")
    assert [rows["Baseline"][column] for column in columns] == ["A GPU", "bf16", "adam", "10"]
    assert [rows["+Context (C)"][column] for column in columns] == ["CPU", "fp32", "adadelta", "–"]
    assert len(rows["Baseline"]) == len(columns)
    assert not any("paper" in note for note in table.notes)
    for said in ("updates 600", "time 1:15 min", "dev loss 2.50", "dev BLEU 20.00"):
        assert said in table.notes[0]
    assert "patience" not in table.notes[0]


def test_the_papers_figures_stand_beside(tmp_path: Path) -> None:
    table = trainings_table(made(tmp_path, *[{}] * 5))
    row = shown(table)["RNNsearch-50*"]
    assert (row["updates here"], row["updates paper"]) == ("600", "667,000")
    assert (row["time here"], row["time paper"]) == ("1:15 min", "252 h")
    assert (row["device paper"], row["dev loss here"]) == ("Quadro K-6000", "2.50")
    assert any("A40" in note for note in table.notes)
    data = {(row["source"], row["system"]): row for row in csv_rows(table)}
    assert data["paper", "rnnencdec-30"]["updates"] == "846000"
    assert data["here", "rnnencdec-30"]["dev_loss"] == "2.5"


def test_each_seed_has_a_row(results_of_seeds: Made) -> None:
    labels = [label for label, _ in trainings_table(results_of_seeds.results).blocks[0].rows]
    assert labels[:2] == ["Baseline, seed 1", "Baseline, seed 2"]
    assert len(set(labels)) == len(labels) == 3 * 8


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"kind": "tr', "not JSON"),
        ('{"update": 3}', "no kind in it"),
        ('{"kind": "train", "update": 3}', "no loss in it"),
        ('{"kind": "dev", "update": 3}', "no bleu in it"),
    ],
)
def test_a_damaged_log_is_named(tmp_path: Path, line: str, message: str) -> None:
    results = made(tmp_path, {})
    write_lines(tmp_path / "train/en-fr/rnnencdec-30/1/log.jsonl", [json.dumps(LOG[0]), line])
    for function in (trainings_table, lambda results: list(curves(results))):
        with pytest.raises(UserError, match=rf"rnnencdec-30/1/log\.jsonl, line 2: {message}"):
            function(results)


@pytest.mark.parametrize(
    ("losses", "ticks"),
    [([3.0, 0.8], [1, 2, 3]), ([5.0, 0.1, 0.0, 7e-5], [1e-4, 1e-3, 0.01, 0.1, 1])],
)
def test_a_logarithmic_axis_has_few_numbers(losses: list[float], ticks: list[float]) -> None:
    axes = Figure().subplots()
    axes.plot(losses)
    scale_by_logarithm(axes)
    low, high = axes.get_ylim()
    assert low > min(filter(None, losses)) / 3
    assert [tick for tick in axes.get_yticks() if low <= tick <= high] == pytest.approx(ticks)


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_no_two_systems_have_the_same_line(name: str) -> None:
    systems = [System(**system) for system in experiment(name)["systems"]]
    lines = lines_of(systems)
    assert len({tuple(line.values()) for line in lines.values()}) == len(systems)


def test_the_mean_of_seeds_ends_where_the_first_of_them_does() -> None:
    axes = Figure().subplots()
    plot(axes, [{1: 2.0, 2: 4.0, 3: 9.0}, {1: 4.0, 2: 5.0}], {"color": "red"}, "of both")
    mean, *rest = axes.lines
    assert (list(mean.get_xdata()), list(mean.get_ydata())) == ([1, 2], [3.0, 4.5])
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in rest] == [
        ([2, 3], [4.0, 9.0]),
        ([2], [5.0]),
    ]
    low, high = axes.collections[0].get_datalim(axes.transData).intervaly
    assert (low, high) == (2.0, 5.0)
