"""The weight matrices of the papers' models, counted with 30,000 words on both sides."""

from itertools import pairwise

import pytest
import torch

from contextnmt.configuration.model import model_settings
from contextnmt.model.translator import Translator

WORDS, m, n, align, maxout, rank = 30_000, 620, 1000, 1000, 500, 620
BAHDANAU = {"cell": "gru", "embedding": m, "hidden": n, "alignment": align, "maxout": maxout}


def parameters(block, dimensions):
    """Name and shape of the parameters of so many dimensions, without their memory."""
    with torch.device("meta"):
        model = Translator(model_settings(block), WORDS, WORDS)
    return {
        name: tuple(parameter.shape)
        for name, parameter in model.named_parameters()
        if parameter.dim() == dimensions
    }


def gru(path, size):
    return {
        f"{path}.candidate.weight": (n, size),  # W
        f"{path}.gates.weight": (2 * n, size),  # W_z, W_r
        f"{path}.recurrent_candidate.weight": (n, n),  # U
        f"{path}.recurrent_gates.weight": (2 * n, n),  # U_z, U_r
    }


def expected(attention, low_rank):
    """Bahdanau et al. 2015, A.2.3."""
    annotation = 2 * n if attention else n
    return {
        "source_embedding.weight": (WORDS, m),
        "target_embedding.weight": (WORDS, m),
        **gru("encoder.forward_gru.cell", m),
        **(gru("encoder.backward_gru.cell", m) if attention else {}),
        **(
            {
                "attention.query.weight": (align, n),  # W_a
                "attention.key.weight": (align, 2 * n),  # U_a
                "attention.energy.weight": (1, align),  # v_a
            }
            if attention
            else {}
        ),
        "decoder.initial.weight": (n, n),  # W_s
        **gru("decoder.cell", m),
        "decoder.context.weight": (3 * n, annotation),  # C, C_z, C_r
        "readout.state.weight": (2 * maxout, n),  # U_o
        "readout.word.weight": (2 * maxout, m),  # V_o
        "readout.context.weight": (2 * maxout, annotation),  # C_o
        **(
            {"readout.output.0.weight": (rank, maxout), "readout.output.1.weight": (WORDS, rank)}
            if low_rank
            else {"readout.output.weight": (WORDS, maxout)}  # W_o
        ),
    }


@pytest.mark.parametrize(
    ("attention", "low_rank", "count"),
    [
        (True, False, 80_401_000),
        (True, True, 84_311_000),
        (False, False, 68_540_000),
        (False, True, 72_450_000),
    ],
    ids=["RNNsearch as printed", "RNNsearch", "RNNencdec as printed", "RNNencdec"],
)
def test_bahdanaus_matrices_are_those_of_the_paper(attention, low_rank, count):
    block = {**BAHDANAU, "attention": attention, "readout_rank": rank if low_rank else None}
    matrices = parameters(block, 2)
    for name, (rows, columns) in matrices.items():
        print(f"{name:45} {rows:6,} x {columns:5,} = {rows * columns:10,}")
    print(f"{'all':45} {sum(r * c for r, c in matrices.values()):29,}")
    assert matrices == expected(attention, low_rank)
    assert sum(rows * columns for rows, columns in matrices.values()) == count


def test_bahdanaus_biases_are_those_of_the_authors_code():
    """Spec sec. 2.3, item 6: none in gates, alignment, and the readout's word and context."""
    assert parameters({**BAHDANAU, "readout_rank": rank}, 1) == {
        "source_embedding.bias": (m,),
        "target_embedding.bias": (m,),
        "encoder.forward_gru.cell.candidate.bias": (n,),
        "encoder.backward_gru.cell.candidate.bias": (n,),
        "decoder.initial.bias": (n,),
        "decoder.cell.candidate.bias": (n,),
        "readout.state.bias": (2 * maxout,),
        "readout.output.1.bias": (WORDS,),
    }


def test_chois_matrices_have_the_sizes_of_the_sister_paper():
    """RNNsearch with an LSTM (spec sec. 1.2)."""
    embedding, hidden, alignment, units = 620, 1000, 2000, 500
    assert sum(rows * columns for rows, columns in parameters({}, 2).values()) == (
        2 * WORDS * embedding
        + 2 * 4 * hidden * (embedding + hidden)  # encoder
        + alignment * (hidden + 2 * hidden + 1)
        + hidden * hidden  # W_s
        + 4 * hidden * (embedding + hidden + 2 * hidden)  # decoder
        + 2 * units * (hidden + embedding + 2 * hidden)
        + WORDS * units
    )


@pytest.mark.parametrize("layers", [[1000], [1000, 1000], [400, 800, 600]])
@pytest.mark.parametrize("table", ["own", "shared"])
def test_what_contextualization_adds(table, layers):
    """Layers with biases on the one-hot word or on the source embedding, and two gates."""
    embedding = 620
    found = parameters({"contextualizer": {"layers": layers, "table": table}}, 2)
    without = parameters({}, 2)
    added = sum(r * c for r, c in found.values()) - sum(r * c for r, c in without.values())
    sizes = [WORDS if table == "own" else embedding, *layers]
    assert added == sum(a * b for a, b in pairwise(sizes)) + 2 * layers[-1] * embedding


def test_all_parameters_of_chois_models():
    """Matrices and biases, of 30,000 words and three special ones each on both sides."""

    def count(**contextualizer):
        with torch.device("meta"):
            block = {"contextualizer": contextualizer} if contextualizer else {}
            model = Translator(model_settings(block), WORDS + 3, WORDS + 3)
        return sum(parameter.numel() for parameter in model.parameters())

    baseline, gates = 90_319_223, 2 * 620 * 1001
    layer = 1000 * 1001
    assert count() == baseline
    assert count(layers=[1000, 1000]) == baseline + 30_004 * 1000 + layer + gates
    assert count(layers=[1000, 1000], table="shared") == baseline + 621 * 1000 + layer + gates


@pytest.mark.parametrize("words", ["unknown", "all"])
@pytest.mark.parametrize("decoder", [False, True])
@pytest.mark.parametrize(("network", "own"), [("fcwm", 4 * m * m), ("ccwm", 3 * m * m + m * m)])
def test_what_smoothing_adds(network, own, decoder, words):
    """A network and a border for each side; with all words smoothed, inputs of double size."""
    smoother = {"network": network, "words": words, "decoder": decoder}
    without = parameters(BAHDANAU, 2)
    found = parameters({**BAHDANAU, "smoother": smoother}, 2)
    added = sum(r * c for r, c in found.values()) - sum(r * c for r, c in without.values())
    wider = 2 * 3 * n * m + decoder * (3 * n * m + 2 * maxout * m)  # W, W_z, W_r of each; V_o
    assert added == (1 + decoder) * (own + m) + (words == "all") * wider
