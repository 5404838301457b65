"""`contextnmt.model.attending` for a GPU: attention and decoder over whole target sentences.

What the state is multiplied by at a step is one matrix: that of the unit, and below it that of the
query. Besides the functions of the unit, a step is two of the attention (`attention_kernels`), and
so it is on the way back.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from contextnmt.model.fused import attention_kernels as kernels
from contextnmt.model.fused.compiling import apart_in_memory, kind_of
from contextnmt.model.fused.units import FUSED
from contextnmt.model.units import Unit

#: Numbers of a row that a program works on at a time.
BLOCK = 1024


class FusedAttend(torch.autograd.Function):
    """As `Attend`, where all B sentences have all T steps; all factors of products come in one
    type."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        kind: type[Unit],
        words: Tensor,
        state: Tensor,
        keys: Tensor,
        values: Tensor,
        padding: Tensor,
        query: Tensor,
        energy: Tensor,
        *weights: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """As `Attend.forward`."""
        batch, time, size = keys.shape
        wide = values.size(2)
        moves = len(words) // batch  # of the state, T - 1
        words, keys, values = words.contiguous(), keys.contiguous(), values.contiguous()
        padding = padding.contiguous()
        unit = FUSED[kind](state.unsqueeze(0), None, moves, weights, query)
        products = words.new_empty(moves + 1, 1, batch, unit.matrix.size(1))
        alphas = state.new_empty(moves + 1, batch, time)
        found = alphas.new_empty(batch, time)
        blocks = {"KIND": kind_of(state), "BLOCK": BLOCK}
        positions = -(-time // kernels.POSITIONS.value)
        with torch.autocast(words.device.type, enabled=False):
            for step in range(moves + 1):
                unit.multiply(step, products[step])
                kernels.energies[batch, positions](
                    *(keys, products, energy, padding, found, step * batch, time),
                    WIDTH=products.size(3),
                    SIZE=size,
                    **blocks,
                )
                if step == moves:
                    torch.softmax(found, 1, out=alphas[step])
                    break
                kernels.contexts[batch, -(-wide // BLOCK)](
                    *(found, values, words, alphas, unit.out, step * batch, time),
                    SIZE=wide,
                    **blocks,
                )
                unit.forth(step, products, step * batch)
        ctx.unit, ctx.products, ctx.blocks = unit, products, blocks
        ctx.alphas = alphas.detach()
        ctx.save_for_backward(keys, values, energy)
        return unit.states.detach().flatten(0, 2), alphas.flatten(0, 1)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(  # type: ignore[override]
        ctx: Any, of_states: Tensor, of_alphas: Tensor
    ) -> tuple[Tensor | None, ...]:
        """The gradients of what `forward` was given, from those of states and weights."""
        keys, values, energy = ctx.saved_tensors
        unit, products, alphas, blocks = ctx.unit, ctx.products, ctx.alphas, ctx.blocks
        (batch, time, size), wide, moves = keys.shape, values.size(2), unit.steps
        of_states, of_alphas = apart_in_memory(of_states), apart_in_memory(of_alphas)
        positions = -(-time // kernels.POSITIONS.value)
        entered = products.new_empty(1, moves + 1, batch, wide + size)
        entered[:, moves, :, :wide] = 0  # no word is read after the last prediction
        slopes, found = torch.empty_like(alphas), torch.empty_like(alphas[0])
        unit.start_back(entered)
        for step in reversed(range(moves + 1)):
            row = step * batch
            if step < moves:
                unit.back(step, of_states, batch)
                kernels.contexts_back[batch, positions](
                    *(entered, values, of_alphas, found, row, time),
                    WIDTH=wide + size,
                    SIZE=wide,
                    **blocks,
                )
            else:
                found.copy_(of_alphas[row:])
            kernels.queries_back[batch, -(-size // BLOCK)](
                *(keys, products, energy, alphas, found, slopes, entered, row, time),
                WIDTH=products.size(3),
                OUT=wide + size,
                SIZE=size,
                **blocks,
            )
            unit.multiply_back(step)
        of_keys = torch.empty_like(keys)
        of_energies = alphas.new_empty(batch * positions, size)
        kernels.keys_back[batch, positions, -(-size // BLOCK)](
            *(keys, products, energy, slopes, of_keys, of_energies, moves + 1, batch, time),
            WIDTH=products.size(3),
            SIZE=size,
            **blocks,
        )
        of_words = entered[0, :moves, :, :wide]
        weighed = alphas[:moves].to(values.dtype).permute(1, 2, 0)  # [B, S, T - 1]
        of_weights, of_query = unit.of_weights()
        of_start = of_states[:batch] + unit.of_start()[0]
        unit.end_back()
        return (
            None,
            of_words.flatten(0, 1),
            of_start,
            of_keys,
            torch.bmm(weighed, of_words.transpose(0, 1)),
            None,
            of_query,
            of_energies.sum(0, keepdim=True).to(energy.dtype),
            *of_weights,
        )
