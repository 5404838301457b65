"""Resampling the sentences of a test text: bootstrap and random swaps, for many systems at once.

A draw is one for all systems, so that their scores are paired. It depends on a constant and on the
number of sentences alone: a comparison comes out the same whatever else is compared beside it, and
every time.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from contextnmt.evaluation.bleu_statistics import COUNTS, Statistics, corpus_bleu

Floats = npt.NDArray[np.float64]

#: The seed of all draws.
SEED = 12345
#: Draws that are held in memory at once.
BLOCK = 250
#: Percent of the resamples within a confidence interval.
CONFIDENCE = 95
#: Scores that differ by less are equal: it is rounding.
ROUNDING = 1e-9


def blocks(draws: int) -> Iterator[int]:
    """The sizes of the blocks that make up `draws`."""
    for start in range(0, draws, BLOCK):
        yield min(BLOCK, draws - start)


def bootstrap(statistics: Statistics, resamples: int) -> Floats:
    """BLEU in percent of every system in every resample: [resamples, ...].

    `statistics` [..., sentences, COUNTS]. A resample has as many sentences as the text, drawn with
    replacement (Koehn 2004). Its sums are exact: they are whole numbers.
    """
    *systems, sentences, _ = statistics.shape
    by_sentence = np.moveaxis(statistics, -2, 0).reshape(sentences, -1).astype(np.float64)
    rng = np.random.default_rng(SEED)
    scores = []
    for size in blocks(resamples):
        drawn = rng.integers(sentences, size=(size, sentences))
        drawn += sentences * np.arange(size)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=size * sentences)
        sums = times.reshape(size, sentences).astype(np.float64) @ by_sentence
        scores.append(corpus_bleu(sums.reshape(size, *systems, COUNTS)))
    return np.concatenate(scores)


def swap(system: Statistics, baseline: Statistics, draws: int) -> tuple[Floats, Floats]:
    """BLEU in percent of both sides when each sentence changes sides by chance: [draws, ...].

    Both have statistics [..., sentences, COUNTS] (Riezler and Maxwell 2005). What stands
    in the leading dimensions is swapped together.
    """
    *comparisons, sentences, _ = system.shape
    difference = np.moveaxis(system - baseline, -2, 0).reshape(sentences, -1).astype(np.float64)
    totals = system.sum(axis=-2), baseline.sum(axis=-2)
    rng = np.random.default_rng(SEED)
    first, second = [], []
    for size in blocks(draws):
        coins = rng.integers(2, size=(size, sentences), dtype=np.int8).astype(np.float64)
        moved = (coins @ difference).reshape(size, *comparisons, COUNTS)
        first.append(corpus_bleu(totals[0] - moved))
        second.append(corpus_bleu(totals[1] + moved))
    return np.concatenate(first), np.concatenate(second)


def interval(scores: Floats) -> list[float]:
    """The lower and upper limit of the confidence interval, by percentiles of resampled scores."""
    tail = (100 - CONFIDENCE) / 2
    return [float(limit) for limit in np.percentile(scores, [tail, 100 - tail])]


def p_bootstrap(differences: Floats) -> float:
    """Two-sided p of the paired bootstrap: twice the share of resamples in the smaller tail.

    Koehn 2004 counts the resamples that the better system does not win; here both
    directions are possible findings, so p is twice as much, and below 0.05 where the interval of
    95 percent leaves out zero (but for its rounding). The resample at hand counts as one more (as
    Riezler and Maxwell have it), so p is never 0. sacreBLEU's p is of one tail.
    """
    tails = [np.sum(differences <= ROUNDING), np.sum(differences >= -ROUNDING)]
    return min(1.0, 2 * (1 + int(min(tails))) / (1 + len(differences)))
