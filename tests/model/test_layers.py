"""Each layer against its equations in NumPy: value and gradient."""

import equations
import numpy as np
import pytest
import torch
from equations import check

from contextnmt.configuration.model import ContextualizerSettings, SmootherSettings
from contextnmt.model.attention import Attention, FixedContext
from contextnmt.model.contextualizer import Contextualizer
from contextnmt.model.decoder import DECODERS
from contextnmt.model.encoder import BidirectionalEncoder, ForwardEncoder
from contextnmt.model.gru import BiasedEmbedding, GRUCell
from contextnmt.model.readout import Readout
from contextnmt.model.smoother import CCWM, FCWM, Smoother

LENGTHS = [4, 1, 3]
CELLS = ["lstm", "gru"]


def numbers(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).normal(size=shape)


def test_embedding_with_a_bias():
    words = torch.tensor([[2, 0], [1, 2]])
    check(
        module := BiasedEmbedding(4, 3),
        lambda: module(words),
        lambda w: [[equations.embedding(w, word) for word in row] for row in words.tolist()],
    )


def test_gru_cell():
    check(
        module := GRUCell(3, 2),
        lambda x, h: module(module.project(x), h),
        lambda w, x, h: [equations.gru_step(w, *pair) for pair in zip(x, h, strict=True)],
        *(numbers(4, 3), numbers(4, 2)),
    )


def test_gru_resets_before_the_matrix_unlike_torch():
    """With a matrix that swaps the units, resetting the first one silences the second one."""
    cell = GRUCell(2, 2).double()
    for parameter in cell.parameters():
        torch.nn.init.zeros_(parameter)
    cell.recurrent_candidate.weight.data = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).double()
    closed, open_ = -100.0, 100.0
    projected = torch.tensor([0.0, 0.0, open_, open_, closed, open_]).double()  # h~, z, r
    found = cell(projected, torch.tensor([0.5, 0.25]).double())
    assert found.tolist() == pytest.approx([np.tanh(0.25), 0.0])


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize(
    ("encoder", "equation"),
    [
        (BidirectionalEncoder, equations.bidirectional),
        (ForwardEncoder, equations.last_state),
    ],
)
def test_encoder(encoder, equation, cell):
    module = encoder(2, 2, cell)

    def run(embedded):
        annotations, summary = module(embedded, torch.tensor(LENGTHS))
        real = [rows[:n] for rows, n in zip(annotations, LENGTHS, strict=True)]
        return torch.cat([*(rows.flatten() for rows in real), summary.flatten()])

    def slow(w, embedded):
        read = [equation(w, list(x[:n]), cell) for x, n in zip(embedded, LENGTHS, strict=True)]
        annotations = [np.concatenate(annotations) for annotations, _ in read]
        return np.concatenate([*annotations, *(summary for _, summary in read)])

    check(module, run, slow, numbers(3, 4, 2))


def test_attention():
    module = Attention(2, 4, 3)
    real = torch.arange(4) < torch.tensor(LENGTHS).unsqueeze(1)

    def run(state, annotations):
        context, weights = module(state, *module.prepare(annotations, real))
        assert not weights.masked_select(~real.unsqueeze(1)).any()
        rows = [row[:, :n].flatten() for row, n in zip(weights, LENGTHS, strict=True)]
        return torch.cat([context.flatten(), *rows])

    def slow(w, state, annotations):
        found = [
            [equations.attention(w, s, annotations[row, :n]) for s in state[row]]
            for row, n in enumerate(LENGTHS)
        ]
        pairs = [pair for row in found for pair in row]
        return np.concatenate([*(c for c, _ in pairs), *(alpha for _, alpha in pairs)])

    check(module, run, slow, numbers(3, 2, 2), numbers(3, 4, 4))


def test_a_fixed_context_is_the_last_state_whatever_the_decoder_does():
    module, last = FixedContext(), torch.tensor(numbers(3, 1, 4))
    context, weights = module(torch.tensor(numbers(3, 2, 4)), *module.prepare(last, last > 0))
    assert torch.equal(context, last.expand(3, 2, 4))
    assert weights is None


