"""Which pairs make up which update: a function of the seed and the update's number alone."""

import numpy as np
import numpy.typing as npt

from contextnmt.training import dataset
from contextnmt.training.dataset import TrainingPairs

Ids = npt.NDArray[np.int64]


class Batches:
    """The batches of all epochs, numbered from 0, none of them stored.

    Every epoch is a fresh permutation of the pairs; `sort_batches` batches' pairs at a time are
    sorted by the longer side and cut, shortest batch first (A24). Resuming at update n needs
    nothing but n. The permutation takes as many bytes a pair as `TrainingPairs.rows`: 4 for 12
    million pairs, 8 between two epochs.
    """

    def __init__(self, pairs: TrainingPairs, batch_size: int, sort_batches: int, seed: int) -> None:
        self.pairs = pairs
        self.batch_size = batch_size
        self.chunk = batch_size * sort_batches
        self.seed = seed
        self.per_epoch = -(-len(pairs.rows) // batch_size)
        self._epoch, self._order = -1, pairs.rows[:0]
        self._place, self._sorted = (-1, -1), np.empty(0, np.int64)

    def __getitem__(self, update: int) -> tuple[Ids, Ids]:
        """Source ids [batch, S] and target ids [batch, T] of an update, see `Side.padded`."""
        return self._padded(self.rows(update))

    def rows(self, update: int) -> npt.NDArray[np.int64]:
        """The pairs of an update, numbered from 0 in the training text."""
        epoch, batch = divmod(update, self.per_epoch)
        chunk, place = divmod(batch * self.batch_size, self.chunk)
        if (epoch, chunk) != self._place:
            self._place, self._sorted = (epoch, chunk), self._chunk(epoch, chunk)
        return self._sorted[place : place + self.batch_size]

    def largest(self) -> tuple[Ids, Ids]:
        """A batch that takes as much memory as any: the longest sentences of either side.

        It holds the pair with the most places for an alignment (S times T), the one with the
        longest source, and those with the longest targets. From three pairs on, no batch has a
        larger S or T, and none has more target words by more than those of two sentences.
        """
        best = np.empty(0, np.int64)
        for start in range(0, len(self.pairs.rows), dataset.BLOCK):
            rows = np.concatenate([best, self.pairs.rows[start : start + dataset.BLOCK]])
            source, target = self.pairs.source.lengths_of(rows), self.pairs.target.lengths_of(rows)
            longest = np.argsort(-target, kind="stable")[: self.batch_size]
            places = ((source + 1) * (target + 1)).argmax()
            chosen = dict.fromkeys([int(places), int(source.argmax()), *longest.tolist()])
            best = rows[list(chosen)[: self.batch_size]]
        return self._padded(best)

    def _padded(self, rows: npt.NDArray[np.int64]) -> tuple[Ids, Ids]:
        return self.pairs.source.padded(rows), self.pairs.target.padded(rows)

    def _chunk(self, epoch: int, chunk: int) -> npt.NDArray[np.int64]:
        """The pairs of `sort_batches` batches of an epoch, sorted by length."""
        if epoch != self._epoch:
            shuffled = np.random.default_rng((self.seed, epoch)).permutation(self.pairs.rows)
            self._epoch, self._order = epoch, shuffled
        rows = self._order[chunk * self.chunk : (chunk + 1) * self.chunk].astype(np.int64)
        lengths = np.maximum(self.pairs.source.lengths_of(rows), self.pairs.target.lengths_of(rows))
        return rows[np.argsort(lengths, kind="stable")]
