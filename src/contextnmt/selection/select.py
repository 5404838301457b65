"""Stage *select*: which pairs of all corpora make up the training text."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from contextnmt.errors import UserError
from contextnmt.files import write_json, write_lines, write_pairs
from contextnmt.progress import progress
from contextnmt.selection.pool import (
    CorpusAmounts,
    Examples,
    Part,
    amounts_report,
    distribution,
    parts_of,
)
from contextnmt.selection.ranking import column, cut, ranked, read_scores

#: Word -> occurrences; one entry a distinct word, about 100 bytes each.
Counts = Counter[str]


class Selection:
    """The best of a scored pool: those of `limit` words on the target side (A1), or of pairs.

    `kept` has of each part a byte a pair: 1 if it is in, else 0. While the pool is ranked,
    memory takes some 50 bytes a pair of it, afterwards 1.
    """

    def __init__(
        self, parts: Sequence[Part], scores: Sequence[Path], unit: str, limit: int
    ) -> None:
        """`unit`: what `limit` counts, ``target_words`` or ``pairs``.

        Raises UserError if the pool has fewer.
        """
        tables = list(map(read_scores, scores))
        values = column(tables, "score")
        order = ranked(values)
        words = column(tables, "target_words")[order]
        amounts = words if unit == "target_words" else np.ones_like(words)
        count = cut(amounts, limit, unit.replace("_", " "))
        kept = np.zeros(len(values), np.uint8)
        kept[order[:count]] = 1
        sizes = list(map(len, tables))
        self.kept = [part.tobytes() for part in np.split(kept, np.cumsum(sizes)[:-1])]
        self.examples = Examples(values, order)
        corpora = [(part.corpus, size) for part, size in zip(parts, sizes, strict=True)]
        self.figures: dict[str, Any] = {
            "limit": {unit: limit},
            "threshold": float(values[order[count - 1]]),
            "without_score": len(values) - len(order),
            "histogram": distribution(values, order, corpora),
        }

    def report(self) -> dict[str, Any]:
        """What `selection.json` says beside the amounts (docs/formats.md)."""
        return {**self.figures, **self.examples.report()}


class Pool:
    """All pairs of all corpora as a stream, and how much of them was read and kept."""

    def __init__(self, parts: Sequence[Part], selection: Selection | None) -> None:
        """Without a `selection`, all pairs are kept."""
        self.parts = parts
        self.selection = selection
        self.amounts: dict[str, CorpusAmounts] = defaultdict(CorpusAmounts)

    def verdicts(self) -> Iterator[tuple[Part, tuple[str, str], bool]]:
        """Every pair, the part it is in, and whether it is kept."""
        if self.selection is None:
            for part in self.parts:
                yield from ((part, pair, True) for pair in part.pairs())
            return
        for part, kept in zip(self.parts, self.selection.kept, strict=True):
            for pair, verdict in zip_longest(part.pairs(), kept):
                if pair is None or verdict is None:
                    raise UserError(
                        f"{part.source}: has another number of lines than its {len(kept)} scores: "
                        "score the text again"
                    )
                yield part, pair, bool(verdict)

    def keep(self, source_counts: Counts, target_counts: Counts) -> Iterator[tuple[str, str]]:
        """The pairs that are kept, while their words are added to the counts of each side."""
        for position, (part, pair, kept) in enumerate(self.verdicts()):
            source, target = map(str.split, pair)
            amounts = self.amounts[part.corpus]
            amounts.read.add(source, target)
            if self.selection is not None:
                self.selection.examples.note(position, part.corpus, amounts.read.pairs, *pair)
            if kept:
                amounts.kept.add(source, target)
                source_counts.update(source)
                target_counts.update(target)
                yield pair

    def report(self) -> dict[str, Any]:
        """The content of `selection.json`."""
        selected = {} if self.selection is None else self.selection.report()
        return {"corpora": amounts_report(self.amounts), **selected}


def write_counts(path: Path, counts: Counts) -> None:
    """Write a line ``word TAB count`` for each word, by descending count, then by word."""
    ranked_words = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    write_lines(path, (f"{word}\t{count}" for word, count in ranked_words))


def parse_limit(
    scores: Sequence[Path], target_words: int | None, pairs: int | None
) -> tuple[str, int] | None:
    """What the selection counts and up to where; None if there is none.

    Raises UserError unless a selection has scores and one limit.
    """
    given = {"target_words": target_words, "pairs": pairs}
    limits = [(unit, limit) for unit, limit in given.items() if limit is not None]
    if len(limits) != bool(scores):
        raise UserError(
            "a selection needs --scores and one limit, --target-words or --pairs: "
            "give both of these or neither"
        )
    return limits[0] if limits else None


def select(
    source: Annotated[list[Path], typer.Option(help="Source side of a corpus; repeatable.")],
    target: Annotated[list[Path], typer.Option(help="Its target side; as often as --source.")],
    source_out: Annotated[Path, typer.Option(help="Source side of the training text to write.")],
    target_out: Annotated[Path, typer.Option(help="Target side of the training text to write.")],
    source_counts: Annotated[Path, typer.Option(help="Word counts of the source side to write.")],
    target_counts: Annotated[Path, typer.Option(help="Word counts of the target side to write.")],
    selection_out: Annotated[
        Path | None, typer.Option(help="JSON to write: what was read and kept of each corpus.")
    ] = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option(help="Scores of a corpus, to select by; as often as --source."),
    ] = None,
    target_words: Annotated[
        int | None, typer.Option(help="Words to select on the target side.", min=1)
    ] = None,
    pairs: Annotated[int | None, typer.Option(help="Pairs to select.", min=1)] = None,
) -> None:
    """Make one training text of several cleaned corpora and count its words.

    Without scores, all pairs pass. With scores, those with the lowest ones do, of all corpora
    together, until they have the target words or pairs asked for; of equal scores the first is
    taken. Pairs stay in the order in which the corpora are given. The counts are tables of word
    and count, by descending count and then by word. Files whose names agree up to the first dot
    are parts of one corpus, and count together in the JSON file.

    Example: contextnmt select --source news.en.gz --target news.fr.gz --scores news.scores.npy
    --source europarl.en.gz --target europarl.fr.gz --scores europarl.scores.npy --target-words
    348000000 --source-out train.en.gz --target-out train.fr.gz --source-counts counts.en.tsv
    --target-counts counts.fr.tsv --selection-out selection.json
    """
    scores = scores or []
    parts = parts_of(source, target)
    if scores and len(scores) != len(source):
        raise UserError(
            f"--source is given {len(source)} times and --scores {len(scores)} times: "
            "score every corpus"
        )
    limit = parse_limit(scores, target_words, pairs)
    pool = Pool(parts, None if limit is None else Selection(parts, scores, *limit))
    counts: tuple[Counts, Counts] = Counter(), Counter()
    write_pairs(source_out, target_out, progress(pool.keep(*counts), "select", "pairs"))
    write_counts(source_counts, counts[0])
    write_counts(target_counts, counts[1])
    if selection_out is not None:
        write_json(selection_out, pool.report())
