"""One model or several as one: what beam search asks for the probabilities of the next word."""

import math
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from contextnmt.model.decoder import State
from contextnmt.model.inference import Inference, Source
from contextnmt.model.translator import PADDING, Translator
from contextnmt.translation.alignment_file import Weights


class Ensemble:
    """Models of the same vocabularies, such as seeds of one system, that translate together.

    p(y | ...) = 1/M sum_m p_m(y | ...), the arithmetic mean. It is a distribution as it stands,
    whereas the mean of log-probabilities has to be normalised again; and in that one a single model
    that takes a word for impossible would forbid it to all. Here it has one vote in M.
    """

    def __init__(self, models: Sequence[Translator], bf16: bool = False) -> None:
        """Set the `models`, one at least, to translate: no dropout; `bf16` as for `Inference`."""
        self.models = models
        self._models = [Inference(model, bf16) for model in models]

    @property
    def words(self) -> int:
        """The number of target words."""
        return len(self.models[0].target_embedding.weight)

    def encode(self, source: Tensor) -> tuple[tuple[Source, ...], tuple[State, ...]]:
        """Encode source sentences [B, S] with each model; see `Inference.encode`."""
        encoded, states = zip(*(model.encode(source) for model in self._models), strict=True)
        return encoded, states

    def attend(self, states: Sequence[State], encoded: Sequence[Source]) -> list[Tensor]:
        """The attention weights [B, K, S] of each model."""
        return list(map(Inference.attend, self._models, states, encoded))

    def features(
        self, states: Sequence[State], weights: Sequence[Tensor], encoded: Sequence[Source]
    ) -> list[Tensor]:
        """The input of `predict` [B, K, maxout], of each model."""
        return list(map(Inference.features, self._models, states, weights, encoded))

    def predict(self, features: Iterable[Tensor]) -> Tensor:
        """Log-probabilities of the next word, as of `Inference`; lost at the next call."""
        logs = list(map(Inference.log_probabilities, self._models, features))
        if len(logs) == 1:
            return logs[0]
        return torch.logsumexp(torch.stack(logs), dim=0) - math.log(len(logs))

    def advance(
        self,
        states: Sequence[State],
        slots: Tensor,
        words: Tensor,
        weights: Sequence[Tensor],
        encoded: Sequence[Source],
    ) -> tuple[State, ...]:
        """Advance each model; see `Inference.advance`."""
        return tuple(
            model.advance(state, slots, words, own_weights, own_source)
            for model, state, own_weights, own_source in zip(
                self._models, states, weights, encoded, strict=True
            )
        )


@torch.inference_mode()
def attention_weights(
    ensemble: Ensemble, source: Tensor, targets: Sequence[Sequence[int]]
) -> list[Weights]:
    """alpha_ij of each symbol i of a translation and j of its source (Bahdanau et al. 2015, eq. 6).

    `source` [B, S] ends each sentence by end-of-sentence, then padding; `targets` are B
    translations of at least one symbol, with end-of-sentence where they have one. Of an ensemble,
    the mean of its models. The translation is forced through the models, as Jean et al. 2015 do for
    the replacement of unknown words (spec sec. 5.1): so search has nothing to keep. Each model
    needs attention.
    """
    longest = max(map(len, targets))
    words = source.new_tensor([[*ids, *[PADDING] * (longest - len(ids))] for ids in targets])
    encoded, states = ensemble.encode(source)
    steps, slots = [], torch.zeros_like(words[:, :1])
    for step in range(longest):
        weights = ensemble.attend(states, encoded)
        steps.append(torch.stack(weights).mean(0))
        word = words[:, step : step + 1]
        states = ensemble.advance(states, slots, word, weights, encoded)
    together = torch.cat(steps, dim=1).cpu().numpy()  # [B, T, S]
    lengths = (source != PADDING).sum(1).tolist()
    return [
        weights[: len(ids), :length]
        for weights, ids, length in zip(together, targets, lengths, strict=True)
    ]
