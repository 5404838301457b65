"""The decoder's recurrence over whole target sentences, as one function to autograd; see `units`.

Its equations are those of `Attention.forward` and the decoders' `step`, against which tests hold
it. The context c_i = sum_j alpha_ij h_j enters the gates through a matrix alone, and
C c_i = sum_j alpha_ij (C h_j): so the annotations are multiplied, for all positions at once, and
the contexts come after the last step. What of the gradient needs no step before it waits until the
end: those of all matrices, of C h_j, and of the keys but for a sum. The hidden layer of the
attention (`hidden_layer`) is computed again on the way back: that takes no longer than to fetch it
from where so much can be kept.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from contextnmt.model.device import exact_on_cpu
from contextnmt.model.filler import with_filler
from contextnmt.model.hidden_layer import Keys, asked_of, energies, hidden_layer, keys_of
from contextnmt.model.units import Unit
from contextnmt.model.unroll import by_step, longer


class Attend(torch.autograd.Function):
    """States and weights of RNNsearch, given the target words.

    The sentences are in the order of their targets, the longest first, so that those which a step
    still has are the first ones of the step before (see `Packed`).

    Shapes: batch B, steps T, words of all steps N, source time S, hidden n, alignment a, what
    enters the gates g. Factors of matrix products come in one type; what adds up over the steps,
    and the weights, are in the type of `state`; the hidden layer is in that of `keys_of`, and so is
    what the contexts are summed up from, a row for each sentence (`exact_on_cpu`, A46).
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        kind: type[Unit],
        words: Tensor,
        state: Tensor,
        sizes: Sequence[int],
        keys: Tensor,
        values: Tensor,
        padding: Tensor,
        query: Tensor,
        energy: Tensor,
        *weights: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """The states [N, n] that predict the words of all steps, s_0 of all sentences first, and
        the weights by which each of them looks up its context [N, S].

        `words` [N - B, g] is what the words but the last one of each sentence contribute to the
        gates, biases included, and may end with filler, which N counts too; `state` [B, n] is s_0;
        `sizes` counts the sentences of each of the T steps; `keys` [B, S, a] and `padding`
        [B, 1, S] as in `Attention`; `values` [B, S, g] is C h_j; `query` W_a [a, n], `energy` v_a
        [1, a]; then the unit's weights, of one direction.
        """
        with torch.autocast(words.device.type, enabled=False):
            unit = kind(*weights)
            lower = words.dtype
            entering, values = keys_of(keys), exact_on_cpu(values)
            doubled = 2 * energy.to(entering.doubled.dtype)
            query_forth = (2 * query.t()).contiguous()  # as matrices multiply, see `LSTMUnit`
            memory = unit.start(state.unsqueeze(0))
            states = state.new_empty(sizes[0] + len(words), state.size(1))
            alphas = states.new_empty(len(states), keys.size(1))
            asked = entering.doubled.new_empty(len(states), len(query))
            for each in states, alphas, asked:
                each[sum(sizes) :] = 0  # the filler
            scratch = torch.empty_like(entering.doubled)
            ctx.unit, ctx.sizes, ctx.memories, ctx.traces = unit, sizes, [], []
            steps = [by_step(each, sizes) for each in (states, asked, alphas)]
            leading = [*by_step(words, sizes[1:]), None]  # to the next step
            for state, queries, found, word in zip(*steps, leading, strict=True):
                count = len(state)
                state.copy_(memory[0][0])
                queries.copy_(state.to(lower) @ query_forth)
                now = asked_of(queries, entering).unsqueeze(1)  # in the place of the queries
                summed = energies(now, first(entering, count), doubled, scratch[:count])
                summed += padding[:count, 0]
                torch.softmax(summed.to(states.dtype), 1, out=found)
                if word is not None:
                    count = len(word)
                    memory = tuple(each[:, :count] for each in memory)
                    ctx.memories.append(memory)
                    weighed = found[:count].unsqueeze(1).to(values.dtype)
                    entered = word.unsqueeze(1).to(values.dtype)
                    inputs = torch.baddbmm(entered, weighed, values[:count])
                    memory, trace = unit.step(inputs.transpose(0, 1), memory)
                    ctx.traces.append(trace)
        ctx.save_for_backward(states, alphas, asked, values, query, energy, *entering)
        return states, alphas

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(  # type: ignore[override]
        ctx: Any, of_states: Tensor, of_alphas: Tensor
    ) -> tuple[Tensor | None, ...]:
        """The gradients of what `forward` was given, from those of states and weights."""
        states, alphas, asked, values, query, energy, *entering = ctx.saved_tensors
        sizes, keys, lower = ctx.sizes, Keys(*entering), query.dtype
        words = query.new_empty(len(states) - sizes[0], values.size(2))
        of_asked = torch.empty_like(asked)
        words[sum(sizes) - sizes[0] :] = 0  # the filler
        of_asked[sum(sizes) :] = 0
        scratch = torch.empty_like(keys.doubled)
        unscaled = torch.zeros_like(scratch, dtype=states.dtype)
        of_energy = torch.zeros_like(energy, dtype=states.dtype)
        slope = 4 * energy.to(scratch.dtype)
        memory = ctx.unit.start(states[:0].unsqueeze(0))
        steps = [by_step(each, sizes) for each in (of_states, of_alphas, alphas, asked, of_asked)]
        entering = [*zip(by_step(words, sizes[1:]), ctx.traces, ctx.memories, strict=True), None]
        for of_state, weights, found, queries, of_queries, then in reversed(
            list(zip(*steps, entering, strict=True))
        ):
            count = len(of_state)
            if then:
                word, trace, before = then
                memory = ctx.unit.back(trace, before, memory, word.unsqueeze(0))
                row = word.unsqueeze(1).to(values.dtype)
                looked_up = torch.bmm(row, values[: len(word)].transpose(1, 2))
                missing = (0, 0, 0, count - len(word))
                weights = weights + functional.pad(looked_up.squeeze(1), missing)
            memory = longer(memory, count)
            slopes = softmax_backward(weights, found).to(scratch.dtype)  # [sentences, S]
            hidden = scratch[:count]
            hidden_layer(queries.unsqueeze(1), first(keys, count), hidden)
            # The energies of a state add up to zero: the 1 that tanh has less is not missed. A
            # product for each sentence, since one of all would cut `hidden` across a CPU's cores.
            of_energy += torch.bmm(slopes.unsqueeze(1), hidden).sum(0, dtype=states.dtype)
            hidden.addcmul_(hidden, hidden, value=-1)  # a quarter of d tanh
            torch.bmm(slopes.unsqueeze(1), hidden, out=of_queries.unsqueeze(1))
            of_queries.mul_(slope)
            unscaled[:count].addcmul_(slopes.unsqueeze(2), hidden)
            memory[0][0].add_(of_state).add_(of_queries.to(lower) @ query)
        continued = [each[0] for each in ctx.memories]
        before = with_filler(continued, states.unsqueeze(0), len(words)).to(lower)
        led_on = zip(by_step(alphas, sizes), sizes[1:], strict=False)  # all steps but the last
        weighed = torch.cat([alphas[:0], *(found[:count] for found, count in led_on)])
        return (
            None,
            words,
            memory[0][0],
            None,
            (unscaled * slope).to(lower),
            torch.bmm(
                spread(weighed.to(lower), sizes).permute(1, 2, 0),
                spread(words, sizes).transpose(0, 1),
            ),
            None,
            of_asked.t().to(lower) @ states.to(lower),
            (2 * of_energy).to(lower),
            *ctx.unit.weights(before, ctx.traces, words.unsqueeze(0)),
        )


def first(keys: Keys, count: int) -> Keys:
    """Those of the first sentences."""
    return keys.each(itemgetter(slice(count)))


def spread(rows: Tensor, sizes: Sequence[int]) -> Tensor:
    """[T - 1, B, ...] from the rows [N - B, ...] of all steps but the first, zero where a step has
    no more of a sentence."""
    steps = rows.new_zeros(len(sizes) - 1, sizes[0], *rows.shape[1:])
    for step, part in zip(steps, by_step(rows, sizes[1:]), strict=True):
        step[: len(part)] = part
    return steps


def softmax_backward(gradient: Tensor, outputs: Tensor) -> Tensor:
    """The gradient of what entered a softmax over the second dimension, from `outputs`."""
    weighted = gradient * outputs
    return weighted - outputs * weighted.sum(1, keepdim=True)
