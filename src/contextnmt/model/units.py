"""The recurrent units as training runs them over whole sentences, with their gradients written out.

What autograd would do at each step waits until the end: the gradient of a matrix is one product of
all steps' states, in the place of a small one at each step, added to the ones before. The equations
are those of `GRUCell` and `LSTMDecoder.move`, which tests hold them against.

On Linux with GCC, a training on a CPU has the units of `native.units` in the place of these.

Matrices are multiplied in the type of the weights (`products`); all else has that of the memory,
also because a function of mixed types takes several times as long on a CPU (A46).

Shapes: directions D, batch B, hidden n, what enters the gates g.
"""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from contextnmt.model.filler import with_filler
from contextnmt.model.products import add_product, of_matrix, plus_product

#: What a unit keeps from step to step: first the hidden state s_i, then what else its cell has;
#: [D, B, n] each in training, [batch, width, hidden] in search.
Memory = tuple[Tensor, ...]

#: What a step leaves for its gradient.
Trace = tuple[Tensor, ...]

#: For a function that adds to a tensor, and not to a number.
MINUS_ONE = torch.tensor(-1.0)


class Unit(Protocol):
    """One step of a recurrent unit, forth and back."""

    def __init__(self, *weights: Tensor) -> None: ...

    def start(self, state: Tensor) -> Memory:
        """The memory before the first step, whose state [D, B, n] is given."""

    def step(self, inputs: Tensor, memory: Memory, out: Tensor) -> tuple[Memory, Trace]:
        """The memory after a step, from the one before and `inputs` [D, B, g], biases included, of
        either type; its state is written to `out` [D, B, n].

        What the step leaves may hold the memory before it, and so an `out`: none of it may be
        written again before `back`, nor be a part of what the function returns to autograd (see
        `apart`)."""

    def back(self, trace: Trace, gradient: Memory, inputs: Tensor) -> Memory:
        """The gradient of the memory before a step, from that of the memory after it, which is
        lost; the gradient of what entered the gates is written to `inputs` [D, B, g], which has the
        type of the weights."""

    def weights(
        self, states: Tensor, traces: Sequence[Trace], inputs: Tensor
    ) -> tuple[Tensor, ...]:
        """The gradients of the weights, as `__init__` has them, from the states before all steps
        [D, N, n] and the gradients of the inputs [D, N, g], in one type; N counts the sentences of
        all steps, and filler, of which both are zero."""


def exact_like(inputs: Tensor, kind: torch.dtype) -> Tensor:
    """Where to compute what `inputs` are to hold: there, if they have the type `kind`."""
    return inputs if inputs.dtype == kind else torch.empty_like(inputs, dtype=kind)


def rounded(exact: Tensor, inputs: Tensor) -> Tensor:
    """What was computed in `exact_like(inputs, ...)`, in `inputs`, which are returned."""
    return inputs if inputs.dtype == exact.dtype else inputs.copy_(exact)


def into_its_tanh(values: Tensor) -> Tensor:
    """`values`, turned into their tanh; on a CPU as 2 sigmoid(2 x) - 1, right to some 1e-7 in 32
    bits, which takes torch a quarter of the time."""
    if values.is_cuda:
        return values.tanh_()
    return twice_less_one(values.mul_(2).sigmoid_())


def tanh(values: Tensor) -> Tensor:
    """As `into_its_tanh`, of values that stay as they are."""
    if values.is_cuda:
        return values.tanh()
    return twice_less_one(torch.mul(values, 2).sigmoid_())


def into_gates(inputs: Tensor) -> tuple[Tensor, ...]:
    """The gates of an LSTM, then its candidate, [..., n] each, in the place of what enters them
    [..., 4 n]: the sigmoid of three, the tanh of the last, as `into_its_tanh` has it."""
    parts = inputs.chunk(4, -1)
    candidate = parts[3]
    if inputs.is_cuda:
        candidate.tanh_()
        inputs[..., : -candidate.size(-1)].sigmoid_()
    else:
        candidate.mul_(2)
        inputs.sigmoid_()  # of all in one call, which counts in small models
        twice_less_one(candidate)
    return parts


def twice_less_one(values: Tensor) -> Tensor:
    """2 x - 1 in the place of x."""
    return torch.add(MINUS_ONE, values, alpha=2, out=values)


def into_sigmoid(gradient: Tensor, outputs: Tensor) -> None:
    """Turn the gradient of what came out of a sigmoid into that of what entered it."""
    torch.ops.aten.sigmoid_backward.grad_input(gradient, outputs, grad_input=gradient)


def into_tanh(gradient: Tensor, outputs: Tensor) -> None:
    """As `into_sigmoid`, of tanh."""
    torch.ops.aten.tanh_backward.grad_input(gradient, outputs, grad_input=gradient)


