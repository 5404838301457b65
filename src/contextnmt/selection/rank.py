"""Stage *rank*: the pairs of all corpora in the order of their scores, and where it is cut."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.selection.select import part_name, read_scores

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: Bins of the histogram of scores.
BINS = 100
#: Share of the pairs on either side that the outermost bins may take in, however far they lie.
TAIL = 0.001

#: Pairs with the lowest and with the highest scores that are shown.
EXAMPLES = 10


class Part(NamedTuple):
    """A part of the pool: its pairs have the positions from `begin` up to `end`, exclusive."""

    name: str
    begin: int
    end: int

    @property
    def corpus(self) -> str:
        """The corpus that the part belongs to: its name up to the first dot."""
        return self.name.partition(".")[0]


def laid_out(scores: Sequence[Path], sizes: Sequence[int]) -> list[Part]:
    """The parts one after the other; they have `sizes` pairs.

    Raises UserError if two of them have one name.
    """
    parts: dict[str, Part] = {}
    begin = 0
    for path, size in zip(scores, sizes, strict=True):
        name = part_name(path)
        if name in parts:
            raise UserError(f"{path}: a second part of the name {name}: give each part once")
        parts[name] = Part(name, begin, begin + size)
        begin += size
    return list(parts.values())


def column(parts: Sequence[npt.NDArray[np.void]], name: str) -> npt.NDArray[Any]:
    """One column of `SCORED` of all parts of the pool, one after the other: [pairs]."""
    return np.concatenate([part[name] for part in parts])


def ranked(scores: Floats) -> Integers:
    """The numbers of the pairs with a finite score, lowest score first; of equals, the first.

    [pairs with a score]. Takes 8 bytes per pair, and 4 more meanwhile.
    """
    order = np.argsort(scores, kind="stable")  # infinity comes last
    return order[: np.count_nonzero(np.isfinite(scores))]


def cut(amounts: npt.NDArray[Any], limit: int, unit: str) -> int:
    """How many pairs it takes until their amounts sum up to `limit`, the last one included.

    `amounts`: of the ranked pairs, [pairs], in `unit`. Raises UserError if all of them are too
    little. Takes 8 bytes per pair meanwhile.
    """
    totals = np.cumsum(amounts, dtype=np.int64)
    available = int(totals[-1]) if totals.size else 0
    if limit > available:
        raise UserError(
            f"{limit} {unit} are to be selected and the pool has {available}: lower the limit "
            "(select.PAIR in the configuration), or train on all pairs"
        )
    return int(np.searchsorted(totals, limit)) + 1


def distribution(scores: Floats, order: Integers, parts: Sequence[Part]) -> dict[str, Any]:
    """Histogram of the scores: ``edges`` of the bins in bits per word, and ``pairs`` by corpus.

    The bins have equal width, but that the outermost ones take in the tails of the ranked pairs.
    Pairs without a score are in none.
    """
    tail = int(TAIL * len(order))
    edges = np.linspace(scores[order[tail]], scores[order[-1 - tail]], BINS + 1)
    pairs = {part.corpus: np.zeros(BINS, np.int64) for part in parts}
    for part in parts:
        finite = scores[part.begin : part.end]
        finite = finite[np.isfinite(finite)].clip(edges[0], edges[-1])
        pairs[part.corpus] += np.histogram(finite, edges)[0]
    return {
        "edges": edges.tolist(),
        "pairs": {corpus: found.tolist() for corpus, found in pairs.items()},
    }


def examples(
    positions: Integers, scores: Floats, parts: Sequence[Part]
) -> Iterator[dict[str, Any]]:
    """For each position in the pool, the score of the pair and where to find it."""
    for position in positions.tolist():
        number = bisect_right(parts, position, key=lambda part: part.begin) - 1
        corpus = parts[number].corpus
        before = sum(part.end - part.begin for part in parts[:number] if part.corpus == corpus)
        yield {
            "score": float(scores[position]),
            "corpus": corpus,
            "line": before + position - parts[number].begin + 1,
            "position": position,
        }


def rank(
    scores: Annotated[list[Path], typer.Option(help="PART.scores.npy of the pool; repeatable.")],
    out: Annotated[Path, typer.Option(help="Ranking (.json) to write.")],
    target_words: Annotated[int | None, typer.Option(help="Target words to keep.", min=1)] = None,
    pairs: Annotated[int | None, typer.Option(help="Pairs to keep.", min=1)] = None,
) -> None:
    """Rank the pairs of all corpora together and tell which of them to keep.

    Those with the lowest scores are kept, up to the pair that reaches the number of target words
    or pairs asked for; of equal scores the first in the pool comes first. The pool is made of the
    parts in the order in which they are given. Files whose names agree up to the first dot are
    parts of one corpus and count together. A pair of the pool takes 40 bytes of memory.

    Example: contextnmt rank --scores news.scores.npy --scores europarl.1of2.scores.npy --scores
    europarl.2of2.scores.npy --target-words 348000000 --out ranking.json
    """
    limits = {"target_words": target_words, "pairs": pairs}
    given = [(unit, limit) for unit, limit in limits.items() if limit is not None]
    if len(given) != 1:
        raise UserError("give one limit: either --target-words or --pairs")
    ((unit, limit),) = given
    tables = list(map(read_scores, scores))
    parts = laid_out(scores, list(map(len, tables)))
    values = column(tables, "score")
    order = ranked(values)
    words = column(tables, "target_words")[order]
    amounts = words if unit == "target_words" else np.ones_like(words)
    count = cut(amounts, limit, unit.replace("_", " "))
    last = int(order[count - 1])
    write_json(
        out,
        {
            "limit": {unit: limit},
            "threshold": float(values[last]),
            "last": last,
            "pairs": len(values),
            "without_score": len(values) - len(order),
            "kept": {"pairs": count, "target_words": int(words[:count].sum(dtype=np.int64))},
            "parts": {part.name: part.begin for part in parts},
            "histogram": distribution(values, order, parts),
            "best": list(examples(order[:EXAMPLES], values, parts)),
            "worst": list(examples(order[::-1][:EXAMPLES], values, parts)),
        },
    )
