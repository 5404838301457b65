"""The table of trainings: what each run took, its losses, the settings in which runs differ."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from results_folder import Results, make_results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.experiment import experiment_of
from contextnmt.report.tables import write_table
from contextnmt.report.trainings import (
    differing,
    figures,
    last_gain,
    notes,
    same,
    still_gaining,
    trainings_table,
)


def trained(**training: Any) -> dict[str, Any]:
    """What the table needs of a model.json; its best update is 400 of 600."""
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


def test_losses_are_those_of_the_weights_that_count() -> None:
    found = figures(trained(), LOG, [])
    assert (found["train_loss"], found["dev_loss"]) == (2.0, 2.5)
    assert (found["epochs"], found["updates"], found["device"]) == (4.5, 600, "CPU")
    assert figures(trained(device="cuda"), LOG, [])["device"] == "A GPU"


def test_a_log_without_losses_of_the_dev_text_has_a_gap() -> None:
    log = [
        {key: each[key] for key in each if key != "loss" or each["kind"] == "train"} for each in LOG
    ]
    assert figures(trained(), log, [])["dev_loss"] is None


def test_the_last_validation_is_held_against_the_best_before() -> None:
    assert figures(trained(), LOG, [])["last_gain"] == -1.0
    assert last_gain([15.0, 20.0, 18.0, 20.5]) == 0.5
    assert last_gain([15.0]) is None


def test_trainings_that_ended_at_their_best_are_counted() -> None:
    """By pair; a training with one validation says nothing."""
    gains = {"a": 0.2, "b": -0.5, "c": 3.0, "d": None, "e": 1.5, "f": 0.0, "g": 0.004}
    rows: list[dict[str, Any]] = [
        {"source": "here", "pair": "en-fr", "system": system, "last_gain": gain}
        for system, gain in gains.items()
    ]
    rows += [{"source": "paper", "system": "a"}, rows[1] | {"pair": "en-de"}]
    (told,) = still_gaining(rows, "en-fr")
    assert told.startswith("3 of 6 trainings had the highest dev BLEU at the last validation")
    assert ", +1.50 over the best before it in the median: " in told
    assert still_gaining(rows, "en-de") == []
    (told,) = still_gaining([rows[0]], "en-fr")
    assert ", +0.20 over the best before it: " in told


def test_settings_in_which_runs_differ_are_told() -> None:
    about = experiment_of(experiment("bahdanau2015"))
    models = {run: trained() for run in about.runs}
    assert differing(models) == ["precision"]
    models[about.runs[0]] = trained(device="cuda", precision="bf16", threads=2)
    models[about.runs[1]] = trained(optimizer="adadelta", patience=None, max_updates=471000)
    assert differing(models) == ["precision", "optimizer", "patience", "max_updates"]
    assert figures(models[about.runs[1]], LOG, ["patience"])["patience"] is None


@pytest.fixture(scope="module")
def bahdanau(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return make_results(tmp_path_factory.mktemp("bahdanau"), name="bahdanau2015")


def made(results: Results, folder: Path) -> dict[str, Any]:
    files = (results.files(f"train/*/*/*/{name}") for name in ("model.json", "log.jsonl"))
    write_table(folder / "trainings", trainings_table(*files, results.experiment))
    table: dict[str, Any] = read_json(folder / "trainings.json")
    return table


def test_the_papers_figures_stand_beside(bahdanau: Results, tmp_path: Path) -> None:
    table = made(bahdanau, tmp_path)
    (block,) = table["blocks"]
    rows = {
        row["label"]: dict(
            zip(map(tuple, block["columns"]), (c["text"] for c in row["cells"]), strict=True)
        )
        for row in block["rows"]
    }
    row = rows["RNNsearch-50*"]
    assert (row["updates", "here"], row["updates", "paper"]) == ("600", "667,000")
    assert (row["time", "here"], row["time", "paper"]) == ("1:15 min", "252 h")
    assert (row["device", "paper"], row["dev loss", "here"]) == ("Quadro K-6000", "2.35")
    assert any("A40" in note for note in table["notes"])
    with open(tmp_path / "trainings.csv", newline="") as stream:
        data = {(r["source"], r["system"]): r for r in csv.DictReader(stream)}
    assert data["paper", "rnnencdec-30"]["updates"] == "846000"
    assert data["here", "rnnencdec-30"]["dev_loss"] == "2.345"


def test_each_seed_has_a_row(results_of_seeds: Results, tmp_path: Path) -> None:
    block, _ = made(results_of_seeds, tmp_path)["blocks"]
    labels = [row["label"] for row in block["rows"]]
    assert labels[:2] == ["Baseline, seed 1", "Baseline, seed 2"]
    assert len(set(labels)) == len(labels) == 3 * 8
    assert "Baseline, seed 3 &" in (tmp_path / "trainings.tex").read_text()


def test_without_figures_of_the_paper_there_are_no_columns_for_them(
    results: Results, tmp_path: Path
) -> None:
    table = made(results, tmp_path)
    titles = [title for (title,) in table["blocks"][0]["columns"]]
    assert titles == ["training loss", "dev BLEU", "gain of the last validation"]
    assert not any("paper" in note for note in table["notes"])


def test_what_all_trainings_have_alike_is_a_note() -> None:
    rows = [figures(trained(patience=patience), LOG, ["patience"]) for patience in (3, 3, 3)]
    alike = same(rows, ["updates", "device", "patience"])
    assert notes({}, alike)[0] == "All trainings have alike: updates 600; device CPU; patience 3."
    other = figures(trained(device="cuda", patience=None), LOG, ["patience"])
    assert list(same([*rows, other], ["updates", "device", "patience"])) == ["updates"]
    assert same(rows[:1], ["updates"]) == {}
    assert list(same([rows[0] | {"last_gain": None}] * 2, ["last_gain", "updates"])) == ["updates"]


def test_a_damaged_log_is_named_with_its_line(bahdanau: Results, tmp_path: Path) -> None:
    folder = tmp_path / "train/en-fr/rnnsearch-50/1"
    (model,) = bahdanau.files("train/en-fr/rnnsearch-50/1/model.json")
    write_json(folder / "model.json", read_json(model))
    write_lines(folder / "log.jsonl", [json.dumps(LOG[0]), "{"])
    files = [
        [path for path in bahdanau.files(f"train/*/*/*/{name}") if "rnnsearch-50/" not in str(path)]
        + [folder / name]
        for name in ("model.json", "log.jsonl")
    ]
    with pytest.raises(UserError, match=r"log\.jsonl, line 2: not JSON"):
        write_table(tmp_path / "trainings", trainings_table(*files, bahdanau.experiment))
