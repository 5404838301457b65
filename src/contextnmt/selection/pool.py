"""The texts to select from, and what the report shows of them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from contextnmt.errors import UserError
from contextnmt.files import read_pairs
from contextnmt.selection.ngrams import Integers
from contextnmt.selection.ranking import Floats, bin_edges, histogram

#: Pairs with the lowest and with the highest scores that the report shows.
EXAMPLES = 10


@dataclass
class Amount:
    """Pairs, and the words of their sides."""

    pairs: int = 0
    source_words: int = 0
    target_words: int = 0

    def add(self, source: Sequence[str], target: Sequence[str]) -> None:
        """Enter a pair, given by its words."""
        self.pairs += 1
        self.source_words += len(source)
        self.target_words += len(target)


@dataclass
class CorpusAmounts:
    """How much a corpus has, and how much of it is in the training text."""

    read: Amount = field(default_factory=Amount)
    kept: Amount = field(default_factory=Amount)


class Part(NamedTuple):
    """Two files that are a corpus of the pool or a part of one, in its order."""

    source: Path
    target: Path

    @property
    def corpus(self) -> str:
        """The name of the corpus: the source file's up to the first dot."""
        return self.source.name.partition(".")[0]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Its pairs; raises UserError if one side has more lines than the other."""
        return read_pairs(self.source, self.target)


def parts_of(source: Sequence[Path], target: Sequence[Path]) -> list[Part]:
    """The parts of the pool. Raises UserError unless both sides are given as often."""
    if len(source) != len(target):
        raise UserError(
            f"--source is given {len(source)} times and --target {len(target)} times: "
            "every corpus has both sides"
        )
    return list(map(Part, source, target))


class Examples:
    """The best and the worst pairs of a ranking; their text comes as the pool goes by."""

    def __init__(self, scores: Floats, order: Integers) -> None:
        self._best = order[:EXAMPLES].tolist()
        self._worst = order[::-1][:EXAMPLES].tolist()
        self._entries: dict[int, dict[str, Any]] = {
            position: {"score": float(scores[position])} for position in self._best + self._worst
        }

    def note(self, position: int, corpus: str, line: int, source: str, target: str) -> None:
        """Take in the pair at a position in the pool, line `line` of `corpus`, if it is shown."""
        if position in self._entries:
            self._entries[position] |= {
                "corpus": corpus,
                "line": line,
                "source": source,
                "target": target,
            }

    def report(self) -> dict[str, Any]:
        """``best``, best first, and ``worst``, worst first."""
        return {
            "best": [self._entries[position] for position in self._best],
            "worst": [self._entries[position] for position in self._worst],
        }


def distribution(
    scores: Floats, order: Integers, sizes: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    """Histogram of the scores: ``edges`` of the bins in bits a word, and ``pairs`` by corpus.

    `sizes`: name of the corpus and number of pairs, for each part of the pool.
    """
    edges = bin_edges(scores, order)
    pairs: dict[str, Integers] = {}
    begin = 0
    for corpus, size in sizes:
        found = histogram(scores[begin : begin + size], edges)
        pairs[corpus] = pairs.get(corpus, np.zeros_like(found)) + found
        begin += size
    return {
        "edges": edges.tolist(),
        "pairs": {corpus: found.tolist() for corpus, found in pairs.items()},
    }


def amounts_report(amounts: dict[str, CorpusAmounts]) -> dict[str, Any]:
    """For each corpus ``pairs``, ``source_words`` and ``target_words``, ``read`` and ``kept``."""
    return {corpus: asdict(amount) for corpus, amount in amounts.items()}
