"""The hidden layer of the attention out of exponentials of queries and keys, against tanh."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from contextnmt.model.hidden_layer import LIMIT, asked_of, energies, hidden_layer, keys_of

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


def test_it_is_exact_up_to_the_last_digits_in_the_range_of_models() -> None:
    """A sum that is rounded before its exponential is taken is not: some nine units in the last
    place are lost."""
    torch.manual_seed(1)
    query, keys = 4 * torch.randn(5, 30), 4 * torch.randn(5, 9, 30)
    sums = (2 * query.double().unsqueeze(1) + 2 * keys.double()).sigmoid()
    relative = ((layer(query, keys).double() - sums) / sums).abs().max().item()
    assert relative < 3 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize("query", [-50.0, -FAR, -float("inf")])
def test_a_query_whose_exponential_is_infinite_leaves_nothing(query: float) -> None:
    keys = torch.tensor([[[NEAR, 0.0, -NEAR]]])
    assert keys_of(keys).are_exponentials
    found = layer(torch.full((1, 3), query), keys)
    assert found.tolist() == [[[pytest.approx(0.0, abs=1e-17)] * 3]]
    assert layer(torch.full((1, 3), -query), keys).tolist() == [[[1.0] * 3]]


@pytest.mark.parametrize("beyond", [NEAR + 1, -NEAR - 1, float("inf"), float("nan")])
def test_of_keys_beyond_the_limit_exponentials_are_not_used(beyond: float) -> None:
    keys = torch.zeros(1, 2, 3)
    assert keys_of(keys).are_exponentials
    keys[0, 1, 1] = beyond
    assert not keys_of(keys).are_exponentials


def test_what_is_not_a_number_stays_none() -> None:
    keys = torch.zeros(2, 2, 3)
    found = layer(torch.tensor([[0.0, float("nan"), 0.0], [0.0, 0.0, 0.0]]), keys)
    assert found.isnan().nonzero().tolist() == [[0, 0, 1], [0, 1, 1]]


def test_keys_of_16_bits_have_32_on_a_cpu() -> None:
    """Their exponentials would be rounded twice."""
    torch.manual_seed(1)
    keys = torch.randn(1, 2, 3).bfloat16()
    assert torch.equal(keys_of(keys).entering, (-2 * keys.float()).exp())


def test_elsewhere_they_stay_as_they_are() -> None:
    keys = keys_of(torch.zeros(1, 2, 3, dtype=torch.bfloat16, device="meta"))
    assert keys.entering.dtype == torch.bfloat16
    assert not keys.are_exponentials


@pytest.mark.parametrize("precision", BOTH, ids=str)
@pytest.mark.parametrize("beyond", [0.0, NEAR + 1], ids=["exponentials", "as on a GPU"])
def test_energies_are_the_hidden_layer_times_a_weight(
    precision: torch.dtype, beyond: float
) -> None:
    torch.manual_seed(1)
    query, keys, weight = (
        torch.randn(each, dtype=precision) for each in [(4, 6), (4, 5, 6), (1, 6)]
    )
    keys[0, 0, 0] += beyond
    expected, entering = layer(query, keys) @ weight[0], keys_of(keys)
    asked = asked_of(-2 * query.unsqueeze(1), entering)
    found = energies(asked, entering, weight, torch.empty_like(keys))
    torch.testing.assert_close(found, expected)


def test_no_sentence_is_no_mistake() -> None:
    assert layer(torch.zeros(0, 3), torch.zeros(0, 2, 3)).shape == (0, 2, 3)
