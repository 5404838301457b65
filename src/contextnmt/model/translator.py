"""The one place that assembles the parts into a model, and where its weights start.

Shapes: batch B, source time S (end-of-sentence included), target time T (likewise), beam width K,
hidden n, embedding m, alignment a, annotation d (2n, without attention n). What the encoder reads
is m wide, and so is what the decoder reads (m'), unless a smoother doubles it.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.values import MINIMUM_LENGTH
from contextnmt.model.arithmetic import is_cpu
from contextnmt.model.attention import Attention, FixedContext
from contextnmt.model.contextualizer import Contextualizer
from contextnmt.model.decoder import DECODERS, State
from contextnmt.model.encoder import BidirectionalEncoder, ForwardEncoder
from contextnmt.model.gru import BiasedEmbedding
from contextnmt.model.padding import Packed
from contextnmt.model.readout import Readout
from contextnmt.model.smoother import Smoother

#: The id that fills up the shorter sentences of a batch, on both sides.
PADDING = 0

#: The id of the unknown word, on both sides.
UNKNOWN = 2


class Encoded(NamedTuple):
    """A batch of source sentences, encoded for the decoder."""

    source: tuple[Tensor, ...]  # from the attention's `prepare`, [B, ...] each
    start: State  # before the first word, [B, 1, ...]
    target_gate: Tensor | None  # [B, 1, m], the contextualizer's mask of the target embeddings


class Translator(nn.Module):
    """p(Y | X): RNNsearch and RNN Encoder-Decoder of Bahdanau et al. 2015, the LSTM of Choi et al.
    2017 with and without contextualizer, and the smoothing of Chen et al. 2017."""

    def __init__(self, settings: ModelSettings, source_words: int, target_words: int) -> None:
        """`source_words` and `target_words` count the special ids too."""
        super().__init__()
        m, n, smoother = settings.embedding, settings.hidden, settings.smoother
        # The GRU is Bahdanau's code, the LSTM is Choi's (A36).
        embedding = BiasedEmbedding if settings.cell == "gru" else nn.Embedding
        self.source_embedding = embedding(source_words, m)
        self.target_embedding = embedding(target_words, m)
        self.contextualizer = (
            Contextualizer(m, source_words, settings.contextualizer)
            if settings.contextualizer
            else None
        )
        self.source_smoother = Smoother(m, smoother) if smoother else None
        self.target_smoother = Smoother(m, smoother) if smoother and smoother.decoder else None
        source = self.source_smoother.size if self.source_smoother else m
        self.target_size = self.target_smoother.size if self.target_smoother else m  # m'
        if settings.attention:
            annotation = 2 * n
            self.encoder: nn.Module = BidirectionalEncoder(source, n, settings.cell)
            self.attention: Attention | FixedContext = Attention(n, 2 * n, settings.alignment)
        else:
            annotation = n
            self.encoder = ForwardEncoder(source, n, settings.cell)
            self.attention = FixedContext()
        self.decoder = DECODERS[settings.cell](self.target_size, n, annotation)
        self.readout = Readout(
            *(n, self.target_size, annotation, settings.maxout, target_words),
            rank=settings.readout_rank,
        )
        self.dropout = nn.Dropout(settings.dropout)
        initialise(self, settings.initialisation)

    def encode(self, source: Tensor) -> Encoded:
        """Read a batch of source sentences [B, S], which end with end-of-sentence, then padding."""
        real = source != PADDING  # [B, S]
        lengths = real.sum(1)
        embedded = self.source_embedding(source)  # [B, S, m]
        target_gate = None
        if self.contextualizer is not None:
            source_gate, target_gate = self.contextualizer(source, embedded, lengths)
            embedded = embedded * source_gate.unsqueeze(1)
            target_gate = target_gate.unsqueeze(1)
        if self.source_smoother is not None:
            context = self.source_smoother.surroundings(embedded, real)
            embedded = self.source_smoother(embedded, source == UNKNOWN, context)
        annotations, summary = self.encoder(self.dropout(embedded), lengths)
        prepared = self.attention.prepare(self.dropout(annotations), real)
        history = None
        if self.target_smoother is not None:
            window = self.target_smoother.window
            history = self.target_smoother.border(len(source), 2 * window).unsqueeze(1)
        # There is no previous word: its embedding is zero (spec sec. 2.3, item 2).
        previous = summary.new_zeros(len(source), 1, self.target_size)
        start = State(self.decoder.start(summary), previous, history)
        return Encoded(prepared, start, target_gate)

    def gates(self, source: Tensor) -> tuple[Tensor, Tensor] | None:
        """Return source and target gate [B, m] for `source` as in `encode`; None without them."""
        if self.contextualizer is None:
            return None
        lengths = (source != PADDING).sum(1)
        return self.contextualizer(source, self.source_embedding(source), lengths)  # type: ignore[no-any-return]

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.source_embedding.weight.device

    def embed_target(self, words: Tensor, target_gate: Tensor | None) -> Tensor:
        """Return embeddings [B, K, m] of target words [B, K], masked by the source (A34)."""
        embedded = self.target_embedding(words)
        if target_gate is not None:
            embedded = embedded * target_gate
        return embedded  # type: ignore[no-any-return]

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return -log p, in nats, of each target word [B, T], zero in the padding.

        Sentences of `source` [B, S] and `target` [B, T] end with end-of-sentence, then padding.
        """
        real = target != PADDING
        # A search may write the id of padding as a word: only the last real word ends a sentence.
        numbers = torch.arange(1, target.size(1) + 1, device=target.device)
        lengths, order = (real * numbers).amax(1).sort(descending=True, stable=True)
        losses = self._losses(source[order], target[order], lengths)
        return losses.index_select(0, order.argsort()).masked_fill(~real, 0)

    def _losses(self, source: Tensor, target: Tensor, lengths: Tensor) -> Tensor:
        """Return the same for sentences whose targets come longest first, and anything in padding.

        `lengths` [B] are those of the targets.
        """
        packed = Packed(lengths, target.size(1), padded=not is_cpu(target.device))
        encoded = self.encode(source)
        embedded = self.embed_target(target, encoded.target_gate)  # [B, T, m]
        if self.target_smoother is not None:
            history = self.target_smoother.history(embedded)
            embedded = self.target_smoother(embedded, target == UNKNOWN, history)
        before = packed.before(self.dropout(embedded))  # [N - B, m']
        states, contexts = self.attention.unroll(
            *(self.decoder, packed, self.decoder.project(before)),
            *(encoded.start.memory[0], *encoded.source),
        )
        # `packed` begins with the first word of each sentence, which none precedes: zero.
        previous = functional.pad(before, (0, 0, len(target), 0))
        chosen = packed.pack(target, 0)
        losses = self.readout.losses(self.dropout(states), previous, contexts, chosen)
        return packed.unpack(losses, 0)

    def predict(self, state: State, encoded: Encoded) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return logits [B, K, words] of the next word, its context c_i [B, K, d] and its alignment
        alpha_i [B, K, S], which a model without attention does not have."""
        context, weights = self.attention(state.memory[0], *encoded.source)
        return self.readout(state.memory[0], state.previous, context), context, weights

    def advance(self, state: State, words: Tensor, context: Tensor, encoded: Encoded) -> State:
        """Return the state after the chosen words [B, K], which `context` [B, K, d] predicted."""
        read, history = self.embed(words, state.history, encoded.target_gate)
        memory = self.decoder.step(state.memory, self.decoder.project(read), context)
        return State(memory, read, history)

    def embed(
        self, words: Tensor, history: Tensor | None, target_gate: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return the decoder's input [B, K, m'] for words [B, K], and the `history` after them."""
        read = embedded = self.embed_target(words, target_gate)  # [B, K, m]
        if self.target_smoother is not None and history is not None:
            read = self.target_smoother(embedded, words == UNKNOWN, history)
            history = torch.cat([history[:, :, 1:], embedded.unsqueeze(2)], dim=2)
        return self.dropout(read), history

    @torch.inference_mode()
    def greedy(self, source: Tensor, end: int, minimum_length: float = MINIMUM_LENGTH) -> Tensor:
        """Return the likeliest word of each step: ids [B, steps], `end` after a sentence has ended.

        This is for the BLEU of the dev set during training; `end` is the end-of-sentence id. The
        `length_limits` are those of beam search, of which this is the case of width 1.
        """
        encoded = self.encode(source)
        shortest, longest = length_limits(source, minimum_length)
        shortest, longest = shortest.unsqueeze(1), longest.unsqueeze(1)  # [B, 1]
        state, ended = encoded.start, torch.zeros_like(longest, dtype=torch.bool)
        written = []
        for step in range(1, int(longest.max()) + 1):
            logits, context, _ = self.predict(state, encoded)
            logits[:, :, end].masked_fill_(step <= shortest, -torch.inf)
            words = logits.argmax(2)  # [B, 1]
            ended = ended | (words == end)
            written.append(words.masked_fill(ended, end))
            ended = ended | (step >= longest)
            if ended.all():
                break
            state = self.advance(state, words, context, encoded)
        return torch.cat(written, 1)


