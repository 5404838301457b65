"""The step of the decoder as search takes it: many hypotheses of each sentence, side by side.

The equations are those of `Translator.predict` and `.advance`. Matrices multiply as seldom as
possible:

- The context c_i = sum_j alpha_ij h_j enters decoder and readout through matrices alone, and
  C c_i = sum_j alpha_ij (C h_j). So they multiply the annotations h_j, once for each sentence.
- They multiply each word E y once, in advance, unless contextualizer or smoother change it.

Roundings differ from those of the plain step.
"""

import math
from operator import itemgetter
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.model.arithmetic import add_product, slices
from contextnmt.model.attention import Attention
from contextnmt.model.decoder import State
from contextnmt.model.hidden_layer import Keys, asked_of, energies, keys_of
from contextnmt.model.padding import lengths, of_words
from contextnmt.model.readout import maxout, with_bias, with_one
from contextnmt.model.translator import Translator
from contextnmt.model.units import stacked

#: Most numbers of the hidden layer of the attention at a time, by device; on a CPU, few enough for
#: its caches.
HIDDEN = {"cpu": 2**20, "cuda": 2**28}

#: Words of a block, whose best word stands for all of them at first.
BLOCK = 64

#: Likeliest words whose logits are computed again in 32 bits, where all are computed in 16: the
#: probabilities of all words depend on them.
LIKELIEST = 8


class Source(NamedTuple):
    """A batch of source sentences, prepared for the steps."""

    attention: tuple[Keys, Tensor] | None  # keys [B, S, a], padding [B, 1, S]
    readout: Tensor  # C_o h_j [B, S, 2 maxout]
    decoder: Tensor  # C h_j, for the decoder's gates [B, S, g]
    target_gate: Tensor | None  # [B, 1, m], the contextualizer's mask of the target embeddings


