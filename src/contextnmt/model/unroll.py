"""Recurrent units over whole sentences, as one function to autograd; see `units`."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from contextnmt.model.device import fuses
from contextnmt.model.padding import with_filler
from contextnmt.model.units import Memory, Unit


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
    """All states of D units of one size, side by side: one product of matrices a step serves all.

    Shapes: directions D, words of all steps N, batch B, hidden n, what enters the gates g.
    """

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