@pytest.mark.parametrize("cell", CELLS)
def test_decoder(cell):
    """The start, and two steps from there."""
    module = DECODERS[cell](3, 2, 4)

    def run(summary, words, contexts):
        memory, found = module.start(summary), []
        for word, context in zip(words, contexts, strict=True):
            memory = module.step(memory, module.project(word), context)
            found += memory
        return torch.stack(found)

    def slow(w, summary, words, contexts):
        memories = [equations.decoder_start(w, x, cell) for x in summary]
        found = []
        for word, context in zip(words, contexts, strict=True):
            memories = [
                equations.DECODERS[cell](w, memory, word[row, 0], context[row, 0])
                for row, memory in enumerate(memories)
            ]
            found += [np.stack(rows)[:, None] for rows in zip(*memories, strict=True)]
        return np.stack(found)

    check(module, run, slow, numbers(2, 2), numbers(2, 2, 1, 3), numbers(2, 2, 1, 4))


@pytest.mark.parametrize("rank", [None, 2])
def test_readout(rank):
    check(
        module := Readout(2, 3, 4, 3, 5, rank),
        lambda *inputs: module(*inputs),
        lambda w, *inputs: [equations.readout(w, *each) for each in zip(*inputs, strict=True)],
        *(numbers(3, 2), numbers(3, 3), numbers(3, 4)),
    )


@pytest.mark.parametrize("layers", [(2,), (4, 2), (2, 4, 3)])
@pytest.mark.parametrize("end_of_sentence", [False, True])
@pytest.mark.parametrize("table", ["own", "shared"])
def test_contextualizer(table, end_of_sentence, layers):
    module = Contextualizer(3, 6, ContextualizerSettings(layers, end_of_sentence, table))
    sizes = [layer.out_features for layer in module.layers]
    assert sizes == list(layers[1:] if table == "own" else layers)
    lengths = [4, 2, 3]
    words = np.array([[5, 3, 5, 1], [4, 1, 0, 0], [2, 4, 1, 0]])

    def slow(w, embedded):
        rows = zip(words, embedded, lengths, strict=True)
        gates = [equations.contextualizer(w, ids[:n], x[:n], end_of_sentence) for ids, x, n in rows]
        return np.stack(gates, axis=1)

    def run(embedded):
        # Zero times: with a table of its own the gates do not depend on the source embeddings.
        gates = module(torch.tensor(words), embedded, torch.tensor(lengths))
        return torch.stack(gates) + 0 * embedded.sum()

    check(module, run, slow, numbers(3, 4, 3))


@pytest.mark.parametrize("window", [1, 2, 3])
def test_feed_forward_smoothing(window):
    check(
        module := FCWM(3, window),
        lambda context: module(context),
        lambda w, context: [[equations.fcwm(w, x) for x in row] for row in context],
        numbers(2, 2, 2 * window, 3),
    )


@pytest.mark.parametrize("window", [2, 3])
def test_convolutional_smoothing(window):
    check(
        module := CCWM(2, window),
        lambda context: module(context),
        lambda w, context: [[equations.ccwm(w, x) for x in row] for row in context],
        numbers(2, 2, 2 * window, 2),
    )


@pytest.mark.parametrize("words", ["unknown", "all"])
@pytest.mark.parametrize("network", ["fcwm", "ccwm"])
@pytest.mark.parametrize("side", ["source", "target"])
def test_smoothed_sentences(side, network, words):
    """The window, its borders, and what becomes of known and unknown words."""
    settings = SmootherSettings(network, words)
    module = Smoother(2, settings)
    real = torch.arange(4) < torch.tensor(LENGTHS).unsqueeze(1)
    unknown = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]]).bool()

    def run(vectors):
        source = side == "source"
        context = module.surroundings(vectors, real) if source else module.history(vectors)
        return module(vectors, unknown, context)[real]

    def slow(w, vectors):
        smooth = getattr(equations, f"smoothed_{side}")
        rows = zip(vectors, unknown.tolist(), LENGTHS, strict=True)
        return np.concatenate([smooth(w, list(x[:n]), which[:n], settings) for x, which, n in rows])

    check(module, run, slow, numbers(3, 4, 2))