class Inference:
    """A model for search: no dropout, no gradients.

    In its states, `previous` is V_o E y_{i-1} [batch, width, 2 maxout], which the next call of
    `features` overwrites. Each step reuses the memory of the one before: so two
    searches cannot take turns.
    """

    @torch.inference_mode()
    def __init__(self, model: Translator, bf16: bool = False) -> None:
        """With `bf16`, the largest matrices of a step are in bfloat16 (A46).

        These are the output layer, and those by which the state, and a word that is multiplied at
        each step, enter the gates. All else has 32 bits. Roundings of query and readout change
        translations more than they save time; those of the source would affect all steps.
        """
        self.model = model.eval()
        gates, self.bias = model.decoder.entering  # [g, m'], [g]
        kind = torch.bfloat16 if bf16 else gates.dtype
        weights = (each.to(kind) for each in model.decoder.weights)
        self.unit = model.decoder.unit(*stacked([tuple(weights)]))
        self.scratch = Scratch()
        self.attention = model.attention if isinstance(model.attention, Attention) else None
        if self.attention is not None:
            self.query = -2 * self.attention.query.weight
            self.energy = 2 * self.attention.energy.weight
        word = model.readout.word.weight
        self.state = model.readout.state.weight.t().contiguous().unsqueeze(0)
        *self.before, last = model.readout.layers
        self.output = OutputLayer(last, bf16)
        self.tables = None
        if model.contextualizer is None and model.target_smoother is None:
            words = torch.arange(len(model.target_embedding.weight), device=word.device)
            embedded = model.target_embedding(words)
            # 20 kB a word at the sizes of the papers.
            self.tables = [embedded @ each.t() for each in (gates, word)]
        else:
            self.gates, self.word = gates.to(kind).t().contiguous().unsqueeze(0), word

    def encode(self, source: Tensor) -> tuple[Source, State]:
        """Read source sentences [B, S], as `Translator.encode`; return them and the state before
        the first word."""
        encoded = self.model.encode(source)
        if self.attention is not None:
            keys, annotations, padding = encoded.source
            attention = keys_of(keys), padding
        else:
            (annotations,), attention = encoded.source, None
            padding = annotations.new_zeros(len(annotations), 1, 1)
        # The weights of a sentence add up to 1, so biases may be added to each position.
        readout = of_words(self.model.readout.context, annotations, padding)
        readout += self.model.readout.state.bias
        decoder = of_words(self.model.decoder.context, annotations, padding)
        decoder += self.bias
        nothing = readout.new_zeros(len(readout), 1, readout.size(2))
        start = encoded.start._replace(previous=nothing)
        return Source(attention, readout, decoder, encoded.target_gate), start

    def attend(self, state: State, source: Source) -> Tensor:
        """Return the weights alpha_i [B, K, S]; without attention, 1 for the one annotation."""
        hidden = state.memory[0]  # [B, K, n]
        if source.attention is None:
            return hidden.new_ones(*hidden.shape[:2], 1)
        keys, padding = source.attention
        query = functional.linear(hidden, self.query)
        asked = asked_of(query, keys).unsqueeze(2)  # [B, K, 1, a]
        shape = (asked.size(1), *keys.entering.shape[1:])  # [K, S, a]
        keys = keys.each(lambda tensor: tensor.unsqueeze(1))
        summed = padding.repeat(1, shape[0], 1)  # [B, K, S]
        words = lengths(padding)
        for rows in slices(len(asked), math.prod(shape), HIDDEN[asked.device.type]):
            here = rows, slice(None), slice(max(words[rows]))
            part = keys.each(itemgetter(here))
            place = summed[here]
            scratch = self.scratch.of("hidden", (*place.shape, shape[2]), asked)
            place += energies(asked[rows], part, self.energy, scratch)
        return torch.softmax(summed, dim=2)

    def features(self, state: State, weights: Tensor, source: Source) -> Tensor:
        """Return the input of the output layer [B, K, maxout], which predicts the next word.

        It overwrites the `previous` of `state`: call it once for each state.
        """
        pieces = state.previous
        torch.baddbmm(pieces, weights, source.readout, out=pieces)
        add_product(one_batch(pieces), one_batch(state.memory[0]), self.state)
        return maxout(pieces)

    def log_probabilities(self, features: Tensor) -> Tensor:
        """Return log p of the next word [..., words'], as `OutputLayer.log_probabilities`."""
        for layer in self.before:
            features = layer(features)
        logs = self.output.log_probabilities(features.flatten(0, -2))
        return logs.view(*features.shape[:-1], -1)

    def advance(
        self, state: State, slots: Tensor, words: Tensor, weights: Tensor, source: Source
    ) -> State:
        """Return the state after the words [B, K], which continue hypotheses `slots` [B, K].

        `weights` [B, K', S] are those of `attend` for the hypotheses of `state`.
        """
        weights = take(weights, slots)
        if self.tables is not None:
            history = None
            gates, previous = (functional.embedding(words, table) for table in self.tables)
            torch.baddbmm(gates, weights, source.decoder, out=gates)
        else:
            history = None if state.history is None else take(state.history, slots)
            read, history = self.model.embed(words, history, source.target_gate)
            shape = (*words.shape, source.decoder.size(2))
            gates = self.scratch.of("gates", shape, source.decoder)
            torch.bmm(weights, source.decoder, out=gates)
            add_product(one_batch(gates), one_batch(read), self.gates)
            previous = functional.linear(read, self.word)
        memory = tuple(one_batch(take(each, slots)) for each in state.memory)
        memory, _ = self.unit.step(one_batch(gates), memory, torch.empty_like(memory[0]))
        after = tuple(torch.unflatten(each[0], 0, words.shape) for each in memory)
        return State(after, previous, history)


def one_batch(tensor: Tensor) -> Tensor:
    """The hypotheses of all sentences [B, K, n] as a batch of one direction [1, B K, n]."""
    return tensor.flatten(0, 1).unsqueeze(0)


class Scratch:
    """Buffers by name, each as large as the largest tensor that was asked for.

    The operating system would zero the pages of a new tensor, which takes longer than to fill it.
    """

    def __init__(self) -> None:
        self._held: dict[str, Tensor] = {}

    def of(self, name: str, shape: tuple[int, ...], like: Tensor) -> Tensor:
        """Return a tensor of any content, which the next call with `name` reuses.

        It has the type and the device of `like`.
        """
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.numel() < size or held.dtype != like.dtype:
            held = self._held[name] = like.new_empty(size)
        return held[:size].view(shape)


