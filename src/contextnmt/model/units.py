"""The recurrent units as training runs them over whole sentences, with their gradients written out.

The gradient of a matrix is one product of all steps' states after the last step, where autograd
adds up a small one of each step. The equations are those of `GRUCell` and `LSTMDecoder.step`;
tests hold the units against these.

Matrices are multiplied in the type of the weights (`arithmetic`). All else has the type of the
memory: a function of mixed types takes a CPU several times as long (A46).

`unroll` runs them, as one function to autograd.

Shapes: directions D, words of all steps N, batch B, hidden n, what enters the gates g.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from contextnmt.model.arithmetic import add_product, fuses, of_matrix, plus_product
from contextnmt.model.padding import with_filler

#: The tensors that a unit keeps from step to step: the hidden state s_i, then an LSTM's cell;
#: [D, B, n] each in training, [batch, width, hidden] in search.
Memory = tuple[Tensor, ...]

#: The tensors that a step leaves for its gradient.
Trace = tuple[Tensor, ...]

#: The gradients of a unit's weights.
Weights = tuple[Tensor, ...]

#: A tensor, as `torch.add` with `out` takes no number first.
MINUS_ONE = torch.tensor(-1.0)


def exact_like(inputs: Tensor, kind: torch.dtype) -> Tensor:
    """Return `inputs` if they have the type `kind`, else an empty tensor like them of that type."""
    return inputs if inputs.dtype == kind else torch.empty_like(inputs, dtype=kind)


def rounded(exact: Tensor, inputs: Tensor) -> Tensor:
    """Return `inputs` with the numbers of `exact`, a tensor of `exact_like(inputs, ...)`."""
    return inputs if inputs.dtype == exact.dtype else inputs.copy_(exact)


def tanh(values: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the tanh of `values`, written to `out` if that is given.

    On a CPU this is 2 sigmoid(2 x) - 1, which takes torch a quarter of the time. It is right to
    some 1e-7 in 32 bits.
    """
    if values.is_cuda:
        return torch.tanh(values, out=out)
    return twice_less_one(torch.mul(values, 2, out=out).sigmoid_())


def into_gates(inputs: Tensor) -> tuple[Tensor, ...]:
    """Turn what enters the gates of an LSTM [..., 4 n] into three gates and the candidate [..., n].

    Gates are a sigmoid, the candidate is a tanh as in `tanh`.
    """
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
    """Turn x into 2 x - 1, in its place."""
    return torch.add(MINUS_ONE, values, alpha=2, out=values)


def into_sigmoid(gradient: Tensor, outputs: Tensor) -> None:
    """Turn the gradient of the `outputs` of a sigmoid into that of its inputs."""
    torch.ops.aten.sigmoid_backward.grad_input(gradient, outputs, grad_input=gradient)


def into_tanh(gradient: Tensor, outputs: Tensor) -> None:
    """Turn the gradient of the `outputs` of a tanh into that of its inputs."""
    torch.ops.aten.tanh_backward.grad_input(gradient, outputs, grad_input=gradient)


