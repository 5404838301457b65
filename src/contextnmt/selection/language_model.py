"""Back-off n-gram language models in memory and on disk."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.npyio import NpzFile

from contextnmt.errors import UserError
from contextnmt.files import atomic, open_binary
from contextnmt.selection.ngrams import Integers, Sentences, marked, pack, preceding

Reals = npt.NDArray[np.float32]

#: The key of no n-gram, larger than all keys.
NO_KEY = np.iinfo(np.int64).max


class LanguageModel:
    """Of each n-gram, the log10 probability of its last word and the log10 back-off weight.

    `keys`: of the orders from 2 up, ascending (see `ngrams`); `probabilities`: of the orders from
    1 up; `backoffs`: of all orders but the highest; each a list of arrays [n-grams]. In memory and
    on disk an n-gram takes 16 bytes, one of the highest order 12, a unigram 8.
    """

    def __init__(
        self,
        keys: Sequence[Integers],
        probabilities: Sequence[npt.NDArray[Any]],
        backoffs: Sequence[npt.NDArray[Any]],
    ) -> None:
        # One entry more stands for all n-grams that are not listed: their back-off weight is 1.
        self._keys = [np.append(level, NO_KEY) for level in keys]
        self._backoffs = [np.append(level, 0).astype(np.float32) for level in backoffs]
        self.probabilities: list[Reals] = [level.astype(np.float32) for level in probabilities]

    @property
    def keys(self) -> list[Integers]:
        return [level[:-1] for level in self._keys]

    @property
    def backoffs(self) -> list[Reals]:
        return [level[:-1] for level in self._backoffs]

    def log10_probabilities(self, sentences: Sentences) -> npt.NDArray[np.float64]:
        """The log10 probability of each sentence, its end included: [sentences].

        A sentence gets the same bits whatever is scored together with it. Fastest for 100,000
        words or so at a time, each of which takes about 90 bytes of memory meanwhile.
        """
        stream, begins = marked(sentences)
        if not stream.size:
            return np.zeros(0)
        return np.add.reduceat(self.score(stream), begins)

    def score(self, stream: Integers) -> npt.NDArray[np.float64]:
        """The log10 probability of each id after those before it: [ids]; of BOS, 0.

        A stream of sentences between BOS and EOS needs no cuts: no n-gram goes on over a BOS, so
        none is found that reaches into the sentence before, and EOS has a back-off weight of 1.
        """
        scores = self.probabilities[0][stream].astype(np.float64)
        ending = stream  # the number of the n-gram that ends here, from order to order
        for keys, probabilities, backoffs in zip(
            self._keys, self.probabilities[1:], self._backoffs, strict=True
        ):
            contexts = preceding(ending, none=len(backoffs) - 1)
            ending = find(keys, pack(contexts, stream))
            scores += backoffs[contexts]
            found = np.flatnonzero(ending < len(probabilities))
            scores[found] = probabilities[ending[found]]
        return scores

    def save(self, path: Path) -> None:
        """Write the model as an .npz file without pickle; equal models give equal bytes.

        Its arrays: keys.2, keys.3, …; probabilities.1, …; backoffs.1, …
        """
        arrays: dict[str, npt.NDArray[Any]] = {}
        arrays |= {f"keys.{n}": level for n, level in enumerate(self.keys, 2)}
        arrays |= {f"probabilities.{n}": level for n, level in enumerate(self.probabilities, 1)}
        arrays |= {f"backoffs.{n}": level for n, level in enumerate(self.backoffs, 1)}
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
    """The numbers of n-grams by their keys; of one that is not listed, that of the last entry.

    In ascending order: so neighbours in the queries are neighbours in memory, which makes the
    binary searches of a large table ten times as fast.
    """
    order = np.argsort(queries)
    ascending = queries[order]
    places = np.searchsorted(keys, ascending)
    places[keys[places] != ascending] = len(keys) - 1
    numbers = np.empty_like(places)
    numbers[order] = places
    return numbers
