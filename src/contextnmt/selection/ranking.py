"""The pool in the order of its scores, and where it is cut.

The pool is the texts to select from, part by part.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from contextnmt.errors import UserError
from contextnmt.files import open_binary, read_json

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: How the name of a part's file of scores ends.
SCORES = ".scores.npy"

#: What a scores file holds of each pair, 12 bytes: its score in bits a word, infinite if a side is
#: empty, and its words on the target side.
SCORED = np.dtype([("score", "<f8"), ("target_words", "<i4")])

#: Bins of the histogram of scores.
BINS = 100
#: Share of the pairs on either side that the outermost bins may take in, however far they lie.
TAIL = 0.001


class Ranking(NamedTuple):
    """The file of stage *rank*: the cut through the pool, and where its parts begin.

    Positions count the pairs of the pool from 0.
    """

    threshold: float  # score of the last pair kept
    last: int  # its position
    pairs: int  # in the whole pool
    target_words: int  # of the pairs kept
    parts: Mapping[str, int]  # name -> position of the first pair
    shown: Sequence[int]  # positions of the best and the worst pairs

    def kept(self, scores: Floats, begin: int) -> npt.NDArray[np.bool_]:
        """Which pairs are kept, of those from position `begin` on that have these scores: [pairs].

        Of the pairs whose score is the threshold, those up to the last one kept.
        """
        positions = np.arange(begin, begin + len(scores))
        equal = (scores == self.threshold) & (positions <= self.last)
        kept: npt.NDArray[np.bool_] = (scores < self.threshold) | equal
        return kept


def part_name(scores: Path) -> str:
    """The name of the part of the pool whose scores a file has: PART.scores.npy.

    Raises UserError if the file has another name.
    """
    name = scores.name.removesuffix(SCORES)
    if name in ("", scores.name):
        raise UserError(f"{scores}: no name of a file of scores: call it PART{SCORES}")
    return name


def read_ranking(path: Path) -> Ranking:
    """The ranking in a file of stage *rank*. Raises UserError if it is not such a file."""
    content = read_json(path)
    try:
        return Ranking(
            float(content["threshold"]),
            int(content["last"]),
            int(content["pairs"]),
            int(content["kept"]["target_words"]),
            {name: int(begin) for name, begin in content["parts"].items()},
            [int(entry["position"]) for name in ("best", "worst") for entry in content[name]],
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: not a ranking ({error!r}): rank the pool again") from None


def read_scores(path: Path) -> npt.NDArray[np.void]:
    """The scores in a file of stage *cross-entropy*, as they lie on disk: [pairs] of `SCORED`.

    Raises UserError if it is not such a file.
    """
    open_binary(path).close()  # says so if there is no such file
    try:
        scores: npt.NDArray[np.void] = np.load(path, mmap_mode="r", allow_pickle=False)
        if scores.dtype != SCORED or scores.ndim != 1:
            raise ValueError(f"{scores.ndim} dimensions of {scores.dtype}")
    except (ValueError, EOFError) as error:
        raise UserError(f"{path}: not a file of scores ({error}): score the text again") from None
    return scores


def column(parts: Sequence[npt.NDArray[np.void]], name: str) -> npt.NDArray[Any]:
    """One column of `SCORED` of all parts of the pool, one after the other: [pairs]."""
    return np.concatenate([part[name] for part in parts])


def ranked(scores: Floats) -> Integers:
    """The numbers of the pairs with a finite score, lowest score first; of equals, the first.

    [pairs with a score]. Takes 8 bytes a pair, and 4 more meanwhile.
    """
    order = np.argsort(scores, kind="stable")  # infinity comes last
    return order[: np.count_nonzero(np.isfinite(scores))]


def cut(amounts: npt.NDArray[Any], limit: int, unit: str) -> int:
    """How many pairs it takes until their amounts sum up to `limit`, the last one included.

    `amounts`: of the ranked pairs, [pairs], in `unit`. Raises UserError if all of them are too
    little. Takes 8 bytes a pair meanwhile.
    """
    totals = np.cumsum(amounts, dtype=np.int64)
    available = int(totals[-1]) if totals.size else 0
    if limit > available:
        raise UserError(
            f"{limit} {unit} are to be selected and the pool has {available}: lower the limit "
            "(select.PAIR in the configuration), or train on all pairs"
        )
    return int(np.searchsorted(totals, limit)) + 1


def bin_edges(scores: Floats, order: Integers) -> Floats:
    """Edges of bins of equal width for the scores of ranked pairs, but their tails: [BINS + 1]."""
    tail = int(TAIL * len(order))
    return np.linspace(scores[order[tail]], scores[order[-1 - tail]], BINS + 1)


def histogram(scores: Floats, edges: Floats) -> Integers:
    """How many pairs have scores in each bin; those beyond the edges are in the outermost: [bins].

    Pairs without a score are in none.
    """
    finite = scores[np.isfinite(scores)]
    np.clip(finite, edges[0], edges[-1], out=finite)
    return np.histogram(finite, edges)[0]
