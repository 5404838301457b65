"""The stage `lexicon`: what each source word is likeliest translated by, from the training text.

Jean et al. 2015 look up there what takes the place of an unknown word of a translation. Their
lexicon is that of fast_align (Dyer, Chahuneau and Smith 2013, A Simple, Fast, and Effective
Reparameterization of IBM Model 2); this one has its model: a target word comes from no source word,
or from one that stands about as far into its sentence. Only words that occur in a sentence pair
together have a probability.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.files import count_lines, read_lines, read_pairs, write_lines
from contextnmt.progress import progress, say
from contextnmt.text.pieces import tokens_of

#: A longer sentence is left out: it has most pairs of words, and tells least about them.
LONGEST = 100

#: Of expectation maximization, as in fast_align.
ITERATIONS = 5
#: How strongly words at the same share of their sentences are preferred: fast_align starts with it.
TENSION = 4.0
#: Probability that a target word comes from no source word; fast_align's.
NULL_PROBABILITY = 0.08
#: Pairs of a source and a target position that one block holds, about; 8 bytes each.
BLOCK = 1 << 20

#: The source word that stands for none.
NULL = 0


def lexicon(
    source: Annotated[list[Path], typer.Option(help="training text, source side; parts in order")],
    target: Annotated[list[Path], typer.Option(help="target side, one for each --source")],
    out: Annotated[Path, typer.Option(help="table to write")],
    pairs: Annotated[int, typer.Option(help="sentence pairs to read at most", min=1)] = 1_000_000,
) -> None:
    """Write the likeliest target word of each source word, from tokenized sentence pairs.

    A row is source word, target word, its probability, and how often the source word was read; the
    most frequent words come first. Of a text with more sentence pairs than
    --pairs, only --pairs are read, evenly spread. Memory grows with them: some 12 GB per million.

    Example: contextnmt lexicon --source train.en.gz --target train.fr.gz --out lexicon.tsv.gz
    """
    one_of_each("part", source=source, target=target)
    found = likeliest(sampled(source, target, pairs))
    rows = (f"{word}\t{other}\t{share:.4f}\t{count}" for word, other, share, count in found)
    if not write_lines(out, rows):
        say(f"warning: {out}: no sentence pair has words on both sides")


def sampled(
    source: list[Path], target: list[Path], most: int
) -> Iterator[tuple[list[str], list[str]]]:
    """The words of `most` of all sentence pairs, or of all if there are fewer.

    They are evenly spread over the whole text, whatever its parts are. Pairs with an empty or a
    long side are left out. Raises UserError if the sides of a part differ in length.
    """
    total = sum(map(count_lines, source))
    together = chain.from_iterable(map(read_pairs, source, target))
    for number, sides in enumerate(progress(together, "read", "pairs", total)):
        if (number + 1) * most // total > number * most // total or most >= total:
            left, right = map(tokens_of, sides)
            if 0 < len(left) <= LONGEST and 0 < len(right) <= LONGEST:
                yield left, right


def read_lexicon(path: Path) -> dict[str, str]:
    """Source word -> likeliest target word. Raises UserError, naming the line, if malformed."""
    likeliest_of = {}
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) != 4 or not all(columns[:2]):
            raise UserError(
                f"{path}, line {number}: expected a source word, a target word, a probability and "
                f"a count, with tabs between them: {line[:80]!r}"
            )
        likeliest_of[columns[0]] = columns[1]
    return likeliest_of


class Side:
    """One side of a text as ids, sentences end to end; they count from 1, first words first."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._ids, self._starts = array("i"), array("q", [0])

    def add(self, words: Iterable[str]) -> None:
        """The next sentence."""
        numbers = self._numbers
        self._ids.extend(numbers.setdefault(word, len(numbers) + 1) for word in words)
        self._starts.append(len(self._ids))

    @property
    def words(self) -> list[str]:
        """The different words in the order of their ids."""
        return list(self._numbers)

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """The id of each word of the text."""
        return np.frombuffer(self._ids, np.int32)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """The place of the first word of each sentence among all, and the number of all."""
        return np.frombuffer(self._starts, np.int64)


