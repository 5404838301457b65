"""Typed, numbered symbols in place of numbers, proper nouns and acronyms.

``<N>_1`` is the first number of the source sentence that became a symbol, ``<S>_1`` the first
proper noun and ``<C>_1`` the first acronym (Choi et al. 2017, section 4.3). Numbers go first, then
proper nouns, then acronyms (A30): what a proper noun covers is no acronym of its own.
"""

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeVar

from contextnmt.text.matches import (
    Match,
    common_acronyms,
    common_names,
    common_numbers,
    number_spans,
    places,
)
from contextnmt.text.names import Sentence, Span, candidate_acronyms, sentence_of, tail_length
from contextnmt.text.numbers import number_format
from contextnmt.text.pieces import JOIN
from contextnmt.text.rates import (
    FindNames,
    IsSymbol,
    Position,
    Sighting,
    probable_names,
    sightings,
)
from contextnmt.text.symbol_tables import KINDS, NAME

#: So many symbols of a type in a sentence at most; what comes after them stays text.
LIMIT = 20

#: The symbols of each type that a sentence may have, in order: ``<S>_1``, ``<S>_2``...
SYMBOLS = [[f"<{kind}>_{number}" for number in range(1, LIMIT + 1)] for kind in KINDS]

#: Ending of the digits of a century in English: 15 ^^th - and 16 ^^th century, 21 ^^st-century.
ORDINAL = re.compile(r"\^\^(?:st|nd|rd|th)(-centur(?:y|ies))?", re.IGNORECASE)
BETWEEN = frozenset((",", "-", "–", "^^-", "^^–", "and", "or", "to"))

#: A span, or the spans of both sides.
Found = TypeVar("Found")

#: So many pieces after the digits, a century is no longer looked for.
NEAR = 10


class Side(NamedTuple):
    """One language of the pair, as the symbolization needs it.

    With `external_rules`, which go beyond the paper, blanks may separate the groups of a long
    number, zeros before a number do not count, and numbers of centuries may stay text.
    """

    language: str
    counts: Mapping[str, int]  # how often the training text has a word
    external_rules: bool = False

    @property
    def grouped(self) -> bool:
        """Do blanks separate the groups of a long number?"""
        return self.external_rules and number_format(self.language).group == " "


class Symbol(NamedTuple):
    """A symbol of one sentence and what it stands for, words separated by blanks."""

    name: str
    source: str
    target: str = ""  # unknown where there is no target sentence

    @property
    def kind(self) -> str:
        """Its type: N, S or C."""
        return self.name[1]


class Symbolized(NamedTuple):
    """The pieces of both sentences of a pair, symbols among them, and what the symbols stand for.

    Of a source alone there is no target, and nothing was sighted.
    """

    source: list[str]
    symbols: list[Symbol]
    target: list[str]
    sightings: list[Sighting]  # of the source


def symbolize_pair(source: str, target: str, source_side: Side, target_side: Side) -> Symbolized:
    """Replace what stands in both tokenized sentences by symbols."""
    left, right = sentence_of(source), sentence_of(target)
    matches = matching_spans(left, right, source_side, target_side)
    symbols = [
        Symbol(name, first.text(left.pieces), second.text(right.pieces))
        for name, (first, second) in matches.items()
    ]
    replaced = {name: first for name, (first, _) in matches.items()}
    return Symbolized(
        replace(left.pieces, replaced),
        symbols,
        replace(right.pieces, {name: second for name, (_, second) in matches.items()}),
        source_sightings(left, replaced),
    )


def matching_spans(
    source: Sentence, target: Sentence, source_side: Side, target_side: Side
) -> dict[str, Match]:
    """Symbol -> the spans that it stands for in both sentences of a pair, by type and place."""
    grouped = source_side.grouped, target_side.grouped
    numbers = common_numbers(source, target, *grouped, zeros=source_side.external_rules)
    names = common_names(source, target, source_side.counts, target_side.counts)
    acronyms = common_acronyms(source, target, names)
    return numbered(sorted(numbers), sorted(names), sorted(acronyms))


