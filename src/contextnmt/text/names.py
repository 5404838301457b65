"""Words and spans of one sentence that look like proper nouns and acronyms.

Source: Choi et al. 2017, table 2 and appendix A. Decided here: one capitalized word is enough
(A27); a capital at a sentence start proves nothing (A28); German nouns follow the same rule as all
words (A29).
"""

import enum
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from contextnmt.text.pieces import HAS_DIGIT, JOIN, split_pieces

#: Lower-case words that may stand inside a name: World of Warcraft, Ministère de la Justice.
# fmt: off
FUNCTION_WORDS = frozenset((
    "of", "the", "de", "du", "des", "la", "le", "les", "von", "der", "den", "da", "di", "van",
    "for", "del", "della", "delle", "dei", "degli", "&",
))

#: These are no names, wherever they are capitalized.
ARTICLES = frozenset(("the", "le", "la", "les", "der", "die", "das"))

#: After these, a word is capitalized whatever it means.
SENTENCE_OPENERS = frozenset((
    ".", "!", "?", ":", ";", "…", "...", "(", "[", "-", "–", "—", "•", "*",
    '"', "“", "”", "„", "«", "»", "'", "‘", "’", "‚", "‹", "›", "``", "''",
))

#: French words that an apostrophe joins to the next one.
ELIDED = frozenset((
    "l", "d", "s", "n", "j", "m", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu",
))
APOSTROPHES = frozenset(("'", "’"))
# fmt: on

#: Longer runs of capitalized words are headlines. Bounds the work on a pathological line.
PHRASE_WORDS = 30

#: Capitals are only looked for so far into a line. Bounds the work on a pathological line.
SEARCHED_PIECES = 1000

#: No part of an abbreviation with periods inside has more letters: Prof.Dr.
ABBREVIATED = 4

HYPHEN = re.compile("-")

#: Distinct words whose class is remembered (about 10 MB).
REMEMBERED_WORDS = 1 << 16


class Span(NamedTuple):
    """Pieces [start, stop) of a sentence, less the last `rest` characters of the last piece."""

    start: int
    stop: int
    rest: int = 0

    @property
    def places(self) -> range:
        """The places of the pieces that it touches."""
        return range(self.start, self.stop)

    def text(self, pieces: Sequence[str]) -> str:
        """The words of the span, separated by blanks, without a mark before it."""
        covered = " ".join(pieces[self.start : self.stop]).removeprefix(JOIN)
        return covered[: len(covered) - self.rest]


class WordClass(enum.IntEnum):
    """Classes of words by their spelling, for names."""

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
    """The pieces of a sentence, where an upper-case letter begins one, and where numbers stand."""

    pieces: list[str]
    capitals: list[int]
    numbers: list[int]


def sentence_of(line: str) -> Sentence:
    """Cut a tokenized line into pieces and find its capitals and numbers."""
    pieces = split_pieces(line)
    capitals = [
        place for place, piece in enumerate(islice(pieces, SEARCHED_PIECES)) if piece[0].isupper()
    ]
    numbers = []
    if HAS_DIGIT.search(line):
        numbers = [place for place, piece in enumerate(pieces) if piece[-1].isdecimal()]
    return Sentence(pieces, capitals, numbers)


def opens_sentence(pieces: Sequence[str], place: int) -> bool:
    """Is the piece capitalized whatever it means?

    It is after what opens a sentence, with a mark before it or not (``2 ^^. In``), and after
    numbers of verses and the like (``9 In``). No apostrophe opens one after an elided word
    (``l ' Association``).
    """
    before = pieces[place - 1].removeprefix(JOIN) if place else ""
    if before in APOSTROPHES and place > 1 and pieces[place - 2].casefold() in ELIDED:
        return False
    return before in SENTENCE_OPENERS or not any(
        letter.isalpha() for piece in islice(pieces, place) for letter in piece
    )


def is_doubtful(pieces: Sequence[str], place: int, word: str, counts: Mapping[str, int]) -> bool:
    """Is `word`, with which a piece begins, capitalized only because a sentence starts there (A28)?

    It is if the training text has its lower-cased form more often; `counts` are its words'.
    """
    return opens_sentence(pieces, place) and counts.get(word.lower(), 0) > counts.get(word, 0)


def capitalized_runs(sentence: Sentence) -> Iterator[list[Span]]:
    """The capitalized words with only function words between them, from left to right.

    A run ends after a word with a tail, which is not part of it: London-based counts as London.
    """
    pieces, free = sentence.pieces, 0
    for start in sentence.capitals:
        if start < free:
            continue
        run: list[Span] = []
        for place in range(start, min(len(pieces), start + PHRASE_WORDS)):
            kind = word_class(pieces[place])
            if kind is WordClass.OTHER or (run and run[-1].rest):
                break
            if kind is not WordClass.FUNCTION:
                run.append(Span(place, place + 1, tail_length(pieces[place])))
        if run:
            free = run[-1].stop
            yield run


def tail_length(word: str) -> int:
    """How many characters at the end of a word are no part of a name.

    A full stop that the tokenizer left, a hyphen at the end, or hyphenated lower-case words:
    ``.`` of XML., ``-`` of COVID- (before ^^19), ``-based`` of London-based.
    """
    if "-" not in word and "." not in word:
        return 0
    end = len(word)
    if end > 1 and (word[-1] == "-" or (word[-1] == "." and not is_abbreviation(word))):
        end -= 1
    while (hyphen := word.rfind("-", 0, end)) > 0 and word[hyphen + 1 : hyphen + 2].islower():
        end = hyphen
    return len(word) - end


def is_abbreviation(word: str) -> bool:
    """Does the period at the end of `word` belong to it?

    It does in Inc., U.S. and Ph.D., not in XML. and Event.set., which end a sentence.
    """
    parts = word[:-1].split(".")
    if len(parts) == 1:
        return len(word) == 2 or not (word[:-1].isalpha() and word.isupper())
    return max(map(len, parts)) <= ABBREVIATED


def is_name(text: str) -> bool:
    """Is there a capitalized word in a span that is not all capitals?"""
    return any(word_class(word) is WordClass.CAPITALIZED for word in text.split(" "))


def is_acronym(word: str) -> bool:
    """Is `word` two or more upper-case letters, with only periods and hyphens between?"""
    letters = word.replace(".", "").replace("-", "")
    return len(letters) > 1 and word[0].isupper() and letters.isalpha() and letters.isupper()


@lru_cache(maxsize=REMEMBERED_WORDS)
def after_acronym(word: str) -> int | None:
    """How many characters follow an acronym in `word`: 0 in EU, 6 in EU-based; None in Berlin."""
    tail = tail_length(word)
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
        if "-" not in word or place in taken or after_acronym(word) is not None:
            continue
        if acronym := next(filter(is_acronym, beginnings(word)), ""):
            spans.append(Span(place, place + 1, len(word) - len(acronym)))
    return spans


def beginnings(word: str) -> Sequence[str]:
    """`word` and what it may share with another one, longest first.

    That is all before a full stop that is no part of it, and before one of its hyphens: of A-B-C
    A-B and A.
    """
    if "-" not in word and word[-1] != ".":
        return (word,)
    stem = word[:-1] if word[-1] == "." and not is_abbreviation(word) else word
    hyphens = [found.start() for found in islice(HYPHEN.finditer(stem, 1), PHRASE_WORDS)]
    return list(dict.fromkeys([word, stem, *(word[:hyphen] for hyphen in reversed(hyphens))]))
