"""Draw short sentence pairs from a parallel text, at random: a training text of a chosen size.

benchmarks/README.md has an example.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_pairs

SEED = 1


def draw(
    pairs: list[tuple[str, str]], sides: tuple[Tokenizer, Tokenizer], tokens: range, number: int
) -> list[tuple[str, str]]:
    """`number` of `pairs`, in their order, that have one of the numbers `tokens` on either side.

    Raises UserError if there are fewer.
    """
    chosen: list[int] = []
    for place in np.random.default_rng(SEED).permutation(len(pairs)).tolist():
        lengths = [len(sides[i].line(pairs[place][i]).split()) for i in (0, 1)]
        if all(length in tokens for length in lengths):
            chosen.append(place)
        if len(chosen) == number:
            return [pairs[each] for each in sorted(chosen)]
    limits = f"{tokens[0]} to {tokens[-1]} tokens per side"
    raise UserError(f"only {len(chosen)} of {len(pairs)} pairs have {limits}")


def main(
    source: Annotated[Path, typer.Option(help="raw text, a sentence per line")],
    target: Annotated[Path, typer.Option(help="its translation, line by line")],
    source_language: Annotated[str, typer.Option(help="language code, as en")],
    target_language: Annotated[str, typer.Option(help="language code, as fr")],
    source_out: Annotated[Path, typer.Option(help="file to write")],
    target_out: Annotated[Path, typer.Option(help="file to write")],
    least: Annotated[int, typer.Option(help="tokens of either side, at least", min=1)] = 4,
    most: Annotated[int, typer.Option(help="tokens of either side, at most", min=1)] = 25,
    pairs: Annotated[int, typer.Option(help="to draw", min=1)] = 20_000,
) -> None:
    """Draw PAIRS pairs of LEAST to MOST tokens per side, and write them in their order."""
    if least > most:
        raise typer.BadParameter(f"--least {least} is more than --most {most}")
    sides = Tokenizer(source_language), Tokenizer(target_language)
    drawn = draw(list(read_pairs(source, target)), sides, range(least, most + 1), pairs)
    write_pairs(source_out, target_out, drawn)


if __name__ == "__main__":
    typer.run(main)
