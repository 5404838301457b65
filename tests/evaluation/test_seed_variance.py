"""Seed variance: moderated, without failed systems, and the intervals made of it."""

import numpy as np
import pytest

from contextnmt.evaluation.seed_variance import SeedVariance, moderated, seed_variance, widened

SYSTEMS = [f"system-{number}" for number in range(8)]
#: Standard deviations of a run, and of a difference by test sentences.
RUN, SENTENCES = 1.0, 0.5


def decided(effect: float, experiments: int, failing: float = 0.0) -> float:
    """The share of experiments of eight systems and three seeds in which two of them differ.

    The first is better by `effect`; a run fails with a variance of `failing`, by 30 points.
    """
    rng = np.random.default_rng(7)
    count = 0
    for _ in range(experiments):
        scores = rng.normal(0, RUN, (len(SYSTEMS), 3)) - 30 * (
            rng.random((len(SYSTEMS), 3)) < failing
        )
        scores[0] += effect
        variance = seed_variance(dict(zip(SYSTEMS, scores.std(axis=1, ddof=1), strict=True)), 3)
        assert variance is not None
        difference = float(scores[0].mean() - scores[1].mean() + rng.normal(0, SENTENCES))
        over_sentences = (difference - 1.96 * SENTENCES, difference + 1.96 * SENTENCES)
        low, high = widened(over_sentences, difference, variance.margin(*SYSTEMS[:2]))
        count += low > 0 or high < 0
    return count / experiments


def test_a_difference_that_is_none_is_found_as_rarely_as_said() -> None:
    assert 0.03 < decided(0.0, 2000) < 0.065
    assert decided(0.0, 1000, failing=0.05) < 0.065


def test_the_seeds_that_are_said_to_be_needed_find_an_effect() -> None:
    """Five seeds find 2.3 points in 80 % of experiments, three 2.9; 4 are found by three."""
    interval, steady = (-1.96 * SENTENCES, 1.96 * SENTENCES), (-0.02, 0.02)
    alike = SeedVariance(dict.fromkeys(SYSTEMS, RUN), 16, 3, [])
    both = SYSTEMS[:2]
    needed = [alike.needed(effect, interval, *both) for effect in (4.0, 2.9, 2.3, 1.4)]
    assert needed == ["", "", "5 seeds", "more test sentences"]
    assert alike.needed(0.3, steady, *both) == "more than 100 seeds"
    # Beside a fixed number, half the variance of training.
    assert [alike.needed(0.8, steady, *each) for each in (both, both[:1])] == [
        "25 seeds",
        "13 seeds",
    ]
    assert 0.75 < decided(2.8, 1000) < 0.9
    assert decided(4.0, 200) > 0.97


def test_a_system_whose_training_failed_stands_for_itself() -> None:
    usual = dict(zip(SYSTEMS, (0.7, 1.3, 0.7, 0.5, 0.9, 1.1, 0.8), strict=False))
    clean = seed_variance(usual, 3)
    found = seed_variance(usual | {"failed": 22.3}, 3)
    assert clean and found
    assert (found.apart, clean.apart) == (["failed"], [])
    assert found.degrees == clean.degrees
    assert found.margin(*SYSTEMS[:2]) == clean.margin(*SYSTEMS[:2])
    assert found.margin("failed", SYSTEMS[0]) > 4.3 * 22.3 / 3**0.5  # Student's t of two degrees
    two = seed_variance(usual | {"failed": 22.3, "worse": 30.0}, 3)
    assert two
    assert two.apart == ["failed", "worse"]
    assert two.margin(*SYSTEMS[:2]) == clean.margin(*SYSTEMS[:2])


def test_a_variance_is_drawn_towards_those_of_the_others() -> None:
    """The less, the less alike they are."""
    unlike = [0.05, 0.8, 0.1, 1.5, 0.02, 0.6, 0.3, 2.4]
    drawn, degrees = moderated(unlike, 2)
    assert 2 < degrees < 16
    for before, after in zip(unlike, drawn, strict=True):
        assert min(before, 0.4) < after < max(before, 0.4)
    drawn, degrees = moderated([1.0, 1.3, 0.8, 1.1], 2)  # alike: three quarters of the way
    assert (drawn, degrees) == (pytest.approx([1.0375, 1.1125, 0.9875, 1.0625]), 8)


def test_a_margin_is_students_t_times_the_standard_error() -> None:
    variance = SeedVariance({"a": 1.5, "b": 1.5}, degrees=16, seeds=3, apart=[])
    assert variance.margin("a", "b") == pytest.approx(2.11991 * 1.5 * (2 / 3) ** 0.5, rel=1e-5)
    assert variance.margin("a") == pytest.approx(2.11991 * 1.5 / 3**0.5, rel=1e-5)
    assert seed_variance({"a": None, "b": None}, 1) is None


def test_runs_that_are_all_alike_leave_the_interval_of_sentences() -> None:
    variance = seed_variance(dict.fromkeys(SYSTEMS, 0.0) | {"other": 0.4}, 2)
    assert variance is not None
    assert variance.apart == ["other"]
    alike = seed_variance(dict.fromkeys(SYSTEMS, 0.0), 2)
    assert alike is not None
    assert widened((0.5, 1.75), 1.0, alike.margin(*SYSTEMS[:2])) == (0.5, 1.75)
