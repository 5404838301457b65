"""Back-off n-gram language models with interpolated modified Kneser-Ney smoothing.

Chen and Goodman (1998), with the conventions of KenLM's estimator (Heafield et al. 2013), so that
the probabilities are those of KenLM.

The n-grams of one order are numbered in ascending order of their keys. A key is a context, the
number of the n-gram's first words in the next lower order, and the n-gram's last word:

    key = context << 32 | word

So one 64-bit integer identifies an n-gram of any order, of a vocabulary of any size, and n-grams
of one context lie side by side. A unigram's number and key are its word's id.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.npyio import NpzFile

from contextnmt.arrays import DAMAGE
from contextnmt.errors import UserError
from contextnmt.files import atomic, open_binary, read_lines, refuse_special, write_lines

#: Axelrod et al. 2011: the models know the words that the in-domain text has at least twice.
IN_DOMAIN_MINIMUM = 2

#: Ids of the unknown word and of the marks before and after every sentence, as in KenLM.
UNK, BOS, EOS = 0, 1, 2
SPECIALS = ("<unk>", "<s>", "</s>")

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Reals = npt.NDArray[np.float32]

WORD_BITS = 32

#: Discounts of counts of one, two, and three and more, where a text is too small to tell.
FALLBACK = (0.5, 1.0, 1.5)

#: The key of no n-gram, larger than all keys.
NO_KEY = np.iinfo(np.int64).max


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
        """The ids of tokenized sentences, one per line; of an empty line, none.

        Takes 4 bytes per word and 8 per sentence, twice as many in the end.
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
                raise UserError(f"{path}, line {number}: not a new word: {line[:80]!r}")
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


