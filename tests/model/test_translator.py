"""The model against slow, obvious NumPy written from the equations, in float64."""

import numpy as np
import pytest
import torch

from contextnmt.errors import UserError
from contextnmt.model.settings import ContextualizerSettings, ModelSettings, model_settings
from contextnmt.model.translator import Translator

SOURCE = [[3, 7, 4, 1], [5, 1], [6, 3, 1]]  # 1 ends a sentence
TARGET = [[4, 5, 1], [3, 6, 7, 8, 1], [1]]
WORDS = 9


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Equations:
    """log p(Y | X), one sentence and one word at a time (Choi et al. 2017, sec. 2, eq. 5; A5)."""

    def __init__(self, model):
        self.w = {name: p.detach().numpy() for name, p in model.named_parameters()}
        self.hidden = model.decoder.recurrent.weight.shape[1]

    def linear(self, name, x):
        return self.w[f"{name}.weight"] @ x + self.w.get(f"{name}.bias", 0.0)

    def lstm(self, gates, cell):
        n = self.hidden
        i, f, g, o = (gates[k * n : (k + 1) * n] for k in range(4))
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(cell), cell

    def encoder(self, name, embedded):
        h = c = np.zeros(self.hidden)
        states = []
        for x in embedded:
            gates = (
                self.w[f"{name}.weight_ih_l0"] @ x
                + self.w[f"{name}.bias_ih_l0"]
                + self.w[f"{name}.weight_hh_l0"] @ h
                + self.w[f"{name}.bias_hh_l0"]
            )
            h, c = self.lstm(gates, c)
            states.append(h)
        return states

    def context_gates(self, embedded):
        vectors = []
        for x in embedded[:-1]:  # end-of-sentence is no word (A11)
            for layer in range(2):
                x = np.tanh(self.linear(f"contextualizer.layers.{layer}", x))
            vectors.append(x)
        c = sum(vectors) / len(vectors)
        return [
            sigmoid(self.linear(f"contextualizer.{side}_gate", c)) for side in ("source", "target")
        ]

    def losses(self, source, target):
        embedded = [self.w["source_embedding.weight"][word] for word in source]
        gate_x = gate_y = 1.0
        if "contextualizer.source_gate.weight" in self.w:
            gate_x, gate_y = self.context_gates(embedded)
        embedded = [x * gate_x for x in embedded]
        forward = self.encoder("encoder.forward_lstm", embedded)
        backward = self.encoder("encoder.backward_lstm", embedded[::-1])[::-1]
        annotations = [np.concatenate(pair) for pair in zip(forward, backward, strict=True)]
        s, cell = np.tanh(self.linear("decoder.initial", backward[0])), np.zeros(self.hidden)
        previous = np.zeros(self.w["target_embedding.weight"].shape[1])
        losses = []
        for word in target:
            energies = np.array(
                [
                    self.linear(
                        "attention.energy",
                        np.tanh(
                            self.linear("attention.query", s) + self.linear("attention.key", h)
                        ),
                    )[0]
                    for h in annotations
                ]
            )
            alpha = np.exp(energies) / np.exp(energies).sum()
            context = sum(a * h for a, h in zip(alpha, annotations, strict=True))
            pieces = (
                self.linear("readout.state", s)
                + self.linear("readout.word", previous)
                + self.linear("readout.context", context)
            )
            maxout = np.array([max(pieces[j], pieces[j + 1]) for j in range(0, len(pieces), 2)])
            logits = self.linear("readout.output", maxout)
            losses.append(np.log(np.exp(logits).sum()) - logits[word])
            previous = self.w["target_embedding.weight"][word] * gate_y
            gates = (
                self.linear("decoder.word", previous)
                + self.linear("decoder.context", context)
                + self.linear("decoder.recurrent", s)
            )
            n = self.hidden
            i, f, o, g = (gates[k * n : (k + 1) * n] for k in range(4))
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            s = sigmoid(o) * np.tanh(cell)
        return losses


def build(contextualizer=None):
    torch.manual_seed(3)
    settings = ModelSettings(5, 4, 6, 3, contextualizer, initialisation="glorot")
    model = Translator(settings, WORDS, WORDS).double()
    for parameter in model.parameters():  # no zero biases: every term has to count
        torch.nn.init.normal_(parameter, std=0.5)
    return model


def padded(sentences):
    rows = [torch.tensor(sentence) for sentence in sentences]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


CONTEXTUALIZERS = [None, ContextualizerSettings((7, 5))]


