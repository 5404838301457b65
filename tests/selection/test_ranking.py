import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.selection.ranking import BINS, bin_edges, cut, histogram, ranked

scores = st.lists(st.sampled_from([-2.0, -0.0, 0.0, 1.5, math.inf]))


def test_totals_pass_the_range_of_32_bits() -> None:
    amounts = np.full(4, 2**30, np.int32)
    assert cut(amounts, 3 * 2**30, "target words") == 3


@given(scores.filter(lambda values: min(values, default=math.inf) < math.inf))
def test_every_score_is_in_a_bin(values: list[float]) -> None:
    table = np.array(values)
    edges = bin_edges(table, ranked(table))
    found = histogram(table, edges)
    assert len(found) == len(edges) - 1 == BINS
    assert found.sum() == sum(map(math.isfinite, values))