def length_limits(source: Tensor, minimum: float) -> tuple[Tensor, Tensor]:
    """Return the limits [B] to the length of the translations of `source` [B, S] (A19).

    A translation has more symbols than the first limit, `minimum` times those of its source,
    rounded down. It has at most as many as the second one, three times those of its source.
    End-of-sentence counts on both sides.
    """
    lengths = (source != PADDING).sum(1)
    return (lengths.double() * minimum).long(), 3 * lengths


def initialise(model: nn.Module, name: str) -> None:
    """Set all weights of `model` anew.

    As in Bahdanau et al. 2015, B.1, biases and v_a are zero and recurrent matrices orthogonal. Of
    the others, with `gaussian` as there, W_a and U_a are N(0, 0.001^2), the rest is N(0, 0.01^2).
    With `glorot`, embeddings are N(0, 0.5^2), the rest is that of Glorot and Bengio 2010: for short
    trainings, in which the papers' small weights would not leave the plateau. There, too, v_a is
    zero: with random weights some trainings learn to align late.
    """
    for place, weight in model.named_parameters():
        if weight.dim() == 1 or place == "attention.energy.weight":
            nn.init.zeros_(weight)
        elif "recurrent" in place or "weight_hh" in place:
            for gate in torch.split(weight.data, weight.size(1)):
                nn.init.orthogonal_(gate)
        elif name == "glorot" and "embedding" in place:
            nn.init.normal_(weight, std=0.5)
        elif name == "glorot":
            nn.init.xavier_uniform_(weight)
        elif name != "gaussian":
            raise ValueError(f"no such initialisation: {name}")
        else:
            nn.init.normal_(weight, std=0.001 if place.startswith("attention.") else 0.01)
