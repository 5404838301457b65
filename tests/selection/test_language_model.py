"""Models score the same in any company, and come back from disk as they were."""

from itertools import chain
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.selection.language_model import LanguageModel, estimate
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


@settings(max_examples=30, deadline=None)
@given(texts, st.randoms(use_true_random=False))
def test_a_sentence_scores_the_same_in_any_company(
    model: LanguageModel, text: list[list[int]], random: Random
) -> None:
    text = [*text, long := random.choices(range(3, SIZE), k=1000), long[:999]]
    together = model.log10_probabilities(sentences(text))
    alone = [model.log10_probabilities(sentences([each]))[0] for each in text]
    assert together.tolist() == alone
    places = list(range(len(text)))
    random.shuffle(places)
    shuffled = model.log10_probabilities(sentences([text[place] for place in places]))
    assert shuffled.tolist() == together[places].tolist()


@settings(deadline=None)
@given(texts)
def test_a_sentence_scores_the_sum_of_its_words(
    model: LanguageModel, text: list[list[int]]
) -> None:
    expected = [model.score(np.array([BOS, *each, EOS])).sum() for each in text]
    np.testing.assert_allclose(model.log10_probabilities(sentences(text)), expected, rtol=1e-12)


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


def test_files_that_are_no_model_are_refused(tmp_path: Path, model: LanguageModel) -> None:
    path = tmp_path / "lm.npz"
    model.save(path)
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


def test_a_model_is_a_file_of_plain_arrays(tmp_path: Path, model: LanguageModel) -> None:
    """Of 8 bytes a unigram, 16 a longer n-gram and 12 one of the highest order."""
    model.save(tmp_path / "lm.npz")
    with np.load(tmp_path / "lm.npz", allow_pickle=False) as arrays:
        assert {array.dtype.name for array in arrays.values()} == {"int64", "float32"}
    unigrams, *middle, highest = map(len, model.probabilities)
    told = 8 * unigrams + 16 * sum(middle) + 12 * highest
    assert told < (tmp_path / "lm.npz").stat().st_size < told + 5000