def numbered(*found: list[Found]) -> dict[str, Found]:
    """Symbol -> what it stands for, of numbers, names and acronyms in the order of their places."""
    return {
        symbol: each
        for symbols, of_kind in zip(SYMBOLS, found, strict=True)
        for symbol, each in zip(symbols, of_kind, strict=False)
    }


def source_sightings(source: Sentence, named: Mapping[str, Span]) -> list[Sighting]:
    """The fate of the capitalized words of a training sentence.

    The beginning of a compound (Obama in Obama-Biden) does not count as a symbol, since a source
    alone is only looked through for whole words.
    """
    pieces = source.pieces
    names = [span for symbol, span in named.items() if symbol[1] == NAME]
    whole = places(span for span in names if span.rest == tail_length(pieces[span.stop - 1]))
    replaced = set(named.values())
    acronyms = candidate_acronyms(source, places(names))
    return sightings(source, whole, [(span.text(pieces), span in replaced) for span in acronyms])


def symbolize_source(
    source: str,
    side: Side,
    target_language: str,
    is_symbol: IsSymbol,
    find_names: FindNames = probable_names,
) -> Symbolized:
    """Replace numbers, and those names and acronyms for which `is_symbol` holds (A26)."""
    sentence = sentence_of(source)
    named = probable_spans(sentence, side, target_language, is_symbol, find_names)
    symbols = [Symbol(symbol, span.text(sentence.pieces)) for symbol, span in named.items()]
    return Symbolized(replace(sentence.pieces, named), symbols, [], [])


def probable_spans(
    sentence: Sentence,
    side: Side,
    target_language: str,
    is_symbol: IsSymbol,
    find_names: FindNames = probable_names,
) -> dict[str, Span]:
    """Symbol -> what in a source would probably stand in its translation too (A26)."""
    pieces = sentence.pieces
    numbers = [
        span
        for span in number_spans(sentence, side.grouped)
        if not (
            side.external_rules and is_century(pieces, span.stop, side.language, target_language)
        )
    ]
    names = find_names(sentence, is_symbol)
    acronyms = [
        span
        for span in candidate_acronyms(sentence, places(names))
        if is_symbol(span.text(pieces), Position.ACRONYM)
    ]
    return numbered(numbers, names, acronyms)


def is_century(
    pieces: Sequence[str], after: int, source_language: str, target_language: str
) -> bool:
    """Does the number that ends before piece `after` count a century, written in other numerals?

    French writes centuries in Roman numerals (the 15th century, le XVe siècle). So they have no
    partner in an English-French training text, and stay text there; a source without its
    translation has to follow (A26).
    """
    following = pieces[after : after + NEAR]
    if (source_language, target_language) != ("en", "fr") or not following:
        return False
    if (ordinal := ORDINAL.fullmatch(following[0])) is None:
        return False
    if ordinal[1]:
        return True
    for piece in following[1:]:
        if piece in ("century", "centuries"):
            return True
        if not (piece in BETWEEN or piece[-1].isdecimal() or ORDINAL.fullmatch(piece)):
            return False
    return False


def replace(pieces: list[str], named: Mapping[str, Span]) -> list[str]:
    """`pieces` with symbols in place of the spans, which do not overlap.

    A mark before a span goes to its symbol; the rest of a span's last piece becomes a marked piece.
    """
    if not named:
        return pieces
    replaced = []
    free = 0
    for name, span in sorted(named.items(), key=itemgetter(1)):
        replaced += pieces[free : span.start]
        replaced.append(JOIN + name if pieces[span.start].startswith(JOIN) else name)
        if span.rest:
            replaced.append(JOIN + pieces[span.stop - 1][-span.rest :])
        free = span.stop
    return replaced + pieces[free:]
