"""What symbolization does to the words of a text: Table 3 of Choi et al.

Coverage is the share of a text's words that the most frequent ones make up (A15: of as many words
as the vocabulary has, specials apart).
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.text.counts import count_words
from contextnmt.text.pieces import JOIN, SYMBOL
from contextnmt.text.symbols import ACRONYM, NAME, NUMBER


def coverage(
    language: Annotated[list[str], typer.Option(help="language of a side; repeatable")],
    before: Annotated[list[Path], typer.Option(help="its training text, not symbolized")],
    after: Annotated[list[Path], typer.Option(help="its training text, symbolized")],
    vocabulary_size: Annotated[int, typer.Option(min=1, help="words of the vocabulary")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Count words and coverage before and after symbolization.

    Example: contextnmt coverage --language en --before select/en-fr/train.en.gz
    --after symbolize/en-fr/train.en.gz --vocabulary-size 30000 --out coverage.json
    """
    if not len(language) == len(before) == len(after):
        raise UserError(
            f"{len(language)} --language, {len(before)} --before, {len(after)} --after: "
            "give one of each for every side"
        )
    sides = zip(language, before, after, strict=True)
    write_json(
        out,
        {
            side: {
                "before": statistics(counted(plain), vocabulary_size),
                "after": statistics(counted(symbolized), vocabulary_size),
            }
            for side, plain, symbolized in sides
        },
    )


def counted(text: Path) -> Counter[str]:
    """How often each word occurs in `text`. Raises UserError if there is no word in it."""
    counts = count_words(text)
    if not counts:
        raise UserError(f"{text}: no words in it: look at the filters of the stages before")
    return counts


def statistics(counts: Counter[str], vocabulary_size: int) -> dict[str, Any]:
    """The three rows of Table 3, and the symbols of each type in percent of all words.

    ``coverage_percent``: of all words, those of the `vocabulary_size` most frequent kinds.
    """
    total = counts.total()
    covered = sum(count for _, count in counts.most_common(vocabulary_size))
    symbols = dict.fromkeys((NUMBER, NAME, ACRONYM), 0)
    for word, count in counts.items():
        if symbol := SYMBOL.fullmatch(word.removeprefix(JOIN)):
            symbols[symbol[1]] += count
    return {
        "unique_words": len(counts),
        "total_words": total,
        "coverage_percent": 100 * covered / total,
        "symbol_percent": {kind: 100 * count / total for kind, count in symbols.items()},
    }
