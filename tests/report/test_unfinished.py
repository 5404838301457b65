"""How far a run is, by its files."""

import json
from pathlib import Path

import pytest

from contextnmt.report.gaps import gap_of_run
from contextnmt.report.results import gap_of_system

MODEL = ["model.safetensors", "model.json", "log.jsonl"]
TRANSLATIONS = ["dev.beam12.gz", "test.beam12.gz"]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run that has finished."""
    (tmp_path / "state").mkdir()
    for name in MODEL + TRANSLATIONS:
        (tmp_path / name).touch()
    return tmp_path


def gap(run: Path) -> str:
    return gap_of_run(
        [run / name for name in MODEL], run / "state", [run / name for name in TRANSLATIONS]
    )


def test_a_finished_run_is_no_gap(run: Path) -> None:
    assert gap(run) == ""


def test_a_run_without_model_or_state_is_not_trained(run: Path) -> None:
    (run / "model.json").unlink()
    assert gap(run) == "not trained"
    (run / "state").rmdir()
    assert gap(run) == "not trained"


def test_a_training_amid_its_way_is_told_with_its_update(run: Path) -> None:
    (run / "model.safetensors").unlink()
    (run / "state" / "checkpoint.1.json").touch()
    assert gap(run) == "training not finished"
    records = [{"kind": "train", "update": update, "loss": 1.0} for update in range(0, 12001, 10)]
    lines = [json.dumps(record) + "\n" for record in records]
    (run / "state" / "log.jsonl").write_text("".join(lines) + '{"kind": "tr')
    assert gap(run) == "training not finished, at update 12,000"


def test_a_trained_run_is_told_with_what_it_has_not_translated(run: Path) -> None:
    (run / "test.beam12.gz").unlink()
    assert gap(run) == "trained, not all translated: no test.beam12.gz"
    (run / "dev.beam12.gz").unlink()
    assert gap(run) == "trained, not translated"


@pytest.mark.parametrize(
    ("of_runs", "expected"),
    [
        ({"seed 1": "", "seed 2": ""}, ""),
        ({"seed 1": "not trained"}, "not trained"),
        ({"seed 1": "not trained", "seed 2": "not trained"}, "not trained"),
        ({"seed 1": "", "seed 2": "not trained"}, "seed 2: not trained"),
        (
            {"seed 1": "not trained", "seed 2": "at update 5", "seed 3": "not trained"},
            "seed 1, seed 3: not trained; seed 2: at update 5",
        ),
    ],
)
def test_a_system_is_as_far_as_all_its_runs(of_runs: dict[str, str], expected: str) -> None:
    assert gap_of_system(of_runs) == expected
