"""The context of each step of the decoder: Bahdanau et al. 2015, A.1.2 and A.2.2.

In training, the decoder's recurrence over whole target sentences is one function to autograd,
`Attend`. Its equations are those of `Attention.forward` and the decoders' `step`; tests compare
them. The context c_i = sum_j alpha_ij h_j enters the gates through a matrix C alone, and C c_i =
sum_j alpha_ij (C h_j). So C multiplies the annotations of all positions at once. Contexts and the
gradients of the matrices and of C h_j are computed after the last step, for all steps together. The
backward pass recomputes the attention's hidden layer (`hidden_layer`), which is as fast as to store
and read it.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from contextnmt.model.arithmetic import add_product, exact_on_cpu, fuses, write_product
from contextnmt.model.decoder import GRUDecoder, LSTMDecoder
from contextnmt.model.hidden_layer import Keys, asked_of, energies, energies_backward, keys_of
from contextnmt.model.padding import Packed, of_words
from contextnmt.model.units import Unit, by_step, longer, shorter, stacked, states_before, unroll


class Attention(nn.Module):
    """Additive attention: e_ij = v_a . tanh(W_a s_{i-1} + U_a h_j), normalised over the source."""

    def __init__(self, hidden: int, annotation: int, alignment: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, alignment, bias=False)  # W_a
        self.key = nn.Linear(annotation, alignment, bias=False)  # U_a
        self.energy = nn.Linear(alignment, 1, bias=False)  # v_a

    def prepare(self, annotations: Tensor, real: Tensor) -> tuple[Tensor, ...]:
        """Return the arguments of `forward` besides the state, for all steps.

        `annotations` [batch, time, annotation]; `real` [batch, time] is false in the padding.
        """
        padding = torch.zeros_like(real, dtype=annotations.dtype).masked_fill(~real, -torch.inf)
        padding = padding.unsqueeze(1)
        return of_words(self.key, annotations, padding), annotations, padding

    def forward(
        self, state: Tensor, keys: Tensor, annotations: Tensor, padding: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the contexts c_i and the weights alpha_i for `width` states of each sentence.

        They are [batch, width, annotation] and [batch, width, time]; `width` is the beam's in
        search. `state` s_{i-1} is [batch, width, hidden], `keys` U_a h_j [batch, time, alignment],
        `annotations` [batch, time, annotation]; `padding` [batch, 1, time] is 0 at real positions
        and minus infinity elsewhere.
        """
        hidden = torch.tanh(self.query(state).unsqueeze(2) + keys.unsqueeze(1))
        energies = self.energy(hidden).squeeze(3) + padding  # [batch, width, time]
        # The softmax has 32 bits where the energies have 16 (A46).
        exact = torch.promote_types(energies.dtype, torch.float32)
        weights = torch.softmax(energies.to(exact), dim=2)
        return weights @ annotations, weights

    def unroll(
        self,
        decoder: LSTMDecoder | GRUDecoder,
        packed: Packed,
        words: Tensor,
        state: Tensor,
        keys: Tensor,
        annotations: Tensor,
        padding: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return the states [N, hidden] that predict N words of training, and their contexts
        [N, annotation], in the order of `packed`, which is that of the target words.

        The sentences have to be in that order too, the longest target first. `words`
        [N - batch, gates] is `project` of `packed.before(E y)`, `state` s_0 [batch, 1, hidden]; the
        others come from `prepare`.
        """
        matrices = (self.query.weight, self.energy.weight, *stacked([decoder.weights]))
        lower = [each.to(words.dtype) for each in matrices]
        values = of_words(decoder.context, annotations, padding)
        first, source = (decoder.unit, words, state.squeeze(1)), (keys, values, padding, *lower)
        if fuses(words):  # all sentences have all steps
            from contextnmt.model.fused.recurrences import FusedAttend

            states, weights = FusedAttend.apply(*first, *source)  # type: ignore[no-untyped-call]
        else:
            states, weights = Attend.apply(*first, packed.sizes, *source)  # type: ignore[no-untyped-call]
        return states, packed.pack(packed.unpack(weights, 0) @ annotations, 0)


class FixedContext(nn.Module):
    """RNN Encoder-Decoder: "fix c_i to the last forward state", which aligns nothing (A.2.2)."""

    def prepare(self, annotations: Tensor, real: Tensor) -> tuple[Tensor, ...]:
        """Return the last forward state, which `annotations` [batch, 1, hidden] is."""
        return (annotations,)

    def forward(self, state: Tensor, last: Tensor) -> tuple[Tensor, None]:
        """Return c_i [batch, width, hidden] for `state` [batch, width, hidden], and no weights."""
        return last.expand(-1, state.size(1), -1), None

    def unroll(
        self,
        decoder: LSTMDecoder | GRUDecoder,
        packed: Packed,
        words: Tensor,
        state: Tensor,
        last: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return the states and contexts of `Attention.unroll`."""
        time = packed.shape[1]
        # Expanded: the gradients of rows that are taken twice would add up in any order.
        inputs = words + packed.before(decoder.context(last).expand(-1, time, -1))
        start = state.transpose(0, 1)  # [1, batch, hidden]: one direction
        weights = stacked([decoder.weights])
        after = unroll(decoder.unit, inputs.unsqueeze(0), start, packed.sizes[1:], weights)
        return torch.cat([start[0], after[0]]), packed.pack(last.expand(-1, time, -1), 0)


class Attend(torch.autograd.Function):
    """States and weights of RNNsearch, given the target words.

    The sentences are in the order of their targets, the longest first, so that those which a step
    still has are the first ones of the step before (see `Packed`).

    Shapes: batch B, steps T, words of all steps N, source time S, hidden n, alignment a, inputs of
    the gates g. Types: factors of matrix products come in one type. Sums over the steps, and the
    weights, have that of `state`, the hidden layer that of `keys_of`, and C h_j that of
    `exact_on_cpu` (A46).
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
        """Return the states [N, n] that predict the words of all steps, s_0 of all sentences first,
        and the attention weights [N, S] of each.

        `words` [N - B, g] is what all words but the last one of each sentence contribute to the
        gates, biases included. It may end with filler, which N counts too. `state` [B, n] is s_0.
        `sizes` counts the sentences of each of the T steps. `keys` [B, S, a] and `padding`
        [B, 1, S] are those of `Attention`; `values` [B, S, g] is C h_j; `query` is W_a [a, n],
        `energy` v_a [1, a]. `weights` are those of a unit of the `kind`, of one direction.
        """
        with torch.autocast(words.device.type, enabled=False):
            unit = kind(*weights)
            prepared, looked_up = keys_of(keys), exact_on_cpu(values)
            doubled = 2 * energy.to(prepared.entering.dtype)
            query_matrix = (-2 * query.t()).contiguous()  # for speed, as in `LSTMUnit`
            states = state.new_empty(sizes[0] + len(words), state.size(1))
            alphas = states.new_empty(len(states), keys.size(1))
            asked = doubled.new_empty(len(states), len(query))
            for each in states, alphas, asked:
                each[sum(sizes) :] = 0  # the filler
            states[: sizes[0]] = state
            ctx.unit, ctx.sizes, ctx.traces = unit, sizes, []
            # Saved here, where they still are those of all sentences.
            ctx.are_exponentials = prepared.are_exponentials
            ctx.save_for_backward(
                states, alphas, asked, looked_up, query, energy, prepared.entering
            )
            scratch = torch.empty_like(prepared.entering)
            padding = padding.squeeze(1).to(states.dtype)
            steps = [by_step(each, sizes) for each in (states.detach(), asked, alphas)]
            memory = unit.start(steps[0][0].unsqueeze(0))
            # After the last step there is none.
            leading = [*by_step(words, sizes[1:]), words[:0]], [*steps[0][1:], None]
            for state, queries, found, word, after in zip(*steps, *leading, strict=True):
                write_product(queries, state, query_matrix)
                now = asked_of(queries, prepared)  # in the place of the queries
                scores = energies(now.unsqueeze(1), prepared, doubled, scratch)
                inputs = look_up(scores, padding, looked_up, word, found)
                if after is None:
                    break
                if len(word) < len(scratch):  # some sentences have ended
                    keep = itemgetter(slice(len(word)))
                    prepared = prepared.each(keep)
                    looked_up, scratch, padding = map(keep, (looked_up, scratch, padding))
                    memory = shorter(memory, len(word))
                memory, trace = unit.step(inputs.unsqueeze(0), memory, after.unsqueeze(0))
                ctx.traces.append(trace)
        return states, alphas

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(  # type: ignore[override]
        ctx: Any, of_states: Tensor, of_alphas: Tensor
    ) -> tuple[Tensor | None, ...]:
        """Return the gradients of the arguments of `forward`, from those of states and weights."""
        states, alphas, asked, values, query, energy, keys = ctx.saved_tensors
        sizes, lower = ctx.sizes, query.dtype
        of_states_words = query.new_empty(len(states), values.size(2))  # which led to each state
        of_states_words[: sizes[0]] = 0  # none led to s_0
        of_asked = torch.empty_like(asked)
        for each in of_states_words, of_asked:
            each[sum(sizes) :] = 0  # the filler
        of_words = of_states_words[sizes[0] :]
        of_alphas = of_alphas.contiguous()
        # h (1 - h) of the hidden layer h is a quarter of the derivative of tanh. The factor 4 goes
        # to the matrix before the first step, and to the sums after the last.
        slope = 4 * energy.to(keys.dtype)
        query_back = (slope.t() * query).to(lower).unsqueeze(0)
        of_keys = torch.zeros_like(keys, dtype=torch.promote_types(keys.dtype, states.dtype))
        of_energies = of_keys.new_zeros(sizes[0], 1, energy.size(1))
        # Tensors of all sentences: a step takes the first ones.
        whole = torch.empty_like(keys), keys, values, of_keys, of_energies
        hidden, entering, rows, of_entering, of_energy = (each[:0] for each in whole)
        memory = ctx.unit.start(states[:0].unsqueeze(0))
        steps = [by_step(each, sizes) for each in (of_states, of_alphas, alphas, asked, of_asked)]
        leading = [*by_step(of_words, sizes[1:]), of_words[:0]], [*ctx.traces, None]
        for of_state, of_found, found, queries, of_queries, of_word, trace in reversed(
            list(zip(*steps, *leading, strict=True))
        ):
            if trace:
                memory = ctx.unit.backward(trace, memory, of_word.unsqueeze(0))
            if len(of_state) > len(entering):  # sentences that end here
                memory, keep = longer(memory, len(of_state)), itemgetter(slice(len(of_state)))
                hidden, entering, rows, of_entering, of_energy = map(keep, whole)
            slopes = look_up_backward(found, of_found, rows, of_word).to(entering.dtype)
            # Slopes of a state add up to zero: so the constant that tanh has less is not missed.
            part = Keys(entering, ctx.are_exponentials)
            energies_backward(queries, part, slopes, of_queries, of_entering, of_energy, hidden)
            memory[0].add_(of_state)
            add_product(memory[0], of_queries.unsqueeze(0), query_back)
        before = states_before(
            [each.unsqueeze(0) for each in by_step(states, sizes)], sizes[1:], len(of_words)
        )
        weighed = spread(alphas.to(lower), sizes)[:, :-1]
        return (
            None,
            of_words,
            memory[0][0],
            None,
            (of_keys * slope).to(lower),
            torch.bmm(weighed.transpose(1, 2), spread(of_states_words, sizes)[:, 1:]),
            None,
            (of_asked * slope).t().to(lower) @ states.to(lower),
            (2 * of_energies.sum(0)).to(lower),
            *ctx.unit.weights(before.to(lower), ctx.traces, of_words.unsqueeze(0)),
        )


def look_up(
    energies: Tensor, padding: Tensor, values: Tensor, words: Tensor, weights: Tensor
) -> Tensor:
    """Return what enters the gates [A, g] at a step: `words` [A, g] and the contexts.

    The `weights` [B, S], the softmax of the `energies` [B, S] with the `padding` [B, S], are
    written. `values` [B, S, g] is C h_j; the first A of the B sentences take another step.
    """
    torch.softmax((energies + padding).to(weights.dtype), 1, out=weights)
    word, weighed = (each[: len(words)].unsqueeze(1).to(values.dtype) for each in (words, weights))
    return torch.baddbmm(word, weighed, values[: len(words)]).squeeze(1)


def look_up_backward(
    weights: Tensor, of_weights: Tensor, values: Tensor, of_inputs: Tensor
) -> Tensor:
    """Return the gradient of the energies [B, S] of `look_up`, from that of the inputs [A, g].

    `of_weights` [B, S] is what else the gradient of the weights has.
    """
    of_weights, going_on = of_weights.clone(), len(of_inputs)
    by_inputs = of_weights[:going_on].unsqueeze(1)
    add_product(by_inputs, of_inputs.unsqueeze(1), values[:going_on].transpose(1, 2))
    return torch._softmax_backward_data(of_weights, weights, 1, of_weights.dtype)


def spread(rows: Tensor, sizes: Sequence[int]) -> Tensor:
    """Return [B, T, ...] from the rows [N, ...] of steps of `sizes` sentences.

    Where a sentence has ended, the first row of all stands in: in one of two factors it is zero.
    """
    if sizes[-1] == sizes[0]:  # on a GPU this is always true, so it never synchronizes
        return torch.unflatten(rows[: sum(sizes)], 0, (len(sizes), -1)).transpose(0, 1)
    starts = torch.tensor([0, *accumulate(sizes[:-1])])
    sentences = torch.arange(sizes[0]).unsqueeze(1)
    places = torch.where(sentences < torch.tensor(sizes), starts + sentences, 0)
    chosen = rows.index_select(0, places.flatten().to(rows.device))
    return torch.unflatten(chosen, 0, places.shape)
