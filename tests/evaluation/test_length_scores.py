"""BLEU by the length of the source sentence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems import REFERENCES, damaged

from contextnmt.errors import UserError
from contextnmt.evaluation import length_scores as module
from contextnmt.evaluation.bleu_statistics import sentence_counts
from contextnmt.evaluation.length_scores import BINS, length_scores, windows, within
from contextnmt.evaluation.resampling import bootstrap, interval
from contextnmt.evaluation.score import tokenized_bleu
from contextnmt.files import write_lines

LENGTHS = [len(line.split()) for line in REFERENCES]


@pytest.fixture
def short_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOW", 20)
    monkeypatch.setattr(module, "RESAMPLES", 100)


def run(
    folder: Path, systems: dict[tuple[str, int], list[str]], source: list[str] = REFERENCES
) -> dict[str, Any]:
    """The stage on translations by system and seed; the source is as long as the reference."""
    write_lines(folder / "source", source)
    write_lines(folder / "reference", REFERENCES)
    for (system, seed), lines in systems.items():
        write_lines(folder / f"{system}.{seed}", lines)
    length_scores(
        "test.beam12",
        folder / "source",
        folder / "reference",
        [system for system, _ in systems],
        [seed for _, seed in systems],
        [folder / f"{system}.{seed}" for system, seed in systems],
        folder / "out.json",
    )
    content: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return content


def test_each_group_has_the_bleu_of_its_sentences(tmp_path: Path, short_window: None) -> None:
    systems = {("a", 1): damaged(0.2, 1), ("a", 2): damaged(0.2, 2)}
    content = run(tmp_path, systems)
    assert content["seeds"] == [1, 2]
    for kind in ("bins", "windows"):
        assert len(content[kind]) == len(content["systems"]["a"][kind]) > 2
        for group, found in zip(content[kind], content["systems"]["a"][kind], strict=True):
            longest = group["to"] or max(LENGTHS)
            inside = [n for n, length in enumerate(LENGTHS) if group["from"] <= length <= longest]
            assert group["sentences"] == len(inside)
            if inside:
                references = [REFERENCES[n] for n in inside]
                of_seeds = [
                    tokenized_bleu([lines[n] for n in inside], references)["bleu"]
                    for lines in systems.values()
                ]
                assert found["bleu"] == pytest.approx(sum(of_seeds) / 2)
                assert found["interval"][0] < found["bleu"] < found["interval"][1]
                assert group["mean_length"] == pytest.approx(np.mean([LENGTHS[n] for n in inside]))
            else:
                assert found == {"bleu": None, "interval": None}
                assert group["mean_length"] is None


def test_the_band_is_that_of_drawing_from_the_group(tmp_path: Path, short_window: None) -> None:
    translations = {"a": damaged(0.2), "b": damaged(0.4)}
    content = run(tmp_path, {(system, 1): lines for system, lines in translations.items()})
    for system, lines in translations.items():
        counts = sentence_counts(lines, REFERENCES)
        of_short = counts[np.array(LENGTHS) <= 10]
        expected = interval(bootstrap(of_short, 100))
        assert content["systems"][system]["bins"][0]["interval"] == pytest.approx(expected)


@given(st.lists(st.integers(0, 90), max_size=30))
def test_every_sentence_is_in_one_bin(lengths: list[int]) -> None:
    held = [within(np.array(lengths, dtype=np.int64), span) for span in BINS]
    assert np.sum(held, axis=0).tolist() == [1] * len(lengths)


@given(st.lists(st.integers(1, 60), max_size=500), st.randoms())
def test_windows_run_from_the_shortest_to_the_longest(lengths: list[int], rng: Any) -> None:
    array = np.array(lengths, dtype=np.int64)
    found = list(windows(array))
    assert bool(found) == (len(lengths) >= module.WINDOW)
    for span in found:
        assert within(array, span).sum() >= module.WINDOW
    means = [array[within(array, span)].mean() for span in found]
    assert means == sorted(set(means))
    if found:
        assert (found[0][0], found[-1][1]) == (min(lengths), max(lengths))
    rng.shuffle(lengths)
    assert list(windows(np.array(lengths, dtype=np.int64))) == found


def test_windows_have_all_sentences_of_the_lengths_at_their_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WINDOW", 3)
    found = list(windows(np.array([5, 1, 9, 2, 2, 30])))
    assert found == [(1, 2), (2, 5), (2, 9), (5, 30)]
    assert list(windows(np.array([4, 4, 4, 4, 7]))) == [(4, 4), (4, 7)]


def test_a_text_shorter_than_a_window_has_bins_alone(tmp_path: Path) -> None:
    content = run(tmp_path, {("a", 1): REFERENCES})
    assert content["windows"] == content["systems"]["a"]["windows"] == []
    assert content["systems"]["a"]["bins"][0]["bleu"] == pytest.approx(100)


def test_a_gap_tells_its_reason_and_the_others_are_scored(
    tmp_path: Path, short_window: None
) -> None:
    content = run(tmp_path, {("a", 1): REFERENCES, ("b", 1): REFERENCES[1:]})
    assert "has 59 lines" in content["systems"]["b"]["gap"]
    assert content["systems"]["a"]["windows"]


def test_without_any_system_there_are_still_groups(tmp_path: Path, short_window: None) -> None:
    content = run(tmp_path, {("b", 1): REFERENCES[1:]})
    assert list(content["systems"]) == ["b"]
    assert sum(group["sentences"] for group in content["bins"]) == len(REFERENCES)


def test_a_source_of_another_text_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"source has 59 lines and .*reference has 60"):
        run(tmp_path, {("a", 1): REFERENCES}, REFERENCES[1:])
