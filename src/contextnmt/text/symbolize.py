"""The stage `symbolize`: numbers, proper nouns and acronyms become typed, numbered symbols."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.corpus.counts import count_words, read_counts
from contextnmt.errors import UserError, refuse_clashes
from contextnmt.files import atomic_all, read_lines, read_pairs
from contextnmt.progress import progress
from contextnmt.text.numbers import check_languages
from contextnmt.text.pieces import tokens_of
from contextnmt.text.rates import HEADER as RATES_HEADER
from contextnmt.text.rates import (
    THRESHOLD,
    FindNames,
    IsSymbol,
    Rates,
    Sighting,
    counted,
    has_rule,
    listed_names,
    probable_names,
    read_rates,
)
from contextnmt.text.symbol_tables import (
    RULES_HEADER,
    SYMBOLS_HEADER,
    counted_rules,
    read_rules,
    table_lines,
)
from contextnmt.text.symbols import Side, symbolize_pair, symbolize_source


def symbolize(
    source: Annotated[Path, typer.Option(help="source text, one tokenized sentence per line")],
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the target, such as fr")],
    out: Annotated[Path, typer.Option(help="beginning of the names of the files to write")],
    target: Annotated[Path | None, typer.Option(help="target text, if there is one")] = None,
    source_counts: Annotated[
        Path | None, typer.Option(help="word counts of the training text; default: of --source")
    ] = None,
    target_counts: Annotated[Path | None, typer.Option(help="the same of the target side")] = None,
    rules: Annotated[bool, typer.Option(help="with --target: write rules and rates, too")] = True,
    rates: Annotated[Path | None, typer.Option(help="without --target: PREFIX.rates.tsv")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help=f"with --rates: symbol from this rate on; {THRESHOLD} if not given",
        ),
    ] = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(help="without --target, in place of --rates: PREFIX.rules.tsv"),
    ] = None,
    external_rules: Annotated[
        bool,
        typer.Option(
            "--external-rules", help="use hand-written rules for numbers in each language"
        ),
    ] = False,
) -> None:
    """Replace numbers, proper nouns and acronyms by the symbols <N>_1, <S>_1, <C>_1.

    All texts are those of `contextnmt tokenize`; a file is gzip if its name ends in .gz.

    A training text: contextnmt symbolize --source train.en.gz --target train.fr.gz
    --source-language en --target-language fr --out PREFIX

    writes the texts PREFIX.en.gz and PREFIX.fr.gz; the rule dictionary PREFIX.rules.tsv, a table
    with the columns type (N, S or C), source, target and count, which restoration uses; and
    PREFIX.rates.tsv, how often each capitalized word became a symbol. The rule dictionary may be
    edited by hand; keep its rows sorted by type and source.

    A training text in parts: the same for each part, with the counts of the whole text
    (--source-counts and --target-counts). `contextnmt select` writes the counts of a part,
    `contextnmt word-counts` adds them up. Then `contextnmt rule-dictionary` merges the tables.

    A dev text, from both sides: the same with --no-rules and with the counts of the
    training text.

    A text to be translated, the source alone: contextnmt symbolize --source test.en.gz
    --source-language en --target-language fr --source-counts counts.en.tsv --rates train.rates.tsv
    --out PREFIX

    writes PREFIX.en.gz and PREFIX.symbols.tsv.gz, a table with the columns line (from 1), symbol
    and source, by which `contextnmt restore` puts words back in place of a translation's symbols.
    With --dictionary train.rules.tsv in place of --source-counts and --rates, a name or acronym
    becomes a symbol if it is a source of the rule dictionary. If several of these overlap, only the
    longest becomes a symbol.
    """
    check_languages(source_language, target_language)
    if target:
        if rates or dictionary:
            option = "--rates" if rates else "--dictionary"
            raise UserError(f"{option} is for a source alone: leave it out, or --target")
        if not (rules or (source_counts and target_counts)):
            raise UserError(
                "--no-rules is for a dev text: give --source-counts and --target-counts of the "
                "training text (`contextnmt select` writes them)"
            )
        outs = [beside(out, f"{language}.gz") for language in (source_language, target_language)]
        outs += [beside(out, "rules.tsv"), beside(out, "rates.tsv")] if rules else []
        refuse_clashes([source, target, source_counts, target_counts], outs)
        known = [
            read_counts(counts) if counts else count_words(text, words=tokens_of)
            for counts, text in ((source_counts, source), (target_counts, target))
        ]
        languages = source_language, target_language
        sides = [Side(*of, external_rules) for of in zip(languages, known, strict=True)]
        symbolize_pairs((source, target), (sides[0], sides[1]), outs)
    else:
        if target_counts or not rules:
            raise UserError("--target-counts and --no-rules go with --target: leave them out")
        if dictionary and (rates or source_counts):
            raise UserError(
                "--dictionary takes the place of --rates and --source-counts: leave them out"
            )
        if dictionary and threshold is not None:
            raise UserError("--threshold goes with --rates: leave it out, or --dictionary")
        if not dictionary and not (rates and source_counts):
            raise UserError(
                "without --target, give --rates and --source-counts of the training text "
                "(`contextnmt select` writes the counts), or --dictionary"
            )
        outs = [beside(out, f"{source_language}.gz"), beside(out, "symbols.tsv.gz")]
        refuse_clashes([source, source_counts, rates, dictionary], outs)
        counts = read_counts(source_counts) if source_counts else {}
        side = Side(source_language, counts, external_rules)
        if rates:
            least = THRESHOLD if threshold is None else threshold
            is_symbol = Rates(read_rates(rates), counts).at_least(least)
            find_names: FindNames = probable_names
        elif dictionary:
            is_symbol, find_names = has_rule(read_rules(dictionary)), listed_names
        symbolize_sources(source, side, target_language, is_symbol, find_names, outs)


def beside(out: Path, suffix: str) -> Path:
    """The path of one of the files whose names begin with `out`. UserError if `out` is a folder."""
    if out.is_dir() or str(out) == "-":
        raise UserError(f"--out {out}: give the beginning of the names of files, FOLDER/NAME")
    return out.with_name(f"{out.name}.{suffix}")


def symbolize_pairs(texts: tuple[Path, Path], sides: tuple[Side, Side], outs: list[Path]) -> None:
    """Symbolize two texts, each tuple source first.

    `outs`: the two texts to write; then, if asked for, rule dictionary and rates.
    """
    pairs = progress(read_pairs(*texts), f"symbolize {texts[0]}", "pairs")
    rules: Counter[tuple[str, str, str]] = Counter()
    rates: Counter[Sighting] = Counter()
    with atomic_all(outs) as (source_out, target_out, *tables):
        for pair in pairs:
            done = symbolize_pair(*pair, *sides)
            source_out.write(" ".join(done.source) + "\n")
            target_out.write(" ".join(done.target) + "\n")
            if tables:
                rules.update((each.kind, each.source, each.target) for each in done.symbols)
                rates.update(done.sightings)
        if tables:
            rules_out, rates_out = tables
            rules_out.writelines(table_lines(RULES_HEADER, counted_rules(rules)))
            rates_out.writelines(table_lines(RATES_HEADER, counted(rates)))


def symbolize_sources(
    text: Path,
    side: Side,
    target_language: str,
    is_symbol: IsSymbol,
    find_names: FindNames,
    outs: list[Path],
) -> None:
    """Symbolize a source text and write beside it what its symbols stand for."""
    lines = progress(read_lines(text), f"symbolize {text}", "lines")
    with atomic_all(outs) as (text_out, table):
        table.write(f"{SYMBOLS_HEADER}\n")
        for number, line in enumerate(lines, start=1):
            done = symbolize_source(line, side, target_language, is_symbol, find_names)
            text_out.write(" ".join(done.source) + "\n")
            table.writelines(f"{number}\t{each.name}\t{each.source}\n" for each in done.symbols)
