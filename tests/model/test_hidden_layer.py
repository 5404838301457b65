"""The hidden layer of the attention without an exponential at each step, against one with it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from contextnmt.model.hidden_layer import LIMIT, hidden_layer, keys_of

BOTH = [torch.float32, torch.float64]


def layer(query: Tensor, keys: Tensor) -> Tensor:
    """What `hidden_layer` makes of W_a s [batch, a] and U_a h [batch, time, a]."""
    out = torch.full_like(keys, 7.0)
    found = hidden_layer(2 * query.unsqueeze(1), keys_of(keys), out)
    assert found.data_ptr() == out.data_ptr()
    return found


def plain(query: Tensor, keys: Tensor) -> Tensor:
    return (torch.tanh(query.double().unsqueeze(1) + keys.double()) + 1) / 2


@pytest.mark.parametrize("precision", BOTH, ids=str)
@settings(deadline=None)  # the first call takes long
@given(
    st.lists(st.floats(-300, 300), min_size=3, max_size=3),
    st.lists(st.floats(-300, 300), min_size=6, max_size=6),
)
def test_it_is_half_of_tanh_and_a_half_whatever_the_size_of_its_input(
    precision: torch.dtype, query: list[float], keys: list[float]
) -> None:
    of_state = torch.tensor([query], dtype=precision)
    of_source = torch.tensor([keys], dtype=precision).view(1, 2, 3)
    allowed = 4e-5 if precision is torch.float32 else 1e-13  # of numbers with seven digits
    found = layer(of_state, of_source)
    torch.testing.assert_close(found.double(), plain(of_state, of_source), rtol=0, atol=allowed)


@pytest.mark.parametrize("precision", BOTH, ids=str)
def test_it_is_exact_up_to_the_last_digits_in_the_range_of_models(precision: torch.dtype) -> None:
    torch.manual_seed(1)
    query, keys = (4 * torch.randn(*shape, dtype=precision) for shape in [(5, 30), (5, 9, 30)])
    assert keys_of(keys).factors is not None
    sums = (2 * query.double().unsqueeze(1) + 2 * keys.double()).sigmoid()
    relative = ((layer(query, keys).double() - sums) / sums).abs().max().item()
    assert relative < 40 * torch.finfo(precision).eps  # an exponent of 40 has lost as many


@pytest.mark.parametrize("beyond", [LIMIT, -LIMIT, float("inf"), float("nan")])
def test_keys_beyond_the_limit_have_no_factors(beyond: float) -> None:
    keys = torch.zeros(1, 2, 3)
    assert keys_of(keys).factors is not None
    keys[0, 1, 1] = beyond
    assert keys_of(keys).factors is None


def test_a_query_and_a_key_far_from_zero_may_meet_in_the_middle() -> None:
    query, keys = torch.tensor([[-60.0]]), torch.tensor([[[39.0]]])
    assert keys_of(keys).factors is not None
    assert layer(query, keys).item() == pytest.approx(torch.sigmoid(torch.tensor(-42.0)).item())
    assert layer(torch.tensor([[-39.5]]), keys).item() == pytest.approx(0.2689414)


def test_what_is_not_a_number_stays_none() -> None:
    keys = torch.zeros(2, 2, 3)
    found = layer(torch.tensor([[0.0, float("nan"), 0.0], [0.0, 0.0, 0.0]]), keys)
    assert found.isnan().nonzero().tolist() == [[0, 0, 1], [0, 1, 1]]


def test_in_16_bits_there_are_no_factors() -> None:
    assert keys_of(torch.zeros(1, 2, 3, dtype=torch.bfloat16)).factors is None


def test_no_sentence_is_no_mistake() -> None:
    assert layer(torch.zeros(0, 3), torch.zeros(0, 2, 3)).shape == (0, 2, 3)
