import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.selection.ranking import BINS, bin_edges, cut, histogram, ranked

scores = st.lists(st.sampled_from([-2.0, -0.0, 0.0, 1.5, math.inf]))


@given(scores)
def test_equal_scores_stay_in_the_order_of_the_pool(values: list[float]) -> None:
    expected = sorted(
        (number for number, value in enumerate(values) if value < math.inf),
        key=lambda number: values[number],
    )
    assert ranked(np.array(values)).tolist() == expected


@given(st.lists(st.integers(1, 9), min_size=1), st.data())
def test_no_pair_fewer_would_reach_the_limit(amounts: list[int], data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, sum(amounts)))
    count = cut(np.array(amounts, np.int32), limit, "pairs")
    assert sum(amounts[: count - 1]) < limit <= sum(amounts[:count])


def test_totals_pass_the_range_of_32_bits() -> None:
    amounts = np.full(4, 2**30, np.int32)
    assert cut(amounts, 3 * 2**30, "target words") == 3


@pytest.mark.parametrize("amounts", [[], [2, 2]])
def test_more_than_there_is_cannot_be_cut_off(amounts: list[int]) -> None:
    with pytest.raises(UserError, match=rf"5 target words .* the pool has {sum(amounts)}:"):
        cut(np.array(amounts, np.int32), 5, "target words")


@given(scores.filter(lambda values: min(values, default=math.inf) < math.inf))
def test_every_score_is_in_a_bin(values: list[float]) -> None:
    table = np.array(values)
    edges = bin_edges(table, ranked(table))
    found = histogram(table, edges)
    assert len(found) == len(edges) - 1 == BINS
    assert found.sum() == sum(map(math.isfinite, values))


def test_few_pairs_far_off_do_not_stretch_the_bins() -> None:
    table = np.concatenate([np.linspace(0, 1, 9997), [-500.0, 500.0, math.inf]])
    edges = bin_edges(table, ranked(table))
    assert -0.01 < edges[0] < edges[-1] < 1.01
    assert histogram(table, edges)[50] == pytest.approx(100, abs=2)
