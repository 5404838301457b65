"""One model or several as one: what beam search asks for the probabilities of the next word."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.model.attention import Attention
from contextnmt.model.decoder import State
from contextnmt.model.translator import Encoded, Translator


class EnsembleEncoded(NamedTuple):
    """A batch of source sentences, as each of the models has read it."""

    parts: tuple[Encoded, ...]

    def select(self, rows: Tensor) -> "EnsembleEncoded":
        """The same for some of the sentences."""
        return EnsembleEncoded(tuple(part.select(rows) for part in self.parts))


class Ensemble:
    """Models of the same vocabularies, such as seeds of one system, that translate together.

    p(y | ...) = 1/M sum_m p_m(y | ...), the arithmetic mean. It is a distribution as it stands,
    whereas the mean of log-probabilities has to be normalised again; and in that one a single model
    that takes a word for impossible forbids it to all, while here it has one vote in M.
    """

    def __init__(self, models: Sequence[Translator]) -> None:
        """`models` are set to translate: no dropout.

        Raises UserError if there is none, or if two have vocabularies of different sizes. Whether
        their words are the same is for `SavedTranslator` to see.
        """
        self.models = [model.eval() for model in models]
        sizes = {
            tuple(len(e.weight) for e in (model.source_embedding, model.target_embedding))
            for model in self.models
        }
        if len(sizes) != 1:
            raise UserError(
                f"an ensemble of {len(self.models)} models with vocabularies of "
                f"{sorted(sizes)} source and target words: give models of the same vocabularies"
            )

    @property
    def aligns(self) -> bool:
        """Whether each model has attention weights to tell of."""
        return all(isinstance(model.attention, Attention) for model in self.models)

    def encode(self, source: Tensor) -> EnsembleEncoded:
        """As `Translator.encode`, for source sentences [B, S]."""
        return EnsembleEncoded(tuple(model.encode(source) for model in self.models))

    def start(self, encoded: EnsembleEncoded) -> tuple[State, ...]:
        """The states of the models before the first word."""
        return tuple(part.start for part in encoded.parts)

    def predict(
        self, states: Sequence[State], encoded: EnsembleEncoded
    ) -> tuple[Tensor, list[Tensor]]:
        """Log-probabilities [B, K, V] of the next word, in 32 bits at least (A46), and the context
        [B, K, d] of each model."""
        logs, contexts = [], []
        for model, state, part in zip(self.models, states, encoded.parts, strict=True):
            logits, context, _ = model.predict(state, part)
            exact = torch.promote_types(logits.dtype, torch.float32)
            logs.append(torch.log_softmax(logits, dim=2, dtype=exact))
            contexts.append(context)
        if len(logs) == 1:
            return logs[0], contexts
        return torch.logsumexp(torch.stack(logs), dim=0) - math.log(len(logs)), contexts

    def attend(
        self, states: Sequence[State], encoded: EnsembleEncoded
    ) -> tuple[Tensor, list[Tensor]]:
        """Attention weights [B, K, S], the mean over the models, and contexts as of `predict`.

        Raises UserError if a model has no attention.
        """
        weights, contexts = [], []
        for model, state, part in zip(self.models, states, encoded.parts, strict=True):
            context, alignment = model.attention(state.memory[0], *part.source)
            if alignment is None:
                raise UserError("a model without attention aligns nothing: choose one with it")
            contexts.append(context)
            weights.append(alignment)
        return torch.stack(weights).mean(0), contexts

    def advance(
        self,
        states: Sequence[State],
        words: Tensor,
        contexts: Sequence[Tensor],
        encoded: EnsembleEncoded,
    ) -> tuple[State, ...]:
        """The states after the chosen words [B, K], which `contexts` predicted."""
        parts = zip(self.models, states, contexts, encoded.parts, strict=True)
        return tuple(
            model.advance(state, words, context, part) for model, state, context, part in parts
        )
