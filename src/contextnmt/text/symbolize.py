"""The stage `symbolize`: numbers, proper nouns and acronyms become typed, numbered symbols."""

from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import atomic, read_lines, read_pairs
from contextnmt.progress import progress
from contextnmt.text.counts import count_words, read_counts
from contextnmt.text.numbers import number_format
from contextnmt.text.rates import RateCounts, Rates, read_rates
from contextnmt.text.rules import RuleCounts, write_rules
from contextnmt.text.symbol_table import HEADER, symbol_row
from contextnmt.text.symbols import Side, symbolize_pair, symbolize_source


def symbolize(
    source: Annotated[Path, typer.Option(help="source text, one tokenized sentence a line")],
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the target, such as fr")],
    out: Annotated[Path, typer.Option(help="beginning of the names of the files to write")],
    target: Annotated[Path | None, typer.Option(help="target text, if there is one")] = None,
    source_counts: Annotated[
        Path | None,
        typer.Option(help="word TAB count of the training text; else counted in --source"),
    ] = None,
    target_counts: Annotated[
        Path | None, typer.Option(help="the same of the target; else counted in --target")
    ] = None,
    rates: Annotated[
        Path | None, typer.Option(help="PREFIX.rates.tsv of the training text, without --target")
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="a word this likely is a symbol, without --target")
    ] = 0.3,
) -> None:
    """Replace numbers, proper nouns and acronyms by the symbols <N>_1, <S>_1, <C>_1.

    Both sides: contextnmt symbolize --source train.en.gz --target train.fr.gz --source-language en
    --target-language fr --out PREFIX. Writes the texts PREFIX.en.gz and PREFIX.fr.gz; the rule
    dictionary PREFIX.rules.tsv, a table with the columns type (N, S or C), source, target and
    count, which restoration uses and which may be edited by hand; and PREFIX.rates.tsv, how often
    each capitalized word became a symbol. Of a dev text, give the counts of the training text.

    Source alone, to be translated: contextnmt symbolize --source test.en.gz --source-language en
    --target-language fr --source-counts counts.en.tsv --rates train.rates.tsv --out PREFIX. Writes
    PREFIX.en.gz and PREFIX.symbols.tsv.gz, a table with the columns line (from 1), symbol and
    source.
    """
    number_format(target_language)  # a misspelt language is reported before the work begins
    if target and not rates:
        sides = (
            Side(source_language, known_counts(source_counts, source)),
            Side(target_language, known_counts(target_counts, target)),
        )
        symbolize_pairs((source, target), sides, out)
    elif rates and source_counts and not (target or target_counts):
        side = Side(source_language, read_counts(source_counts))
        known = Rates(read_rates(rates), side.counts)
        symbolize_sources(source, side, target_language, known, threshold, out)
    else:
        raise UserError(
            "give either --target (and the counts of the training text, if this is another one), "
            "or, for a source alone, --rates and --source-counts of the training text"
        )


def known_counts(counts: Path | None, text: Path) -> dict[str, int]:
    """The words of the training text: those in the table `counts`, else those of `text` itself."""
    return read_counts(counts) if counts else count_words(text)


def symbolize_pairs(texts: tuple[Path, Path], sides: tuple[Side, Side], out: Path) -> None:
    """Symbolize two texts, each tuple source first, and count what became of what."""
    pairs = progress(read_pairs(*texts), f"symbolize {texts[0]}", "pairs")
    rules, rates = RuleCounts(), RateCounts()
    names = [beside(out, f"{side.language}.gz") for side in sides]
    with atomic(names[0]) as source_out, atomic(names[1]) as target_out:
        for pair in pairs:
            done = symbolize_pair(*pair, *sides)
            source_out.write(" ".join(done.source) + "\n")
            target_out.write(" ".join(done.target) + "\n")
            rules.add(done.symbols)
            rates.add(done.sightings)
    rates.write(beside(out, "rates.tsv"))
    write_rules(beside(out, "rules.tsv"), rules.rules())


def symbolize_sources(
    text: Path, side: Side, target_language: str, rates: Rates, threshold: float, out: Path
) -> None:
    """Symbolize a source text and write beside it what its symbols stand for."""
    lines = progress(read_lines(text), f"symbolize {text}", "lines")
    names = [beside(out, f"{side.language}.gz"), beside(out, "symbols.tsv.gz")]
    with atomic(names[0]) as text_out, atomic(names[1]) as table:
        table.write(HEADER + "\n")
        for number, line in enumerate(lines, start=1):
            done = symbolize_source(
                line,
                side,
                target_language,
                lambda word, context: rates.probability(word, context) >= threshold,
            )
            text_out.write(" ".join(done.source) + "\n")
            for symbol in done.symbols:
                table.write(symbol_row(number, symbol) + "\n")


def beside(out: Path, suffix: str) -> Path:
    """The path of one of the files whose names begin with `out`."""
    return out.with_name(f"{out.name}.{suffix}")
