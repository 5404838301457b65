"""Valid and invalid settings of a `model` block."""

import pytest

from contextnmt.configuration.model import ModelSettings, SmootherSettings, model_settings
from contextnmt.errors import UserError


def test_defaults_are_chois():
    assert model_settings({}) == ModelSettings(
        620, 1000, 2000, 500, None, 0.0, "gaussian", "lstm", True, None, None
    )


def test_a_smoother_looks_at_two_words_and_leaves_the_decoder_alone():
    found = model_settings({"smoother": {"network": "fcwm", "words": "all"}})
    assert found.smoother == SmootherSettings("fcwm", "all", False, 2)


def smoother(**changes):
    return {"smoother": {"network": "fcwm", "words": "all", **changes}}


def contextualizer(**changes):
    return {"contextualizer": {"layers": [4], **changes}}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"hiden": 3}, "model.hiden: unknown key"),
        ({"hidden": True}, "model.hidden is true; allowed: a whole number"),
        ({"initialisation": "magic"}, "model.initialisation is .magic"),
        ({"dropout": 5}, "model.dropout is 5; allowed: a number of at least 0 and below 1"),
        ({"contextualizer": {}}, "model.contextualizer.layers: missing"),
        ({"contextualizer": 3}, "model.contextualizer is 3"),
        (contextualizer(layers=[]), "model.contextualizer.layers is "),
        (contextualizer(table="other"), "table is .other.; allowed: own, shared"),
        ({"cell": None}, "model.cell is null; allowed: lstm, gru"),
        ({"attention": 1}, "model.attention is 1; allowed: true or false"),
        ({"readout_rank": 1.5}, "rank is 1.5; allowed: a whole number of at least 1 or null"),
        (smoother(network="rnn"), 'model.smoother.network is "rnn"; allowed: fcwm, ccwm'),
        (smoother(window=0), "model.smoother.window is 0; allowed: a whole number of at least 1"),
        (smoother(network="ccwm", window=1), "window is 1; allowed: at least 2 with ccwm"),
    ],
)
def test_settings_that_cannot_be_are_refused(block, message):
    with pytest.raises(UserError, match=message):
        model_settings(block)
