"""Every architecture of the three papers, as the `model` block of a system would give it."""

import pytest
import torch

from contextnmt.configuration.model import model_settings
from contextnmt.model.translator import Translator

GRU = {"cell": "gru", "readout_rank": 3}
SMOOTHERS = {
    f"{network}, {words}, {'encoder and decoder' if decoder else 'encoder'}": {
        "network": network,
        "words": words,
        "decoder": decoder,
        "window": 3 if decoder else 2,
    }
    for network in ("fcwm", "ccwm")
    for words in ("unknown", "all")
    for decoder in (False, True)
}
ARCHITECTURES = {
    "RNNsearch": GRU,
    "RNNencdec": {**GRU, "attention": False},
    "Choi": {},
    "Choi+C": {"contextualizer": {"layers": [7, 5]}},
    "Choi+C, shared table": {"contextualizer": {"layers": [7, 5], "table": "shared"}},
    **{name: {**GRU, "smoother": smoother} for name, smoother in SMOOTHERS.items()},
}

#: Models that no paper has, and the settings allow.
OTHERS = {
    "as printed": {"cell": "gru"},
    "without attention, as printed": {"cell": "gru", "attention": False},
    "LSTM without attention, contextualized": {
        "attention": False,
        "contextualizer": {"layers": [7, 5, 6], "end_of_sentence": True},
    },
    "LSTM, contextualized and smoothed": {
        "contextualizer": {"layers": [7]},
        "smoother": {"network": "fcwm", "words": "all", "decoder": True, "window": 1},
    },
}

every = pytest.mark.parametrize("name", [*ARCHITECTURES, *OTHERS])


def build(name, words, sizes, std=None, seed=3):
    """A small model; with `std`, no weight of it is zero."""
    torch.manual_seed(seed)
    block = {**(ARCHITECTURES | OTHERS)[name], **sizes, "initialisation": "glorot"}
    model = Translator(model_settings(block), words, words)
    if std is not None:
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=std)
    return model


def pairs(lengths, words):
    """Random source ids and target ids of sentences of so many words each, padded."""
    torch.manual_seed(5)
    return [
        torch.nn.utils.rnn.pad_sequence(
            [torch.randint(1, words, (length,)) for length in side], batch_first=True
        )
        for side in zip(*lengths, strict=True)
    ]
