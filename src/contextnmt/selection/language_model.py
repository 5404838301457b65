"""Back-off n-gram language models with interpolated modified Kneser-Ney smoothing.

Chen and Goodman (1998), with the conventions of KenLM's estimator (Heafield et al. 2013), so that
the probabilities are those of KenLM.
"""

import zipfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.npyio import NpzFile

from contextnmt.errors import UserError
from contextnmt.files import atomic, open_binary
from contextnmt.selection.ngrams import (
    BOS,
    WORD_BITS,
    Integers,
    NGrams,
    Sentences,
    count_ngrams,
    marked,
    preceding,
)

Floats = npt.NDArray[np.float64]
Reals = npt.NDArray[np.float32]

#: Discounts of counts of one, two, and three and more, where a text is too small to tell.
FALLBACK = (0.5, 1.0, 1.5)

#: The key of no n-gram, larger than all keys.
NO_KEY = np.iinfo(np.int64).max


class LanguageModel:
    """The log10 probability of each n-gram's last word, and its log10 back-off weight.

    One array [n-grams] for each order: `keys` from order 2 up, ascending (see `ngrams`);
    `probabilities` from order 1 up; `backoffs` of all orders but the highest. In memory, `keys` and
    `backoffs` have one more entry, which stands for all n-grams that are not listed. In memory and
    on disk an n-gram takes 16 bytes, one of the highest order 12, a unigram 8.
    """

    def __init__(
        self,
        keys: Sequence[Integers],
        probabilities: Sequence[npt.NDArray[Any]],
        backoffs: Sequence[npt.NDArray[Any]],
    ) -> None:
        self.keys = [np.append(level, NO_KEY) for level in keys]
        self.backoffs = [np.append(level, 0).astype(np.float32) for level in backoffs]
        self.probabilities: list[Reals] = [level.astype(np.float32) for level in probabilities]

    def log10_probabilities(self, sentences: Sentences) -> npt.NDArray[np.float64]:
        """The log10 probability of each sentence, its end included: [sentences].

        It is the same to the last bit whatever other sentences are scored with it. Fastest for some
        100,000 words at a time, each of which takes about 90 bytes of memory meanwhile.
        """
        stream, begins = marked(sentences)
        if not stream.size:
            return np.zeros(0)
        return np.add.reduceat(self.score(stream), begins)

    def score(self, stream: Integers) -> npt.NDArray[np.float64]:
        """The log10 probability of each id given the ids before it: [ids]; 0 for BOS.

        Sentences between BOS and EOS follow each other in the stream: no n-gram crosses a BOS, so
        none reaches into the sentence before, and EOS has a back-off weight of 1.
        """
        scores = self.probabilities[0][stream].astype(np.float64)
        ending = stream  # at each position, the number of the n-gram of this order that ends there
        for keys, probabilities, backoffs in zip(
            self.keys, self.probabilities[1:], self.backoffs, strict=True
        ):
            contexts = preceding(ending, none=len(backoffs) - 1)
            ending = find(keys, contexts << WORD_BITS | stream)
            scores += backoffs[contexts]
            found = np.flatnonzero(ending < len(probabilities))
            scores[found] = probabilities[ending[found]]
        return scores

    def save(self, path: Path) -> None:
        """Write the model as an .npz file without pickle; equal models give equal bytes.

        Its arrays: keys.2, keys.3, …; probabilities.1, …; backoffs.1, …
        """
        arrays: dict[str, npt.NDArray[Any]] = {}
        arrays |= {f"keys.{n}": level[:-1] for n, level in enumerate(self.keys, 2)}
        arrays |= {f"probabilities.{n}": level for n, level in enumerate(self.probabilities, 1)}
        arrays |= {f"backoffs.{n}": level[:-1] for n, level in enumerate(self.backoffs, 1)}
        with atomic(path, "wb") as out:
            np.savez(out, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> "LanguageModel":
        """The model in a file that `save` made. Raises UserError if it is not one."""
        try:
            with open_binary(path) as stream, NpzFile(stream) as arrays:
                order = max(1, sum(name.startswith("probabilities.") for name in arrays))
                return cls(
                    [arrays[f"keys.{n}"] for n in range(2, order + 1)],
                    [arrays[f"probabilities.{n}"] for n in range(1, order + 1)],
                    [arrays[f"backoffs.{n}"] for n in range(1, order)],
                )
        except (zipfile.BadZipFile, KeyError, ValueError) as error:
            raise UserError(f"{path}: not a language model ({error}): estimate it again") from None


def find(keys: Integers, queries: Integers) -> Integers:
    """The place of each query in `keys`; the last place for one that is not there.

    Searched in ascending order, since queries that are neighbours are then neighbours in memory:
    the binary searches in a large table are ten times as fast.
    """
    order = np.argsort(queries)
    ascending = queries[order]
    places = np.searchsorted(keys, ascending)
    places[keys[places] != ascending] = len(keys) - 1
    numbers = np.empty_like(places)
    numbers[order] = places
    return numbers


def adjusted_counts(levels: list[NGrams]) -> list[Integers]:
    """The adjusted counts of Kneser-Ney smoothing, for each order [n-grams].

    An n-gram of the highest order has its count in the text. A shorter one has the number of
    different words before it, or its count at the beginning of a sentence, where there are none.
    """
    adjusted = []
    for level, longer in pairwise(levels):
        words_before = np.bincount(longer.suffixes, minlength=len(level.keys))
        adjusted.append(np.where(words_before > 0, words_before, level.counts))
    return [*adjusted, levels[-1].counts]


def discounts(counts: Integers) -> Floats:
    """The discounts of counts of one, two, and three and more: [3].

    Equation 26 of Chen and Goodman; `FALLBACK` where the text is so small that the equation has no
    positive value. `counts`: the adjusted counts of one order.
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

    `vocabulary_size`: number of ids, the specials included; each has a probability after each
    context. UNK is a word like any other, or one that never occurs if the text has no unknown
    words, as in KenLM. Takes as much memory as `count_ngrams`.
    """
    levels = count_ngrams(sentences, vocabulary_size, order)
    lower = np.full(1, 1 / (vocabulary_size - 1))  # order 0: uniform over all ids but BOS
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

    `counts`: the adjusted ones; `lower`: the probabilities of the next lower order, [contexts]. An
    n-gram that is no context has a back-off weight of 1. Returns [n-grams], [contexts].
    """
    contexts = level.keys >> WORD_BITS
    taken = np.concatenate([[0], discounts(counts)])[np.minimum(counts, 3)]
    total = np.bincount(contexts, counts, minlength=len(lower))
    total_taken = np.bincount(contexts, taken, minlength=len(lower))
    backoff = np.divide(total_taken, total, out=np.ones(len(lower)), where=total > 0)
    seen = (counts - taken) / np.maximum(total, 1)[contexts]
    return seen + backoff[contexts] * lower[level.suffixes], backoff
