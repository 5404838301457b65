"""The table of trainings, and the learning curves."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import EXPERIMENTS, experiment, results_of
from results_folder import Made, make_results

from contextnmt.errors import UserError
from contextnmt.report.figures import lines_of, save_all
from contextnmt.report.learning_curves import (
    curves,
    differing,
    notes,
    plot,
    row_of,
    same,
    scale_by_logarithm,
    still_gaining,
    trainings_table,
)
from contextnmt.report.results import System
from contextnmt.report.tables import Table, texts_of


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


@pytest.fixture(scope="module")
def bahdanau(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_results(tmp_path_factory.mktemp("bahdanau"), name="bahdanau2015")


def test_losses_are_those_of_the_weights_that_count() -> None:
    found = row_of(trained(), LOG, [])
    assert (found["train_loss"], found["dev_loss"]) == (2.0, 2.5)
    assert (found["epochs"], found["updates"], found["device"]) == (4.5, 600, "CPU")
    assert row_of(trained(device="cuda"), LOG, [])["device"] == "A GPU"


def test_a_log_without_losses_has_gaps() -> None:
    log = [
        {key: each[key] for key in each if key != "loss" or each["kind"] == "train"} for each in LOG
    ]
    assert row_of(trained(), log, [])["dev_loss"] is None
    found = row_of(trained(), LOG[:1], [])
    assert [found[key] for key in ("epochs", "train_loss", "dev_loss")] == [None] * 3


@pytest.mark.parametrize(
    ("bleu", "gain"), [([15.0, 20.0, 19.0], -1.0), ([15.0, 20.0, 18.0, 20.5], 0.5), ([15.0], None)]
)
def test_the_last_validation_is_held_against_the_best_before(
    bleu: list[float], gain: float | None
) -> None:
    log = [{"kind": "dev", "update": update, "bleu": each} for update, each in enumerate(bleu)]
    assert row_of(trained(), log, [])["last_gain"] == gain


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


def test_settings_in_which_runs_differ_are_told(tmp_path: Path) -> None:
    first, second, *others = results_of(tmp_path, experiment("bahdanau2015")).runs
    models = {run: trained() for run in (first, second, *others)}
    assert differing(models) == ["precision"]
    models[first] = trained(device="cuda", precision="bf16", threads=2)
    models[second] = trained(optimizer="adadelta", patience=None, max_updates=471000)
    assert differing(models) == ["precision", "optimizer", "patience", "max_updates"]
    assert row_of(models[second], LOG, ["patience"])["patience"] is None


def shown(table: Table) -> list[dict[str, dict[tuple[str, ...], str]]]:
    """The text of each cell by its row and column, block by block."""
    return [
        {
            label: dict(zip(block.columns, (cell.text for cell in cells), strict=True))
            for label, cells in block.rows
        }
        for block in table.blocks
    ]


def test_the_papers_figures_stand_beside(bahdanau: Made) -> None:
    table = trainings_table(bahdanau.results)
    (rows,) = shown(table)
    row = rows["RNNsearch-50*"]
    assert (row["updates", "here"], row["updates", "paper"]) == ("600", "667,000")
    assert (row["time", "here"], row["time", "paper"]) == ("1:15 min", "252 h")
    assert (row["device", "paper"], row["dev loss", "here"]) == ("Quadro K-6000", "2.35")
    assert any("A40" in note for note in table.notes)
    lines = texts_of(table)["csv"].split("\n")
    data = {(r["source"], r["system"]): r for r in csv.DictReader(lines)}
    assert data["paper", "rnnencdec-30"]["updates"] == "846000"
    assert data["here", "rnnencdec-30"]["dev_loss"] == "2.345"


def test_each_seed_has_a_row(results_of_seeds: Made) -> None:
    table = trainings_table(results_of_seeds.results)
    labels = [label for label, _ in table.blocks[0].rows]
    assert labels[:2] == ["Baseline, seed 1", "Baseline, seed 2"]
    assert len(set(labels)) == len(labels) == 3 * 8


def test_a_system_that_is_not_finished_has_one_row_of_dashes(tmp_path: Path) -> None:
    gaps = {"en-fr": {"rnnsearch-30": "not trained"}}
    made = make_results(tmp_path, (1, 2), name="bahdanau2015", gaps=gaps)
    (rows,) = shown(trainings_table(made.results))
    assert list(rows)[2:4] == ["RNNsearch-30", "RNNencdec-50, seed 1"]
    row = rows["RNNsearch-30"]
    assert (row["updates", "here"], row["updates", "paper"]) == ("–", "471,000")


def test_without_figures_of_the_paper_there_are_no_columns_for_them(results: Made) -> None:
    table = trainings_table(results.results)
    titles = [title for (title,) in table.blocks[0].columns]
    assert titles == ["training loss", "dev BLEU", "gain of the last validation"]
    assert not any("paper" in note for note in table.notes)


def test_what_all_trainings_have_alike_is_a_note() -> None:
    rows = [row_of(trained(patience=patience), LOG, ["patience"]) for patience in (3, 3, 3)]
    alike = same(rows, ["updates", "device", "patience"])
    assert notes({}, alike)[0] == "All trainings have alike: updates 600; device CPU; patience 3."
    other = row_of(trained(device="cuda", patience=None), LOG, ["patience"])
    assert list(same([*rows, other], ["updates", "device", "patience"])) == ["updates"]
    assert same(rows[:1], ["updates"]) == {}
    assert list(same([rows[0] | {"last_gain": None}] * 2, ["last_gain", "updates"])) == ["updates"]


def test_damaged_files_are_named(tmp_path: Path) -> None:
    made = make_results(tmp_path, name="bahdanau2015")
    folder = tmp_path / "train/en-fr/rnnsearch-50/1"
    for line, message in [
        ('{"kind": "tr', "not JSON"),
        ("3", "not what a stage writes"),
        ('{"update": 3}', "no kind in it"),
        ('{"kind": "train", "update": 3}', "no loss in it"),
        ('{"kind": "dev", "update": 3}', "no bleu in it"),
    ]:
        (folder / "log.jsonl").write_text(json.dumps(LOG[0]) + f"\n{line}\n")
        for function in (trainings_table, lambda results: list(curves(results))):
            with pytest.raises(UserError, match=rf"rnnsearch-50/1/log\.jsonl, line 2: {message}"):
                function(made.results)
    (folder / "model.json").write_text("{}")
    with pytest.raises(UserError, match=r"rnnsearch-50/1/model\.json: no training in it"):
        trainings_table(made.results)


def test_figures_are_the_same_bytes_each_time(results: Made, tmp_path: Path) -> None:
    for name in ("a", "b"):
        save_all(curves(results.results), tmp_path / name)
    written = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert written == [
        f"curves.{pair}.{quantity}.{suffix}"
        for pair in ("en-de", "en-fr")
        for quantity in ("bleu", "loss")
        for suffix in ("pdf", "png", "svg")
    ]
    for name in written:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    svg = (tmp_path / "a/curves.en-fr.loss.svg").read_text()
    for system in results.about["systems"]:  # each has a line in the legend
        assert f">{system['label']}</text>" in svg


@pytest.mark.parametrize(
    ("losses", "ticks"),
    [([3.0, 0.8], [1, 2, 3]), ([5.0, 0.1, 0.0, 7e-5], [1e-4, 1e-3, 0.01, 0.1, 1])],
)
def test_a_logarithmic_axis_has_few_numbers(losses: list[float], ticks: list[float]) -> None:
    from matplotlib.figure import Figure

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
    from matplotlib.figure import Figure

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
