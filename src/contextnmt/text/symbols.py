"""Typed, numbered symbols in place of numbers, proper nouns and acronyms.

``<N>_1`` is the first number of the source sentence that became a symbol, ``<S>_1`` the first
proper noun and ``<C>_1`` the first acronym (Choi et al. 2017, section 4.3). Numbers go first, then
proper nouns, then acronyms (A30): what a proper noun covers is no acronym of its own.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping
from typing import NamedTuple

from contextnmt.text.matches import (
    common_acronyms,
    common_names,
    common_numbers,
    number_spans,
)
from contextnmt.text.names import Span, candidate_acronyms, candidate_names, sentence_of
from contextnmt.text.numbers import number_format
from contextnmt.text.pieces import JOIN

NUMBER, NAME, ACRONYM = "N", "S", "C"

SYMBOL = re.compile(r"<([NSC])>_[0-9]+")

#: So many symbols of a type in a sentence at most; what comes after them stays text.
LIMIT = 20


class Side(NamedTuple):
    """What the symbolization has to know about one language of the pair."""

    language: str
    counts: Mapping[str, int]  # how often the training text has a word

    @property
    def grouped(self) -> bool:
        """Do blanks separate the groups of a long number?"""
        return number_format(self.language).group == " "


class Symbol(NamedTuple):
    """A symbol of one sentence and what it stands for, words separated by blanks."""

    name: str
    source: str
    target: str = ""  # unknown where there is no target sentence

    @property
    def kind(self) -> str:
        """Its type: N, S or C."""
        return self.name[1]


class SymbolizedPair(NamedTuple):
    """The pieces of both sentences, symbols among them, and what the symbols stand for."""

    source: list[str]
    target: list[str]
    symbols: list[Symbol]
    text_names: list[str]  # names, as `candidate_names` sees them in the source, that stayed text


class SymbolizedSource(NamedTuple):
    """The pieces of a source sentence, symbols among them, and what the symbols stand for."""

    source: list[str]
    symbols: list[Symbol]


def symbolize_pair(
    source: str, target: str, source_side: Side, target_side: Side
) -> SymbolizedPair:
    """Replace what stands in both tokenized sentences by symbols."""
    left, right = sentence_of(source), sentence_of(target)
    numbers = common_numbers(left.pieces, right.pieces, source_side.grouped, target_side.grouped)
    names = common_names(left, right, source_side.counts, target_side.counts)
    acronyms = common_acronyms(
        left, right, places(first for first, _ in names), places(second for _, second in names)
    )
    source_names: list[tuple[Span, str]] = []
    target_names: list[tuple[Span, str]] = []
    symbols = []
    for kind, matches in ((NUMBER, numbers), (NAME, names), (ACRONYM, acronyms)):
        for number, (first, second) in enumerate(sorted(matches)[:LIMIT], start=1):
            name = symbol_name(kind, number)
            source_names.append((first, name))
            target_names.append((second, name))
            symbols.append(Symbol(name, first.text(left.pieces), second.text(right.pieces)))
    replaced = {span: span.text(left.pieces) for span, name in source_names if name[1] == NAME}
    return SymbolizedPair(
        replace(left.pieces, source_names),
        replace(right.pieces, target_names),
        symbols,
        [
            span.text(left.pieces)
            for span in candidate_names(left, source_side.counts, replaced.values())
            if span not in replaced
        ],
    )


def symbolize_source(
    source: str, side: Side, known: Container[str], is_symbol: Callable[[str], bool]
) -> SymbolizedSource:
    """Replace numbers, acronyms and those names for which `is_symbol` holds (A26).

    A name stays text as a whole if `is_symbol` says so of it. `known` names may start with a word
    that is capitalized because the sentence starts there (A28).
    """
    sentence = sentence_of(source)
    pieces = sentence.pieces
    names = [
        span
        for span in candidate_names(sentence, side.counts, known)
        if is_symbol(span.text(pieces))
    ]
    found = (
        (NUMBER, number_spans(pieces, side.grouped)),
        (NAME, names),
        (ACRONYM, candidate_acronyms(sentence, places(names))),
    )
    named = [
        (span, symbol_name(kind, number))
        for kind, spans in found
        for number, span in enumerate(spans[:LIMIT], start=1)
    ]
    symbols = [Symbol(name, span.text(pieces)) for span, name in named]
    return SymbolizedSource(replace(pieces, named), symbols)


def symbol_name(kind: str, number: int) -> str:
    """The symbol of a type and its number in the sentence, from 1: ``<S>_2``."""
    return f"<{kind}>_{number}"


def places(spans: Iterable[Span]) -> set[int]:
    """All places that `spans` cover."""
    return {place for span in spans for place in range(span.start, span.stop)}


def replace(pieces: list[str], named: list[tuple[Span, str]]) -> list[str]:
    """`pieces` with symbols in place of the spans, which do not overlap.

    A mark before a span goes to its symbol; the rest of a span's last piece becomes a marked piece.
    """
    replaced = []
    free = 0
    for span, name in sorted(named):
        replaced += pieces[free : span.start]
        replaced.append(JOIN + name if pieces[span.start].startswith(JOIN) else name)
        if span.rest:
            replaced.append(JOIN + pieces[span.stop - 1][-span.rest :])
        free = span.stop
    return replaced + pieces[free:]
