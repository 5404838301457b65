"""Ranking by the score per symbol (A18)."""

import pytest

from contextnmt.translation.hypothesis import Hypothesis, best_normalised


def test_end_of_sentence_counts_as_a_symbol():
    assert Hypothesis([3, 4, 5], -6.0).normalised == pytest.approx(-1.5)
    assert Hypothesis([], -2.0).normalised == pytest.approx(-2.0)


def test_a_translation_that_was_cut_off_has_none():
    assert Hypothesis([3, 4, 5], -6.0, finished=False).normalised == pytest.approx(-2.0)


def test_the_best_per_symbol_may_be_longer():
    short, long, bad = Hypothesis([3], -2.0), Hypothesis([3, 4, 5], -2.4), Hypothesis([6], -5.0)
    assert best_normalised([short, long, bad]) is long


def test_of_equal_ones_the_first():
    first, second = Hypothesis([3], -2.0), Hypothesis([3, 4, 5], -4.0)
    assert best_normalised([first, second]) is first