class LSTMUnit:
    """The unit of `LSTMDecoder`. Its gates are into, forget, passed (which lets the cell out), then
    the candidate."""

    def __init__(self, recurrent: Tensor) -> None:
        """`recurrent` [D, 4 n, n]."""
        self.recurrent = recurrent
        # As matrices multiply: transposed on the way, small products take three times as long.
        self.forth = recurrent.transpose(1, 2).contiguous()

    def start(self, state: Tensor) -> Memory:
        """As `Unit.start`; the cell is zero (A36)."""
        return state, torch.zeros_like(state)

    def step(self, inputs: Tensor, memory: Memory, out: Tensor) -> tuple[Memory, Trace]:
        """As `Unit.step`; the memory is s and the cell."""
        state, before = memory
        gates = plus_product(inputs, state, self.forth)
        into, forget, passed, candidate = parts = into_gates(gates)
        cell = torch.mul(forget, before).addcmul_(into, candidate)
        squashed = tanh(cell)
        return (torch.mul(passed, squashed, out=out), cell), (*parts, gates, squashed, before)

    def back(self, trace: Trace, gradient: Memory, inputs: Tensor) -> Memory:
        """As `Unit.back`."""
        into, forget, passed, candidate, gates, squashed, before = trace
        state, cell = gradient
        of_squashed = state * passed
        into_tanh(of_squashed, squashed)
        cell.add_(of_squashed)
        entered = exact_like(inputs, state.dtype)
        of_into, of_forget, of_passed, of_candidate = entered.chunk(4, dim=2)
        torch.mul(cell, candidate, out=of_into)
        torch.mul(cell, before, out=of_forget)
        torch.mul(state, squashed, out=of_passed)
        torch.mul(cell, into, out=of_candidate)
        sigmoids = slice(3 * state.size(2))
        into_sigmoid(entered[:, :, sigmoids], gates[:, :, sigmoids])
        into_tanh(of_candidate, candidate)
        product = torch.bmm(rounded(entered, inputs), self.recurrent)
        return product.to(state.dtype), cell.mul_(forget)

    def weights(
        self, states: Tensor, traces: Sequence[Trace], inputs: Tensor
    ) -> tuple[Tensor, ...]:
        """As `Unit.weights`."""
        return (of_matrix(inputs, states),)


class GRUUnit:
    """The unit of `GRUCell`. What enters it are candidate, update gate, reset gate."""

    def __init__(self, candidate: Tensor, gates: Tensor) -> None:
        """`candidate` U [D, n, n]; `gates` U_z and U_r [D, 2 n, n]."""
        self.candidate, self.gates = candidate, gates
        self.candidate_forth = candidate.transpose(1, 2).contiguous()
        self.gates_forth = gates.transpose(1, 2).contiguous()

    def start(self, state: Tensor) -> Memory:
        """As `Unit.start`."""
        return (state,)

    def step(self, inputs: Tensor, memory: Memory, out: Tensor) -> tuple[Memory, Trace]:
        """As `Unit.step`; the memory is s alone."""
        (state,) = memory
        into, entering = self.split(inputs)
        gates = plus_product(entering, state, self.gates_forth).sigmoid_()
        update, reset = gates.chunk(2, dim=2)
        shortened = reset * state
        candidate = into_its_tanh(plus_product(into, shortened, self.candidate_forth))
        after = torch.lerp(state, candidate, update, out=out)
        return (after,), (shortened, update, reset, gates, candidate, state)

    def back(self, trace: Trace, gradient: Memory, inputs: Tensor) -> Memory:
        """As `Unit.back`."""
        _, update, reset, gates, candidate, state = trace
        (after,) = gradient
        entered = exact_like(inputs, state.dtype)
        into, entering = self.split(entered)
        lower_into, lower_entering = self.split(inputs)
        into_tanh(torch.mul(after, update, out=into), candidate)
        product = torch.bmm(rounded(into, lower_into), self.candidate)
        shortened = product.to(state.dtype)  # of r s
        of_update, of_reset = entering.chunk(2, dim=2)
        torch.mul(candidate - state, after, out=of_update)
        torch.mul(shortened, state, out=of_reset)
        into_sigmoid(entering, gates)
        after.addcmul_(after, update, value=-1).addcmul_(shortened, reset)
        return (add_product(after, rounded(entering, lower_entering), self.gates),)

    def weights(
        self, states: Tensor, traces: Sequence[Trace], inputs: Tensor
    ) -> tuple[Tensor, ...]:
        """As `Unit.weights`."""
        into, entering = self.split(inputs)
        steps = [shortened.to(states.dtype) for shortened, *_ in traces]
        shortened = with_filler(steps, states, states.size(1))
        return of_matrix(into, shortened), of_matrix(entering, states)

    def split(self, inputs: Tensor) -> tuple[Tensor, ...]:
        """What enters the candidate [D, B, n], and what enters the gates [D, B, 2 n]."""
        size = self.candidate.size(2)
        return torch.split(inputs, [size, 2 * size], 2)
