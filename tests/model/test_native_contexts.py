"""What a step of the decoder looks up, in C, against torch's ways to the same numbers."""

import pytest
import torch
from model.native_ways import TYPES, in_torch

from contextnmt.model.contexts import back, forth, functions_for, values_of

pytestmark = pytest.mark.usefixtures("in_c", "same_threads_after")

#: Sentences, source positions, what enters the gates, and the sentences that take another step. Of
#: the last two there is work for several threads.
SHAPES = [(0, 2, 3, 0), (1, 1, 1, 1), (3, 7, 5, 0), (3, 6, 5, 2), (9, 40, 333, 9), (9, 30, 333, 4)]


def made(shape, lower, exact):
    """Energies, padding, C h_j and words."""
    torch.manual_seed(1)
    sentences, positions, width, advancing = shape
    energies = torch.randn(sentences, positions, dtype=exact)
    padding = torch.zeros_like(energies)
    for sentence in range(1, sentences):  # one position at least is real
        padding[sentence, max(1, positions - sentence) :] = -torch.inf
    values = torch.randn(sentences, positions, width, dtype=exact).to(lower)
    return energies, padding, values, torch.randn(advancing, width, dtype=exact).to(lower)


def looked_up(energies, padding, values, words, exact):
    """Of all that is wanted: weights, inputs, and the gradient of the energies."""
    weights = torch.full((len(energies) + 2, energies.size(1)), 7, dtype=exact)
    prepared = values_of(values, functions_for(values, words, weights))
    inputs = forth(energies, padding, prepared, words, weights[1:-1])
    of_weights = torch.arange(energies.numel(), dtype=exact).view_as(energies).sin()
    given = of_weights.clone()
    of_energies = back(weights[1:-1], given, prepared, words)
    assert torch.equal(given, of_weights)  # which is autograd's
    return weights, inputs, of_energies


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_step_looks_up_what_it_does_in_torch(shape, lower, exact):
    tensors = made(shape, lower, exact)
    assert functions_for(tensors[2], tensors[3], tensors[0])
    assert not in_torch(functions_for, tensors[2], tensors[3], tensors[0])
    found = looked_up(*tensors, exact)
    expected = in_torch(looked_up, *tensors, exact)
    precise = 1e-12 if exact == torch.float64 else 1e-4
    torch.testing.assert_close(found[:2], expected[:2], rtol=precise, atol=precise)
    # Torch multiplies in 32 bits what had 16, as C does.
    torch.testing.assert_close(found[2], expected[2], rtol=precise, atol=precise)


@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
def test_padding_is_not_read(lower, exact):
    tensors = made((3, 6, 5, 3), lower, exact)
    expected = looked_up(*tensors, exact)
    tensors[2][tensors[1] == -torch.inf] = torch.nan
    torch.testing.assert_close(looked_up(*tensors, exact), expected, rtol=0, atol=0)


@pytest.mark.parametrize("far", [-1000.0, 200.0, 1000.0])
def test_energies_far_from_zero_have_the_same_weights(far):
    energies, *others = made((3, 6, 5, 3), torch.float64, torch.float64)
    ways = [looked_up(each, *others, torch.float64) for each in (energies, energies + far)]
    torch.testing.assert_close(*ways, rtol=0, atol=1e-11)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
@pytest.mark.parametrize("what", ["energies", "values", "words"])
def test_what_is_no_number_is_so_in_its_sentence_alone(what, value):
    energies, padding, values, words = made((3, 6, 5, 3), torch.float32, torch.float32)
    {"energies": energies, "values": values[:, 0], "words": words}[what][1, 0] = value
    ways = [
        function(looked_up, energies, padding, values, words, torch.float32)
        for function in (in_torch, lambda call, *tensors: call(*tensors))
    ]
    for found, expected in zip(*ways, strict=True):
        assert torch.equal(found.isfinite(), expected.isfinite())
    assert [each.isfinite().all().item() for each in ways[0][1]] == [True, False, True]


def test_threads_change_no_digit():
    tensors, found = made((9, 40, 333, 7), torch.float32, torch.float32), []
    for threads in 1, 2, 3:
        torch.set_num_threads(threads)
        found.append(looked_up(*tensors, torch.float32))
    for each in found[1:]:
        assert all(map(torch.equal, each, found[0]))


def test_functions_in_c_are_for_such_types_alone():
    lower, exact = torch.zeros(2, 4, dtype=torch.bfloat16), torch.zeros(2, 4)
    assert functions_for(lower, lower, exact)
    assert not functions_for(lower, exact, exact)
    assert not functions_for(exact, lower, exact)
    assert not functions_for(lower, lower, lower)
    assert not functions_for(lower.half(), lower.half(), exact)


def test_where_there_are_none_sums_have_32_bits():
    values = torch.zeros(2, 3, 4, dtype=torch.bfloat16)
    assert values_of(values, None).rows.dtype == torch.float32
