"""The weight matrices of the papers' models, counted with 30,000 words on both sides."""

import pytest
import torch

from contextnmt.configuration.model import model_settings
from contextnmt.model.translator import Translator

WORDS, m, n, align, maxout, rank = 30_000, 620, 1000, 1000, 500, 620
BAHDANAU = {"cell": "gru", "embedding": m, "hidden": n, "alignment": align, "maxout": maxout}
GATES = 2 * 620 * 1001


def parameters(block, dimensions):
    """Return name and size of the parameters of so many dimensions, without their memory."""
    with torch.device("meta"):
        model = Translator(model_settings(block), WORDS, WORDS)
    named = model.named_parameters()
    return {name: each.numel() for name, each in named if each.dim() == dimensions}


def matrices(block):
    return sum(parameters(block, 2).values())


@pytest.mark.parametrize("attention", [True, False], ids=["RNNsearch", "RNNencdec"])
@pytest.mark.parametrize("low_rank", [False, True], ids=["as printed", "as published"])
def test_bahdanaus_matrices_are_those_of_the_paper(attention, low_rank):
    """Bahdanau et al. 2015, A.2.3."""
    annotation, encoders = (2 * n, 2) if attention else (n, 1)
    expected = {
        "source_embedding": WORDS * m,
        "target_embedding": WORDS * m,
        "encoder": encoders * 3 * n * (m + n),  # W, W_z, W_r, U, U_z and U_r of each
        "attention": align * n + align * 2 * n + align if attention else 0,  # W_a, U_a, v_a
        "decoder": n * n + 3 * n * (m + n + annotation),  # W_s; those of an encoder; C, C_z, C_r
        "readout": 2 * maxout * (n + m + annotation)  # U_o, V_o, C_o
        + (rank * (maxout + WORDS) if low_rank else WORDS * maxout),  # W_o
    }
    found = dict.fromkeys(expected, 0)
    block = {**BAHDANAU, "attention": attention, "readout_rank": rank if low_rank else None}
    for name, size in parameters(block, 2).items():
        found[name.partition(".")[0]] += size
    assert found == expected


def test_bahdanaus_biases_are_those_of_the_authors_code():
    """Spec sec. 2.3, item 6: none in gates, alignment, and the readout's word and context."""
    found = sum(parameters({**BAHDANAU, "readout_rank": rank}, 1).values())
    assert (
        found == 2 * m + 2 * n + n + n + 2 * maxout + WORDS
    )  # tables, encoders, W_s, decoder, ...


@pytest.mark.parametrize(
    ("block", "added"),
    [
        ({}, 0),
        ({"contextualizer": {"layers": [1000]}}, WORDS * 1000 + 1000 + GATES),
        ({"contextualizer": {"layers": [1000], "table": "shared"}}, 620 * 1000 + 1000 + GATES),
        ({"contextualizer": {"layers": [900, 1000]}}, WORDS * 900 + 900 + 901 * 1000 + GATES),
        ({"smoother": {"network": "ccwm", "words": "unknown"}}, 4 * m * m + 2 * m + m),
        (
            {"smoother": {"network": "fcwm", "words": "all", "decoder": True}},
            2 * (4 * m * m + m + m) + 3 * 4 * n * m + 2 * maxout * m,  # inputs of double size
        ),
    ],
)
def test_chois_parameters_are_those_of_the_sister_paper(block, added):
    """RNNsearch with an LSTM (spec sec. 1.2); layers that read one-hot words or the source
    embedding, and two gates; a network and a border for each side that is smoothed."""
    alignment = 2000
    assert matrices({}) == (
        2 * WORDS * m
        + 2 * 4 * n * (m + n)  # encoder
        + alignment * (n + 2 * n + 1)
        + n * n  # W_s
        + 4 * n * (m + n + 2 * n)  # decoder
        + 2 * maxout * (n + m + 2 * n)
        + WORDS * maxout
    )
    assert matrices(block) + sum(parameters(block, 1).values()) == 90_314_000 + added
