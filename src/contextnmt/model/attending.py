"""The decoder's recurrence over whole target sentences, as one function to autograd; see `units`.

Its equations are those of `Attention.forward` and the decoders' `step`, against which tests hold
it. The context c_i = sum_j alpha_ij h_j enters the gates through a matrix alone, and
C c_i = sum_j alpha_ij (C h_j): so the annotations are multiplied, for all positions at once, and
the contexts come after the last step. What of the gradient needs no step before it waits until the
end: those of all matrices, of C h_j, and of the keys but for a sum. The hidden layer of the
attention, by far the largest thing at each step, is computed again on the way back: that takes no
longer than to fetch it from where so much can be kept.

That layer is a sigmoid here, which takes a third of the time: tanh x = 2 sigmoid(2 x) - 1,
the factors go to keys, query and energy before the first step, and what is subtracted is the same
for all positions, which the softmax takes out.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from contextnmt.model.units import Unit


class Attend(torch.autograd.Function):
    """States and weights of RNNsearch, given the target words.

    Shapes: batch B, steps T, source time S, hidden n, alignment a, what enters the gates g.
    Factors of matrix products come in one type; what adds up over the steps, and the weights, are
    in the type of `state` (A46).
    """

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
        """The states s_0 ... s_T [T + 1, B, n] and the weights by which each of them looks up its
        context [T + 1, B, S].

        `words` [T, B, g] is what E y_1 ... E y_T contribute to the gates, biases included; `state`
        [B, n] is s_0; `keys` [B, S, a] and `padding` [B, 1, S] as in `Attention`; `values`
        [B, S, g] is C h_j; `query` W_a [a, n], `energy` v_a [1, a]; then the unit's weights, of one
        direction.
        """
        with torch.autocast(words.device.type, enabled=False):
            unit = kind(*weights)
            steps, lower = len(words) + 1, words.dtype
            keys, doubled = 2 * keys, 2 * energy
            query_forth = (2 * query.t()).contiguous()  # as matrices multiply, see `LSTMUnit`
            memory = unit.start(state.unsqueeze(0))
            states = state.new_empty(steps, *state.shape)
            alphas = states.new_empty(steps, *keys.shape[:2])
            asked = keys.new_empty(steps, len(keys), len(query))
            hidden = torch.empty_like(keys)
            ctx.unit, ctx.memories, ctx.traces = unit, [], []
            for step in range(steps):
                ctx.memories.append(memory)
                states[step] = memory[0][0]
                torch.mm(states[step].to(lower), query_forth, out=asked[step])
                torch.add(asked[step].unsqueeze(1), keys, out=hidden).sigmoid_()
                energies = functional.linear(hidden, doubled).squeeze(2) + padding.squeeze(1)
                torch.softmax(energies.to(states.dtype), 1, out=alphas[step])
                if step + 1 < steps:
                    weighed = alphas[step].unsqueeze(1).to(lower)
                    inputs = torch.baddbmm(words[step].unsqueeze(1), weighed, values)
                    memory, trace = unit.step(inputs.transpose(0, 1), memory)
                    ctx.traces.append(trace)
        ctx.save_for_backward(states, alphas, asked, keys, values, query, energy)
        return states, alphas

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(  # type: ignore[override]
        ctx: Any, of_states: Tensor, of_alphas: Tensor
    ) -> tuple[Tensor | None, ...]:
        """The gradients of what `forward` was given, from those of states and weights."""
        states, alphas, asked, keys, values, query, energy = ctx.saved_tensors
        steps, lower = len(states), keys.dtype
        words = values.new_empty(steps - 1, len(values), values.size(2))
        of_asked = torch.empty_like(asked)
        hidden, unscaled = torch.empty_like(keys), torch.zeros_like(keys, dtype=states.dtype)
        of_energy = torch.zeros_like(energy, dtype=states.dtype)
        slope = 4 * energy
        memory = tuple(torch.zeros_like(each) for each in ctx.memories[0])
        for step in reversed(range(steps)):
            weights = of_alphas[step]
            if step + 1 < steps:
                before, trace = ctx.memories[step], ctx.traces[step]
                memory = ctx.unit.back(trace, before, memory, words[step].unsqueeze(0))
                looked_up = torch.bmm(words[step].unsqueeze(1), values.transpose(1, 2))
                weights = weights + looked_up.squeeze(1)
            energies = softmax_backward(weights, alphas[step]).to(lower)  # [B, S]
            torch.add(asked[step].unsqueeze(1), keys, out=hidden).sigmoid_()
            # Their sum over a sentence is zero: again the 1 is not missed.
            of_energy += energies.reshape(1, -1) @ hidden.flatten(0, 1)
            hidden.addcmul_(hidden, hidden, value=-1)  # a quarter of d tanh
            torch.bmm(energies.unsqueeze(1), hidden, out=of_asked[step].unsqueeze(1))
            of_asked[step].mul_(slope)
            unscaled.addcmul_(energies.unsqueeze(2), hidden)
            memory[0][0].add_(of_states[step]).add_(of_asked[step] @ query)
        weighed = alphas[:-1].permute(1, 2, 0).to(lower)  # [B, S, T]
        entered = states.flatten(0, 1).to(lower)
        return (
            None,
            words,
            memory[0][0],
            (unscaled * slope).to(lower),
            torch.bmm(weighed, words.transpose(0, 1)),
            None,
            of_asked.flatten(0, 1).t() @ entered,
            (2 * of_energy).to(lower),
            *ctx.unit.weights(
                entered[: len(words) * len(keys)].unsqueeze(0),
                ctx.traces,
                words.flatten(0, 1).unsqueeze(0),
            ),
        )


def softmax_backward(gradient: Tensor, outputs: Tensor) -> Tensor:
    """The gradient of what entered a softmax over the second dimension, from `outputs`."""
    weighted = gradient * outputs
    return weighted - outputs * weighted.sum(1, keepdim=True)