class LSTMUnit:
    """The unit of `LSTMDecoder`; the docstrings of its methods hold for `GRUUnit` too.

    Its rows are those of the gates into, forget and passed (the output gate), then the candidate.
    """

    def __init__(self, recurrent: Tensor) -> None:
        """`recurrent` [D, 4 n, n]."""
        self.recurrent = recurrent
        # Small products of a transposed view take three times as long.
        self.transposed = recurrent.transpose(1, 2).contiguous()

    @staticmethod
    def start(state: Tensor) -> Memory:
        """Return the memory before the first step, whose state [D, B, n] is given; the cell is zero
        (A36)."""
        return state, torch.zeros_like(state)

    def step(self, inputs: Tensor, memory: Memory, out: Tensor) -> tuple[Memory, Trace]:
        """Return the memory after a step, s and the cell, and the trace that `backward` takes.

        `inputs` [D, B, g], biases included, may have either type. The new state is written to `out`
        [D, B, n]. The trace may hold the memory before the step, and so an `out`: that may not be
        overwritten before `backward`, and is a part of a detached tensor.
        """
        state, before = memory
        gates = plus_product(inputs, state, self.transposed)
        into, forget, passed, candidate = parts = into_gates(gates)
        cell = torch.mul(forget, before).addcmul_(into, candidate)
        squashed = tanh(cell)
        return (torch.mul(passed, squashed, out=out), cell), (*parts, gates, squashed, before)

    def backward(self, trace: Trace, gradient: Memory, inputs: Tensor) -> Memory:
        """Return the gradient of the memory before a step, from that of the memory after it.

        `gradient` is overwritten. The gradient of what entered the gates is written to `inputs`
        [D, B, g], which has the type of the weights.
        """
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

    def weights(self, states: Tensor, traces: Sequence[Trace], inputs: Tensor) -> Weights:
        """Return the gradients of the weights, in the order of `__init__`.

        `states` [D, N, n] are those before all steps, `inputs` [D, N, g] the gradients of what
        entered the gates, both of one type. N counts the sentences of all steps, and filler, for
        which both are zero.
        """
        return (of_matrix(inputs, states),)


class GRUUnit:
    """The unit of `GRUCell`. Its inputs are those of candidate, update gate and reset gate."""

    def __init__(self, candidate: Tensor, gates: Tensor) -> None:
        """`candidate` U [D, n, n]; `gates` U_z and U_r [D, 2 n, n]."""
        self.candidate, self.gates = candidate, gates
        self.candidate_transposed = candidate.transpose(1, 2).contiguous()
        self.gates_transposed = gates.transpose(1, 2).contiguous()

    @staticmethod
    def start(state: Tensor) -> Memory:
        return (state,)

    def step(self, inputs: Tensor, memory: Memory, out: Tensor) -> tuple[Memory, Trace]:
        """Step as `LSTMUnit.step`; the memory is s alone."""
        (state,) = memory
        into, entering = self.split(inputs)
        gates = plus_product(entering, state, self.gates_transposed).sigmoid_()
        update, reset = gates.chunk(2, dim=2)
        shortened = reset * state
        candidate = plus_product(into, shortened, self.candidate_transposed)
        tanh(candidate, out=candidate)
        after = torch.lerp(state, candidate, update, out=out)
        return (after,), (shortened, update, reset, gates, candidate, state)

    def backward(self, trace: Trace, gradient: Memory, inputs: Tensor) -> Memory:
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

    def weights(self, states: Tensor, traces: Sequence[Trace], inputs: Tensor) -> Weights:
        into, entering = self.split(inputs)
        steps = [shortened.to(states.dtype) for shortened, *_ in traces]
        shortened = with_filler(steps, states, states.size(1))
        return of_matrix(into, shortened), of_matrix(entering, states)

    def split(self, inputs: Tensor) -> tuple[Tensor, ...]:
        """Split `inputs` into those of the candidate [D, B, n] and of the gates [D, B, 2 n]."""
        size = self.candidate.size(2)
        return torch.split(inputs, [size, 2 * size], 2)


#: A recurrent unit, forward and backward.
Unit = LSTMUnit | GRUUnit


def unroll(
    unit: type[Unit],
    inputs: Tensor,
    state: Tensor,
    sizes: Sequence[int],
    weights: Sequence[Tensor],
) -> Tensor:
    """Return the states of `Unroll.forward`, in whatever type autocast has the inputs (A46)."""
    lower = [each.to(inputs.dtype) for each in weights]
    if fuses(inputs):
        from contextnmt.model.fused.recurrences import FusedUnroll

        fused: Tensor = FusedUnroll.apply(unit, inputs, state, *lower)  # type: ignore[no-untyped-call]
        return fused
    states: Tensor = Unroll.apply(unit, inputs, state, sizes, *lower)  # type: ignore[no-untyped-call]
    return states


