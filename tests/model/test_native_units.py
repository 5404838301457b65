"""Recurrent units in C, against those of torch."""

import pytest
import torch
from model.native_ways import TYPES, in_torch

from contextnmt.model.native import cross_entropy as losses_in_c
from contextnmt.model.native import units as native_units
from contextnmt.model.native.library import library
from contextnmt.model.native.units import choose
from contextnmt.model.units import GRUUnit, LSTMUnit

pytestmark = pytest.mark.usefixtures("in_c", "same_threads_after")


def weights_of(kind, directions, size, lower):
    blocks = [4] if kind is LSTMUnit else [1, 2]
    return [torch.randn(directions, each * size, size).to(lower) / size**0.5 for each in blocks]


def wide(directions, batch, size, kind):
    """Rows [D, B, size] that are a part of more."""
    whole = torch.randn(directions, batch + 2, size, dtype=torch.float64).to(kind).fill_(7)
    whole[:, 1 : batch + 1].normal_()
    return whole[:, 1 : batch + 1]


def around(rows):
    """All that such rows are a part of."""
    directions, batch, size = rows.shape
    return rows.as_strided((directions, batch + 2, size), rows.stride(), 0)


def one_way(unit, inputs, memory, gradient, lower):
    """All that a step of a unit makes, forth and back, and what lies around its results."""
    out = wide(*memory[0].shape, memory[0].dtype).fill_(7)
    after, trace = unit.step(inputs, memory, out)
    of_inputs = wide(*inputs.shape, lower).fill_(7)
    before = unit.back(trace, tuple(each.clone() for each in gradient), of_inputs)
    assert torch.equal(after[0].nan_to_num(), out.nan_to_num())
    return [*after, *before, around(out), around(of_inputs)]


def unit_of(kind, weights, state):
    return choose(kind, weights[0], state)(*weights)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
@pytest.mark.parametrize("inputs_in", ["lower", "exact"])
@pytest.mark.parametrize("shape", [(1, 0, 3), (1, 1, 1), (2, 3, 5), (2, 20, 333)], ids=str)
def test_a_step_of_a_unit_is_that_of_torch(shape, inputs_in, lower, exact, kind):
    torch.manual_seed(1)
    directions, batch, size = shape
    weights = weights_of(kind, directions, size, lower)
    width = weights[0].size(1) if kind is LSTMUnit else 3 * size
    inputs = wide(directions, batch, width, lower if inputs_in == "lower" else exact)
    memory = tuple(wide(*shape, exact) for _ in kind(*weights).start(wide(*shape, exact)))
    gradient = tuple(torch.randn(shape, dtype=exact) for _ in memory)
    unit = unit_of(kind, weights, memory[0])
    assert type(unit) is native_units.NATIVE[kind]
    plain = in_torch(unit_of, kind, weights, memory[0])
    assert type(plain) is kind
    ways = [one_way(each, inputs, memory, gradient, lower) for each in (unit, plain)]
    allowed = {torch.float64: 1e-13, torch.float32: 1e-5, torch.bfloat16: 0.06}[lower]
    torch.testing.assert_close(*ways, rtol=0, atol=allowed)


@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
def test_units_in_c_are_for_such_memory_alone(kind):
    weights, state = weights_of(kind, 1, 3, torch.float32), torch.zeros(1, 2, 3)
    assert type(unit_of(kind, weights, state.bfloat16())) is kind
    assert type(unit_of(kind, [each.half() for each in weights], state.half())) is kind


@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
def test_what_is_open_or_closed_or_no_number_is_so_in_all_that_a_step_makes(kind, lower, exact):
    values = [0, 40, -40, 1e4, -1e4, torch.inf, -torch.inf, torch.nan]
    size, blocks = len(values) ** 2, 4 if kind is LSTMUnit else 3
    every = torch.tensor(values, dtype=exact)
    one, other = every.repeat(len(values)), every.repeat_interleave(len(values))
    weights = [torch.zeros_like(each) for each in weights_of(kind, 1, size, lower)]
    inputs = torch.cat([one, other, one.flip(0), other.roll(1)][:blocks]).view(1, 1, -1)
    memory = tuple(torch.linspace(-1, 1, size).to(exact).view(1, 1, -1) for _ in "sc")
    memory = memory if kind is LSTMUnit else memory[:1]
    gradient = tuple(torch.where(one == 40, torch.nan, 1).to(exact).view(1, 1, -1) for _ in memory)
    unit = unit_of(kind, weights, memory[0])
    plain = in_torch(unit_of, kind, weights, memory[0])
    ways = [one_way(each, inputs, memory, gradient, lower) for each in (unit, plain)]
    assert ways[0][0].isnan().any()
    allowed = {torch.float64: 1e-14, torch.float32: 1e-6, torch.bfloat16: 1e-2}[lower]
    torch.testing.assert_close(*ways, rtol=0, atol=allowed, equal_nan=True)


def test_numbers_are_rounded_to_bfloat16_as_torch_does():
    torch.manual_seed(1)
    bits = torch.randint(-(2**31), 2**31, (100_000,)).to(torch.int32)
    numbers = torch.cat([bits.view(torch.float32), torch.tensor([torch.inf, torch.nan, -0.0])])
    state = numbers.view(1, 1, -1)
    functions = library("units.c", torch.bfloat16)
    of_inputs = torch.empty(1, 1, 3 * numbers.numel(), dtype=torch.bfloat16)
    exact, nothing = functions.numbers.whole, torch.zeros_like(state)
    gates = torch.ones(1, 1, 2 * numbers.numel())  # through which the gradient goes unchanged
    arguments = exact(gates), exact(nothing), exact(state), *functions.lower.rows(of_inputs)
    functions.call("gru_back", *arguments, *state.shape)
    found, expected = of_inputs[0, 0, : len(numbers)], numbers.bfloat16()
    assert torch.equal(found.isnan(), expected.isnan())
    assert torch.equal(found.nan_to_num(7), expected.nan_to_num(7))


@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
def test_threads_change_no_digit_of_units_and_losses(kind):
    torch.manual_seed(1)
    weights = weights_of(kind, 2, 40, torch.float32)
    inputs = torch.randn(2, 60, 160 if kind is LSTMUnit else 120)
    memory = tuple(torch.randn(2, 60, 40) for _ in kind(*weights).start(torch.zeros(2, 60, 40)))
    logits, target = torch.randn(33, 1000), torch.randint(0, 1000, (33,))
    found, functions = [], library(losses_in_c.SOURCE, torch.float32)
    products = torch.bmm(memory[0], weights[-1].transpose(1, 2))
    for threads in 1, 2, 3:
        torch.set_num_threads(threads)
        unit = unit_of(kind, weights, memory[0])
        with pytest.MonkeyPatch.context() as patch:  # whose digits threads may change
            patch.setattr(torch, "bmm", lambda one, other: products[:, :, : other.size(2)].clone())
            patch.setattr(native_units, "add_product", lambda to, *_: to)
            made = one_way(unit, inputs, memory, memory, torch.float32)
        slopes, sums, losses = logits.clone(), torch.empty(33), torch.empty(33)
        losses_in_c.into_slopes(functions, slopes, target, sums, losses)
        found.append([*made, slopes, sums, losses])
    for each in found[1:]:
        assert all(map(torch.equal, each, found[0]))
