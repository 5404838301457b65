"""`contextnmt.model.unroll` for a GPU: states over whole sentences, as one function to autograd."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from contextnmt.model.fused.compiling import apart_in_memory
from contextnmt.model.fused.units import FUSED
from contextnmt.model.units import Unit


class FusedUnroll(torch.autograd.Function):
    """As `Unroll`, where all B sentences have all T steps."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, kind: type[Unit], inputs: Tensor, state: Tensor, *weights: Tensor
    ) -> Tensor:
        """The states after each step [D, T B, n], from `inputs` [D, T B, g], biases included, the
        state before the first step [D, B, n], and the unit's weights."""
        ways, batch, _ = state.shape
        steps = inputs.size(1) // batch
        inputs = torch.unflatten(inputs.contiguous(), 1, (steps, batch))
        unit = FUSED[kind](state, inputs, steps, weights, None)
        products = inputs.new_empty(ways, batch, unit.matrix.size(1))
        with torch.autocast(inputs.device.type, enabled=False):
            for step in range(steps):
                unit.multiply(step, products)
                unit.forth(step, products, 0)
        unit.inputs = unit.out  # so that those are freed: they are not needed any more
        ctx.unit, ctx.shape = unit, inputs.shape
        return unit.states[:, 1:].flatten(1, 2)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """The gradients of what `forward` was given, from that of the states."""
        unit = ctx.unit
        entered = unit.lower.new_empty(ctx.shape)
        unit.start_back(entered)
        gradient = apart_in_memory(gradient)
        for step in reversed(range(ctx.shape[1])):
            unit.back(step, gradient, 0)
            unit.multiply_back(step)
        of_weights, _ = unit.of_weights()
        of_start = unit.of_start()
        unit.end_back()
        return None, entered.flatten(1, 2), of_start, *of_weights
