"""Whether an advantage grows with the length of the sentence."""

import numpy as np
import pytest
from systems import REFERENCES, damaged

from contextnmt.evaluation.bleu_statistics import Reference, corpus_bleu
from contextnmt.evaluation.growth import growth, halves
from contextnmt.evaluation.translations import Lengths, Translations

LENGTHS: Lengths = np.array([len(line.split()) for line in REFERENCES])
LONG = np.median(LENGTHS) < LENGTHS


def mixed(short: float, long: float, seed: int = 1) -> list[str]:
    """Translations that are wrong by these shares of the words of short and of long sentences."""
    both = zip(damaged(short, seed), damaged(long, seed), LONG, strict=True)
    return [of_long if is_long else of_short for of_short, of_long, is_long in both]


def translations(**systems: list[list[str]]) -> Translations:
    """What systems made of the text, with a list for each seed."""
    counted = Reference(REFERENCES)
    statistics = {
        name: np.stack([counted.statistics(lines) for lines in of_seeds])
        for name, of_seeds in systems.items()
    }
    return Translations("test.beam12", len(REFERENCES), [1, 2], statistics)


FOUND = translations(
    steady=[mixed(0.1, 0.1), mixed(0.1, 0.1, 2)],
    tired=[mixed(0.1, 0.5), mixed(0.15, 0.5, 2)],
    bad=[mixed(0.5, 0.5), mixed(0.5, 0.5, 2)],
)


def test_an_advantage_on_long_sentences_grows() -> None:
    parts = halves(FOUND, LENGTHS, 500)
    assert parts
    found = growth(parts, ("steady", "tired"))
    assert found["median"] == np.median(LENGTHS)
    expected = [
        [
            np.mean([corpus_bleu(each[half].sum(axis=0)) for each in FOUND.statistics[name]])
            for name in ("steady", "tired")
        ]
        for half in (LONG, ~LONG)
    ]
    np.testing.assert_allclose([found["long"], found["short"]], expected)
    (long, tired_long), (short, tired_short) = expected
    assert found["difference"] == pytest.approx(long - tired_long - short + tired_short)
    falls = [
        np.std(
            [
                corpus_bleu(each[LONG].sum(axis=0)) - corpus_bleu(each[~LONG].sum(axis=0))
                for each in FOUND.statistics[name]
            ],
            ddof=1,
        )
        for name in ("steady", "tired")
    ]
    assert found["spread"] == pytest.approx(np.hypot(*falls))
    low, high = found["interval"]
    assert 0 < low < found["difference"] < high
    assert found["p_bootstrap"] == pytest.approx(2 / 501)
    back = growth(parts, ("tired", "steady"))
    assert back["difference"] == -found["difference"]
    assert back["p_bootstrap"] == found["p_bootstrap"]


def test_a_system_has_no_advantage_over_itself() -> None:
    parts = halves(FOUND, LENGTHS, 100)
    assert parts
    found = growth(parts, ("bad", "bad"))
    assert (found["difference"], found["interval"], found["p_bootstrap"]) == (0, [0, 0], 1)


def test_one_seed_has_no_spread() -> None:
    one = {name: counts[:1] for name, counts in FOUND.statistics.items()}
    parts = halves(Translations("test", 60, [1], one), LENGTHS, 10)
    assert parts
    assert growth(parts, ("steady", "tired"))["spread"] is None


def test_a_text_with_few_long_sentences_has_no_halves() -> None:
    assert halves(FOUND, np.full_like(LENGTHS, 7), 100) is None
    assert halves(FOUND, np.array([9] * 41 + [20] * 19), 100) is None
    assert halves(FOUND, np.array([9] * 40 + [20] * 20), 100) is not None
    assert halves(Translations("test", 60, [1]), LENGTHS, 100) is None
