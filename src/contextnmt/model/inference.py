"""The step of the decoder as search takes it: many hypotheses of each sentence, side by side.

The context c_i = sum_j alpha_ij h_j enters decoder and readout through matrices alone, and
C c_i = sum_j alpha_ij (C h_j): so here they multiply the annotations h_j, once for each sentence,
in the place of the context of each hypothesis at each step. So do words E y_i, which are multiplied
once each, unless the source or the words before change them (contextualizer, smoother). The output
layer is that of `output_layer`; the attention has the hidden layer of `hidden_layer`. Nothing else
differs from `Translator.predict` and `.advance`, unless matrices are multiplied in bfloat16.
"""

from operator import itemgetter
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from contextnmt.model.attention import Attention
from contextnmt.model.decoder import State
from contextnmt.model.hidden_layer import Keys, energies, keys_of
from contextnmt.model.matrix import Matrix
from contextnmt.model.output_layer import OutputLayer
from contextnmt.model.readout import maxout
from contextnmt.model.rows import Kept, slices
from contextnmt.model.scratch import Scratch
from contextnmt.model.steps import step_of
from contextnmt.model.translator import Translator
from contextnmt.model.word_table import WordTable

#: Numbers that the hidden layer of the attention holds at most, by device; on a CPU few enough for
#: its caches.
HIDDEN = {"cpu": 2**20, "cuda": 2**28}


class Source(NamedTuple):
    """All that a step needs to know about a batch of source sentences."""

    attention: tuple[Keys, Tensor] | None  # keys [B, S, a], padding [B, 1, S]
    readout: Tensor  # C_o h_j [B, S, 2 maxout]
    decoder: Tensor  # what h_j contributes to the decoder's gates [B, S, g]
    target_gate: Tensor | None  # [B, 1, m], the contextualizer's mask of the target embeddings

    def keep(self, kept: "Kept") -> "Source":
        """Some of the sentences; this one is lost."""
        attention = None
        if self.attention is not None:
            keys, padding = self.attention
            attention = keys.each(kept.of), kept.of(padding)
        return Source(
            attention,
            kept.of(self.readout),
            kept.of(self.decoder),
            None if self.target_gate is None else kept.of(self.target_gate),
        )


class Inference:
    """A model for search: no dropout, no gradients.

    In its states, `previous` is what E y_{i-1} contributes to the readout [batch, width, 2 maxout].
    """

    @torch.inference_mode()
    def __init__(self, model: Translator, bf16: bool = False) -> None:
        """With `bf16`, the largest matrices of a step are in bfloat16: the output layer's, and
        those by which the state, and a word that is read at each step, enter the gates. All else
        has 32 bits: roundings of query and readout change translations more than they save time,
        those of the source, or of a word that is read once, would be those of all steps (A46)."""
        self.model = model.eval()
        self.step = step_of(model.decoder, bf16)
        self.scratch = Scratch()
        self.attention = model.attention if isinstance(model.attention, Attention) else None
        if self.attention is not None:
            self.query = 2 * self.attention.query.weight
            self.energy = 2 * self.attention.energy.weight
        gates, self.bias = model.decoder.entering  # [g, m'], [g]
        word = model.readout.word.weight
        self.state = Matrix(model.readout.state.weight, False)
        *self.before, last = model.readout.layers
        self.output = OutputLayer(last, bf16)
        self.table = None
        if model.contextualizer is None and model.target_smoother is None:
            self.table = WordTable(model.target_embedding, torch.cat([gates, word]))
        else:
            self.gates, self.word = Matrix(gates, bf16), word

    def encode(self, source: Tensor) -> tuple[Source, State]:
        """Read a batch of source sentences [B, S], as `Translator.encode`; and the state before
        the first word."""
        encoded = self.model.encode(source)
        if self.attention is not None:
            keys, annotations, padding = encoded.source
            attention = keys_of(keys), padding
        else:
            (annotations,), attention = encoded.source, None
        # The weights of a sentence add up to 1, so that biases may join what they weigh.
        readout = self.model.readout.context(annotations) + self.model.readout.state.bias
        decoder = self.model.decoder.context(annotations) + self.bias
        nothing = readout.new_zeros(len(readout), 1, readout.size(2))
        start = encoded.start._replace(previous=nothing)
        return Source(attention, readout, decoder, encoded.target_gate), start

    def attend(self, state: State, source: Source) -> Tensor:
        """The weights alpha_i [B, K, S]; without attention all of it on the one annotation."""
        hidden = state.memory[0]  # [B, K, n]
        if source.attention is None:
            return hidden.new_ones(*hidden.shape[:2], 1)
        query = functional.linear(hidden, self.query)
        keys, padding = source.attention
        size = query.size(1) * keys.doubled[0].numel()
        weights = []
        for rows in slices(len(query), size, HIDDEN[query.device.type]):
            part = keys.each(itemgetter(rows))
            weights.append(self._weigh(query[rows], part, padding[rows]))
        return torch.cat(weights)

    def _weigh(self, query: Tensor, keys: Keys, padding: Tensor) -> Tensor:
        """As `Attention.weigh`, of twice the query."""
        keys = keys.each(lambda tensor: tensor.unsqueeze(1))
        shape = (*query.shape[:2], *keys.doubled.shape[2:])
        scratch = self.scratch.of("hidden", shape, keys.doubled)
        summed = energies(query.unsqueeze(2), keys, self.energy, scratch) + padding  # [B, K, S]
        # In 32 bits where the energies have 16, on a GPU (A46).
        exact = torch.promote_types(summed.dtype, torch.float32)
        return torch.softmax(summed.to(exact), dim=2)

    def features(self, state: State, weights: Tensor, source: Source) -> Tensor:
        """What the output layer sees [B, K, maxout], which predicts the next word."""
        pieces = self._context("readout", weights, source.readout).add_(state.previous)
        return maxout(self.state.add_to(pieces, state.memory[0]))

    def log_probabilities(self, features: Tensor) -> Tensor:
        """Of the next word [..., words], in 32 bits at least (A46); lost at the next call."""
        for layer in self.before:
            features = layer(features)
        logs = self.output.log_probabilities(features.flatten(0, -2))
        return logs.view(*features.shape[:-1], -1)

    def advance(self, state: State, words: Tensor, weights: Tensor, source: Source) -> State:
        """The state after the chosen words [B, K], which `weights` [B, K, S] predicted."""
        gates = self._context("gates", weights, source.decoder)
        if self.table is not None:
            sizes = [gates.size(2), source.readout.size(2)]
            word, previous = torch.split(self.table.of(words), sizes, dim=2)
            return State(self.step.move(state.memory, gates.add_(word)), previous, None)
        read, history = self.model.read(words, state.history, source.target_gate)
        self.gates.add_to(gates, read)
        previous = functional.linear(read, self.word)
        return State(self.step.move(state.memory, gates), previous, history)

    def _context(self, name: str, weights: Tensor, values: Tensor) -> Tensor:
        """`weights` [B, K, S] times `values` [B, S, d]: [B, K, d]."""
        to = self.scratch.of(name, (*weights.shape[:2], values.size(2)), values)
        return torch.bmm(weights.to(values.dtype), values, out=to)
