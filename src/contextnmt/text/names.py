"""Words and spans of one sentence that look like proper nouns and acronyms.

Source: Choi et al. 2017, table 2 and appendix A. Decided here: one capitalized word is enough
(A27); a capital at a sentence start proves nothing (A28); German nouns follow the same rule as all
words (A29).
"""

import enum
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from contextnmt.text.pieces import JOIN, split_pieces

#: Lower-case words that may stand inside a name: World of Warcraft, Ministère de la Justice.
# fmt: off
FUNCTION_WORDS = frozenset((
    "of", "the", "de", "du", "des", "la", "le", "les",
    "von", "der", "den", "da", "di", "van", "for",
))

#: After these, a word is capitalized whatever it means.
SENTENCE_OPENERS = frozenset((
    ".", "!", "?", ":", ";", "…", '"', "“", "”", "„", "«",
    "»", "‘", "(", "[", "-", "–", "—", "•", "*", "...",
))
# fmt: on

#: Longer runs of capitalized words are headlines. Bounds the work on a pathological line.
PHRASE_WORDS = 30

#: Distinct words whose class is remembered (about 10 MB).
REMEMBERED_WORDS = 1 << 16


class Span(NamedTuple):
    """Pieces [start, stop) of a sentence, less the last `rest` characters of the last piece."""

    start: int
    stop: int
    rest: int = 0

    @property
    def length(self) -> int:
        """How many pieces it touches."""
        return self.stop - self.start

    def text(self, pieces: Sequence[str]) -> str:
        """What the span covers, its words separated by blanks, without a mark before it."""
        covered = " ".join(pieces[self.start : self.stop]).removeprefix(JOIN)
        return covered[: len(covered) - self.rest]


class WordClass(enum.IntEnum):
    """What the spelling of a word says about names."""

    OTHER = 0
    FUNCTION = 1
    CAPITALIZED = 2  # upper-case first letter and a lower-case letter: Warcraft, McDonald
    CAPITALS = 3  # upper-case first letter, no lower-case letter: III, NATO, U.S., A


@lru_cache(maxsize=REMEMBERED_WORDS)
def word_class(word: str) -> WordClass:
    """The class of a piece; a right-hand piece (``^^nd``) and one with a tab inside are OTHER."""
    if word in FUNCTION_WORDS:
        return WordClass.FUNCTION
    if not word[0].isupper() or word.split() != [word]:
        return WordClass.OTHER
    lower = any(letter.islower() for letter in word)
    return WordClass.CAPITALIZED if lower else WordClass.CAPITALS


class Sentence(NamedTuple):
    """The pieces of a sentence, and the places of those that start with an upper-case letter."""

    pieces: list[str]
    capitals: list[int]


def sentence_of(line: str) -> Sentence:
    """Cut a tokenized line into pieces and find its capitals."""
    pieces = split_pieces(line)
    return Sentence(pieces, [place for place, piece in enumerate(pieces) if piece[0].isupper()])


def is_doubtful(pieces: Sequence[str], place: int, counts: Mapping[str, int]) -> bool:
    """Is the piece capitalized only because a sentence starts there (A28)?

    It is if the training text has its lower-cased form more often; `counts` are its words'.
    """
    if place and pieces[place - 1] not in SENTENCE_OPENERS:
        return False
    word = pieces[place]
    return counts.get(word.lower(), 0) > counts.get(word, 0)


def candidate_names(
    sentence: Sentence, counts: Mapping[str, int], known: Container[str]
) -> Iterator[Span]:
    """The maximal spans that look like names, from left to right, without overlap.

    Such a span starts and ends with a capitalized word, has only function words between, and does
    not consist of capitals alone. London-based counts as London. A doubtful word starts no span
    but one of several words that is a `known` name as a whole (A28).
    """
    pieces = sentence.pieces
    free = 0
    for start in sentence.capitals:
        if start < free or word_class(pieces[start]) is WordClass.OTHER:
            continue
        stop, rest = end_of_run(pieces, start)
        span = Span(start, stop, rest)
        text = span.text(pieces)
        if is_doubtful(pieces, start, counts) and (span.length == 1 or text not in known):
            continue
        if is_name(text):
            yield span
            free = stop


def end_of_run(pieces: Sequence[str], start: int) -> tuple[int, int]:
    """Where the run of capitalized words from `start` ends, and the length of its last tail."""
    stop = start + 1
    for place in range(start, min(len(pieces), start + PHRASE_WORDS)):
        kind = word_class(pieces[place])
        if kind is WordClass.OTHER:
            break
        if kind is not WordClass.FUNCTION:
            stop = place + 1
            if rest := lower_tail(pieces[place]):
                return stop, rest
    return stop, 0


def lower_tail(word: str) -> int:
    """Length of the tail of hyphenated lower-case words: of ``-based`` in London-based."""
    tail = len(word)
    while (hyphen := word.rfind("-", 0, tail)) > 0 and word[hyphen + 1 : hyphen + 2].islower():
        tail = hyphen
    return len(word) - tail


def is_name(text: str) -> bool:
    """Has a span some length, and a capitalized word that is not all capitals?"""
    return len(text) > 1 and any(
        word_class(word) is WordClass.CAPITALIZED for word in text.split(" ")
    )


def is_acronym(word: str) -> bool:
    """Is `word` two or more upper-case letters, with only periods and hyphens between?"""
    letters = word.replace(".", "").replace("-", "")
    return len(letters) > 1 and word[0].isupper() and letters.isalpha() and letters.isupper()


@lru_cache(maxsize=REMEMBERED_WORDS)
def after_acronym(word: str) -> int | None:
    """How many characters follow an acronym in `word`: 0 in EU, 6 in EU-based; None in Berlin."""
    tail = lower_tail(word)
    return tail if is_acronym(word[: len(word) - tail]) else None


def candidate_acronyms(sentence: Sentence, taken: Container[int]) -> list[Span]:
    """The acronyms outside the places `taken`, from left to right. EU-based counts as EU."""
    return [
        Span(place, place + 1, rest)
        for place in sentence.capitals
        if (rest := after_acronym(sentence.pieces[place])) is not None and place not in taken
    ]


def compounds(sentence: Sentence, taken: Container[int]) -> list[Span]:
    """The acronyms that begin a hyphenated word outside the places `taken`: EU in EU-Kommission."""
    spans = []
    for place in sentence.capitals:
        word = sentence.pieces[place]
        if "-" in word and place not in taken and after_acronym(word) is None:
            for beginning in beginnings(word):
                if is_acronym(beginning):
                    spans.append(Span(place, place + 1, len(word) - len(beginning)))
                    break
    return spans


def beginnings(word: str) -> list[str]:
    """`word` and all that stands before one of its hyphens, longest first: A-B-C, A-B, A."""
    found = [word]
    while (hyphen := found[-1].rfind("-")) > 0:
        found.append(found[-1][:hyphen])
    return found