class LanguageModel:
    """The log10 probability of each n-gram's last word, and its log10 back-off weight.

    One array [n-grams] for each order: `keys` from order 2 up, ascending;
    `probabilities` from order 1 up; `backoffs` of all orders but the highest. In memory, `keys` and
    `backoffs` have one more entry, which stands for all n-grams that are not listed. In memory and
    on disk an n-gram takes 16 bytes, one of the highest order 12, a unigram 8.
    """

    def __init__(
        self,
        keys: Sequence[Integers],
        probabilities: Sequence[npt.NDArray[Any]],
        backoffs: Sequence[npt.NDArray[Any]],
    ) -> None:
        self.keys = [np.append(level, NO_KEY) for level in keys]
        self.backoffs = [np.append(level, 0).astype(np.float32) for level in backoffs]
        self.probabilities: list[Reals] = [level.astype(np.float32) for level in probabilities]

    def log10_probabilities(self, sentences: Sentences) -> npt.NDArray[np.float64]:
        """The log10 probability of each sentence, its end included: [sentences].

        It is the same to the last bit whatever other sentences are scored with it. Fastest for some
        100,000 words at a time, each of which takes about 90 bytes of memory meanwhile.
        """
        stream, begins = marked(sentences)
        if not stream.size:
            return np.zeros(0)
        return np.add.reduceat(self.score(stream), begins)

    def score(self, stream: Integers) -> npt.NDArray[np.float64]:
        """The log10 probability of each id given the ids before it: [ids]; 0 for BOS.

        Sentences between BOS and EOS follow each other in the stream: no n-gram crosses a BOS, so
        none reaches into the sentence before, and EOS has a back-off weight of 1.
        """
        scores = self.probabilities[0][stream].astype(np.float64)
        ending = stream  # at each position, the number of the n-gram of this order that ends there
        for keys, probabilities, backoffs in zip(
            self.keys, self.probabilities[1:], self.backoffs, strict=True
        ):
            contexts = preceding(ending, none=len(backoffs) - 1)
            ending = find(keys, contexts << WORD_BITS | stream)
            scores += backoffs[contexts]
            found = np.flatnonzero(ending < len(probabilities))
            scores[found] = probabilities[ending[found]]
        return scores

    def save(self, path: Path) -> None:
        """Write the model as an .npz file without pickle; equal models give equal bytes.

        Its arrays: keys.2, keys.3, …; probabilities.1, …; backoffs.1, …
        """
        arrays: dict[str, npt.NDArray[Any]] = {}
        arrays |= {f"keys.{n}": level[:-1] for n, level in enumerate(self.keys, 2)}
        arrays |= {f"probabilities.{n}": level for n, level in enumerate(self.probabilities, 1)}
        arrays |= {f"backoffs.{n}": level[:-1] for n, level in enumerate(self.backoffs, 1)}
        with atomic(path, "wb") as out:
            np.savez(out, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> "LanguageModel":
        """The model in a file that `save` made. Raises UserError if it is not one."""
        refuse_special(path)
        try:
            with open_binary(path) as stream, NpzFile(stream) as arrays:
                order = max(1, sum(name.startswith("probabilities.") for name in arrays))
                return cls(
                    [arrays[f"keys.{n}"] for n in range(2, order + 1)],
                    [arrays[f"probabilities.{n}"] for n in range(1, order + 1)],
                    [arrays[f"backoffs.{n}"] for n in range(1, order)],
                )
        except DAMAGE as error:
            raise UserError(f"{path}: not a language model ({error}): estimate it again") from None


def find(keys: Integers, queries: Integers) -> Integers:
    """The place of each query in `keys`; the last place for one that is not there.

    Searched in ascending order, since queries that are neighbours are then neighbours in memory:
    the binary searches in a large table are ten times as fast.
    """
    order = np.argsort(queries)
    ascending = queries[order]
    places = np.searchsorted(keys, ascending)
    places[keys[places] != ascending] = len(keys) - 1
    numbers = np.empty_like(places)
    numbers[order] = places
    return numbers


def adjusted_counts(levels: list[NGrams]) -> list[Integers]:
    """The adjusted counts of Kneser-Ney smoothing, for each order [n-grams].

    An n-gram of the highest order has its count in the text. A shorter one has the number of
    different words before it, or its count at the beginning of a sentence, where there are none.
    """
    adjusted = []
    for level, longer in pairwise(levels):
        words_before = np.bincount(longer.suffixes, minlength=len(level.keys))
        adjusted.append(np.where(words_before > 0, words_before, level.counts))
    return [*adjusted, levels[-1].counts]


def discounts(counts: Integers) -> Floats:
    """The discounts of counts of one, two, and three and more: [3].

    Equation 26 of Chen and Goodman; `FALLBACK` where the text is so small that the equation has no
    positive value. `counts`: the adjusted counts of one order.
    """
    frequencies = np.bincount(np.minimum(counts, 5), minlength=5)[1:5].astype(float)
    if not frequencies[:3].all():
        return np.array(FALLBACK)
    n1, n2, _, _ = frequencies
    size = np.array([1.0, 2.0, 3.0])
    found: Floats = size - (size + 1) * n1 / (n1 + 2 * n2) * frequencies[1:] / frequencies[:3]
    return found if (found > 0).all() else np.array(FALLBACK)


def estimate(sentences: Sentences, vocabulary_size: int, order: int = 4) -> LanguageModel:
    """A language model of `sentences`.

    `vocabulary_size`: number of ids, the specials included; each has a probability after each
    context. UNK is a word like any other, or one that never occurs if the text has no unknown
    words, as in KenLM. Takes as much memory as `count_ngrams`.
    """
    levels = count_ngrams(sentences, vocabulary_size, order)
    lower = np.full(1, 1 / (vocabulary_size - 1))  # order 0: uniform over all ids but BOS
    probabilities, backoffs = [], []
    for level, counts in zip(levels, adjusted_counts(levels), strict=True):
        lower, backoff = interpolate(level, counts, lower)
        probabilities.append(lower)
        backoffs.append(backoff)
    probabilities[0][BOS] = 1  # never asked for; a stream can then be scored as a whole
    return LanguageModel(
        [level.keys for level in levels[1:]],
        list(map(np.log10, probabilities)),
        list(map(np.log10, backoffs[1:])),
    )


def interpolate(level: NGrams, counts: Integers, lower: Floats) -> tuple[Floats, Floats]:
    """The probabilities of an order's n-grams and the back-off weights of their contexts.

    `counts`: the adjusted ones; `lower`: the probabilities of the next lower order, [contexts]. An
    n-gram that is no context has a back-off weight of 1. Returns [n-grams], [contexts].
    """
    contexts = level.keys >> WORD_BITS
    taken = np.concatenate([[0], discounts(counts)])[np.minimum(counts, 3)]
    total = np.bincount(contexts, counts, minlength=len(lower))
    total_taken = np.bincount(contexts, taken, minlength=len(lower))
    backoff = np.divide(total_taken, total, out=np.ones(len(lower)), where=total > 0)
    seen = (counts - taken) / np.maximum(total, 1)[contexts]
    return seen + backoff[contexts] * lower[level.suffixes], backoff
