"""The decoder's recurrence over whole target sentences, as one function to autograd; see `units`.

Its equations are those of `Attention.forward` and the decoders' `step`, against which tests hold
it. The context c_i = sum_j alpha_ij h_j enters the gates through a matrix alone, and
C c_i = sum_j alpha_ij (C h_j): so the annotations are multiplied, for all positions at once, and
the contexts come after the last step. What of the gradient needs no step before it waits until the
end: those of all matrices, of C h_j, and of the keys but for a sum. The hidden layer of the
attention (`hidden_layer`) is computed again on the way back: that takes no longer than to fetch it
from where so much can be kept.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from contextnmt.model import contexts, hidden_layer
from contextnmt.model.contexts import Values, values_of
from contextnmt.model.hidden_layer import Keys, asked_of, keys_of
from contextnmt.model.native.library import Library
from contextnmt.model.products import add_product, write_product
from contextnmt.model.units import Unit
from contextnmt.model.unroll import apart, by_step, longer, shorter, states_before


class Attend(torch.autograd.Function):
    """States and weights of RNNsearch, given the target words.

    The sentences are in the order of their targets, the longest first, so that those which a step
    still has are the first ones of the step before (see `Packed`).

    Shapes: batch B, steps T, words of all steps N, source time S, hidden n, alignment a, what
    enters the gates g. Factors of matrix products come in one type; what adds up over the steps,
    and the weights, are in the type of `state`; the hidden layer is in that of `keys_of`, and what
    the contexts are summed up from in that of `values_of` (A46).
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        make: Callable[..., Unit],
        summing: Library | None,
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
        [1, a]; then the unit's weights, of one direction, of which `make` makes it. `summing` is
        what `contexts.functions_for` gives.
        """
        with torch.autocast(words.device.type, enabled=False):
            unit = make(*weights)
            prepared, looked_up = keys_of(keys), values_of(values, summing)
            doubled = 2 * energy.to(prepared.entering.dtype)
            query_forth = (-2 * query.t()).contiguous()  # as matrices multiply, see `LSTMUnit`
            states = state.new_empty(sizes[0] + len(words), state.size(1))
            alphas = states.new_empty(len(states), keys.size(1))
            asked = doubled.new_empty(len(states), len(query))
            for each in states, alphas, asked:
                each[sum(sizes) :] = 0  # the filler
            states[: sizes[0]] = state
            ctx.unit, ctx.sizes, ctx.traces = unit, sizes, []
            # Here, where they are those of all sentences.
            ctx.are_exponentials, ctx.summing = prepared.are_exponentials, summing
            ctx.save_for_backward(
                states, alphas, asked, looked_up.rows, query, energy, prepared.entering
            )
            scratch = torch.empty_like(prepared.entering)
            padding = padding.squeeze(1).to(states.dtype)
            steps = [by_step(each, sizes) for each in (apart(states), asked, alphas)]
            memory = unit.start(steps[0][0].unsqueeze(0))
            # After the last step there is none.
            leading = [*by_step(words, sizes[1:]), words[:0]], [*steps[0][1:], None]
            for state, queries, found, word, after in zip(*steps, *leading, strict=True):
                write_product(queries, state, query_forth)
                now = asked_of(queries, prepared)  # in the place of the queries
                energies = hidden_layer.forth(now, prepared, doubled, scratch)
                inputs = contexts.forth(energies, padding, looked_up, word, found)
                if after is None:
                    break
                if len(word) < len(scratch):  # some sentences have ended
                    keep = itemgetter(slice(len(word)))
                    prepared, looked_up = prepared.each(keep), looked_up.each(keep)
                    scratch, padding = map(keep, (scratch, padding))
                    memory = shorter(memory, len(word))
                memory, trace = unit.step(inputs.unsqueeze(0), memory, after.unsqueeze(0))
                ctx.traces.append(trace)
        return states, alphas

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(  # type: ignore[override]
        ctx: Any, of_states: Tensor, of_alphas: Tensor
    ) -> tuple[Tensor | None, ...]:
        """The gradients of what `forward` was given, from those of states and weights."""
        states, alphas, asked, values, query, energy, keys = ctx.saved_tensors
        sizes, lower = ctx.sizes, query.dtype
        of_states_words = query.new_empty(len(states), values.size(2))  # which led to each state
        of_states_words[: sizes[0]] = 0  # none led to s_0
        of_asked = torch.empty_like(asked)
        for each in of_states_words, of_asked:
            each[sum(sizes) :] = 0  # the filler
        of_words = of_states_words[sizes[0] :]
        of_alphas = of_alphas.contiguous()
        # A quarter of d tanh is h (1 - h), of the hidden layer h: what they lack comes to the
        # matrix before the first step, where it is rounded once more if that has 16 bits, and to
        # their sums after the last.
        slope = 4 * energy.to(keys.dtype)
        query_back = (slope.t() * query).to(lower).unsqueeze(0)
        of_keys = torch.zeros_like(keys, dtype=torch.promote_types(keys.dtype, states.dtype))
        of_energies = of_keys.new_zeros(sizes[0], 1, energy.size(1))
        # For all sentences; of each, the first ones are for those that a step has.
        whole = torch.empty_like(keys), keys, values, of_keys, of_energies
        hidden, entering, rows, of_entering, of_energy = (each[:0] for each in whole)
        memory = ctx.unit.start(states[:0].unsqueeze(0))
        steps = [by_step(each, sizes) for each in (of_states, of_alphas, alphas, asked, of_asked)]
        leading = [*by_step(of_words, sizes[1:]), of_words[:0]], [*ctx.traces, None]
        for of_state, of_found, found, queries, of_queries, of_word, trace in reversed(
            list(zip(*steps, *leading, strict=True))
        ):
            if trace:
                memory = ctx.unit.back(trace, memory, of_word.unsqueeze(0))
            if len(of_state) > len(entering):  # sentences that end here
                memory, keep = longer(memory, len(of_state)), itemgetter(slice(len(of_state)))
                hidden, entering, rows, of_entering, of_energy = map(keep, whole)
            looked_up = Values(rows, ctx.summing)
            slopes = contexts.back(found, of_found, looked_up, of_word).to(entering.dtype)
            # The energies of a state add up to zero: the 1 that tanh has less is not missed.
            part = Keys(entering, ctx.are_exponentials)
            hidden_layer.back(queries, part, slopes, of_queries, of_entering, of_energy, hidden)
            memory[0].add_(of_state)
            add_product(memory[0], of_queries.unsqueeze(0), query_back)
        before = states_before(
            [each.unsqueeze(0) for each in by_step(states, sizes)], sizes[1:], len(of_words)
        )
        return (
            None,
            None,
            of_words,
            memory[0][0],
            None,
            (of_keys * slope).to(lower),
            torch.bmm(
                spread(alphas.to(lower), sizes)[:, :-1].transpose(1, 2),
                spread(of_states_words, sizes)[:, 1:],
            ),
            None,
            (of_asked * slope).t().to(lower) @ states.to(lower),
            (2 * of_energies.sum(0)).to(lower),
            *ctx.unit.weights(before.to(lower), ctx.traces, of_words.unsqueeze(0)),
        )


def spread(rows: Tensor, sizes: Sequence[int]) -> Tensor:
    """[B, T, ...] from the rows [N, ...] of steps of so many sentences; where a step has no more of
    a sentence, the first row of all, which is zero in one of two factors."""
    if sizes[-1] == sizes[0]:  # always so on a GPU, which so has no places to wait for
        return torch.unflatten(rows[: sum(sizes)], 0, (len(sizes), -1)).transpose(0, 1)
    starts = torch.tensor([0, *accumulate(sizes[:-1])])
    sentences = torch.arange(sizes[0]).unsqueeze(1)
    places = torch.where(sentences < torch.tensor(sizes), starts + sentences, 0)
    chosen = rows.index_select(0, places.flatten().to(rows.device))
    return torch.unflatten(chosen, 0, places.shape)
