"""The words of a text before and after symbolization: Table 3 of Choi et al.

Coverage is the share of a text's words that the most frequent ones make up (A15: of as many words
as the vocabulary has, specials apart).
"""

from collections.abc import Mapping
from heapq import nlargest
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.corpus.counts import count_words, read_counts
from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.text.numbers import check_languages
from contextnmt.text.pieces import JOIN, SYMBOL, tokens_of
from contextnmt.text.symbols import KINDS


def coverage(
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the target, such as fr")],
    source_before: Annotated[Path, typer.Option(help="word counts of the source, unsymbolized")],
    target_before: Annotated[Path, typer.Option(help="the same of its target")],
    source_after: Annotated[list[Path], typer.Option(help="symbolized source text; repeatable")],
    target_after: Annotated[list[Path], typer.Option(help="symbolized target text; repeatable")],
    vocabulary_size: Annotated[int, typer.Option(min=1, help="words of the vocabulary")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Count words and coverage before and after symbolization.

    Example: contextnmt coverage --source-language en --target-language fr
    --source-before word-counts/en-fr/en.tsv --target-before word-counts/en-fr/fr.tsv
    --source-after symbolize/en-fr/train.en.gz --target-after symbolize/en-fr/train.fr.gz
    --vocabulary-size 30000 --out coverage.json
    """
    check_languages(source_language, target_language)
    content = {
        source_language: side(source_before, source_after, vocabulary_size),
        target_language: side(target_before, target_after, vocabulary_size),
    }
    write_json(out, content)


def side(before: Path, after: list[Path], vocabulary_size: int) -> dict[str, Any]:
    """The statistics of one side. Raises UserError if it has no words, before or after."""
    counts = {"before": read_counts(before), "after": count_words(*after, words=tokens_of)}
    for when, path in (("before", before), ("after", after[0])):
        if not any(counts[when].values()):
            raise UserError(f"{path}: no words in it: look at the filters of the stages before")
    return {when: statistics(words, vocabulary_size) for when, words in counts.items()}


def statistics(counts: Mapping[str, int], vocabulary_size: int) -> dict[str, Any]:
    """The three rows of Table 3, and the symbols of each type in percent of all words.

    ``coverage_percent``: of all words, those of the `vocabulary_size` most frequent kinds.
    """
    total = sum(counts.values())
    covered = sum(nlargest(vocabulary_size, counts.values()))
    symbols = dict.fromkeys(KINDS, 0)
    for word, count in counts.items():
        if symbol := SYMBOL.fullmatch(word.removeprefix(JOIN)):
            symbols[symbol[1]] += count
    return {
        "unique_words": len(counts),
        "total_words": total,
        "coverage_percent": 100 * covered / total,
        "symbol_percent": {kind: 100 * count / total for kind, count in symbols.items()},
    }
