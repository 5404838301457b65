"""Which pairs make up which update: a function of the seed and the update's number alone."""

import numpy as np
import numpy.typing as npt

from contextnmt.training.dataset import TrainingPairs

Rows = npt.NDArray[np.int64]


class Batches:
    """The batches of all epochs, numbered from 0, none of them stored.

    Every epoch is a fresh permutation of the pairs; `sort_batches` batches' pairs at a time are
    sorted by the longer side and cut, shortest batch first (A24). Resuming at update n needs
    nothing but n.
    """

    def __init__(self, pairs: TrainingPairs, batch_size: int, sort_batches: int, seed: int) -> None:
        self.pairs = pairs
        self.batch_size = batch_size
        self.chunk = batch_size * sort_batches
        self.seed = seed
        self.per_epoch = -(-len(pairs.rows) // batch_size)
        self._epoch = -1
        self._order: Rows = np.empty(0, np.int64)

    def __getitem__(self, update: int) -> tuple[Rows, Rows]:
        """Source ids [batch, S] and target ids [batch, T] of an update, see `Side.padded`."""
        rows = self.rows(update)
        return self.pairs.source.padded(rows), self.pairs.target.padded(rows)

    def rows(self, update: int) -> Rows:
        """Which pairs of the training text make up an update, numbered from 0."""
        epoch, batch = divmod(update, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._permutation(epoch)
        return self._order[batch * self.batch_size : (batch + 1) * self.batch_size]

    def _permutation(self, epoch: int) -> Rows:
        """The rows of an epoch, shuffled, then sorted by length within each chunk."""
        rows = np.random.default_rng((self.seed, epoch)).permutation(self.pairs.rows)
        source, target = self.pairs.source.offsets, self.pairs.target.offsets
        lengths = np.maximum(source[rows + 1] - source[rows], target[rows + 1] - target[rows])
        chunks = np.arange(len(rows)) // self.chunk
        order: Rows = rows[np.lexsort((lengths, chunks))]
        return order
