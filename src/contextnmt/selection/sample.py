"""Stage *sample*: pairs drawn at random from the pool, to tell what its text is like in general."""

import heapq
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.files import read_lines, read_pairs, write_pairs
from contextnmt.progress import progress

#: Random numbers made at a time.
BLOCK = 1 << 16


def random_numbers(seed: int) -> Iterator[int]:
    """64-bit numbers without end, the same ones with every version of numpy."""
    generator = np.random.PCG64(seed)
    while True:
        yield from generator.random_raw(BLOCK).tolist()


def draw(pairs: Iterable[tuple[str, str]], words: int, seed: int) -> list[tuple[str, str]]:
    """Random pairs with `words` words on the target side or just above, in their order.

    Without replacement, and none with an empty side. Every pair gets a random number, and those
    with the smallest ones are drawn. All pairs, if they have fewer words. Memory holds the sample.
    """
    # Negative number and position: the largest number, of equals the last pair, is taken out first.
    drawn: list[tuple[int, int, int, tuple[str, str]]] = []
    total = 0
    for position, (number, pair) in enumerate(zip(random_numbers(seed), pairs, strict=False)):
        if total >= words and number >= -drawn[0][0]:
            continue
        source_words, target_words = (len(side.split()) for side in pair)
        if not source_words or not target_words:
            continue
        heapq.heappush(drawn, (-number, -position, target_words, pair))
        total += target_words
        while total - drawn[0][2] >= words:
            total -= heapq.heappop(drawn)[2]
    drawn.sort(key=lambda entry: -entry[1])
    return [pair for *_, pair in drawn]


def sample(
    source: Annotated[list[Path], typer.Option(help="Source side of the pool; repeatable.")],
    target: Annotated[list[Path], typer.Option(help="Its target side; as often as --source.")],
    in_domain: Annotated[list[Path], typer.Option(help="In-domain text, target side; repeatable.")],
    source_out: Annotated[Path, typer.Option(help="Source side of the sample to write.")],
    target_out: Annotated[Path, typer.Option(help="Target side of the sample to write.")],
    seed: Annotated[int, typer.Option(help="Another seed draws another sample.", min=0)],
) -> None:
    """Draw pairs from the pool at random, with as many target words as the in-domain text has.

    No pair is drawn twice. The sample depends on the order of the pairs in the pool, not on how
    they are spread over files.

    Example: contextnmt sample --source news.en.gz --target news.fr.gz --in-domain
    newstest2013.fr.gz --source-out sample.en.gz --target-out sample.fr.gz --seed 1
    """
    one_of_each("part", source=source, target=target)
    pairs = chain.from_iterable(map(read_pairs, source, target))
    words = sum(len(line.split()) for line in chain.from_iterable(map(read_lines, in_domain)))
    if not words:
        names = ", ".join(map(str, in_domain))
        raise UserError(f"{names}: no words: name texts of the domain to select for")
    write_pairs(source_out, target_out, draw(progress(pairs, "sample", "pairs"), words, seed))
