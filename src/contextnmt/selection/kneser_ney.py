"""Estimation of n-gram models by interpolated modified Kneser-Ney smoothing.

Chen and Goodman (1998), with the conventions of KenLM's estimator (Heafield et al. 2013), whose
numbers come out.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from contextnmt.selection.language_model import LanguageModel
from contextnmt.selection.ngrams import (
    BOS,
    Integers,
    NGrams,
    Sentences,
    contexts_of,
    count_ngrams,
)

Floats = npt.NDArray[np.float64]

#: Discounts of counts of one, two, and three and more, where a text is too small to tell.
FALLBACK = (0.5, 1.0, 1.5)


def adjusted_counts(levels: list[NGrams]) -> list[Integers]:
    """The counts that probabilities are made of, for each order [n-grams].

    Those of the highest order are the counts in the text. A shorter n-gram counts as many times as
    there are different words before it; one at the beginning of a sentence, where there are none,
    as often as it occurs.
    """
    adjusted = []
    for level, longer in pairwise(levels):
        words_before = np.bincount(longer.suffixes, minlength=len(level.keys))
        adjusted.append(np.where(words_before > 0, words_before, level.counts))
    return [*adjusted, levels[-1].counts]


def discounts(counts: Integers) -> Floats:
    """What is taken from counts of one, two, and three and more: [3].

    Equation 26 of Chen and Goodman; `FALLBACK` where the text is so small that it has no value or
    one that is no discount. `counts`: the adjusted counts of one order.
    """
    frequencies = np.bincount(np.minimum(counts, 5), minlength=5)[1:5].astype(float)
    if not frequencies[:3].all():
        return np.array(FALLBACK)
    n1, n2, _, _ = frequencies
    size = np.array([1.0, 2.0, 3.0])
    found: Floats = size - (size + 1) * n1 / (n1 + 2 * n2) * frequencies[1:] / frequencies[:3]
    return found if (found > 0).all() else np.array(FALLBACK)


def estimate(sentences: Sentences, vocabulary_size: int, order: int = 4) -> LanguageModel:
    """A language model of `sentences`.

    `vocabulary_size`: number of ids, the specials included. Each of them has a probability after
    each context. If the text has unknown words, UNK is a word like any other; if not, a word that
    never occurs, as in KenLM. Takes as much memory as `count_ngrams`.
    """
    levels = count_ngrams(sentences, vocabulary_size, order)
    lower = np.full(1, 1 / (vocabulary_size - 1))  # order 0: all words alike, and BOS is none
    probabilities, backoffs = [], []
    for level, counts in zip(levels, adjusted_counts(levels), strict=True):
        lower, backoff = interpolate(level, counts, lower)
        probabilities.append(lower)
        backoffs.append(backoff)
    probabilities[0][BOS] = 1  # never asked for; a stream can then be scored as a whole
    return LanguageModel(
        [level.keys for level in levels[1:]],
        list(map(np.log10, probabilities)),
        list(map(np.log10, backoffs[1:])),
    )


def interpolate(level: NGrams, counts: Integers, lower: Floats) -> tuple[Floats, Floats]:
    """The probabilities of an order's n-grams and the back-off weights of their contexts.

    `lower`: the probabilities of the next lower order, [contexts]; `counts`: adjusted. The
    back-off weight of what is no context is 1. Returns [n-grams], [contexts].
    """
    contexts = contexts_of(level.keys)
    taken = np.concatenate([[0], discounts(counts)])[np.minimum(counts, 3)]
    total = np.bincount(contexts, counts, minlength=len(lower))
    total_taken = np.bincount(contexts, taken, minlength=len(lower))
    backoff = np.divide(total_taken, total, out=np.ones(len(lower)), where=total > 0)
    seen = (counts - taken) / np.maximum(total, 1)[contexts]
    return seen + backoff[contexts] * lower[level.suffixes], backoff
