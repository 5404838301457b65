"""The pairs that a recipe trains on, and their order."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.arrays import map_array
from contextnmt.configuration.training import PairFilter
from contextnmt.errors import UserError
from contextnmt.text.vocabulary import EOS, PAD, UNK
from contextnmt.training.dataset import Batches, Side, TrainingPairs, training_pairs, vocabularies


def side(*sentences):
    offsets = np.cumsum([0, *map(len, sentences)])
    return Side(np.array([i for s in sentences for i in s], np.int32), offsets)


def save(folder, text, **sides):
    for name, content in sides.items():
        np.save(folder / f"{text}.{name}.ids.npy", content.ids)
        np.save(folder / f"{text}.{name}.offsets.npy", content.offsets)


@pytest.fixture
def folder(tmp_path):
    known, unknown = [5, 6, 7, 8], [5, UNK, 7, 8]
    source = side(known, [], known, unknown, unknown, known * 3)
    target = side(known, known, known, unknown, known, known)
    save(tmp_path, "train", source=source, target=target)
    return tmp_path


def test_pairs_are_dropped_for_emptiness_length_and_unknown_words(folder):
    pairs = training_pairs(PairFilter(str(folder), max_length=4, unknown_limit=0.125))
    assert pairs.rows.tolist() == [0, 2, 4]  # 1 of 8 is not more than the limit, 2 of 8 is
    assert pairs.dropped == {"empty": 1, "length": 1, "unknown": 1, "elsewhere": 0}


@pytest.fixture
def longer(tmp_path):
    """The same pairs in a view that has no unknown symbols, but more of them in the third pair."""
    source = side([5] * 4, [], [5] * 8, [5] * 4, [5] * 5, [5] * 6)
    target = side(*([6] * 4 for _ in range(6)))
    folder = tmp_path / "longer"
    folder.mkdir()
    save(folder, "train", source=source, target=target)
    return folder


@pytest.mark.parametrize("block", [1, 4, 5, 100])
def test_common_pairs_pass_the_filter_of_each_view_with_its_own_limits(
    folder, longer, monkeypatch, block
):
    monkeypatch.setattr("contextnmt.training.dataset.BLOCK", block)
    own = PairFilter(str(folder), max_length=4, unknown_limit=0.125)
    other = PairFilter(str(longer), max_length=7, unknown_limit=1.0)
    pairs = training_pairs(own, [other])
    assert pairs.rows.tolist() == [0, 4]
    assert pairs.dropped == {"empty": 1, "length": 1, "unknown": 1, "elsewhere": 1}
    assert len(pairs.source) == 6 and pairs.source.lengths[2] == 4  # its own view is read
    mirrored = training_pairs(other, [own])
    assert mirrored.rows.tolist() == [0, 4]
    assert mirrored.dropped == {"empty": 1, "length": 1, "unknown": 0, "elsewhere": 2}
    third = PairFilter(str(longer), max_length=4, unknown_limit=1.0)
    assert training_pairs(own, [other, third]).rows.tolist() == [0]


def test_views_of_other_pairs_are_refused(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    save(other, "train", source=side([5]), target=side([5]))
    with pytest.raises(UserError, match=r"other holds 1 training pairs and .* 6: give folders"):
        training_pairs(PairFilter(str(folder), 50, 1.0), [PairFilter(str(other), 50, 1.0)])
    with pytest.raises(UserError, match=r"train\.source\.ids\.npy: no such file"):
        training_pairs(PairFilter(str(tmp_path / "none"), 50, 0.1))


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("ids", b"", "not a file of ids"),
        ("ids", b"\x93NUMPY\x01\x00\x05\x00((((\n", "not a file of ids"),
        ("ids", np.array([5.0, 6.0]), "not a file of ids"),
        ("offsets", np.array([], np.int64), "not the offsets of the ids"),
        ("offsets", np.array([0, 4]), "not the offsets of the ids"),
        ("offsets", np.array([0, 9, 4, 28]), "not the offsets of the ids"),
    ],
)
def test_damaged_ids_are_refused(folder, part, content, message):
    path = folder / f"train.source.{part}.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content)
    with pytest.raises(UserError, match=message):
        training_pairs(PairFilter(str(folder), 50, 1.0))


def test_a_pipe_in_place_of_ids_is_not_waited_for(folder):
    path = folder / "train.source.ids.npy"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UserError, match=r"train\.source\.ids\.npy: no such file"):
        training_pairs(PairFilter(str(folder), 50, 1.0))
    with pytest.raises(UserError, match="a folder, a pipe or a device, not a file"):
        map_array(path, np.int32, "ids", "binarize again")


@pytest.mark.parametrize("manifest", [[], {}, {"vocabulary": True}])
def test_words_that_a_manifest_does_not_name_are_refused(tmp_path, manifest):
    (tmp_path / "vocabulary.source.tsv").write_text("a\t1\n")
    with pytest.raises(UserError, match=r"not the vocabulary of .*manifest\.json"):
        vocabularies(tmp_path, manifest)


@pytest.mark.parametrize("strange", [9, -1, 2**31 - 1])
def test_an_id_of_no_word_is_refused(strange):
    pairs = TrainingPairs(side([5, 6]), side([7, strange]), np.arange(1), {})
    batches = Batches(pairs, 1, 1, 0, sizes=[9, 9])
    for take in (batches.largest, lambda: batches[0]):
        with pytest.raises(UserError, match=r"train\.target\.ids\.npy .* no word"):
            take()


def test_nothing_left_is_an_error_that_counts_the_reasons(folder, longer):
    with pytest.raises(UserError, match=r"none of 6 training pairs is left \(1 empty, 5 longer"):
        training_pairs(PairFilter(str(folder), max_length=3, unknown_limit=1.0))
    own, other = (PairFilter(str(path), limit, 1.0) for path, limit in [(folder, 50), (longer, 3)])
    with pytest.raises(UserError, match=r"unknown_limit 1\.0, 5 dropped by other filters\)"):
        training_pairs(own, [other])


def test_padded_rows_end_in_end_of_sentence():
    rows = side([5, 6], [7], [8, 9, 10]).padded(np.array([2, 1]))
    assert rows.tolist() == [[8, 9, 10, EOS], [7, EOS, PAD, PAD]]


@pytest.fixture
def pairs():
    rng = np.random.default_rng(1)
    sentences = [[3 + i, *range(200, 199 + n)] for i, n in enumerate(rng.integers(1, 20, size=101))]
    other = [list(range(3, 3 + n)) for n in rng.integers(1, 20, size=101)]
    return TrainingPairs(side(*sentences), side(*other), np.arange(101), {})


def straightforward(pairs, chunk, seed, epoch):
    """All of an epoch at once, in 64 bits: what `Batches` has to come to, chunk by chunk."""
    rows = np.random.default_rng((seed, epoch)).permutation(pairs.rows.astype(np.int64))
    lengths = np.maximum(pairs.source.lengths[rows], pairs.target.lengths[rows])
    return rows[np.lexsort((lengths, np.arange(len(rows)) // chunk))]


@pytest.mark.parametrize("kind", [np.uint8, np.int64])
@pytest.mark.parametrize("batch_size", [1, 7, 200])
def test_the_order_is_that_of_sorting_an_epoch_as_a_whole(pairs, kind, batch_size):
    small = TrainingPairs(pairs.source, pairs.target, np.arange(2, 101, 2).astype(kind), {})
    batches = Batches(small, batch_size, sort_batches=3, seed=4)
    assert batches.per_epoch == -(-50 // batch_size)
    for epoch in (0, 2, 1):  # in whatever order they are asked for
        first = epoch * batches.per_epoch
        expected = straightforward(small, 3 * batch_size, 4, epoch)
        for number in range(batches.per_epoch):
            rows = expected[number * batch_size : (number + 1) * batch_size]
            assert batches.rows(first + number).tolist() == rows.tolist()
            source, target = batches[first + number]
            np.testing.assert_array_equal(source, pairs.source.padded(rows))
            np.testing.assert_array_equal(target, pairs.target.padded(rows))


LENGTHS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=40)


@given(LENGTHS, st.integers(3, 8), st.sampled_from([1, 4, 100]))
def test_no_batch_is_larger_than_the_largest(lengths, batch_size, block):
    source, target = (side(*([5] * n for n in each)) for each in zip(*lengths, strict=True))
    pairs = TrainingPairs(source, target, np.arange(len(lengths), dtype=np.uint8), {})
    batches = Batches(pairs, batch_size, sort_batches=2, seed=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("contextnmt.training.dataset.BLOCK", block)
        largest = batches.largest()
    assert len(largest[0]) == min(batch_size, len(lengths))
    words = (largest[1] != PAD).sum()
    for batch in map(batches.__getitem__, range(3 * batches.per_epoch)):
        for ids, most in zip(batch, largest, strict=True):
            assert ids.shape[0] <= most.shape[0] and ids.shape[1] <= most.shape[1]
        assert (batch[1] != PAD).sum() <= words + 2 * largest[1].shape[1]


def test_a_batch_of_one_is_largest_where_the_alignment_is():
    source, target = side([5] * 9, [5] * 6, [5]), side([5], [5] * 6, [5] * 8)
    pairs = TrainingPairs(source, target, np.arange(3, dtype=np.uint8), {})
    largest = Batches(pairs, 1, 1, seed=1).largest()
    assert [ids.shape for ids in largest] == [(1, 7), (1, 7)]


def test_without_a_limit_of_unknown_words_the_symbols_are_not_read(folder, monkeypatch):
    monkeypatch.setattr("contextnmt.training.dataset.Side.unknowns", None)
    pairs = training_pairs(PairFilter(str(folder), max_length=4, unknown_limit=1.0))
    assert pairs.dropped == {"empty": 1, "length": 1, "unknown": 0, "elsewhere": 0}
