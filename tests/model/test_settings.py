"""Valid and invalid settings of a `model` block."""

import dataclasses
import json

import pytest
from architectures import ARCHITECTURES, OTHERS

from contextnmt.configuration.model import ModelSettings, SmootherSettings, model_settings
from contextnmt.errors import UserError
from contextnmt.model.translator import Translator


def test_defaults_are_chois():
    assert model_settings({}) == ModelSettings(
        620, 1000, 2000, 500, None, 0.0, "gaussian", "lstm", True, None, None
    )


def test_a_smoother_looks_at_two_words_and_leaves_the_decoder_alone():
    found = model_settings({"smoother": {"network": "fcwm", "words": "all"}})
    assert found.smoother == SmootherSettings("fcwm", "all", False, 2)


@pytest.mark.parametrize("name", [*ARCHITECTURES, *OTHERS])
def test_settings_survive_the_way_through_json(name):
    """A model's folder keeps them so."""
    settings = model_settings((ARCHITECTURES | OTHERS)[name])
    assert model_settings(json.loads(json.dumps(dataclasses.asdict(settings)))) == settings


def smoother(**changes):
    return {"smoother": {"network": "fcwm", "words": "all", **changes}}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"hiden": 3}, "model.hiden: unknown key"),
        ({"hidden": 0}, "model.hidden is 0"),
        ({"initialisation": "magic"}, "model.initialisation is .magic"),
        ({"dropout": 5}, "model.dropout is 5; allowed: a number of at least 0 and below 1"),
        ({"hidden": True}, "model.hidden is true; allowed: a whole number"),
        ({"contextualizer": {}}, "model.contextualizer.layers: missing"),
        ({"contextualizer": {"layers": []}}, "model.contextualizer.layers is "),
        ({"contextualizer": 3}, "model.contextualizer is 3"),
        ({"contextualizer": {"layers": [4], "eos": 1}}, "model.contextualizer.eos: unknown key"),
        (
            {"contextualizer": {"layers": [4], "table": "other"}},
            'model.contextualizer.table is "other"; allowed: own, shared',
        ),
        ({"cell": "rnn"}, 'model.cell is "rnn"; allowed: lstm, gru'),
        ({"cell": None}, "model.cell is null; allowed: lstm, gru"),
        ({"attention": 1}, "model.attention is 1; allowed: true or false"),
        ({"readout_rank": 0}, "model.readout_rank is 0; allowed: a whole number of at least 1"),
        (
            {"readout_rank": 1.5},
            "readout_rank is 1.5; allowed: a whole number of at least 1 or null",
        ),
        ({"smoother": "fcwm"}, 'model.smoother is "fcwm"; allowed: a block of keys or null'),
        ({"smoother": {"network": "fcwm"}}, "model.smoother.words: missing"),
        (smoother(network="rnn"), 'model.smoother.network is "rnn"; allowed: fcwm, ccwm'),
        (smoother(words="known"), 'model.smoother.words is "known"; allowed: unknown, all'),
        (smoother(decoder="yes"), 'model.smoother.decoder is "yes"; allowed: true or false'),
        (smoother(window=0), "model.smoother.window is 0; allowed: a whole number of at least 1"),
        (smoother(network="ccwm", window=1), "window is 1; allowed: with ccwm at least 2"),
        (smoother(size=3), "model.smoother.size: unknown key"),
    ],
)
def test_settings_that_cannot_be_are_refused(block, message):
    with pytest.raises(UserError, match=message):
        Translator(model_settings(block), 5, 5)
