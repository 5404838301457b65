"""The stage `lexicon`: what each source word is likeliest translated by, from the training text.

Jean et al. 2015 look up there what takes the place of an unknown word of a translation. Their
lexicon is that of fast_align; this one has its model.
"""

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.files import count_lines, read_lines, read_pairs, write_lines
from contextnmt.progress import progress
from contextnmt.text.lexical_translation import likeliest
from contextnmt.text.pieces import tokens_of

#: A longer sentence is left out: it has most pairs of words, and tells least about them.
LONGEST = 100


def lexicon(
    source: Annotated[list[Path], typer.Option(help="training text, source side; parts in order")],
    target: Annotated[list[Path], typer.Option(help="target side, one for each --source")],
    out: Annotated[Path, typer.Option(help="table to write")],
    pairs: Annotated[int, typer.Option(help="sentence pairs to read at most", min=1)] = 1_000_000,
) -> None:
    """Write the likeliest target word of each source word, from tokenized sentence pairs.

    A row is source word, target word, its probability, and how often the source word was read; the
    most frequent words come first. Of a longer text, --pairs are read, evenly spread. Memory grows
    with them: some 12 GB a million.

    Example: contextnmt lexicon --source train.en.gz --target train.fr.gz --out lexicon.tsv.gz
    """
    one_of_each("part", source=source, target=target)
    found = likeliest(sampled(source, target, pairs))
    rows = (f"{word}\t{other}\t{share:.4f}\t{count}" for word, other, share, count in found)
    if not write_lines(out, rows):
        print(f"warning: {out}: no sentence pair has words on both sides", file=sys.stderr)


def sampled(
    source: list[Path], target: list[Path], most: int
) -> Iterator[tuple[list[str], list[str]]]:
    """The words of `most` of all sentence pairs, or of all if there are fewer.

    They are evenly spread over the whole text, whatever its parts are. Pairs with an empty or a
    long side are left out. Raises UserError if the sides of a part differ in length.
    """
    total = sum(map(count_lines, source))
    together = chain.from_iterable(map(read_pairs, source, target))
    for number, sides in enumerate(progress(together, "read", "pairs", total)):
        if (number + 1) * most // total > number * most // total or most >= total:
            left, right = map(tokens_of, sides)
            if 0 < len(left) <= LONGEST and 0 < len(right) <= LONGEST:
                yield left, right


def read_lexicon(path: Path) -> dict[str, str]:
    """Source word -> likeliest target word. Raises UserError, naming the line, if malformed."""
    likeliest_of = {}
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) != 4 or not all(columns[:2]):
            raise UserError(
                f"{path}, line {number}: expected a source word, a target word, a probability and "
                f"a count, with tabs between them: {line!r}"
            )
        likeliest_of[columns[0]] = columns[1]
    return likeliest_of
