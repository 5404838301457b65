"""Bootstrap and random swaps, held against sacreBLEU."""

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest
from systems import REFERENCES, damaged

from contextnmt.evaluation import resampling
from contextnmt.evaluation.bleu_statistics import corpus_bleu, sentence_counts
from contextnmt.evaluation.resampling import SEED, bootstrap, interval, p_bootstrap, swap

WORSE, BETTER = (sentence_counts(damaged(share), REFERENCES) for share in (0.4, 0.3))


@pytest.mark.parametrize("block", [250, 8])
def test_systems_and_seeds_are_drawn_together(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(resampling, "BLOCK", block)
    counts = np.stack([[WORSE, BETTER], [BETTER, BETTER]])
    scores = bootstrap(counts, 30)
    assert scores.shape == (30, 2, 2)
    assert scores[:, 0, 0].tolist() == bootstrap(WORSE, 30).tolist()
    for seed in ((0, 1), (1, 0), (1, 1)):
        assert scores[:, *seed].tolist() == bootstrap(BETTER, 30).tolist()
    swapped = swap(counts[0], counts[1], 30)
    assert swapped[0][:, 0].tolist() == swap(WORSE, BETTER, 30)[0].tolist()
    assert (swapped[0][:, 1] == swapped[1][:, 1]).all()


def test_bootstrap_is_that_of_sacrebleu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same draws give the same scores, interval and p (its p is of one tail)."""
    monkeypatch.setenv("SACREBLEU_SEED", str(SEED))
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    named = [("worse", damaged(0.3, 2)), ("better", damaged(0.27, 3))]
    test = PairedTest(named, {"BLEU": metric}, [REFERENCES], test_type="bs", n_samples=250)
    of_worse, of_better = test()[1]["BLEU"]
    counts = np.stack([sentence_counts(lines, REFERENCES) for _, lines in named])
    worse, better = bootstrap(counts, 250).T
    for result, scores in ((of_worse, worse), (of_better, better)):
        assert result.mean == pytest.approx(scores.mean(), abs=1e-4)
        ordered = np.sort(scores)
        assert result.ci == pytest.approx((ordered[-7] - ordered[6]) / 2, abs=1e-4)
    actual = of_better.score - of_worse.score
    assert actual == pytest.approx(corpus_bleu(counts[1].sum(0)) - corpus_bleu(counts[0].sum(0)))
    differences = np.abs(better - worse)
    beyond = np.sum(differences - differences.mean() > actual)
    assert of_better.p_value == pytest.approx((beyond + 1) / 251)
    assert 0.005 < of_better.p_value < 0.25
    assert p_bootstrap(better - worse) == pytest.approx(2 * of_better.p_value, rel=0.5)


def test_the_interval_leaves_out_a_fortieth_at_each_end() -> None:
    assert interval(np.arange(1001.0)) == [25.0, 975.0]
