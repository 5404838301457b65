"""The pairs of the pool that are in the training text, and how often these have each word.

The pool is the texts to select from, part by part; stage *rank* says where it is cut.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, islice
from operator import not_
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.arrays import map_array
from contextnmt.corpus.counts import summed_counts, write_counts
from contextnmt.errors import UserError
from contextnmt.files import read_json, read_pairs, write_json, write_pairs
from contextnmt.progress import progress

Floats = npt.NDArray[np.float64]

#: How the name of a part's file of scores ends.
SCORES = ".scores.npy"

#: Entry of a scores file for each pair, 12 bytes: its score in bits per word, infinite if a side is
#: empty, and its words on the target side.
SCORED = np.dtype([("score", "<f8"), ("target_words", "<i4")])

#: Pairs looked at together.
BLOCK = 4096


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
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise UserError(f"{path}: not a ranking ({error!r}): rank the pool again") from None


def read_scores(path: Path) -> npt.NDArray[np.void]:
    """The scores in a file of stage *cross-entropy*, as they lie on disk: [pairs] of `SCORED`.

    Raises UserError if it is not such a file.
    """
    return map_array(path, SCORED, "scores", "score the text again")


class Selection:
    """Passes on the pairs of a part of the pool that a ranking keeps, and counts them.

    `counts`: how often the kept pairs have each word, on the source and on the target side.
    """

    def __init__(self, scores: Path | None, ranking: Path | None) -> None:
        """Without `scores` and a `ranking`, all pairs are kept.

        Raises UserError if one of them is missing, or the ranking is not of these scores.
        """
        if (scores is None) != (ranking is None):
            raise UserError("a selection needs both --scores and --ranking: give both or neither")
        self.counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self.dropped_words = [0, 0]
        self.pairs_read = self.pairs_kept = 0
        self.examples: dict[str, dict[str, str]] = {}
        self.ranking: Ranking | None = None
        if scores is None or ranking is None:
            return
        self.ranking, self.scores = read_ranking(ranking), read_scores(scores)["score"]
        name, parts = part_name(scores), self.ranking.parts
        if name not in parts:
            raise UserError(
                f"{ranking}: has no part {name}: rank all parts of the pool, {scores} among them"
            )
        self.begin = parts[name]
        if self.begin + len(self.scores) not in {*parts.values(), self.ranking.pairs}:
            raise UserError(f"{ranking}: of other scores than {scores}: rank the pool again")

    def keep(self, pairs: Iterable[tuple[str, str]], source: Path) -> Iterator[tuple[str, str]]:
        """Yield the `pairs` of the part that are kept; `source` is for messages.

        Raises UserError in the end if there are more pairs or fewer than scores.
        """
        pairs = iter(pairs)
        while block := list(islice(pairs, BLOCK)):
            verdicts = [True] * len(block)
            if self.ranking:
                scores = self.scores[self.pairs_read : self.pairs_read + len(block)]
                begin = self.begin + self.pairs_read
                verdicts = self.ranking.kept(scores, begin).tolist()
                for position in self.ranking.shown:
                    if begin <= position < begin + len(block):
                        shown = zip(("source", "target"), block[position - begin], strict=True)
                        self.examples[str(position)] = dict(shown)
            for side, lines in enumerate(zip(*block, strict=True)):
                kept, dropped = compress(lines, verdicts), compress(lines, map(not_, verdicts))
                self.counts[side].update(chain.from_iterable(map(str.split, kept)))
                self.dropped_words[side] += sum(map(len, map(str.split, dropped)))
            self.pairs_read += len(block)
            self.pairs_kept += sum(verdicts)
            yield from compress(block, verdicts)
        if self.ranking and self.pairs_read != len(self.scores):
            raise UserError(
                f"{source}: has {self.pairs_read} lines and {len(self.scores)} scores: "
                "score the text again"
            )

    def report(self) -> dict[str, Any]:
        """The content of PART.selected.json (docs/formats.md)."""
        read, kept = {"pairs": self.pairs_read}, {"pairs": self.pairs_kept}
        names = "source_words", "target_words"
        for name, counts, dropped in zip(names, self.counts, self.dropped_words, strict=True):
            kept[name] = counts.total()
            read[name] = dropped + kept[name]
        return {"read": read, "kept": kept, "examples": self.examples}


def select(
    source: Annotated[Path, typer.Option(help="Source side of a part of the pool.")],
    target: Annotated[Path, typer.Option(help="Its target side.")],
    source_out: Annotated[Path, typer.Option(help="File to write: source side of the kept pairs.")],
    target_out: Annotated[Path, typer.Option(help="File to write: target side of the kept pairs.")],
    source_counts_out: Annotated[Path, typer.Option(help="File to write: source word counts.")],
    target_counts_out: Annotated[Path, typer.Option(help="File to write: target word counts.")],
    selected_out: Annotated[Path, typer.Option(help="JSON to write: how much was read and kept.")],
    scores: Annotated[Path | None, typer.Option(help="Its scores, PART.scores.npy.")] = None,
    ranking: Annotated[Path | None, typer.Option(help="Ranking of the pool.")] = None,
) -> None:
    """Write the pairs of a part of the pool that become training text, and count their words.

    With --scores and --ranking, only the pairs that the ranking keeps pass; without them, all
    pairs. Pairs stay in their order. The counts are tables of word and count, by descending count
    and then by word. A distinct word that is kept takes about 150 bytes of memory.

    Example: contextnmt select --source news.en.gz --target news.fr.gz --scores news.scores.npy
    --ranking ranking.json --source-out train.en.gz --target-out train.fr.gz --source-counts-out
    counts.en.tsv --target-counts-out counts.fr.tsv --selected-out selected.json
    """
    selection = Selection(scores, ranking)
    pairs = progress(read_pairs(source, target), f"select {source.name}", "pairs")
    write_pairs(source_out, target_out, selection.keep(pairs, source))
    write_counts(source_counts_out, selection.counts[0])
    write_counts(target_counts_out, selection.counts[1])
    write_json(selected_out, selection.report())


def word_counts(
    counts: Annotated[list[Path], typer.Option(help="Word counts of a part; repeatable.")],
    out: Annotated[Path, typer.Option(help="Word counts of the whole text to write.")],
) -> None:
    """Add up the word counts of the parts of a text, in one language.

    The table is ordered by descending count and then by word, so the order of the parts makes no
    difference. A distinct word takes about 150 bytes of memory.

    Example: contextnmt word-counts --counts news.fr.tsv.gz --counts europarl.fr.tsv.gz --out fr.tsv
    """
    totals = summed_counts(counts)
    if not totals:
        names = ", ".join(map(str, counts))
        raise UserError(
            f"{names}: no words: the training text is empty: relax the filters of clean, or check "
            "that the two sides of each corpus belong together"
        )
    write_counts(out, totals)
