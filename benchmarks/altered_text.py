"""A parallel text of any size: where there are too few pairs, the same with altered words.

The altered words make the distinct words and pairs go on growing as in real text.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_pairs

#: A word: all that is changed; what stands between words stays.
WORD = re.compile(r"\w+")

#: The most frequent words of a side, which are never changed: they are the grammar.
COMMON = 100

#: A word that no side has more often than this is rare.
RARE = 2

#: As many words of like frequency change places, so a text can be had in as many ways.
GROUP = 16

LETTERS = ("aeiou", "bcdfghjklmnpqrstvwxyz", "0123456789")


def changed(word: str, digest: bytes) -> str:
    """`word` with other vowels, consonants and digits in place of its own."""
    letters = []
    for letter, number in zip(word, digest * (1 + len(word) // len(digest)), strict=False):
        for kind in LETTERS:
            if (place := kind.find(letter.lower())) >= 0:
                other = kind[(place + 1 + number % (len(kind) - 1)) % len(kind)]
                letter = other.upper() if letter.isupper() else other
                break
        letters.append(letter)
    return "".join(letters)


class Alteration:
    """The words of a parallel text, and what becomes of them when the text is repeated.

    Of the rare words, a share gets another form, the same on both sides. The lower-case words of
    one language alone, but for the most frequent ones, change places with words of like frequency.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], ways: int = GROUP) -> None:
        """`pairs`: the text; it can be had in so many `ways`."""
        self.ways = ways
        source, target = counts = Counter[str](), Counter[str]()
        for pair in pairs:
            for side, line in zip(counts, pair, strict=True):
                side.update(WORD.findall(line))
        words = source.keys() | target.keys()
        self.words = len(words)
        self.rare = sorted(word for word in words if max(source[word], target[word]) <= RARE)
        once = sum(number == 1 for side in counts for number in side.values())
        #: By Heaps' law, the share of the words that a text has once.
        self.exponent = once / max(1, sum(map(len, counts)))
        self.moving = [movable(source, target), movable(target, source)]

    def tables(self, repetition: int) -> list[dict[str, str]]:
        """For each side, word -> word in the repetition of this number, from 1."""
        # A text of n words has K n^exponent distinct ones; the new ones are altered rare ones.
        new = ((repetition + 1) ** self.exponent - repetition**self.exponent) * self.words
        forms, limit = {}, new / max(1, len(self.rare)) * 2**32
        for word in self.rare:
            digest = blake2b(f"{repetition} {word}".encode()).digest()
            if int.from_bytes(digest[:4], "big") < limit:
                forms[word] = changed(word, digest[4:])
        tables = [dict(forms), dict(forms)]
        for table, words in zip(tables, self.moving, strict=True):
            for begin in range(0, len(words), self.ways):
                group = words[begin : begin + self.ways]
                step = repetition % len(group)
                table.update(zip(group, group[step:] + group[:step], strict=True))
        return tables


def movable(own: Counter[str], other: Counter[str]) -> list[str]:
    """The words of a side that change places, by descending frequency."""
    words = sorted(own, key=lambda word: (-own[word], word))[COMMON:]
    return [word for word in words if own[word] > RARE and word.islower() and word not in other]


def altered(
    pairs: Iterable[tuple[str, str]], tables: Sequence[Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """A text with the words that `Alteration.tables` gives."""
    source, target = (lambda found, table=table: table.get(found[0], found[0]) for table in tables)
    for left, right in pairs:
        yield WORD.sub(source, left), WORD.sub(target, right)


def endless(source: Path, target: Path, ways: int = GROUP) -> Iterator[tuple[str, str]]:
    """A text, then the same altered, in one of so many `ways` after the other.

    Raises UserError if there are no more ways.
    """
    yield from read_pairs(source, target)
    alteration = Alteration(read_pairs(source, target), ways)
    for repetition in range(1, ways):
        yield from altered(read_pairs(source, target), alteration.tables(repetition))
    raise UserError(f"{source}: too few pairs for {ways} times as many: give a longer text")
