"""Where the symbols of a source sentence alone and those of both sides differ, and why (A26).

The training text is symbolized with the target in sight, a text to be translated without it. Where
the two ways disagree, a model reads a symbol that training would have left text (`false`), or text
that training would have replaced (`missed`).
"""

import enum
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from contextnmt.text.matches import number_spans
from contextnmt.text.names import Sentence, Span
from contextnmt.text.numbers import digits_key, value_key
from contextnmt.text.pieces import join_pieces
from contextnmt.text.symbols import LIMIT, NUMBER, places

#: Words with as many equal first letters are similar: Europe, européenne.
SIMILAR_LETTERS = 4

#: An excerpt shows as many pieces before and after the span in question...
AROUND = 6
#: ...or as many from the start of the sentence, if there is none...
FROM_START = 20
#: ...and as many characters of a piece.
PIECE_CHARACTERS = 30


class Error(enum.StrEnum):
    """How a decision is wrong."""

    FALSE = "false"  # a symbol of the source alone
    MISSED = "missed"  # a symbol of both sides


class Reason(enum.StrEnum):
    """Why the two ways disagree, as far as the sentences tell."""

    # of either error
    EXTENT = "extent"  # the other way has a symbol for fewer or more words
    TYPE = "type"  # the other way has a symbol of another type for some of its words
    LIMIT = "limit"  # the other way has as many symbols of the type as a sentence may have
    # of a false symbol
    ABSENT = "absent"  # no equal or similar word in the target: translated, converted, left out
    SIMILAR = "similar"  # a similar word in the target: inflected, or spelt otherwise
    REPEATED = "repeated"  # the target has it less often than the source
    UNPAIRED = "unpaired"  # the target has it too, but is not paired with it (A28)
    # of a missed one
    UNSEEN = "unseen"  # none of its words had a capital in the training text
    UNLIKELY = "unlikely"  # too unlikely, for what the training text did with its words
    NUMERAL = "numeral"  # a number that the target language is thought to write in other numerals


class Found(NamedTuple):
    """A span of the source that one of the two ways replaces by a symbol of a type."""

    kind: str
    span: Span


class Comparison(NamedTuple):
    """A sentence pair and the symbols of either way."""

    source: Sentence
    target: Sentence
    target_grouped: bool  # do blanks separate the groups of its long numbers?
    alone: set[Found]
    both: dict[Found, Span]  # with the partner in the target


def differences(compared: Comparison) -> Iterator[tuple[Error, Found]]:
    """What one way replaces and the other does not, from left to right."""
    wrong = [(found, Error.FALSE) for found in compared.alone - compared.both.keys()]
    wrong += [(found, Error.MISSED) for found in compared.both.keys() - compared.alone]
    for found, error in sorted(wrong, key=lambda each: (each[0].span, each)):
        yield error, found


def explain(
    compared: Comparison, error: Error, found: Found, is_known: Callable[[str], bool]
) -> tuple[Reason, Span | None]:
    """Why a decision is wrong, and where the target has what could be the counterpart.

    `is_known` tells whether a word occurs with a capital in the training text.
    """
    others = compared.both if error is Error.FALSE else compared.alone
    partner = compared.both.get(found)
    for other in sorted(others, key=lambda other: (other.kind != found.kind, other)):
        if not places([other.span]).isdisjoint(places([found.span])):
            reason = Reason.EXTENT if other.kind == found.kind else Reason.TYPE
            return reason, partner or compared.both.get(other)
    if sum(other.kind == found.kind for other in others) == LIMIT:
        return Reason.LIMIT, partner
    if error is Error.FALSE:
        return counterpart(compared, found)
    if found.kind == NUMBER:
        return Reason.NUMERAL, partner
    words = found.span.text(compared.source.pieces).split(" ")
    return Reason.UNLIKELY if any(map(is_known, words)) else Reason.UNSEEN, partner


def counterpart(compared: Comparison, found: Found) -> tuple[Reason, Span | None]:
    """Why a symbol of the source alone has no partner, and what comes nearest in the target."""
    source, target = compared.source.pieces, compared.target.pieces
    text = found.span.text(source)
    if found.kind == NUMBER:
        equal = equal_numbers(text, compared.target, compared.target_grouped)
    else:
        equal = equal_words(text.split(" "), target)
    if equal:
        taken = places(compared.both.values())
        free = [span for span in equal if places([span]).isdisjoint(taken)]
        return (Reason.UNPAIRED, free[0]) if free else (Reason.REPEATED, equal[0])
    place = None if found.kind == NUMBER else similar_word(text.split(" "), target)
    return (Reason.ABSENT, None) if place is None else (Reason.SIMILAR, Span(place, place + 1))


def equal_numbers(number: str, target: Sentence, grouped: bool) -> list[Span]:
    """Where the target has a number that could be paired with `number`."""
    wanted = number_keys(number)
    return [
        span
        for span in number_spans(target, grouped)
        if not wanted.isdisjoint(number_keys(span.text(target.pieces)))
    ]


def number_keys(number: str) -> set[str]:
    """Two numbers with a key in common can be paired."""
    return {value_key(number), digits_key(number)} - {""}


def equal_words(words: Sequence[str], target: Sequence[str]) -> list[Span]:
    """Where the target has the same words in a row."""
    spans = (Span(start, start + len(words)) for start in range(len(target) - len(words) + 1))
    return [span for span in spans if list(target[span.start : span.stop]) == words]


def similar_word(words: Sequence[str], target: Sequence[str]) -> int | None:
    """The first place of the target with a word similar to one of `words`, if there is one."""
    wanted = {beginning(word) for word in words} - {""}
    return next((place for place, word in enumerate(target) if beginning(word) in wanted), None)


def beginning(word: str) -> str:
    """The first letters of `word`, in lower case and without accents; nothing if it is shorter."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    first = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return first[:SIMILAR_LETTERS] if len(first) >= SIMILAR_LETTERS else ""


def excerpt(pieces: Sequence[str], span: Span | None) -> str:
    """The words around a span, or how the sentence begins; an ellipsis stands for the rest."""
    first = max(0, span.start - AROUND) if span else 0
    last = span.stop + AROUND if span else FROM_START
    words = join_pieces(map(cut, pieces[first:last]))
    text = " ".join(" ".join(words).split())  # no line break inside
    return ("… " if first else "") + text + (" …" if last < len(pieces) else "")


def cut(piece: str) -> str:
    """A piece, of a long one the first characters."""
    return piece if len(piece) <= PIECE_CHARACTERS else f"{piece[:PIECE_CHARACTERS]}…"
