"""Sentences as arrays of word ids, and the n-grams in them.

The n-grams of one order are numbered in ascending order of their keys. A key is a context, the
number of the n-gram's first words in the next lower order, and the n-gram's last word:

    key = context << 32 | word

So one 64-bit integer identifies an n-gram of any order, of a vocabulary of any size, and n-grams
of one context lie side by side. A unigram's number and key are its word's id.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

#: Ids of the unknown word and of the marks before and after every sentence, as in KenLM.
UNK, BOS, EOS = 0, 1, 2
SPECIALS = ("<unk>", "<s>", "</s>")

Integers = npt.NDArray[np.int64]

WORD_BITS = 32


class Sentences(NamedTuple):
    """Sentence i is ids[offsets[i]:offsets[i + 1]], without marks; `offsets` begins with 0."""

    ids: npt.NDArray[np.int32]  # [words]
    offsets: Integers  # [sentences + 1]


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


def pack(contexts: Integers, words: Integers) -> Integers:
    """The keys of n-grams."""
    return contexts << WORD_BITS | words


def contexts_of(keys: Integers) -> Integers:
    """The contexts of the n-grams with these keys."""
    return keys >> WORD_BITS


def preceding(numbers: Integers, none: int) -> Integers:
    """What stands one position earlier in a stream; `none` before the first."""
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
            pack(contexts[at], stream[at]), return_inverse=True, return_counts=True
        )
        suffixes = np.empty_like(keys)
        suffixes[numbers] = ending[at]
        levels.append(NGrams(keys, suffixes, counts))
        ending = np.full_like(stream, -1)
        ending[at] = numbers
    return levels
