"""The one place that assembles the parts into a model: attention-based translation.

Shapes: batch B, source time S (end-of-sentence included), target time T (likewise), beam width K,
hidden n, embedding m, alignment a. Padding is 0 on both sides.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.model.attention import Attention
from contextnmt.model.contextualizer import Contextualizer
from contextnmt.model.decoder import Decoder, State
from contextnmt.model.encoder import Encoder
from contextnmt.model.initialisation import initialise
from contextnmt.model.readout import Readout
from contextnmt.model.settings import ModelSettings

#: The id that fills up the shorter sentences of a batch, on both sides.
PADDING = 0


class Encoded(NamedTuple):
    """All that the decoder needs to know about a batch of source sentences."""

    annotations: Tensor  # [B, S, 2n]
    keys: Tensor  # [B, S, a], U_a h_j
    padding: Tensor  # [B, 1, S], 0 or minus infinity
    start: State  # [B, 1, n]
    target_gate: Tensor | None  # [B, 1, m], the contextualizer's mask of the target embeddings

    def select(self, rows: Tensor) -> "Encoded":
        """The same for some of the sentences."""
        gate = self.target_gate
        return Encoded(
            self.annotations[rows],
            self.keys[rows],
            self.padding[rows],
            State(self.start.hidden[rows], self.start.cell[rows]),
            None if gate is None else gate[rows],
        )


class Translator(nn.Module):
    """p(Y | X) of Choi et al. 2017: bidirectional LSTM, additive attention, LSTM, maxout output."""

    def __init__(self, settings: ModelSettings, source_words: int, target_words: int) -> None:
        """`source_words` and `target_words` count the special ids too."""
        super().__init__()
        m, n = settings.embedding, settings.hidden
        self.source_embedding = nn.Embedding(source_words, m)
        self.target_embedding = nn.Embedding(target_words, m)
        self.contextualizer = (
            Contextualizer(m, settings.contextualizer) if settings.contextualizer else None
        )
        self.encoder = Encoder(m, n)
        self.attention = Attention(n, 2 * n, settings.alignment)
        self.decoder = Decoder(m, n, 2 * n)
        self.readout = Readout(n, m, 2 * n, settings.maxout, target_words)
        self.dropout = nn.Dropout(settings.dropout)
        initialise(self, settings.initialisation)

    def encode(self, source: Tensor) -> Encoded:
        """Read a batch of source sentences [B, S], each ended by end-of-sentence, then padded."""
        real = source != PADDING  # [B, S]
        lengths = real.sum(1)
        embedded = self.source_embedding(source)  # [B, S, m]
        target_gate = None
        if self.contextualizer is not None:
            source_gate, target_gate = self.contextualizer(embedded, lengths)
            embedded = embedded * source_gate.unsqueeze(1)
            target_gate = target_gate.unsqueeze(1)
        annotations, backward = self.encoder(self.dropout(embedded), lengths)
        annotations = self.dropout(annotations)
        padding = torch.zeros_like(real, dtype=annotations.dtype).masked_fill(~real, -torch.inf)
        return Encoded(
            annotations,
            self.attention.key(annotations),
            padding.unsqueeze(1),
            self.decoder.start(backward),
            target_gate,
        )

    def embed_target(self, words: Tensor, encoded: Encoded) -> Tensor:
        """Embeddings [B, K, m] of target words [B, K], masked by the source context (A34)."""
        embedded = self.target_embedding(words)
        if encoded.target_gate is not None:
            embedded = embedded * encoded.target_gate
        return self.dropout(embedded)  # type: ignore[no-any-return]

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """The negative log-likelihood, in nats, of each real target word: [number of real words].

        `source` [B, S] and `target` [B, T] end each sentence by end-of-sentence, then padding.
        """
        encoded = self.encode(source)
        embedded = self.embed_target(target, encoded)  # [B, T, m]
        words = self.decoder.word(embedded).split(1, dim=1)  # all steps at once: T of [B, 1, 4n]
        state, states, contexts = encoded.start, [], []
        for i in range(target.size(1)):
            context, _ = self.attend(state, encoded)
            states.append(state.hidden)
            contexts.append(context)
            if i + 1 < target.size(1):  # the state after the last word predicts nothing
                state = self.decoder.step(state, words[i], context)
        # The word before the first one is no word: its embedding is zero (spec sec. 2.3, item 2).
        previous = functional.pad(embedded, (0, 0, 1, -1))  # [B, T, m]
        real = target != PADDING  # the output layer, the costly part, sees no padding
        logits = self.readout(
            self.dropout(torch.cat(states, 1)[real]),
            previous[real],
            torch.cat(contexts, 1)[real],
        )
        return functional.cross_entropy(logits, target[real], reduction="none")

    def attend(self, state: State, encoded: Encoded) -> tuple[Tensor, Tensor]:
        """c_i [B, K, 2n] and alpha_i [B, K, S] from s_{i-1}."""
        return self.attention(  # type: ignore[no-any-return]
            state.hidden, encoded.keys, encoded.annotations, encoded.padding
        )

    def predict(
        self, state: State, previous: Tensor | None, encoded: Encoded
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Logits [B, K, words] of the next word, its context [B, K, 2n] and alignment [B, K, S].

        `previous` [B, K, m] is the embedding of the word before, None at the first step.
        """
        context, weights = self.attend(state, encoded)
        if previous is None:
            previous = context.new_zeros(*context.shape[:2], self.target_embedding.embedding_dim)
        return self.readout(state.hidden, previous, context), context, weights

    def advance(self, state: State, embedded: Tensor, context: Tensor) -> State:
        """s_i from s_{i-1}, the embedding of the word chosen [B, K, m] and its context."""
        return self.decoder.step(state, self.decoder.word(embedded), context)

    @torch.inference_mode()
    def greedy(self, source: Tensor, end: int) -> Tensor:
        """The likeliest word at each step: ids [B, steps], `end` from where a sentence ended.

        For the BLEU on the development set during training; `end` is the end-of-sentence id. A
        translation has at least half as many symbols as its source and at most three times as
        many (A19), as in beam search, of which this is the case of width 1.
        """
        encoded = self.encode(source)
        lengths = (source != PADDING).sum(1, keepdim=True)  # [B, 1]
        shortest, longest = lengths // 2, 3 * lengths
        state, previous, ended = encoded.start, None, torch.zeros_like(lengths, dtype=torch.bool)
        written = []
        for step in range(1, int(longest.max()) + 1):
            logits, context, _ = self.predict(state, previous, encoded)
            logits[:, :, end].masked_fill_(step <= shortest, -torch.inf)
            words = logits.argmax(2)  # [B, 1]
            ended = ended | (words == end)
            written.append(words.masked_fill(ended, end))
            ended = ended | (step >= longest)
            if ended.all():
                break
            previous = self.embed_target(words, encoded)
            state = self.advance(state, previous, context)
        return torch.cat(written, 1)
