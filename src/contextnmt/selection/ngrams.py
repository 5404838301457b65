"""The words that a language model knows, sentences as arrays of their ids, the n-grams in them.

The n-grams of one order are numbered in ascending order of their keys. A key is a context, the
number of the n-gram's first words in the next lower order, and the n-gram's last word:

    key = context << 32 | word

So one 64-bit integer identifies an n-gram of any order, of a vocabulary of any size, and n-grams
of one context lie side by side. A unigram's number and key are its word's id.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines

#: Axelrod et al. 2011: the models know the words that the in-domain text has at least twice.
IN_DOMAIN_MINIMUM = 2

#: Ids of the unknown word and of the marks before and after every sentence, as in KenLM.
UNK, BOS, EOS = 0, 1, 2
SPECIALS = ("<unk>", "<s>", "</s>")

Integers = npt.NDArray[np.int64]

WORD_BITS = 32


class Sentences(NamedTuple):
    """Sentence i is ids[offsets[i]:offsets[i + 1]], without marks; `offsets` begins with 0."""

    ids: npt.NDArray[np.int32]  # [words]
    offsets: Integers  # [sentences + 1]


class Vocabulary:
    """Words in the order of their ids, the first of which is 3; the specials come before them.

    The two models of a language share one vocabulary: only then do their probabilities speak of
    the same events and can be compared. Any other word is the unknown word, and so is a word of
    the text that is spelt like a special. A word takes about 150 bytes of memory.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.ids = {word: number for number, word in enumerate(self.words, start=len(SPECIALS))}

    def __len__(self) -> int:
        """Number of ids: the words and the specials."""
        return len(SPECIALS) + len(self.words)

    def encode(self, lines: Iterable[str]) -> Sentences:
        """The ids of tokenized sentences, one a line; of an empty line, none.

        Takes 4 bytes a word and 8 a sentence, twice as many in the end.
        """
        ids, offsets = array("i"), array("q", [0])
        for line in lines:
            ids.extend(map(self.ids.get, line.split(), repeat(UNK)))
            offsets.append(len(ids))
        return Sentences(np.array(ids, np.int32), np.array(offsets, np.int64))

    @classmethod
    def frequent(cls, counts: Mapping[str, int], minimum: int = IN_DOMAIN_MINIMUM) -> "Vocabulary":
        """The words that occur at least `minimum` times, by descending count, then by name."""
        words = (word for word in counts if counts[word] >= minimum and word not in SPECIALS)
        return cls(sorted(words, key=lambda word: (-counts[word], word)))

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """The vocabulary in a file that `write` made.

        Raises UserError, naming the line, if a line is not one word or if a word comes twice.
        """
        words = dict.fromkeys(SPECIALS)
        for number, line in enumerate(read_lines(path), start=1):
            if line.split() != [line] or line in words:
                raise UserError(f"{path}, line {number}: not a new word: {line!r}")
            words[line] = None
        return cls(list(words)[len(SPECIALS) :])

    def write(self, path: Path) -> None:
        """Write a word a line; line n holds the word with id n+2."""
        write_lines(path, self.words)


class NGrams(NamedTuple):
    """The n-grams of one order in a text; [n-grams] each."""

    keys: Integers
    suffixes: Integers  # number, in the next lower order, of the n-gram without its first word
    counts: Integers


def marked(sentences: Sentences) -> tuple[Integers, Integers]:
    """All sentences as one stream of ids, each between BOS and EOS, and where each begins.

    Returns ids [words + 2 * sentences] and positions [sentences].
    """
    count = len(sentences.offsets) - 1
    begins = sentences.offsets[:-1] + 2 * np.arange(count)
    ends = sentences.offsets[1:] + 2 * np.arange(count) + 1
    stream = np.full(len(sentences.ids) + 2 * count, -1)
    stream[begins] = BOS
    stream[ends] = EOS
    stream[stream < 0] = sentences.ids
    return stream, begins


def preceding(numbers: Integers, none: int) -> Integers:
    """Shift a stream by one position; `none` comes before the first."""
    before = np.empty_like(numbers)
    before[:1] = none
    before[1:] = numbers[:-1]
    return before


def count_ngrams(sentences: Sentences, vocabulary_size: int, order: int) -> list[NGrams]:
    """How often each n-gram of the orders 1 to `order` occurs, BOS and EOS included.

    BOS is only ever a context: n-grams that end with it, its unigram too, are not counted. Every
    id has a unigram; of the higher orders those are listed that occur.

    Takes about 120 bytes of memory a word of `sentences`, 24 an n-gram afterwards.
    """
    stream, _ = marked(sentences)
    predicted = stream != BOS
    levels = [
        NGrams(
            np.arange(vocabulary_size),
            np.zeros(vocabulary_size, np.int64),
            np.bincount(stream[predicted], minlength=vocabulary_size),
        )
    ]
    ending = stream  # number of the n-gram that ends at each position; -1 where there is none
    for _ in range(order - 1):
        contexts = preceding(ending, none=-1)
        at = np.flatnonzero(predicted & (contexts >= 0))
        keys, numbers, counts = np.unique(
            contexts[at] << WORD_BITS | stream[at], return_inverse=True, return_counts=True
        )
        suffixes = np.empty_like(keys)
        suffixes[numbers] = ending[at]
        levels.append(NGrams(keys, suffixes, counts))
        ending = np.full_like(stream, -1)
        ending[at] = numbers
    return levels
