"""BLEU by the length of the source sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems import REFERENCES, Systems, damaged, scored

from contextnmt.errors import UserError
from contextnmt.evaluation import length_scores as module
from contextnmt.evaluation.bleu_statistics import sentence_counts
from contextnmt.evaluation.length_scores import BINS, length_scores, windows, within
from contextnmt.evaluation.resampling import bootstrap, interval
from contextnmt.evaluation.score import tokenized_bleu

LENGTHS = [len(line.split()) for line in REFERENCES]


@pytest.fixture
def short_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOW", 20)
    monkeypatch.setattr(module, "RESAMPLES", 100)


def run(folder: Path, systems: Systems, **texts: list[str]) -> dict[str, Any]:
    return scored(length_scores, folder, systems, **texts)


@pytest.mark.usefixtures("short_window")
def test_each_group_has_the_bleu_of_its_sentences(tmp_path: Path) -> None:
    systems, further = {("a", 1): damaged(0.2, 1), ("a", 2): damaged(0.2, 2)}, damaged(0.3, 3)
    content = run(tmp_path, systems, further=further)
    assert content["seeds"] == [1, 2]
    for kind in ("bins", "windows"):
        assert len(content[kind]) == len(content["systems"]["a"][kind]) > 2
        for group, found in zip(content[kind], content["systems"]["a"][kind], strict=True):
            longest = group["to"] or max(LENGTHS)
            inside = [n for n, length in enumerate(LENGTHS) if group["from"] <= length <= longest]
            assert group["sentences"] == len(inside)
            if not inside:
                assert found == {"bleu": None, "bleu_of_seeds": None, "interval": None}
                assert group["mean_length"] is None
                continue
            texts = (
                [[text[n] for n in inside] for text in (lines, REFERENCES, further)]
                for lines in systems.values()
            )
            of_seeds = [tokenized_bleu(*each)["bleu"] for each in texts]
            assert found["bleu"] == pytest.approx(sum(of_seeds) / 2)
            assert found["interval"][0] < found["bleu"] < found["interval"][1]
            assert group["mean_length"] == pytest.approx(np.mean([LENGTHS[n] for n in inside]))


@pytest.mark.usefixtures("short_window")
def test_the_band_is_that_of_drawing_from_the_group(tmp_path: Path) -> None:
    translations = {"a": damaged(0.2), "b": damaged(0.4)}
    content = run(tmp_path, {(system, 1): lines for system, lines in translations.items()})
    for system, lines in translations.items():
        of_short = sentence_counts(lines, REFERENCES)[np.array(LENGTHS) <= 10]
        expected = interval(bootstrap(of_short, 100))
        assert content["systems"][system]["bins"][0]["interval"] == pytest.approx(expected)


@given(st.lists(st.integers(0, 90), max_size=30))
def test_every_sentence_is_in_one_bin(lengths: list[int]) -> None:
    held = [within(np.array(lengths, dtype=np.int64), span) for span in BINS]
    assert np.sum(held, axis=0).tolist() == [1] * len(lengths)


@pytest.mark.parametrize(
    ("lengths", "spans"),
    [
        ([5, 1, 9, 2, 2, 30], [(1, 2), (2, 5), (2, 9), (5, 30)]),
        ([4, 4, 4, 4, 7], [(4, 4), (4, 7)]),
        ([4, 4], []),
    ],
)
def test_windows_have_all_sentences_of_the_lengths_at_their_ends(
    monkeypatch: pytest.MonkeyPatch, lengths: list[int], spans: list[tuple[int, int]]
) -> None:
    monkeypatch.setattr(module, "WINDOW", 3)
    assert list(windows(np.array(lengths))) == spans


def test_a_text_shorter_than_a_window_has_bins_alone(tmp_path: Path) -> None:
    content = run(tmp_path, {("a", 1): REFERENCES})
    assert content["windows"] == content["systems"]["a"]["windows"] == []
    assert content["systems"]["a"]["bins"][0]["bleu"] == pytest.approx(100)


@pytest.mark.usefixtures("short_window")
@pytest.mark.parametrize("others", [{}, {("a", 1): REFERENCES}])
def test_a_gap_tells_its_reason_and_the_others_are_scored(tmp_path: Path, others: Systems) -> None:
    content = run(tmp_path, {**others, ("b", 1): REFERENCES[1:]})
    assert "has 59 lines" in content["systems"].pop("b")["gap"]
    assert sum(group["sentences"] for group in content["bins"]) == len(REFERENCES)
    assert all(scores["windows"] for scores in content["systems"].values())
    assert len(content["systems"]) == len(others)


def test_a_source_of_another_text_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"source has 59 lines and .*reference has 60"):
        run(tmp_path, {("a", 1): REFERENCES}, source=REFERENCES[1:])
