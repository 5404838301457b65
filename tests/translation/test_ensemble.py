"""Several models as one."""

import pytest
import torch

from contextnmt.configuration.model import ModelSettings
from contextnmt.model.translator import Translator
from contextnmt.translation.beam import beam_search
from contextnmt.translation.ensemble import Ensemble

END = 1
SOURCE = torch.tensor([[3, 4, 5, 1], [4, 1, 0, 0]])


def model(seed, words=6, **settings):
    torch.manual_seed(seed)
    made = Translator(ModelSettings(5, 6, 4, 5, initialisation="glorot", **settings), words, words)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return made


def test_equal_models_are_as_one():
    alone = beam_search(model(1), SOURCE, 3, END, every=True)
    twice = beam_search(Ensemble([model(1), model(1)]), SOURCE, 3, END, every=True)
    for one, two in zip(alone, twice, strict=True):
        assert [each.ids for each in one] == [each.ids for each in two]
        assert [e.score for e in one] == pytest.approx([e.score for e in two], abs=1e-4)


@torch.inference_mode()
def next_word(ensemble):
    """Log-probabilities [B, 1, V] of the first word."""
    encoded, states = ensemble.encode(SOURCE)
    weights = ensemble.attend(states, encoded)
    return ensemble.predict(ensemble.features(states, weights, encoded))[:, :, : ensemble.words]


@torch.inference_mode()
def test_probabilities_are_averaged_and_sum_to_one():
    models = [model(1), model(2, cell="gru"), model(3, attention=False)]
    ensemble = Ensemble(models)
    together = next_word(ensemble)
    each = [m.predict(m.encode(SOURCE).start, m.encode(SOURCE))[0].softmax(2) for m in models]
    torch.testing.assert_close(together.exp(), sum(each) / 3)
    torch.testing.assert_close(together.exp().sum(2), torch.ones(2, 1))


def test_a_word_that_one_model_rules_out_stays_possible():
    one, other = model(1), model(2)
    with torch.no_grad():
        one.readout.output.bias[4] = -torch.inf
    ensemble = Ensemble([one, other])
    together = next_word(ensemble)
    assert bool((together[:, :, 4] > -torch.inf).all())