class Block:
    """The occurrences of some target words, and what each of them may come from.

    A *cell* is a target position with a source position of its sentence pair, or with none; an
    *entry* is a target word with a source word that it has cells with.
    """

    def __init__(self, source: Side, target: Side, places: npt.NDArray[np.int64]) -> None:
        """`places`: where the words of the block stand in `target`."""
        pairs = np.searchsorted(target.starts, places, "right") - 1
        lengths = np.diff(source.starts)[pairs]
        self.sizes = lengths + 1  # [places]: cells of each, the first is that of no source word
        self.starts = np.cumsum(self.sizes) - self.sizes
        offsets = np.arange(self.sizes.sum()) - np.repeat(self.starts, self.sizes)  # [cells]
        before = np.repeat(source.starts[pairs] - 1, self.sizes)
        sources = np.where(offsets == 0, NULL, source.ids[before + offsets])
        words = np.repeat(target.ids[places], self.sizes).astype(np.int64)
        entries, entry = np.unique(words * (source.ids.max() + 1) + sources, return_inverse=True)
        self.entry = entry.astype(np.int32)  # [cells]
        self.target, self.source = (  # [entries]
            half.astype(np.int32) for half in np.divmod(entries, source.ids.max() + 1)
        )
        ends = np.diff(target.starts)[pairs]
        shares = (places - target.starts[pairs] + 1) / ends
        # The probability of a cell by its positions alone; those of a target position sum to 1.
        of_cells = offsets / np.repeat(lengths, self.sizes)
        prior = np.exp(-TENSION * np.abs(of_cells - np.repeat(shares, self.sizes)))
        prior[self.starts] = 0
        prior *= np.repeat((1 - NULL_PROBABILITY) / np.add.reduceat(prior, self.starts), self.sizes)
        prior[self.starts] = NULL_PROBABILITY
        self.prior = prior.astype(np.float32)  # [cells]
        self.probability = np.ones(len(entries), np.float32)

    def expected(self) -> npt.NDArray[np.float64]:
        """How often each entry is expected to translate, by the probabilities so far [entries]."""
        weights = self.probability[self.entry] * self.prior
        weights /= np.repeat(np.add.reduceat(weights, self.starts), self.sizes)
        expected = np.bincount(self.entry, weights, len(self.source))
        return expected.astype(np.float64, copy=False)


def likeliest(
    pairs: Iterable[tuple[Iterable[str], Iterable[str]]],
) -> Iterator[tuple[str, str, float, int]]:
    """Each source word with its likeliest translation, the probability of that, and its frequency.

    The most frequent word comes first, then by word. `pairs` are the words of both sides of
    sentence pairs, none of them empty. Of equally likely targets, the one that the text has first.
    """
    source, target = Side(), Side()
    for left, right in pairs:
        source.add(left)
        target.add(right)
    words, others = source.words, target.words
    if not words:
        return
    blocks = list(progress(blocks_of(source, target), "pairs of words", "blocks"))
    for _ in progress(range(ITERATIONS), "probabilities", "iterations", ITERATIONS):
        totals = np.zeros(len(words) + 1)
        for block in blocks:
            counts = block.expected()
            block.probability = counts.astype(np.float32)
            totals += np.bincount(block.source, counts, len(totals))
        for block in blocks:
            block.probability /= totals[block.source]
    best = np.zeros(len(words) + 1, np.float32)
    chosen = np.zeros(len(words) + 1, np.int32)
    for block in blocks:
        # The last entry of a source word is the likeliest, of equal ones that of the first word.
        order = np.lexsort((-block.target, block.probability, block.source))
        last = order[np.append(np.diff(block.source[order]) > 0, True)]
        better = last[block.probability[last] > best[block.source[last]]]
        best[block.source[better]] = block.probability[better]
        chosen[block.source[better]] = block.target[better]
    read = np.bincount(source.ids, minlength=len(words) + 1)
    for number in sorted(range(1, len(words) + 1), key=lambda n: (-read[n], words[n - 1])):
        if chosen[number] != NULL:
            target_word = others[chosen[number] - 1]
            yield words[number - 1], target_word, float(best[number]), int(read[number])


def blocks_of(source: Side, target: Side) -> Iterator[Block]:
    """All occurrences of all target words, word by word, in blocks of about BLOCK cells."""
    places = np.argsort(target.ids, kind="stable")
    pairs = np.searchsorted(target.starts, places, "right") - 1
    cells = np.cumsum(np.diff(source.starts)[pairs] + 1)
    of_word = np.searchsorted(target.ids[places], np.arange(1, len(target.words) + 2))
    start = 0
    while start < len(places):
        done = cells[start - 1] if start else 0
        end = np.searchsorted(cells, done + BLOCK) + 1
        # A word is in one block alone.
        end = of_word[min(np.searchsorted(of_word, end), len(of_word) - 1)]
        yield Block(source, target, places[start:end])
        start = int(end)
