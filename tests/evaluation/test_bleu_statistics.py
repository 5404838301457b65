"""Counts of sentences and BLEU of their sums, held against sacreBLEU and multi-bleu.perl."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.evaluation.bleu_statistics import (
    COUNTS,
    corpus_bleu,
    normalise_blanks,
    sentence_counts,
)
from contextnmt.evaluation.score import tokenized_bleu
from contextnmt.files import read_lines

LINE = st.lists(st.sampled_from(["a", "b", "c", "d\u00a0e", "\u2028"]), max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(LINE, LINE), min_size=1, max_size=6)


@given(pairs=PAIRS)
def test_bleu_of_the_sums_is_that_of_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = map(list, zip(*pairs, strict=True))
    counts = sentence_counts(hypotheses, references)
    assert counts.shape == (len(pairs), COUNTS)
    expected_bleu = tokenized_bleu(hypotheses, references)["bleu"]
    assert corpus_bleu(counts.sum(axis=0)) == pytest.approx(expected_bleu, abs=1e-9)


def test_bleu_of_many_sums_at_once_is_that_of_each(shared: Path) -> None:
    folder = shared / "oracles/multi_bleu"
    reference = list(read_lines(folder / "ref.fr.tok"))
    hypotheses = (list(read_lines(folder / f"hyp_{name}.fr.tok")) for name in "abcd")
    counts = np.stack([sentence_counts(lines, reference) for lines in hypotheses])
    assert counts.shape == (4, 400, COUNTS)
    sums = counts.sum(axis=1)
    assert [f"{bleu:.2f}" for bleu in corpus_bleu(sums)] == ["84.42", "49.33", "18.84", "0.00"]
    assert corpus_bleu(sums.reshape(2, 2, COUNTS)).tolist() == [
        [corpus_bleu(sums[0]), corpus_bleu(sums[1])],
        [corpus_bleu(sums[2]), corpus_bleu(sums[3])],
    ]


def test_texts_without_words_have_bleu_zero_and_no_warning() -> None:
    with np.errstate(all="raise", divide="warn"):
        for hypothesis, reference in (("", "a b c d"), ("a b c d", ""), ("", "")):
            counts = sentence_counts([hypothesis], [reference])
            assert corpus_bleu(counts.sum(axis=0)) == 0


def test_tokenized_text_is_no_reason_to_warn(caplog: pytest.LogCaptureFixture) -> None:
    sentence_counts(["b ."] * 200, ["a ."] * 200)
    assert caplog.messages == []


def test_words_are_cut_at_the_blanks_of_perl_alone() -> None:
    words, none = normalise_blanks([" a\tb\u00a0c\rd \u2028 ", " \t"])
    assert [len(word) for word in words.split()] == [1, 3, 1, 1]
    assert none.split() == []
    counts = sentence_counts(["a\tb\u00a0c\rd"], ["a b\u00a0c d"])
    assert counts.tolist() == [[3, 3, 3, 2, 1, 0, 3, 2, 1, 0]]
