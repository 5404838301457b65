"""Where a long sentence is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.translation.long_sentences import LONGEST, cut


@given(st.lists(st.sampled_from(["a", "b@@", "^^c", ".", ","]), max_size=4 * LONGEST))
def test_the_parts_are_the_sentence(tokens):
    parts = list(cut(tokens))
    assert [token for part in parts for token in part] == tokens
    assert all(0 < len(part) <= LONGEST for part in parts)
    if len(tokens) <= LONGEST:
        assert len(parts) <= 1


@pytest.mark.parametrize(
    ("first", "rest", "length"),
    [
        (["a"] * (LONGEST - 20) + ["."], ["a"] * 50, LONGEST - 19),  # after the full stop
        (["."] + ["a"] * (LONGEST - 1), ["a"] * 50, LONGEST),  # one in the first half is too early
        (["a"] * (LONGEST - 3) + ["b@@"] * 3, ["b@@"] * 50, LONGEST - 3),  # before the word
        (["a"] * LONGEST, ["^^a"] * 50, LONGEST - 1),  # before the piece and its left neighbour
        (["b@@"] * LONGEST, ["b@@"] * 50, LONGEST),  # within a word without end
    ],
)
def test_where_a_part_ends(first, rest, length):
    assert len(next(cut([*first, *rest]))) == length
