"""The stage `restore`: from the tokens of a view back to plain tokenized words.

Choi et al. 2017, section 5.2: BPE is undone first, then the symbols are replaced. A symbol that the
model repeats is replaced each time; one that the source sentence does not have is dropped; none is
ever left in the text. Last, marked pieces (``^^nd``) join the piece before them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.files import read_lines, write_json, write_lines
from contextnmt.progress import progress, say
from contextnmt.text.numbers import number_format
from contextnmt.text.pieces import JOIN, SYMBOL, join_pieces, tokens_of
from contextnmt.text.subwords import undo_bpe
from contextnmt.text.symbol_tables import (
    Languages,
    Rule,
    best_targets,
    read_rules,
    read_symbols,
    without_rule,
)

#: Outcomes of a symbol: replaced by a rule of the dictionary that differs from a copy, or by
#: a copy of its source; dropped because the source sentence has none of this name; missing because
#: the translation left it out.
OUTCOMES = ("rule", "copy", "dropped", "missing")


def restore(
    translation: Annotated[
        list[Path], typer.Option(help="tokens, one sentence per line; repeatable")
    ],
    out: Annotated[list[Path], typer.Option(help="words to write, one for each --translation")],
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the translation, such as fr")],
    symbols: Annotated[
        list[Path] | None, typer.Option(help="symbols of the source, one for each --translation")
    ] = None,
    rules: Annotated[Path | None, typer.Option(help="rule dictionary; with --symbols")] = None,
    bpe: Annotated[bool, typer.Option("--bpe", help="the view is cut into subwords")] = False,
    external_rules: Annotated[
        bool,
        typer.Option("--external-rules", help="write numbers as the target language does"),
    ] = False,
    statistics_out: Annotated[Path | None, typer.Option(help="JSON of outcomes to write")] = None,
) -> None:
    """Turn the subwords and symbols of a translation back into words: subwords first.

    A symbol is replaced by the most frequent target of the rule dictionary, or else by a copy of
    its source; with --external-rules, a number as the target language writes it.

    Example: contextnmt restore --translation test.beam12.gz --out test.words.gz
    --symbols test.symbols.tsv.gz --rules train.rules.tsv --source-language en
    --target-language fr --bpe

    Without --symbols only subwords are undone; without --symbols and --bpe, the text is copied. In
    the file of --statistics-out, "rule" counts symbols of the translation whose target is no copy
    of the source, "copy" all others that were replaced, "dropped" those that the source sentence
    does not have; "missing" are symbols of the source that the translation left out.
    """
    one_of_each("translation", translation=translation, out=out)
    one_of_each("translation", translation=translation, symbols=symbols or out)
    if bool(symbols) != bool(rules):
        raise UserError("--symbols and --rules are only useful together: give both or neither")
    for language in (source_language, target_language):
        number_format(language)  # raises UserError if it is not known
    languages = (source_language, target_language) if external_rules else None
    find = surface_finder(read_rules(rules) if rules else [], languages)
    statistics = {}
    tables: Sequence[Path | None] = symbols or [None] * len(out)
    for text, words, table in zip(translation, out, tables, strict=True):
        lines = progress(read_lines(text), f"restore {text}", "lines")
        sentences = (undo_bpe(tokens_of(line)) if bpe else tokens_of(line) for line in lines)
        outcomes = Counter(dict.fromkeys(OUTCOMES, 0))
        restored = restore_sentences(sentences, table, find, outcomes) if table else sentences
        write_lines(words, map(" ".join, restored))
        if table:
            counted = ", ".join(f"{outcomes[outcome]} {outcome}" for outcome in OUTCOMES)
            say(f"{words}: symbols: {counted}")
        statistics[words.name.removesuffix(".gz")] = outcomes
    if statistics_out:
        write_json(statistics_out, statistics)


#: Symbol and its source surface -> target surface and how it was found, ``rule`` or ``copy``.
SurfaceFinder = Callable[[str, str], tuple[str, str]]


def surface_finder(rules: Iterable[Rule], languages: Languages) -> SurfaceFinder:
    """Look the source surface up in the `rules`, or else take it `without_rule`."""
    targets = best_targets(rules, languages)

    def find(symbol: str, source: str) -> tuple[str, str]:
        kind = symbol[1]
        if (kind, source) in targets:
            return targets[kind, source], "rule"
        return without_rule(kind, source, languages), "copy"

    return find


def restore_sentences(
    sentences: Iterable[list[str]], symbols: Path, find: SurfaceFinder, outcomes: Counter[str]
) -> Iterator[list[str]]:
    """Restore each sentence with the symbols of its line; add to `outcomes` what became of them.

    Raises UserError if the table of symbols speaks of a line that the translation does not have.
    """
    known = read_symbols(symbols)
    number = 0
    for number, tokens in enumerate(sentences, start=1):
        of_line = known.pop(number, {})
        found = {symbol: find(symbol, surface) for symbol, surface in of_line.items()}
        used = [match[0] for token in tokens if "<" in token for match in SYMBOL.finditer(token)]
        outcomes.update(found[symbol][1] if symbol in found else "dropped" for symbol in used)
        outcomes["missing"] += len(found.keys() - set(used))
        yield restore_tokens(tokens, {symbol: surface for symbol, (surface, _) in found.items()})
    if known:
        raise UserError(
            f"{symbols} has symbols of line {min(known)}, but the translation has {number} lines: "
            "give the table that was written with the source of this translation"
        )


def restore_tokens(tokens: Iterable[str], surfaces: Mapping[str, str]) -> list[str]:
    """Replace the symbols in `tokens` by their `surfaces`, drop the others, join the pieces.

    With the symbols that `symbolize_pair` found in a sentence pair, this gives its target back.
    """

    def replaced(token: str) -> str:
        text = SYMBOL.sub(lambda match: surfaces.get(match[0], ""), token)
        return "" if text == JOIN else text  # nothing is left of it

    return join_pieces(replaced(token) if "<" in token else token for token in tokens)