@pytest.mark.parametrize("contextualizer", CONTEXTUALIZERS)
def test_likelihood_equals_the_equations(contextualizer):
    model = build(contextualizer)
    found = model(padded(SOURCE), padded(TARGET)).detach().numpy()
    equations = Equations(model)
    expected = [x for pair in zip(SOURCE, TARGET, strict=True) for x in equations.losses(*pair)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("contextualizer", CONTEXTUALIZERS)
def test_gradients_equal_the_slope_of_the_equations(contextualizer):
    model = build(contextualizer)
    model(padded(SOURCE), padded(TARGET)).sum().backward()
    random = np.random.default_rng(5)
    for name, parameter in model.named_parameters():
        flat = parameter.data.view(-1)
        index = int(random.integers(len(flat)))
        totals = []
        for shift in (1e-6, -2e-6):
            flat[index] += shift
            pairs = zip(SOURCE, TARGET, strict=True)
            totals.append(sum(sum(Equations(model).losses(*pair)) for pair in pairs))
        flat[index] += 1e-6
        slope = (totals[0] - totals[1]) / 2e-6
        assert parameter.grad.view(-1)[index].item() == pytest.approx(slope, abs=1e-6), name


@pytest.mark.parametrize("contextualizer", CONTEXTUALIZERS)
def test_padding_and_neighbours_change_nothing(contextualizer):
    model = build(contextualizer)
    together = model(padded(SOURCE), padded(TARGET))
    alone = [
        model(torch.tensor([source]), torch.tensor([target]))
        for source, target in zip(SOURCE, TARGET, strict=True)
    ]
    torch.testing.assert_close(together, torch.cat(alone), rtol=0, atol=1e-12)


def test_step_by_step_prediction_equals_the_likelihood_of_training():
    model = build(CONTEXTUALIZERS[1])
    source, target = padded(SOURCE[:1]), padded(TARGET[:1])
    encoded = model.encode(source)
    state, previous, losses = encoded.start, None, []
    for word in target[0]:
        logits, context, weights = model.predict(state, previous, encoded)
        assert weights.sum().item() == pytest.approx(1)
        losses.append(-logits.log_softmax(2)[0, 0, word])
        previous = model.embed_target(word.view(1, 1), encoded)
        state = model.advance(state, previous, context)
    torch.testing.assert_close(torch.stack(losses), model(source, target))


def test_weight_matrices_have_the_papers_sizes():
    """RNNsearch with an LSTM and the sizes of the sister paper (spec sec. 1.2)."""
    model = Translator(ModelSettings(), 30_000, 30_000)
    matrices = {n: p.numel() for n, p in model.named_parameters() if p.dim() == 2}
    embedding, hidden, alignment, maxout = 620, 1000, 2000, 500
    assert sum(matrices.values()) == (
        2 * 30_000 * embedding
        + 2 * 4 * hidden * (embedding + hidden)  # encoder
        + alignment * (hidden + 2 * hidden + 1)
        + hidden * hidden  # W_s
        + 4 * hidden * (embedding + hidden + 2 * hidden)  # decoder
        + 2 * maxout * (hidden + embedding + 2 * hidden)
        + 30_000 * maxout
    )


def test_gaussian_initialisation_is_that_of_the_paper():
    torch.manual_seed(1)
    model = Translator(ModelSettings(embedding=60, hidden=80, alignment=70), 500, 500)
    recurrent = model.decoder.recurrent.weight[:80]
    torch.testing.assert_close(recurrent @ recurrent.T, torch.eye(80), rtol=0, atol=1e-5)
    assert not model.attention.energy.weight.any()
    assert model.attention.key.weight.std().item() == pytest.approx(0.001, rel=0.1)
    assert model.source_embedding.weight.std().item() == pytest.approx(0.01, rel=0.1)
    assert not any(p.any() for p in model.parameters() if p.dim() == 1)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"hiden": 3}, "model.hiden: unknown key"),
        ({"hidden": 0}, "model.hidden is 0"),
        ({"initialisation": "magic"}, "model.initialisation is 'magic'"),
        ({"dropout": 5}, "model.dropout is 5: it must be at least 0 and at most 0.99"),
        ({"hidden": True}, "model.hidden is True: it must be a whole number"),
        ({"contextualizer": {}}, "model.contextualizer.layers is None"),
        ({"contextualizer": 3}, "model.contextualizer is 3"),
        ({"contextualizer": {"layers": [4], "eos": 1}}, "model.contextualizer.eos: unknown key"),
    ],
)
def test_settings_that_cannot_be_are_refused(block, message):
    with pytest.raises(UserError, match=message):
        Translator(model_settings(block), 5, 5)