def stacked(groups: Sequence[tuple[Tensor, ...]]) -> list[Tensor]:
    """Stack the tensors of D groups of the same shapes, each to [D, ...]."""
    return [torch.stack(each) for each in zip(*groups, strict=True)]


class Unroll(torch.autograd.Function):
    """All states of D units of one size, side by side: a step is one product of matrices."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        kind: type[Unit],
        inputs: Tensor,
        state: Tensor,
        sizes: Sequence[int],
        *weights: Tensor,
    ) -> Tensor:
        """Return the states after each step [D, N, n], zero for filler.

        `inputs` [D, N, g] have the biases included and may end with filler. `state` [D, B, n] is
        that before the first step; `weights` are those of a unit of the `kind`. A step has the next
        `sizes` of the words: those of the first sentences, no more than the step before has.
        """
        states = state.new_empty(*inputs.shape[:2], state.size(2))
        states[:, sum(sizes) :] = 0
        ctx.unit, ctx.sizes, ctx.traces = kind(*weights), sizes, []
        with torch.autocast(inputs.device.type, enabled=False):
            # Detached: a result holds its function, and if the function held the result too, in a
            # trace, neither would ever be freed.
            memory = ctx.unit.start(state.detach())
            steps = (by_step(each, sizes, 1) for each in (inputs, states.detach()))
            for entering, after in zip(*steps, strict=True):
                memory = shorter(memory, entering.size(1))
                memory, trace = ctx.unit.step(entering, memory, after)
                ctx.traces.append(trace)
        ctx.save_for_backward(state, states)
        ctx.inputs = inputs.shape, inputs.dtype
        return states

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Return the gradients of the arguments of `forward`, from that of the states."""
        shape, dtype = ctx.inputs
        state, states = ctx.saved_tensors
        inputs = gradient.new_empty(shape, dtype=dtype)
        inputs[:, sum(ctx.sizes) :] = 0
        memory = tuple(torch.zeros_like(each[:, :0]) for each in ctx.unit.start(state))
        steps = [by_step(each, ctx.sizes, 1) for each in (gradient, inputs)]
        for of_state, entering, trace in reversed(list(zip(*steps, ctx.traces, strict=True))):
            memory = longer(memory, entering.size(1))
            memory[0].add_(of_state)
            memory = ctx.unit.backward(trace, memory, entering)
        before = states_before([state, *by_step(states, ctx.sizes, 1)], ctx.sizes, inputs.size(1))
        weights = ctx.unit.weights(before.to(dtype), ctx.traces, inputs)
        return None, inputs, longer(memory, state.size(1))[0], None, *weights


def by_step(rows: Tensor, sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Split the rows by step, and drop the filler behind them."""
    filler = rows.size(dim) - sum(sizes)
    return torch.split(rows, [*sizes, filler], dim)[: len(sizes)]


def states_before(states: Sequence[Tensor], sizes: Sequence[int], rows: int) -> Tensor:
    """Return the states before all steps in one tensor [D, rows, n], which ends with zeros.

    `states` [D, B, n] begin with the one before the first step. Each has at least as many sentences
    as the step after it.
    """
    steps = [state[:, :size] for state, size in zip(states, sizes, strict=False)]
    return with_filler(steps, states[0], rows)


def shorter(memory: Memory, size: int) -> Memory:
    """Return the memory of the first `size` sentences."""
    if memory[0].size(1) == size:
        return memory
    return tuple(each[:, :size] for each in memory)


def longer(memory: Memory, size: int) -> Memory:
    """Pad the gradient of the memory to `size` sentences, by zeros for those that had ended."""
    missing = size - memory[0].size(1)
    if not missing:
        return memory
    return tuple(functional.pad(each, (0, 0, 0, missing)) for each in memory)
