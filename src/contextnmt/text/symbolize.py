"""The stage `symbolize`: numbers, proper nouns and acronyms become typed, numbered symbols."""

from collections.abc import Callable, Container
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import atomic, read_lines, read_pairs
from contextnmt.progress import progress
from contextnmt.text.numbers import number_format
from contextnmt.text.rules import NameCounts, RuleCounts, name_counts, read_rules, write_rules
from contextnmt.text.symbol_table import HEADER, symbol_row
from contextnmt.text.symbols import Side, symbolize_pair, symbolize_source


def symbolize(
    source: Annotated[Path, typer.Option(help="source text, one tokenized sentence a line")],
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the target, such as fr")],
    source_counts: Annotated[
        Path, typer.Option(help="word TAB count of the training text, most frequent first")
    ],
    source_out: Annotated[Path, typer.Option(help="where to write the source with symbols")],
    target: Annotated[Path | None, typer.Option(help="target text, if there is one")] = None,
    target_counts: Annotated[
        Path | None, typer.Option(help="the same counts of the target, needed with --target")
    ] = None,
    target_out: Annotated[
        Path | None, typer.Option(help="where to write the target with symbols")
    ] = None,
    rules_out: Annotated[
        Path | None, typer.Option(help="where to write the rule dictionary of a training text")
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(help="rule dictionary to read, for a source alone")
    ] = None,
    symbols_out: Annotated[
        Path | None, typer.Option(help="where to write what the symbols of a lone source mean")
    ] = None,
    vocabulary_size: Annotated[
        int, typer.Option(min=1, help="a name with a word rarer than the first N is a symbol")
    ] = 30_000,
) -> None:
    """Replace numbers, proper nouns and acronyms by the symbols <N>_1, <S>_1, <C>_1.

    Training text: contextnmt symbolize --source train.en.gz --target train.fr.gz
    --source-language en --target-language fr --source-counts counts.en.tsv
    --target-counts counts.fr.tsv --source-out sym.en.gz --target-out sym.fr.gz
    --rules-out rules.tsv

    Dev text: the same without --rules-out.

    Source alone, to be translated: contextnmt symbolize --source test.en.gz --source-language en
    --target-language fr --source-counts counts.en.tsv --rules rules.tsv --source-out sym.en.gz
    --symbols-out test.symbols.tsv.gz

    Rule dictionary: a table with the columns type (N, S or C), source, target and count; an empty
    target counts how often a name stayed text. Restoration takes the most frequent target. It may
    be edited by hand.

    Symbols of a lone source: a table with the columns line (from 1), symbol and source.
    """
    number_format(target_language)  # a misspelt language is reported before the work begins
    source_side = Side(source_language, read_counts(source_counts))
    if target and target_counts and target_out and not (rules or symbols_out):
        target_side = Side(target_language, read_counts(target_counts))
        counts = RuleCounts() if rules_out else None
        symbolize_pairs(
            (source, target), (source_side, target_side), (source_out, target_out), counts
        )
        if rules_out and counts:
            write_rules(rules_out, counts.rules(source_language, target_language))
    elif rules and symbols_out and not (target or target_out or rules_out):
        names = name_counts(read_rules(rules))
        vocabulary = set(islice(source_side.counts, vocabulary_size))
        symbolize_sources(source, source_side, names, vocabulary, source_out, symbols_out)
    else:
        raise UserError(
            "give either --target, --target-counts and --target-out (and --rules-out for a "
            "training text), or, for a source alone, --rules and --symbols-out"
        )


def symbolize_pairs(
    texts: tuple[Path, Path],
    sides: tuple[Side, Side],
    outs: tuple[Path, Path],
    counts: RuleCounts | None,
) -> None:
    """Symbolize two texts, each tuple source first, and count in `counts` what became of what."""
    pairs = progress(read_pairs(*texts), f"symbolize {texts[0]}", "pairs")
    with atomic(outs[0]) as source_out, atomic(outs[1]) as target_out:
        for pair in pairs:
            done = symbolize_pair(*pair, *sides)
            source_out.write(" ".join(done.source) + "\n")
            target_out.write(" ".join(done.target) + "\n")
            if counts is not None:
                counts.add(done.symbols, done.text_names)


def symbolize_sources(
    text: Path,
    side: Side,
    names: dict[str, NameCounts],
    vocabulary: Container[str],
    text_out: Path,
    symbols_out: Path,
) -> None:
    """Symbolize a source text and write beside it what its symbols stand for."""
    known = {name for name, counts in names.items() if counts.symbol}
    is_symbol = name_filter(names, vocabulary)
    lines = progress(read_lines(text), f"symbolize {text}", "lines")
    with atomic(text_out) as out, atomic(symbols_out) as table:
        table.write(HEADER + "\n")
        for number, line in enumerate(lines, start=1):
            done = symbolize_source(line, side, known, is_symbol)
            out.write(" ".join(done.source) + "\n")
            for symbol in done.symbols:
                table.write(symbol_row(number, symbol) + "\n")


def name_filter(names: dict[str, NameCounts], vocabulary: Container[str]) -> Callable[[str], bool]:
    """A function that tells whether a name in a lone source is to become a symbol (A26).

    It is if it was one in at least half of its occurrences in training, or never occurred there,
    or has a word outside the vocabulary.
    """

    def is_symbol(name: str) -> bool:
        symbol, text = names.get(name, NameCounts())
        return symbol >= text or any(word not in vocabulary for word in name.split(" "))

    return is_symbol


def read_counts(path: Path) -> dict[str, int]:
    """word -> count, in the order of the file. Raises UserError, naming the line, if malformed."""
    counts = {}
    for number, line in enumerate(read_lines(path), start=1):
        word, tab, count = line.rpartition("\t")
        if not (tab and count.isdecimal()):
            raise UserError(f"{path}, line {number}: expected a word, a tab and a count: {line!r}")
        counts[word] = int(count)
    return counts
