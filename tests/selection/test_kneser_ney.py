"""The estimation against KenLM's own output, and against the equations written out word by word."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.files import read_lines
from contextnmt.selection.language_model import (
    FALLBACK,
    LanguageModel,
    estimate,
)
from contextnmt.selection.ngrams import (
    BOS,
    EOS,
    UNK,
    Sentences,
    Vocabulary,
)

NGram = tuple[int, ...]

#: A vocabulary of five words besides the specials; texts use the unknown word too.
SIZE = 8
texts = st.lists(st.lists(st.sampled_from([UNK, 3, 4, 5, 6]), max_size=9), max_size=12)
orders = st.integers(1, 5)


def sentences(lists: Iterable[Sequence[int]]) -> Sentences:
    lists = list(lists)
    offsets = np.cumsum([0, *map(len, lists)])
    return Sentences(np.array(list(chain.from_iterable(lists)), np.int32), offsets)


class Reference:
    """Chen and Goodman 1998, section 3 and equation 26: slow, and in double precision."""

    def __init__(self, text: list[list[int]], size: int, order: int) -> None:
        self.size, self.order = size, order
        counts: Counter[NGram] = Counter()
        for sentence in text:
            words = [BOS, *sentence, EOS]
            for end in range(1, len(words)):
                for begin in range(max(0, end + 1 - order), end + 1):
                    counts[tuple(words[begin : end + 1])] += 1
        before: dict[NGram, set[int]] = {}
        for first, *rest in counts:
            before.setdefault(tuple(rest), set()).add(first)
        self.counts = {
            ngram: count
            if len(ngram) == order or ngram[0] == BOS
            else len(before[ngram])  # its continuation count
            for ngram, count in counts.items()
        }
        self.discounts = {n: self.discount(n) for n in range(1, order + 1)}
        self.contexts: dict[NGram, dict[int, int]] = {}
        for ngram, count in self.counts.items():
            self.contexts.setdefault(ngram[:-1], {})[ngram[-1]] = count

    def discount(self, n: int) -> tuple[float, ...]:
        """D1, D2 and D3+ of the n-grams of length `n`."""
        of_length = [count for ngram, count in self.counts.items() if len(ngram) == n]
        n1, n2, n3, n4 = (of_length.count(k) for k in (1, 2, 3, 4))
        if 0 in (n1, n2, n3):
            return FALLBACK
        Y = n1 / (n1 + 2 * n2)
        found = (1 - 2 * Y * n2 / n1, 2 - 3 * Y * n3 / n2, 3 - 4 * Y * n4 / n3)
        return found if min(found) > 0 else FALLBACK

    def probability(self, context: NGram, word: int) -> float:
        """p(word | context), the context as long as it may be."""
        if len(context) >= self.order:
            context = context[len(context) - self.order + 1 :]
        lower = self.probability(context[1:], word) if context else 1 / (self.size - 1)
        followers = self.contexts.get(context)
        if followers is None:
            return lower
        D = (0.0, *self.discounts[len(context) + 1])
        total = sum(followers.values())
        gamma = sum(D[min(count, 3)] for count in followers.values()) / total
        count = followers.get(word, 0)
        return (count - D[min(count, 3)]) / total + gamma * lower


# Against KenLM


@pytest.fixture(scope="module")
def kenlm(shared: Path) -> Path:
    return shared / "oracles" / "kenlm"


@pytest.fixture(scope="module")
def vocabulary(kenlm: Path) -> Vocabulary:
    """All words of the training text, as KenLM takes them."""
    lines = read_lines(kenlm / "train.en.tok")
    return Vocabulary.frequent(Counter(chain.from_iterable(map(str.split, lines))), minimum=1)


@pytest.fixture(scope="module")
def training(kenlm: Path, vocabulary: Vocabulary) -> Sentences:
    return vocabulary.encode(read_lines(kenlm / "train.en.tok"))


@pytest.fixture(scope="module")
def model(training: Sentences, vocabulary: Vocabulary) -> LanguageModel:
    return estimate(training, len(vocabulary))


def test_sentences_get_the_totals_of_kenlm(
    kenlm: Path, vocabulary: Vocabulary, model: LanguageModel
) -> None:
    test = vocabulary.encode(read_lines(kenlm / "test.en.tok"))
    rows = [line.split("\t") for line in read_lines(kenlm / "test.scores.tsv")]
    totals, unknown = np.array(rows, float).T
    assert len(totals) == 614
    np.testing.assert_allclose(model.log10_probabilities(test), totals, rtol=0, atol=1e-4)
    assert np.array_equal(np.add.reduceat(test.ids == UNK, test.offsets[:-1]), unknown)


# Against the equations


@settings(deadline=None, max_examples=200)
@given(texts, texts, orders)
def test_probabilities_are_those_of_the_equations(
    text: list[list[int]], others: list[list[int]], order: int
) -> None:
    model, reference = estimate(sentences(text), SIZE, order), Reference(text, SIZE, order)
    for sentence in [*others, *text]:
        words = [BOS, *sentence, EOS]
        expected = [reference.probability(tuple(words[:n]), words[n]) for n in range(1, len(words))]
        found = model.score(np.array(words))
        assert found[0] == 0
        np.testing.assert_allclose(10 ** found[1:], expected, rtol=1e-5)


def test_ids_of_a_large_vocabulary_do_not_collide() -> None:
    size = 3_000_000
    text = [[size - 1, 3, size - 1], [1 << 21, 3, size - 2], [3, 1 << 21, 3], [size - 1, 3, 3]]
    model, reference = estimate(sentences(text), size), Reference(text, size, order=4)
    for sentence in text:
        words = [BOS, *sentence, EOS]
        expected = [reference.probability(tuple(words[:n]), words[n]) for n in range(1, len(words))]
        np.testing.assert_allclose(10 ** model.score(np.array(words))[1:], expected, rtol=1e-5)
