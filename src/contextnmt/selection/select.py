"""Stage *select*: which pairs of all corpora make up the training text."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_lines, write_pairs
from contextnmt.progress import progress

#: Word -> occurrences; one entry a distinct word, about 100 bytes each.
Counts = Counter[str]


def counted(
    pairs: Iterable[tuple[str, str]], source_counts: Counts, target_counts: Counts
) -> Iterator[tuple[str, str]]:
    """Pass `pairs` on while adding their words to the counts of each side."""
    for source, target in pairs:
        source_counts.update(source.split())
        target_counts.update(target.split())
        yield source, target


def write_counts(path: Path, counts: Counts) -> None:
    """Write a line ``word TAB count`` for each word, by descending count, then by word."""
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    write_lines(path, (f"{word}\t{count}" for word, count in ranked))


def select(
    source: Annotated[list[Path], typer.Option(help="Source side of a corpus; repeatable.")],
    target: Annotated[list[Path], typer.Option(help="Its target side; as often as --source.")],
    source_out: Annotated[Path, typer.Option(help="Source side of the training text to write.")],
    target_out: Annotated[Path, typer.Option(help="Target side of the training text to write.")],
    source_counts: Annotated[Path, typer.Option(help="Word counts of the source side to write.")],
    target_counts: Annotated[Path, typer.Option(help="Word counts of the target side to write.")],
) -> None:
    """Make one training text of several cleaned corpora and count its words.

    All pairs pass, in the order in which the corpora are given. The counts are tables of word and
    count, by descending count and then by word.

    Example: contextnmt select --source news.en.gz --target news.fr.gz --source europarl.en.gz
    --target europarl.fr.gz --source-out train.en.gz --target-out train.fr.gz --source-counts
    counts.en.tsv --target-counts counts.fr.tsv
    """
    if len(source) != len(target):
        raise UserError(
            f"--source is given {len(source)} times and --target {len(target)} times: "
            "every corpus has both sides"
        )
    counts: tuple[Counts, Counts] = Counter(), Counter()
    pairs = chain.from_iterable(map(read_pairs, source, target))
    write_pairs(source_out, target_out, counted(progress(pairs, "select", "pairs"), *counts))
    write_counts(source_counts, counts[0])
    write_counts(target_counts, counts[1])
