"""Models score the same in any company, and come back from disk as they were."""

import zipfile
from itertools import chain
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.selection.language_model import NO_KEY, LanguageModel, estimate, find
from contextnmt.selection.ngrams import BOS, EOS, Sentences

SIZE = 60
texts = st.lists(st.lists(st.integers(3, SIZE - 1), max_size=30), max_size=20)


def sentences(lists: list[list[int]]) -> Sentences:
    offsets = np.cumsum([0, *map(len, lists)])
    return Sentences(np.array(list(chain.from_iterable(lists)), np.int32), offsets)


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    """Of 500 sentences in which small ids are frequent."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 12, 500)
    return estimate(sentences([(3 + rng.geometric(0.2, n) % 57).tolist() for n in lengths]), SIZE)


@settings(deadline=None)
@given(texts, st.randoms(use_true_random=False))
def test_a_sentence_scores_the_same_in_any_company(
    model: LanguageModel, text: list[list[int]], random: Random
) -> None:
    together = model.log10_probabilities(sentences(text))
    alone = [model.log10_probabilities(sentences([each]))[0] for each in text]
    assert together.tolist() == alone
    places = list(range(len(text)))
    random.shuffle(places)
    shuffled = model.log10_probabilities(sentences([text[place] for place in places]))
    assert shuffled.tolist() == together[places].tolist()


def test_a_long_sentence_scores_the_same_in_any_company(model: LanguageModel) -> None:
    rng = np.random.default_rng(2)
    text = [rng.integers(3, SIZE, length).tolist() for length in (1000, 7, 301, 128, 999)]
    alone = [model.log10_probabilities(sentences([each]))[0] for each in text]
    assert model.log10_probabilities(sentences(text)).tolist() == alone


@settings(deadline=None)
@given(texts)
def test_a_sentence_scores_the_sum_of_its_words(
    model: LanguageModel, text: list[list[int]]
) -> None:
    expected = [model.score(np.array([BOS, *each, EOS])).sum() for each in text]
    np.testing.assert_allclose(model.log10_probabilities(sentences(text)), expected, rtol=1e-12)


def test_a_word_that_no_table_has_backs_off_to_the_unigram() -> None:
    """A model written down by hand: log10 of 1/2 is the bigram's, the rest are unigrams'."""
    unigrams = np.array([-3.0, 0.0, -1.0, -0.7, -0.9])
    weights = np.array([0.0, -0.2, 0.0, -0.4, -0.5])
    model = LanguageModel([np.array([BOS << 32 | 3])], [unigrams, np.array([-0.3])], [weights])
    found = model.score(np.array([BOS, 3, 4, EOS, BOS, 4, 0, EOS]))
    expected = [0, -0.3, -0.4 - 0.9, -0.5 - 1, 0, -0.2 - 0.9, -0.5 - 3, 0 - 1]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_no_sentence_has_no_score(model: LanguageModel) -> None:
    assert model.log10_probabilities(sentences([])).tolist() == []


@given(st.sets(st.integers(0, 40)), st.lists(st.integers(0, 50)))
def test_keys_are_found_where_they_are(keys: set[int], queries: list[int]) -> None:
    table = [*sorted(keys), NO_KEY]
    found = find(np.array(table), np.array(queries, np.int64))
    assert found.tolist() == [
        table.index(query) if query in keys else len(keys) for query in queries
    ]


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_model_comes_back_from_disk(tmp_path: Path, order: int) -> None:
    text = sentences([[3, 4, 5], [], [3, 4, 6, 7]])
    model = estimate(text, SIZE, order)
    model.save(tmp_path / "lm.npz")
    again = LanguageModel.load(tmp_path / "lm.npz")
    assert len(again.probabilities) == order
    assert again.log10_probabilities(text).tolist() == model.log10_probabilities(text).tolist()
    again.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "lm.npz").read_bytes()


def test_an_ngram_takes_the_bytes_that_are_told(tmp_path: Path, model: LanguageModel) -> None:
    model.save(tmp_path / "lm.npz")
    unigrams, *middle, highest = map(len, model.probabilities)
    told = 8 * unigrams + 16 * sum(middle) + 12 * highest
    assert told < (tmp_path / "lm.npz").stat().st_size < told + 5000


def test_files_that_are_no_model_are_refused(tmp_path: Path, model: LanguageModel) -> None:
    path = tmp_path / "lm.npz"
    model.save(path)
    whole = path.read_bytes()
    np.savez(tmp_path / "other.npz", words=np.arange(3))
    np.savez(tmp_path / "pickled.npz", **{"probabilities.1": np.array([{}])}, allow_pickle=True)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    for content in (
        b"",
        b"one two\n",
        whole[: len(whole) // 2],
        bytes(damaged),
        (tmp_path / "other.npz").read_bytes(),
        (tmp_path / "pickled.npz").read_bytes(),
    ):
        path.write_bytes(content)
        with pytest.raises(UserError, match=r"lm\.npz: not a language model"):
            LanguageModel.load(path)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"lm\.npz: no such file"):
        LanguageModel.load(tmp_path / "lm.npz")


def test_nothing_is_pickled(tmp_path: Path, model: LanguageModel) -> None:
    model.save(tmp_path / "lm.npz")
    with zipfile.ZipFile(tmp_path / "lm.npz") as archive:
        names = {name.removesuffix(".npy") for name in archive.namelist()}
    assert names == {
        *(f"keys.{n}" for n in (2, 3, 4)),
        *(f"probabilities.{n}" for n in (1, 2, 3, 4)),
        *(f"backoffs.{n}" for n in (1, 2, 3)),
    }
    with np.load(tmp_path / "lm.npz", allow_pickle=False) as arrays:
        assert {str(arrays[name].dtype) for name in names} == {"int64", "float32"}
