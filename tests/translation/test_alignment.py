"""Attention weights of translations, and their file."""

import numpy as np
import torch

from contextnmt.configuration.model import ModelSettings
from contextnmt.model.translator import Translator
from contextnmt.translation.ensemble import Ensemble, attention_weights

SOURCE = torch.tensor([[3, 4, 5, 1], [4, 1, 0, 0], [5, 3, 1, 0]])
TARGETS = [[4, 3, 1], [5, 5, 2, 3, 1], [3]]


def model(seed, **settings):
    torch.manual_seed(seed)
    made = Translator(ModelSettings(5, 6, 4, 5, initialisation="glorot", **settings), 6, 6).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return made


@torch.inference_mode()
def one_by_one(translator, source, target):
    """The weights that `predict` tells of while a translation is forced on it, word by word."""
    encoded = translator.encode(source[source != 0].unsqueeze(0))
    state, rows = encoded.start, []
    for word in target:
        _, context, weights = translator.predict(state, encoded)
        rows.append(weights[0, 0].tolist())
        state = translator.advance(state, torch.tensor([[word]]), context, encoded)
    return np.array(rows)


def test_a_row_for_each_symbol_written_and_a_column_for_each_read():
    translator = model(1)
    found = attention_weights(Ensemble([translator]), SOURCE, TARGETS)
    assert [weights.shape for weights in found] == [(3, 4), (5, 2), (1, 3)]
    for weights, source, target in zip(found, SOURCE, TARGETS, strict=True):
        np.testing.assert_allclose(weights, one_by_one(translator, source, target), atol=1e-6)
        np.testing.assert_allclose(weights.sum(1), 1, atol=1e-6)


def test_of_an_ensemble_the_mean():
    models = [model(1), model(2, cell="gru")]
    together = attention_weights(Ensemble(models), SOURCE, TARGETS)
    alone = [attention_weights(Ensemble([each]), SOURCE, TARGETS) for each in models]
    for mean, one, other in zip(together, *alone, strict=True):
        np.testing.assert_allclose(mean, (one + other) / 2, atol=1e-6)
