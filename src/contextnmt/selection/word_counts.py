"""Stage *word-counts*: how often the whole training text has each word."""

from pathlib import Path
from typing import Annotated

import typer

from contextnmt.corpus.counts import summed_counts, write_counts
from contextnmt.errors import UserError


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
