"""Attention weights of finished translations.

They are computed by forcing a translation through the model, as Jean et al. 2015 do for the
replacement of unknown words (spec sec. 5.1): so search has nothing to keep, and any translation
can be aligned, whoever made it.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.model.translator import PADDING
from contextnmt.translation.alignment_file import Weights
from contextnmt.translation.ensemble import Ensemble


@torch.inference_mode()
def attention_weights(
    ensemble: Ensemble, source: Tensor, targets: Sequence[Sequence[int]]
) -> list[Weights]:
    """alpha_ij of each symbol i of a translation and j of its source (Bahdanau et al. 2015, eq. 6).

    `source` [B, S] ends each sentence by end-of-sentence, then padding; `targets` are B
    translations of at least one symbol, with end-of-sentence where they have one. Of an ensemble,
    the mean of its models. Raises UserError if a model has no attention.
    """
    if not ensemble.aligns:
        raise UserError("a model without attention aligns nothing: choose one with it")
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
