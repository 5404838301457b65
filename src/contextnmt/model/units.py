"""The recurrent units as training runs them over whole sentences, with their gradients written out.

What autograd would do at each step waits until the end: the gradient of a matrix is one product of
all steps' states, in the place of a small one at each step, added to the ones before. The equations
are those of `GRUCell` and `LSTMDecoder.move`, which tests hold them against.

Matrices are multiplied in the type of the weights, which may have 16 bits; all else has that of the
memory, also because a function of mixed types takes several times as long on a CPU (A46).

Shapes: directions D, batch B, hidden n, what enters the gates g.
"""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from contextnmt.model.filler import with_filler

#: What a unit keeps from step to step: first the hidden state s_i, then what else its cell has;
#: [D, B, n] each in training, [batch, width, hidden] in search.
Memory = tuple[Tensor, ...]

#: What a step leaves for its gradient.
Trace = tuple[Tensor, ...]


class Unit(Protocol):
    """One step of a recurrent unit, forth and back."""

    def __init__(self, *weights: Tensor) -> None: ...

    def start(self, state: Tensor) -> Memory:
        """The memory before the first step, whose state [D, B, n] is given."""

    def step(self, inputs: Tensor, memory: Memory) -> tuple[Memory, Trace]:
        """The memory after a step, from the one before and `inputs` [D, B, g], biases included, of
        either type."""

    def back(self, trace: Trace, before: Memory, gradient: Memory, inputs: Tensor) -> Memory:
        """The gradient of the memory `before` a step, from that of the memory after it, which is
        lost; the gradient of what entered the gates is written to `inputs` [D, B, g], which has the
        type of the weights."""

    def weights(
        self, states: Tensor, traces: Sequence[Trace], inputs: Tensor
    ) -> tuple[Tensor, ...]:
        """The gradients of the weights, as `__init__` has them, from the states before all steps
        [D, N, n] and the gradients of the inputs [D, N, g], in one type; N counts the sentences of
        all steps, and filler, of which both are zero."""


def plus_product(inputs: Tensor, states: Tensor, matrix: Tensor) -> Tensor:
    """`inputs` [D, B, g] plus states W, from `states` [D, B, n] and W [D, n, g]: new, and in the
    type of the states."""
    factors = states.to(matrix.dtype)
    if inputs.dtype == matrix.dtype:
        return torch.baddbmm(inputs, factors, matrix).to(states.dtype)
    return torch.bmm(factors, matrix).to(states.dtype).add_(inputs)


def of_matrix(inputs: Tensor, states: Tensor) -> Tensor:
    """The gradient of a matrix [D, g, n], from those of what it made [D, N, g] of `states`
    [D, N, n].

    A product for each direction: of both together, columns of wider rows, which is what enters a
    gate, are copied first where they have 16 bits, and that takes longer than to multiply them.
    """
    found = inputs.new_empty(len(inputs), inputs.size(2), states.size(2))
    for each, entered, state in zip(found, inputs, states, strict=True):
        torch.mm(entered.t(), state, out=each)
    return found


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
    return values.mul_(2).sigmoid_().mul_(2).sub_(1)


def into_sigmoid(gradient: Tensor, outputs: Tensor) -> None:
    """Turn the gradient of what came out of a sigmoid into that of what entered it."""
    torch.ops.aten.sigmoid_backward.grad_input(gradient, outputs, grad_input=gradient)


def into_tanh(gradient: Tensor, outputs: Tensor) -> None:
    """As `into_sigmoid`, of tanh."""
    torch.ops.aten.tanh_backward.grad_input(gradient, outputs, grad_input=gradient)


class LSTMUnit:
    """The unit of `LSTMDecoder`. Its gates are into, forget, out, then the candidate."""

    def __init__(self, recurrent: Tensor) -> None:
        """`recurrent` [D, 4 n, n]."""
        self.recurrent = recurrent
        # As matrices multiply: transposed on the way, small products take three times as long.
        self.forth = recurrent.transpose(1, 2).contiguous()

    def start(self, state: Tensor) -> Memory:
        """As `Unit.start`; the cell is zero (A36)."""
        return state, torch.zeros_like(state)

    def step(self, inputs: Tensor, memory: Memory) -> tuple[Memory, Trace]:
        """As `Unit.step`; the memory is s and the cell."""
        state, cell = memory
        size = state.size(2)
        gates = plus_product(inputs, state, self.forth)
        candidate = into_its_tanh(gates[:, :, 3 * size :])
        into, forget, out = gates[:, :, : 3 * size].sigmoid_().chunk(3, dim=2)
        cell = (forget * cell).addcmul_(into, candidate)
        squashed = into_its_tanh(cell.clone())
        return (out * squashed, cell), (gates, squashed)

    def back(self, trace: Trace, before: Memory, gradient: Memory, inputs: Tensor) -> Memory:
        """As `Unit.back`."""
        gates, squashed = trace
        state, cell = gradient
        size = state.size(2)
        into, forget, out, candidate = gates.chunk(4, dim=2)
        of_squashed = state * out
        into_tanh(of_squashed, squashed)
        cell.add_(of_squashed)
        entered = exact_like(inputs, state.dtype)
        of_into, of_forget, of_out, of_candidate = entered.chunk(4, dim=2)
        torch.mul(cell, candidate, out=of_into)
        torch.mul(cell, before[1], out=of_forget)
        torch.mul(state, squashed, out=of_out)
        torch.mul(cell, into, out=of_candidate)
        into_sigmoid(entered[:, :, : 3 * size], gates[:, :, : 3 * size])
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

    def step(self, inputs: Tensor, memory: Memory) -> tuple[Memory, Trace]:
        """As `Unit.step`; the memory is s alone."""
        (state,) = memory
        size = state.size(2)
        into, entering = inputs[:, :, :size], inputs[:, :, size:]
        gates = plus_product(entering, state, self.gates_forth).sigmoid_()
        update, reset = gates.chunk(2, dim=2)
        shortened = reset * state
        candidate = into_its_tanh(plus_product(into, shortened, self.candidate_forth))
        return (torch.lerp(state, candidate, update),), (gates, candidate, shortened)

    def back(self, trace: Trace, before: Memory, gradient: Memory, inputs: Tensor) -> Memory:
        """As `Unit.back`."""
        gates, candidate, _ = trace
        (state,), (after,) = before, gradient
        size = state.size(2)
        update, reset = gates.chunk(2, dim=2)
        entered = exact_like(inputs, state.dtype)
        into, entering = entered[:, :, :size], entered[:, :, size:]
        into_tanh(torch.mul(after, update, out=into), candidate)
        product = torch.bmm(rounded(into, inputs[:, :, :size]), self.candidate)
        shortened = product.to(state.dtype)  # of r s
        of_update, of_reset = entering.chunk(2, dim=2)
        torch.mul(candidate - state, after, out=of_update)
        torch.mul(shortened, state, out=of_reset)
        into_sigmoid(entering, gates)
        result = after.sub_(after * update).add_(shortened.mul_(reset))
        product = torch.bmm(rounded(entering, inputs[:, :, size:]), self.gates)
        return (result.add_(product.to(state.dtype)),)

    def weights(
        self, states: Tensor, traces: Sequence[Trace], inputs: Tensor
    ) -> tuple[Tensor, ...]:
        """As `Unit.weights`."""
        size = states.size(2)
        into, entering = inputs[:, :, :size], inputs[:, :, size:]
        steps = [each[2].to(states.dtype) for each in traces]
        shortened = with_filler(steps, states, states.size(1))
        return of_matrix(into, shortened), of_matrix(entering, states)