class OutputLayer:
    """A copy of the output layer for search, by far its largest matrix.

    Its bias is a column, and padding rows, up to a multiple of `BLOCK`, have the bias minus
    infinity.
    """

    def __init__(self, layer: nn.Linear, bf16: bool) -> None:
        """`layer` [words, size]; with `bf16` it is multiplied in bfloat16 (A46)."""
        self.matrix = with_bias(layer.weight, layer.bias, layer.weight.dtype, BLOCK)  # [words', k]
        self.rounded = self.matrix.bfloat16() if bf16 else None
        self.scratch = Scratch()

    def log_probabilities(self, features: Tensor) -> Tensor:
        """Return log p [N, words'] from `features` [N, size], in their type.

        words' counts the padding rows too. The next call reuses the tensor.
        """
        rows = with_one(features, features.dtype)  # [N, k]
        shape = (len(rows), len(self.matrix))
        if self.rounded is None:
            logits = self.scratch.of("logits", shape, rows)
            torch.mm(rows, self.matrix.t(), out=logits)
        else:
            rough = self.scratch.of("rounded", shape, self.rounded)
            torch.mm(rows.to(rough.dtype), self.rounded.t(), out=rough)
            logits = self.scratch.of("logits", shape, rows).copy_(rough)
            self._mend(logits, rows)
        return torch.log_softmax(logits, -1, out=logits)

    def _mend(self, logits: Tensor, rows: Tensor) -> None:
        """Compute the likeliest `logits` [N, words'] again in 32 bits, from `rows` [N, k]."""
        none = logits.new_zeros(len(logits), 1)
        words = best_words(logits.unsqueeze(1), none, LIKELIEST)[2]  # [N, LIKELIEST]
        weights = torch.unflatten(self.matrix.index_select(0, words.flatten()), 0, words.shape)
        # Not `bmm`, which takes seven times as long for so many so small matrices.
        logits.scatter_(1, words, weights.mul_(rows.unsqueeze(1)).sum(2))


def best_words(logs: Tensor, scores: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the `width` best continuations of each row, or all K V if there are fewer, best first.

    `scores` [R, K] are those of the hypotheses, `logs` [R, K, V] the log-probabilities of the next
    words. V is a multiple of `BLOCK`, filled up with minus infinity. Returns the new scores, the
    places of the hypotheses that are continued, and the words, [R, width] each. An impossible
    continuation has the score minus infinity, any place, and word 0.

    The best ones lie in the blocks with the best words, so only `width` blocks are sorted.
    """
    blocks = torch.unflatten(logs, 2, (-1, BLOCK))  # [R, K, n, BLOCK]
    peaks = blocks.amax(3).add_(scores.unsqueeze(2))
    number = peaks.size(2)
    block = peaks.flatten(1).topk(min(width, peaks[0].numel()), sorted=False).indices
    found = take(blocks.flatten(1, 2), block)  # [R, width at most, BLOCK]
    found += scores.gather(1, block // number).unsqueeze(2)
    best, chosen = found.flatten(1).topk(min(width, found[0].numel()))
    block = block.gather(1, chosen // BLOCK)
    word = (block % number * BLOCK + chosen % BLOCK).masked_fill_(best == -torch.inf, 0)
    return best, block // number, word


def take(tensor: Tensor, slots: Tensor) -> Tensor:
    """Return the `slots` [R, K] of each row of `tensor` [R, K', ...]: [R, K, ...]."""
    first = torch.arange(len(slots), device=slots.device).unsqueeze(1) * tensor.size(1)
    taken = tensor.flatten(0, 1).index_select(0, (first + slots).flatten())
    return torch.unflatten(taken, 0, slots.shape)


class Kept:
    """The rows of a batch that stay; the last ones take the places of those that go."""

    def __init__(self, stays: Tensor) -> None:
        """`stays` [R] is true for the rows to keep."""
        places = stays.nonzero().squeeze(1)
        self.count = len(places)
        self.empty = (~stays[: self.count]).nonzero().squeeze(1)
        self.moved = places[self.count - len(self.empty) :]

    def of(self, rows: Any) -> Any:
        """Return the rows that stay of a tensor [R, ...], which is overwritten.

        In tuples, named or not, this is done to each tensor; what is none is returned as it is.
        """
        if isinstance(rows, tuple):
            kept = [self.of(each) for each in rows]
            return type(rows)(*kept) if hasattr(rows, "_fields") else tuple(kept)
        if not isinstance(rows, Tensor):
            return rows
        if len(self.empty):
            rows = rows.contiguous()  # one that was expanded cannot be written to
            rows[self.empty] = rows[self.moved]
        return rows[: self.count]
