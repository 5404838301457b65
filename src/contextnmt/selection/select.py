"""Stage *select*: which pairs of a part of the pool are in the training text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, islice, repeat
from operator import not_
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.corpus.counts import write_counts
from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_json, write_pairs
from contextnmt.progress import progress
from contextnmt.selection.ranking import part_name, read_ranking, read_scores

#: Pairs looked at together.
BLOCK = 4096


class Selection:
    """What a ranking says about the pairs of one part of the pool."""

    def __init__(self, scores: Path, ranking: Path) -> None:
        """Raises UserError if the ranking is not of these scores."""
        self.ranking = read_ranking(ranking)
        self.scores = read_scores(scores)["score"]
        name = part_name(scores)
        if name not in self.ranking.parts:
            raise UserError(
                f"{ranking}: has no part {name}: rank all parts of the pool, {scores} among them"
            )
        self.begin = self.ranking.parts[name]
        if self.begin + len(self.scores) not in {*self.ranking.parts.values(), self.ranking.pairs}:
            raise UserError(f"{ranking}: of other scores than {scores}: rank the pool again")

    def verdicts(self) -> Iterator[bool]:
        """Whether each pair is kept."""
        for first in range(0, len(self.scores), BLOCK):
            scores = self.scores[first : first + BLOCK]
            yield from self.ranking.kept(scores, self.begin + first).tolist()

    def examples(self, first: int, pairs: Sequence[tuple[str, str]]) -> dict[str, dict[str, str]]:
        """Position and text of those pairs that are shown, of those from number `first` on."""
        begin = self.begin + first
        return {
            str(position): dict(zip(("source", "target"), pairs[position - begin], strict=True))
            for position in self.ranking.shown
            if begin <= position < begin + len(pairs)
        }


@dataclass
class Side:
    """The words of one side: how many were dropped, and how often the kept pairs have each."""

    dropped: int = 0
    kept: Counter[str] = field(default_factory=Counter)

    def add(self, lines: Sequence[str], verdicts: Sequence[bool]) -> None:
        """Enter the lines of a block; the verdicts say which are kept."""
        kept, dropped = compress(lines, verdicts), compress(lines, map(not_, verdicts))
        self.kept.update(chain.from_iterable(map(str.split, kept)))
        self.dropped += sum(map(len, map(str.split, dropped)))


class Part:
    """A part of the pool as a stream, and how much of it was read and kept."""

    def __init__(self, paths: tuple[Path, Path], selection: Selection | None) -> None:
        """`paths`: its two sides. Without a `selection`, all pairs are kept."""
        self.paths = paths
        self.selection = selection
        self.source, self.target = Side(), Side()
        self.pairs_read = self.pairs_kept = 0
        self.examples: dict[str, dict[str, str]] = {}

    def keep(self) -> Iterator[tuple[str, str]]:
        """The pairs that are kept.

        Raises UserError in the end if there are more pairs or fewer than scores.
        """
        selection = self.selection
        name = self.paths[0].name
        pairs = progress(read_pairs(*self.paths), f"select {name}", "pairs")
        all_verdicts = selection.verdicts() if selection else repeat(True)
        while block := list(islice(pairs, BLOCK)):
            verdicts = list(islice(all_verdicts, len(block)))
            source, target = zip(*block, strict=True)
            self.source.add(source, verdicts)
            self.target.add(target, verdicts)
            if selection:
                self.examples |= selection.examples(self.pairs_read, block)
            self.pairs_read += len(block)
            self.pairs_kept += sum(verdicts)
            yield from compress(block, verdicts)
        if selection and self.pairs_read != len(selection.scores):
            raise UserError(
                f"{self.paths[0]}: has {self.pairs_read} lines and {len(selection.scores)} scores: "
                "score the text again"
            )

    def report(self) -> dict[str, Any]:
        """The content of PART.selected.json (docs/formats.md)."""
        read, kept = {"pairs": self.pairs_read}, {"pairs": self.pairs_kept}
        for name, side in (("source_words", self.source), ("target_words", self.target)):
            kept[name] = side.kept.total()
            read[name] = side.dropped + kept[name]
        return {"read": read, "kept": kept, "examples": self.examples}


def select(
    source: Annotated[Path, typer.Option(help="Source side of a part of the pool.")],
    target: Annotated[Path, typer.Option(help="Its target side.")],
    source_out: Annotated[Path, typer.Option(help="Source side of what is kept to write.")],
    target_out: Annotated[Path, typer.Option(help="Target side of what is kept to write.")],
    source_counts_out: Annotated[Path, typer.Option(help="Its words on the source side to write.")],
    target_counts_out: Annotated[Path, typer.Option(help="Its words on the target side to write.")],
    selected_out: Annotated[Path, typer.Option(help="JSON to write: how much was read and kept.")],
    scores: Annotated[
        Path | None, typer.Option(help="Scores of the part, PART.scores.npy, to select by.")
    ] = None,
    ranking: Annotated[
        Path | None, typer.Option(help="Ranking of the pool that the part belongs to.")
    ] = None,
) -> None:
    """Keep the pairs of a part of the pool that belong to the training text, and count its words.

    Without scores and a ranking all pairs pass, with them those that the ranking keeps. Pairs stay
    in their order. The counts are tables of word and count, by descending count and then by word.
    A distinct word that is kept takes about 150 bytes of memory.

    Example: contextnmt select --source news.en.gz --target news.fr.gz --scores news.scores.npy
    --ranking ranking.json --source-out train.en.gz --target-out train.fr.gz --source-counts-out
    counts.en.tsv --target-counts-out counts.fr.tsv --selected-out selected.json
    """
    if (scores is None) != (ranking is None):
        raise UserError("a selection needs both --scores and --ranking: give both or neither")
    selection = Selection(scores, ranking) if scores and ranking else None
    part = Part((source, target), selection)
    write_pairs(source_out, target_out, part.keep())
    write_counts(source_counts_out, part.source.kept)
    write_counts(target_counts_out, part.target.kept)
    write_json(selected_out, part.report())
