"""Language models against KenLM's own output and the equations written out, and their files."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.selection.language_model import (
    BOS,
    EOS,
    FALLBACK,
    UNK,
    LanguageModel,
    Sentences,
    Vocabulary,
    estimate,
)

NGram = tuple[int, ...]

#: A vocabulary of five words besides the specials; texts use the unknown word too.
SIZE = 8
texts = st.lists(st.lists(st.sampled_from([UNK, 3, 4, 5, 6]), max_size=9), max_size=12)


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


def test_sentences_get_the_totals_of_kenlm(shared: Path) -> None:
    folder = shared / "oracles" / "kenlm"
    lines = list(read_lines(folder / "train.en.tok"))
    vocabulary = Vocabulary.frequent(Counter(" ".join(lines).split()), minimum=1)
    model = estimate(vocabulary.encode(lines), len(vocabulary))
    test = vocabulary.encode(read_lines(folder / "test.en.tok"))
    rows = [line.split("\t") for line in read_lines(folder / "test.scores.tsv")]
    totals, unknown = np.array(rows, float).T
    assert len(totals) == 614
    np.testing.assert_allclose(model.log10_probabilities(test), totals, rtol=0, atol=1e-4)
    assert np.array_equal(np.add.reduceat(test.ids == UNK, test.offsets[:-1]), unknown)


def check(text: list[list[int]], others: list[list[int]], size: int, order: int) -> None:
    """Compare the probabilities of both with those of the equations."""
    model, reference = estimate(sentences(text), size, order), Reference(text, size, order)
    for sentence in [*others, *text]:
        words = [BOS, *sentence, EOS]
        expected = [reference.probability(tuple(words[:n]), words[n]) for n in range(1, len(words))]
        found = model.score(np.array(words))
        assert found[0] == 0
        np.testing.assert_allclose(10 ** found[1:], expected, rtol=1e-5)


@settings(deadline=None, max_examples=100)
@given(texts, texts, st.integers(1, 5))
def test_probabilities_are_those_of_the_equations(
    text: list[list[int]], others: list[list[int]], order: int
) -> None:
    check(text, others, SIZE, order)


def test_ids_of_a_large_vocabulary_do_not_collide() -> None:
    size = 3_000_000
    text = [[size - 1, 3, size - 1], [1 << 21, 3, size - 2], [3, 1 << 21, 3], [size - 1, 3, 3]]
    check(text, [], size, 4)


MANY = 60
long_texts = st.lists(st.lists(st.integers(3, MANY - 1), max_size=30), max_size=20)


@pytest.fixture(scope="module")
def trained() -> LanguageModel:
    """Of 500 sentences in which small ids are frequent."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 12, 500)
    return estimate(sentences([(3 + rng.geometric(0.2, n) % 57).tolist() for n in lengths]), MANY)


@settings(max_examples=30, deadline=None)
@given(long_texts, st.randoms(use_true_random=False))
def test_a_sentence_scores_the_same_in_any_company(
    trained: LanguageModel, text: list[list[int]], random: Random
) -> None:
    text = [*text, long := random.choices(range(3, MANY), k=1000), long[:999]]
    together = trained.log10_probabilities(sentences(text))
    alone = [trained.log10_probabilities(sentences([each]))[0] for each in text]
    assert together.tolist() == alone
    places = list(range(len(text)))
    random.shuffle(places)
    shuffled = trained.log10_probabilities(sentences([text[place] for place in places]))
    assert shuffled.tolist() == together[places].tolist()


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_model_comes_back_from_disk(tmp_path: Path, order: int) -> None:
    text = sentences([[3, 4, 5], [], [3, 4, 6, 7]])
    model = estimate(text, MANY, order)
    model.save(tmp_path / "lm.npz")
    again = LanguageModel.load(tmp_path / "lm.npz")
    assert len(again.probabilities) == order
    assert again.log10_probabilities(text).tolist() == model.log10_probabilities(text).tolist()
    again.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "lm.npz").read_bytes()


def test_files_that_are_no_model_are_refused(tmp_path: Path, trained: LanguageModel) -> None:
    path = tmp_path / "lm.npz"
    trained.save(path)
    whole = path.read_bytes()
    np.savez(tmp_path / "other.npz", words=np.arange(3))
    np.savez(tmp_path / "pickled.npz", **{"probabilities.1": np.array([{}])}, allow_pickle=True)
    others = [(tmp_path / f"{name}.npz").read_bytes() for name in ("other", "pickled")]
    for content in (b"", b"one two\n", whole[: len(whole) // 2], *others):
        path.write_bytes(content)
        with pytest.raises(UserError, match=r"lm\.npz: not a language model"):
            LanguageModel.load(path)
    path.unlink()
    with pytest.raises(UserError, match=r"lm\.npz: no such file"):
        LanguageModel.load(path)
    with pytest.raises(UserError, match=r"/dev/zero: a folder, a pipe or a device"):
        LanguageModel.load(Path("/dev/zero"))


def test_a_model_is_a_file_of_plain_arrays(tmp_path: Path, trained: LanguageModel) -> None:
    """Of 8 bytes a unigram, 16 a longer n-gram and 12 one of the highest order."""
    trained.save(tmp_path / "lm.npz")
    with np.load(tmp_path / "lm.npz", allow_pickle=False) as arrays:
        assert {array.dtype.name for array in arrays.values()} == {"int64", "float32"}
    unigrams, *middle, highest = map(len, trained.probabilities)
    told = 8 * unigrams + 16 * sum(middle) + 12 * highest
    assert told < (tmp_path / "lm.npz").stat().st_size < told + 5000
