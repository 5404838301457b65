"""The hidden layer of the attention out of exponentials of queries and keys, against tanh."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from contextnmt.model.hidden_layer import LIMIT, asked_of, hidden_layer, keys_of

BOTH = [torch.float32, torch.float64]
#: Half of the limit, which is one of twice the keys, and numbers beyond all that models have.
NEAR, FAR = LIMIT / 2, 1e4


def layer(query: Tensor, keys: Tensor) -> Tensor:
    """Return `hidden_layer` of W_a s [batch, a] and U_a h [batch, time, a]."""
    out = torch.full_like(keys, 7.0)
    entering = keys_of(keys)
    found = hidden_layer(asked_of(-2 * query.unsqueeze(1), entering), entering, out)
    assert found.data_ptr() == out.data_ptr()
    return found


def numbers(within: float, count: int) -> st.SearchStrategy[list[float]]:
    """So many numbers that are no farther from zero."""
    return st.lists(st.floats(-within, within), min_size=count, max_size=count)


@pytest.mark.parametrize("precision", BOTH, ids=str)
@pytest.mark.parametrize("of_keys", [NEAR, FAR])
@settings(deadline=None)  # the first call takes long
@given(st.data())
def test_it_is_half_of_tanh_and_a_half_whatever_the_size_of_its_input(
    precision: torch.dtype, of_keys: float, data: st.DataObject
) -> None:
    size = data.draw(st.sampled_from([1.0, NEAR, FAR]))
    query = torch.tensor([data.draw(numbers(size, 3))], dtype=precision)
    keys = torch.tensor([data.draw(numbers(of_keys, 6))], dtype=precision).view(1, 2, 3)
    if of_keys == NEAR:
        assert keys_of(keys).are_exponentials
    expected = (torch.tanh(query.double().unsqueeze(1) + keys.double()) + 1) / 2
    # Of a sum of numbers as large as these, that many digits are known.
    allowed = max(4.0, size, of_keys) * torch.finfo(precision).eps
    torch.testing.assert_close(layer(query, keys).double(), expected, rtol=0, atol=allowed)


@pytest.mark.parametrize("beyond", [NEAR + 1, -NEAR - 1, float("inf"), float("nan")])
def test_of_keys_beyond_the_limit_exponentials_are_not_used(beyond: float) -> None:
    keys = torch.zeros(1, 2, 3)
    assert keys_of(keys).are_exponentials
    keys[0, 1, 1] = beyond
    assert not keys_of(keys).are_exponentials


def test_no_sentence_is_no_mistake() -> None:
    assert layer(torch.zeros(0, 3), torch.zeros(0, 2, 3)).shape == (0, 2, 3)
