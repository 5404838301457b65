import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.evaluation.distances import compare, distances, masked_distances, separation

numbers = st.floats(-100, 100)
points = st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=2, max_size=6)


@given(points)
def test_distances_are_those_of_the_definitions(rows: list[list[float]]):
    vectors = np.array([*rows, rows[0]])
    cosine, euclidean = distances(vectors)
    for i, one in enumerate(vectors):
        for j, other in enumerate(vectors):
            assert euclidean[i, j] == pytest.approx(np.sqrt(((one - other) ** 2).sum()))
            lengths = np.sqrt((one**2).sum() * (other**2).sum())
            if lengths > 1e-9:
                assert cosine[i, j] == pytest.approx(1 - one @ other / lengths, abs=1e-9)
    assert np.array_equal(cosine, cosine.T)
    assert cosine[0, -1] == euclidean[0, -1] == 0


def test_distances_of_contexts_are_means_over_words():
    masks = np.array([[1.0, 0.0], [0.0, 1.0]])
    cosine, euclidean = masked_distances(np.array([[3.0, 4.0], [0.0, 5.0]]), masks)
    assert euclidean[0, 1] == 5  # of both words
    assert cosine[0, 1] == pytest.approx((1 + 0.5) / 2)  # of the second, one vector is zero


def test_pairs_go_by_sense():
    vectors = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 3.0], [1.0, 0.0]])
    found = compare(distances(vectors), ["rive", "rive", "banque", "banque", ""])
    for kind, pairs, cosine, euclidean in (
        ("same", 2, 0, 1.5),
        ("different", 4, 1, (2**0.5 + 10**0.5 + 5**0.5 + 13**0.5) / 4),
        ("unknown", 4, 0.5, (0 + 1 + 2**0.5 + 10**0.5) / 4),
    ):
        measured = {"pairs": pairs, "cosine": cosine, "euclidean": euclidean}
        assert found.pop(kind) == pytest.approx(measured)
    assert found == {"separation": 1.0}


def test_of_no_pair_there_is_no_mean():
    found = compare(distances(np.eye(2)), ["", ""])
    assert found["same"] == found["different"] == {"pairs": 0, "cosine": None, "euclidean": None}
    assert found["unknown"]["pairs"] == 1
    assert found["separation"] is None
    assert compare(distances(np.eye(3)), ["a"] * 3)["separation"] is None


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_separation_counts_comparisons(near: list[int], far: list[int]):
    wins = sum((b > a) + 0.5 * (b == a) for a in near for b in far)
    found = separation(np.array(near, float), np.array(far, float))
    assert found == pytest.approx(wins / (len(near) * len(far)))
