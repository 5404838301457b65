"""Counts of sentences and BLEU of their sums, held against sacreBLEU."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.evaluation.bleu_statistics import corpus_bleu, sentence_counts
from contextnmt.evaluation.score import tokenized_bleu

LINE = st.lists(st.sampled_from(["a", "b", "c", "d\u00a0e", "\u2028"]), max_size=9).map(" ".join)
TEXT = st.lists(st.tuples(LINE, LINE), min_size=1, max_size=6)


@given(texts=st.tuples(TEXT, TEXT))
def test_bleu_of_the_sums_is_that_of_sacrebleu(texts: tuple[list[tuple[str, str]], ...]) -> None:
    sides = [list(map(list, zip(*pairs, strict=True))) for pairs in texts]
    sums = [sentence_counts(*both).sum(axis=0) for both in sides]
    expected = [pytest.approx(tokenized_bleu(*both)["bleu"], abs=1e-9) for both in sides]
    assert corpus_bleu(np.stack(sums)).tolist() == expected


def test_texts_without_words_have_bleu_zero_and_no_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with np.errstate(all="raise", divide="warn"):
        for hypothesis, reference in (("", "a b c d"), ("a b c d", ""), ("", "")):
            counts = sentence_counts([hypothesis], [reference])
            assert corpus_bleu(counts.sum(axis=0)) == 0
    sentence_counts(["b ."] * 200, ["a ."] * 200)  # nor has a tokenized one
    assert caplog.messages == []


def test_words_are_cut_at_the_blanks_of_perl_alone() -> None:
    counts = sentence_counts([" a\tb\u00a0c\rd", " \t"], ["a b\u00a0c \v d", "\u2028 "])
    assert counts.tolist() == [[3, 3, 3, 2, 1, 0, 3, 2, 1, 0], [0, 1, *[0] * 8]]
