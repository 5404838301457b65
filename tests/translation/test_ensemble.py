"""Several models as one: their probabilities and their attention."""

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


def test_attention_weights_have_a_row_for_each_symbol_written_and_are_the_mean_of_all_models():
    models = [model(1), model(2, cell="gru")]
    found = attention_weights(Ensemble(models), SOURCE, TARGETS)
    assert [weights.shape for weights in found] == [(3, 4), (5, 2), (1, 3)]
    for weights, source, target in zip(found, SOURCE, TARGETS, strict=True):
        one, other = (one_by_one(each, source, target) for each in models)
        np.testing.assert_allclose(weights, (one + other) / 2, atol=1e-6)


@torch.inference_mode()
def test_a_word_that_one_model_rules_out_stays_possible():
    models = [model(1), model(2, attention=False)]
    models[0].readout.output.bias[4] = -torch.inf
    ensemble = Ensemble(models)
    encoded, states = ensemble.encode(SOURCE)
    features = ensemble.features(states, ensemble.attend(states, encoded), encoded)
    found = ensemble.predict(features)[:, :, : ensemble.words]
    each = [m.predict(m.encode(SOURCE).start, m.encode(SOURCE))[0].softmax(2) for m in models]
    torch.testing.assert_close(found.exp(), sum(each) / 2)
    assert bool((found[:, :, 4] > -torch.inf).all())
