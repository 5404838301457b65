"""The binarized training pairs, memory-mapped, less those that the recipe drops."""

import dataclasses
from pathlib import Path

import numpy as np
import numpy.typing as npt

from contextnmt.errors import UserError
from contextnmt.text.vocabulary import EOS, PAD, UNK

#: Sentences whose unknown symbols are counted at a time: memory does not grow with the corpus.
BLOCK = 1 << 16


@dataclasses.dataclass(frozen=True)
class Side:
    """One side of a text: sentence i is ids[offsets[i]:offsets[i + 1]], without end-of-sentence."""

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]

    @classmethod
    def open(cls, folder: Path, text: str, side: str) -> "Side":
        """Map ``{text}.{side}.{ids,offsets}.npy`` of a binarize folder into memory.

        Raises UserError if a file is missing.
        """
        arrays = []
        for part in ("ids", "offsets"):
            path = folder / f"{text}.{side}.{part}.npy"
            if not path.is_file():
                raise UserError(f"{path}: no such file; run `contextnmt binarize` first")
            arrays.append(np.load(path, mmap_mode="r"))
        return cls(*arrays)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Symbols of each sentence."""
        return np.diff(self.offsets)

    def unknowns(self) -> npt.NDArray[np.int64]:
        """Unknown symbols of each sentence."""
        counts = np.empty(len(self), np.int64)
        for start in range(0, len(self), BLOCK):
            ends = self.offsets[start : start + BLOCK + 1]
            unknown = self.ids[ends[0] : ends[-1]] == UNK
            running = np.concatenate([[0], np.cumsum(unknown)])[ends - ends[0]]
            counts[start : start + BLOCK] = np.diff(running)
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
    rows: npt.NDArray[np.int64]
    dropped: dict[str, int]


def training_pairs(folder: Path, max_length: int, unknown_limit: float) -> TrainingPairs:
    """Apply the filters of Choi et al. 2017, sec. 5.3, to a binarize folder's training pairs.

    A pair is dropped if a side is empty, if a side has more than `max_length` symbols, or if more
    than the share `unknown_limit` of the symbols of both sides together is unknown (A13, A14).
    Raises UserError if no pair is left.
    """
    source, target = (Side.open(folder, "train", side) for side in ("source", "target"))
    lengths = np.stack([source.lengths, target.lengths])
    unknown = source.unknowns() + target.unknowns() > unknown_limit * lengths.sum(0)
    empty = lengths.min(0) == 0
    long = ~empty & (lengths.max(0) > max_length)
    unknown &= ~empty & ~long
    rows = np.flatnonzero(~empty & ~long & ~unknown)
    dropped = {"empty": empty.sum(), "length": long.sum(), "unknown": unknown.sum()}
    counts = {reason: int(count) for reason, count in dropped.items()}
    if not len(rows):
        raise UserError(
            f"{folder}: none of {len(source)} training pairs is left ({counts['empty']} empty, "
            f"{counts['length']} longer than max_length {max_length}, {counts['unknown']} with "
            f"more unknown symbols than unknown_limit {unknown_limit}): widen the limits or give "
            "more text"
        )
    return TrainingPairs(source, target, rows, counts)
