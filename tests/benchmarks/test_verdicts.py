"""benchmarks/verdicts.py: what it says of trainings and of simulated experiments."""

import re
from pathlib import Path

import numpy as np
import pytest
import verdicts as module
from verdicts import alike, ambiguous_rows, simulated_rows, spread_rows

from contextnmt.files import write_json, write_lines

WORDS = [f"w{number}" for number in range(50)]


def test_a_run_that_failed_is_far_from_its_median() -> None:
    [row] = spread_rows({"symbol": {"bleu_of_seeds": [82.24, 37.61, 81.59, 82.89]}})
    shown = ["symbol", "4", "81.91", "71.08 ± 22.32", "37.61 to 82.89", "44.30"]
    assert row == shown


def test_simulated_experiments_find_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXPERIMENTS", 400)
    systems = {str(at): {"deviation": 0.8} for at in range(8)}
    compared = {
        "systems": systems,
        "contrasts": [{"interval": [-1.0, 1.0]}],
    }
    nothing, small, large = (
        [float(cell.split("%")[0]) for cell in row[1:]] for row in simulated_rows(compared)
    )
    assert max(nothing) < 8
    assert small[0] < small[3]
    assert large[1] > 95


def test_the_pair_with_most_verdicts_is_told_beside_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXPERIMENTS", 200)
    systems = {str(at): {"deviation": 0.5 + at} for at in range(4)}
    compared = {"systems": systems, "contrasts": [{"interval": [-1.0, 1.0]}]}
    for row in simulated_rows(compared):
        for cell in row[1:]:
            every, most = (float(each) for each in re.findall(r"([0-9.]+)%", cell))
            assert every < most


def test_baselines_are_held_against_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine trainings alike but for chance, in three groups."""
    monkeypatch.setattr("contextnmt.evaluation.significance.RESAMPLES", 100)
    monkeypatch.setattr(module, "SHUFFLES", 2)
    rng = np.random.default_rng(1)
    text = [rng.choice(WORDS, 12).tolist() for _ in range(60)]
    write_lines(tmp_path / "tokenize/en-fr/test.fr.gz", map(" ".join, text))
    counts = {"right": 30, "total": 40}
    for seed in range(1, 10):
        lines = [" ".join("x" if rng.random() < 0.2 else word for word in line) for line in text]
        write_lines(tmp_path / f"restore/en-fr/baseline/{seed}/test.beam12.gz", lines)
        found = {
            "kinds": {"ambiguous": counts | {"right": 20 + seed}},
            "ambiguous_by_distance": {"1–3": counts},
            "ambiguous_by_cue": {"kept": counts},
        }
        place = tmp_path / f"phenomena/en-fr/baseline/{seed}/test.json"
        write_json(place, {"test.beam12": found})
    verdicts, comparisons = alike(tmp_path, list(range(1, 10)))
    assert comparisons == 2 * 3
    assert verdicts <= 1
    every, *_ = rows = list(ambiguous_rows(tmp_path, list(range(1, 10))))
    assert every == ["ambiguous", "40", "62%", "52%", "72%"]
    assert [row[0] for row in rows] == ["ambiguous", "1–3", "kept"]
