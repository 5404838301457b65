"""The binarized training pairs, memory-mapped, less those that the recipe drops.

Which of them make up an update is a function of the seed and the update's number alone.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from contextnmt.arrays import map_array
from contextnmt.configuration.training import PairFilter
from contextnmt.errors import UserError
from contextnmt.files import below
from contextnmt.text.vocabulary import EOS, PAD, UNK, Vocabulary

#: Sentences that a pass reads at a time: its memory does not grow with the corpus.
BLOCK = 1 << 16

#: Numbers of pairs, in the smallest type that holds them all: 4 bytes for 12 million.
Rows = npt.NDArray[np.unsignedinteger[Any]]

#: Ids of a batch, [pairs, symbols], or numbers of pairs.
Ids = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Side:
    """One side of a text: sentence i is ids[offsets[i]:offsets[i + 1]], without end-of-sentence.

    The arrays of the training text are memory-mapped: 4 bytes per symbol and 8 per sentence of the
    system's cache, which takes them back when it needs them. Those of a dev text are in memory.
    """

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]

    @classmethod
    def open(cls, folder: Path, side: str) -> "Side":
        """Map ``train.{side}.{ids,offsets}.npy`` of a binarize folder into memory.

        Raises UserError if a file is missing or damaged, or if they are of two texts.
        """
        arrays = []
        for part, dtype in (("ids", np.int32), ("offsets", np.int64)):
            path = folder / f"train.{side}.{part}.npy"
            if not path.is_file():
                raise UserError(f"{path}: no such file; run `contextnmt binarize` first")
            arrays.append(map_array(path, dtype, part, "run `contextnmt binarize` again"))
        ids, offsets = arrays
        begins_and_ends = len(offsets) and (offsets[0], offsets[-1]) == (0, len(ids))
        if not begins_and_ends or (offsets[1:] < offsets[:-1]).any():
            raise UserError(
                f"{path}: not the offsets of the ids beside it: run `contextnmt binarize` again"
            )
        return cls(ids, offsets)

    @classmethod
    def of_sentences(cls, sentences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> "Side":
        """Sentences, each a sequence of words, as ids in memory."""
        ids = np.array(vocabulary.encode(chain.from_iterable(sentences)), np.int32)
        ends = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        return cls(ids, ends)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Symbols of each sentence."""
        return np.diff(self.offsets)

    def lengths_of(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Symbols of the sentences `rows`."""
        lengths: npt.NDArray[np.int64] = self.offsets[rows + 1] - self.offsets[rows]
        return lengths

    def block(self, start: int) -> "Side":
        """The sentences from `start` on, at most BLOCK of them."""
        return Side(self.ids, self.offsets[start : start + BLOCK + 1])

    def unknowns(self) -> npt.NDArray[np.int64]:
        """Unknown symbols of each sentence."""
        first, last = self.offsets[0], self.offsets[-1]
        running = np.concatenate([[0], np.cumsum(self.ids[first:last] == UNK)])
        counts: npt.NDArray[np.int64] = np.diff(running[self.offsets - first])
        return counts

    def padded(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The sentences `rows`, each with its end-of-sentence, padded: [rows, longest + 1]."""
        sentences = [self.ids[self.offsets[row] : self.offsets[row + 1]] for row in rows]
        batch = np.full((len(rows), max(map(len, sentences)) + 1), PAD, dtype=np.int64)
        for line, sentence in zip(batch, sentences, strict=True):
            line[: len(sentence)] = sentence
            line[len(sentence)] = EOS
        return batch


@dataclasses.dataclass(frozen=True)
class TrainingPairs:
    """The pairs that a recipe trains on (`rows` of the two sides), and why others were dropped."""

    source: Side
    target: Side
    rows: Rows
    dropped: dict[str, int]


def training_pairs(own: PairFilter, others: Sequence[PairFilter] = ()) -> TrainingPairs:
    """The training pairs of a system that pass its `own` filter and those of `others` (A14).

    `dropped` counts each pair once, under the first reason of its own filter or, if that keeps it,
    under `elsewhere`. Of 12 million pairs, the rows take 4 bytes per pair kept, twice that while
    they are found. Raises UserError if no pair is left, or if another folder does not hold as many
    pairs.
    """
    views = training_views([own, *others])
    source, target = views[0]
    counts: Counter[str] = Counter()
    found = [np.empty(0, np.min_scalar_type(len(source)))]
    for start, (sides, *rest) in blocks(views):
        reasons = drop_reasons(own, *sides)
        kept = ~np.logical_or.reduce(list(reasons.values()))
        elsewhere = np.zeros_like(kept)
        for other, its_sides in zip(others, rest, strict=True):
            for dropped in drop_reasons(other, *its_sides).values():
                elsewhere |= dropped
        reasons["elsewhere"] = elsewhere & kept
        counts.update({reason: int(dropped.sum()) for reason, dropped in reasons.items()})
        found.append((start + np.flatnonzero(kept & ~elsewhere)).astype(found[0].dtype))
    rows = np.concatenate(found)
    if not len(rows):
        raise UserError(
            f"{own.data}: none of {len(source)} training pairs is left ({counts['empty']} empty, "
            f"{counts['length']} longer than max_length {own.max_length}, {counts['unknown']} with "
            f"more unknown tokens than unknown_limit {own.unknown_limit}, {counts['elsewhere']} "
            "dropped by other filters): widen the limits or give more text"
        )
    return TrainingPairs(source, target, rows, dict(counts))


def training_views(filters: Sequence[PairFilter]) -> list[tuple[Side, Side]]:
    """The two sides of the training text, in the view of each of `filters`.

    Raises UserError if the views do not hold as many pairs as each other.
    """
    folders = [Path(each.data) for each in filters]
    views = [(Side.open(folder, "source"), Side.open(folder, "target")) for folder in folders]
    pairs = len(views[0][0])
    for folder, (source, _) in zip(folders, views, strict=True):
        if len(source) != pairs:
            raise UserError(
                f"{folder} holds {len(source)} training pairs and {folders[0]} {pairs}: "
                "give folders that hold the same pairs, each in its own view"
            )
    return views


def blocks(
    views: Sequence[tuple[Side, Side]],
) -> Iterator[tuple[int, list[tuple[Side, Side]]]]:
    """Yield the number of a block's first pair, and the block in each of `views`."""
    for start in range(0, len(views[0][0]), BLOCK):
        yield start, [(source.block(start), target.block(start)) for source, target in views]


def drop_reasons(
    limits: PairFilter, source: Side, target: Side
) -> dict[str, npt.NDArray[np.bool_]]:
    """Pairs that the filters of Choi et al. 2017, sec. 5.3, drop, by the first reason to do so.

    A pair is dropped if a side is empty, if a side has more than `max_length` symbols, or if more
    than the share `unknown_limit` of the symbols of both sides together is unknown (A13). Takes
    some 50 bytes per pair: give it the text in blocks.
    """
    lengths = np.stack([source.lengths, target.lengths])
    unknown = np.zeros(len(source), np.bool_)
    if limits.unknown_limit < 1:  # otherwise the symbols need not be read
        unknown = source.unknowns() + target.unknowns() > limits.unknown_limit * lengths.sum(0)
    empty = lengths.min(0) == 0
    long = ~empty & (lengths.max(0) > limits.max_length)
    return {"empty": empty, "length": long, "unknown": unknown & ~empty & ~long}


def vocabularies(folder: Path, manifest: Any) -> list[Vocabulary]:
    """The vocabularies of source and target.

    Raises UserError if one is not that which the ids were made with.
    """
    found = []
    for side in ("source", "target"):
        path = folder / f"vocabulary.{side}.tsv"
        found.append(Vocabulary.read(path))
        if found[-1].sha256 != below(manifest, "vocabulary", side, "sha256"):
            raise UserError(
                f"{path}: not the vocabulary of {folder / 'manifest.json'}, but of another run: "
                "run `contextnmt binarize` again"
            )
    return found


class Batches:
    """The batches of all epochs, numbered from 0, none of them stored.

    Every epoch is a fresh permutation of the pairs; `sort_batches` batches' pairs at a time are
    sorted by the longer side and cut, shortest batch first (A24). Resuming at update n needs
    nothing but n. The permutation takes as many bytes per pair as `TrainingPairs.rows`: 4 for 12
    million pairs, 8 between two epochs.
    """

    def __init__(
        self,
        pairs: TrainingPairs,
        batch_size: int,
        sort_batches: int,
        seed: int,
        sizes: Sequence[int] = (),
    ) -> None:
        """`sizes`: how many ids source and target have; other ids are refused."""
        self.pairs, self.sizes = pairs, sizes
        self.batch_size = batch_size
        self.chunk = batch_size * sort_batches
        self.seed = seed
        self.per_epoch = -(-len(pairs.rows) // batch_size)
        self._epoch, self._order = -1, pairs.rows[:0]
        self._place, self._sorted = (-1, -1), np.empty(0, np.int64)

    def __getitem__(self, update: int) -> tuple[Ids, Ids]:
        """Source ids [batch, S] and target ids [batch, T] of an update, see `Side.padded`.

        Raises UserError at an id that is not among the `sizes`.
        """
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
        for start in range(0, len(self.pairs.rows), BLOCK):
            rows = np.concatenate([best, self.pairs.rows[start : start + BLOCK]])
            source, target = self.pairs.source.lengths_of(rows), self.pairs.target.lengths_of(rows)
            longest = np.argsort(-target, kind="stable")[: self.batch_size]
            places = ((source + 1) * (target + 1)).argmax()
            chosen = dict.fromkeys([int(places), int(source.argmax()), *longest.tolist()])
            best = rows[list(chosen)[: self.batch_size]]
        return self._padded(best)

    def _padded(self, rows: npt.NDArray[np.int64]) -> tuple[Ids, Ids]:
        source, target = self.pairs.source.padded(rows), self.pairs.target.padded(rows)
        for side, ids, size in zip(
            ("source", "target"), (source, target), self.sizes, strict=False
        ):
            if not 0 <= ids.min() <= ids.max() < size:
                raise UserError(
                    f"train.{side}.ids.npy of the training data is damaged, since an id in it "
                    "belongs to no word: run `contextnmt binarize` again"
                )
        return source, target

    def _chunk(self, epoch: int, chunk: int) -> npt.NDArray[np.int64]:
        """The pairs of `sort_batches` batches of an epoch, sorted by length."""
        if epoch != self._epoch:
            shuffled = np.random.default_rng((self.seed, epoch)).permutation(self.pairs.rows)
            self._epoch, self._order = epoch, shuffled
        rows = self._order[chunk * self.chunk : (chunk + 1) * self.chunk].astype(np.int64)
        lengths = np.maximum(self.pairs.source.lengths_of(rows), self.pairs.target.lengths_of(rows))
        return rows[np.argsort(lengths, kind="stable")]
