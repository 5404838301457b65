"""Whole models against NumPy written from the equations, in float64."""

import equations
import numpy as np
import pytest
import torch
from architectures import ARCHITECTURES, OTHERS, build, every
from equations import within

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings, model_settings
from contextnmt.model.translator import PADDING, UNKNOWN, Translator
from contextnmt.text.vocabulary import PAD, UNK

SOURCE = [[3, 2, 7, 4, 1], [5, 1], [2, 3, 1]]  # 1 ends a sentence, 2 is unknown
TARGET = [[4, 5, 1], [3, 2, 6, 2, 7, 8, 1], [1]]
ENDS = [[1], [1], [1]]
WORDS = 9
SIZES = {"embedding": 5, "hidden": 4, "alignment": 6, "maxout": 3}


def losses(w, settings, source, target):
    """-log p(y_i | y_<i, X) of each target word, one sentence (A5)."""
    xs = [equations.embedding(within(w, "source_embedding"), word) for word in source]
    ys = [equations.embedding(within(w, "target_embedding"), word) for word in target]
    if settings.contextualizer:
        eos = settings.contextualizer.end_of_sentence
        part = within(w, "contextualizer")
        gate_x, gate_y = equations.contextualizer(part, source, xs, eos)
        xs, ys = [x * gate_x for x in xs], [y * gate_y for y in ys]
    if settings.smoother:
        unknown = [[word == 2 for word in words] for words in (source, target)]
        part = within(w, "source_smoother")
        xs = equations.smoothed_source(part, xs, unknown[0], settings.smoother)
        if settings.smoother.decoder:
            part = within(w, "target_smoother")
            ys = equations.smoothed_target(part, ys, unknown[1], settings.smoother)
    read = equations.bidirectional if settings.attention else equations.last_state
    annotations, summary = read(within(w, "encoder"), xs, settings.cell)
    memory = equations.decoder_start(within(w, "decoder"), summary, settings.cell)
    previous = np.zeros_like(ys[0])
    found = []
    for word, y in zip(target, ys, strict=True):
        context, _ = equations.attention(within(w, "attention"), memory[0], annotations)
        logits = equations.readout(within(w, "readout"), memory[0], previous, context)
        found.append(np.log(np.exp(logits).sum()) - logits[word])
        memory = equations.DECODERS[settings.cell](within(w, "decoder"), memory, y, context)
        previous = y
    return found


def all_losses(model, name, targets=TARGET):
    """Return the losses of all words of `targets`, by the equations."""
    w = {key: parameter.detach().numpy() for key, parameter in model.named_parameters()}
    settings = model_settings((ARCHITECTURES | OTHERS)[name])
    return [x for pair in zip(SOURCE, targets, strict=True) for x in losses(w, settings, *pair)]


def double(name):
    return build(name, WORDS, SIZES, 0.5).double()


def padded(sentences):
    rows = [torch.tensor(sentence) for sentence in sentences]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


def real_losses(model, source, target):
    """Return the losses of the words; those of the padding have to be zero."""
    losses = model(source, target)
    assert losses.shape == target.shape
    assert not losses[target == 0].any()
    return losses[target != 0]


@every
@pytest.mark.usefixtures("both_hidden_layers", "both_devices")
@pytest.mark.parametrize("targets", [TARGET, ENDS], ids=["sentences", "ends alone"])
def test_losses_and_their_slope_equal_the_equations(name, targets):
    """The slope is that in a random direction of all weights at once. There is more padding than
    needed."""
    model = double(name)
    found = real_losses(model, padded(SOURCE), torch.nn.functional.pad(padded(targets), (0, 2)))
    with torch.no_grad():
        torch.testing.assert_close(
            model(padded(SOURCE), padded(targets))[padded(targets) != 0], found
        )
    expected = all_losses(model, name, targets)
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=0, atol=1e-12)
    weights = list(model.parameters())
    gradients = torch.autograd.grad(found.sum(), weights, materialize_grads=True)
    directions = [torch.randn_like(weight) for weight in weights]
    slope = sum((a * b).sum().item() for a, b in zip(gradients, directions, strict=True))
    totals = []
    for step in (1e-6, -2e-6):
        for weight, direction in zip(weights, directions, strict=True):
            weight.data += step * direction
        totals.append(sum(all_losses(model, name, targets)))
    assert slope == pytest.approx((totals[0] - totals[1]) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("name", ["Choi+C", "RNNencdec", "ccwm, all, encoder and decoder"])
def test_gradients_are_the_same_to_the_bit(name):
    """On several threads too, whatever their turns: what adds up has one order."""
    model = build(name, 50, dict.fromkeys(SIZES, 64), 0.1)
    random = torch.Generator().manual_seed(7)
    source, target = (
        torch.randint(3, 50, (64, 24), generator=random)
        * (torch.arange(24) < torch.randint(2, 24, (64, 1), generator=random))
        for _ in range(2)
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        found = [
            torch.autograd.grad(model(source, target).sum(), list(model.parameters()))
            for _ in range(3)
        ]
    finally:
        torch.set_num_threads(threads)
    for other in found[1:]:
        assert all(map(torch.equal, found[0], other))


def test_only_models_with_attention_align():
    for name, block in (ARCHITECTURES | OTHERS).items():
        encoded = (model := double(name)).encode(padded(SOURCE[:1]))
        _, _, weights = model.predict(encoded.start, encoded)
        assert (weights is None) == (block.get("attention") is False), name
        if weights is not None:
            assert weights.shape == (1, 1, len(SOURCE[0]))
            assert weights.sum().item() == pytest.approx(1)


def test_special_words_have_the_ids_of_the_vocabulary():
    assert (PADDING, UNKNOWN) == (PAD, UNK)


#: The weights of a file that `contextnmt train` wrote, by which it can still be loaded.
NAMES = """
source_embedding.weight target_embedding.weight
contextualizer.layers.0.weight contextualizer.layers.0.bias
contextualizer.layers.1.weight contextualizer.layers.1.bias
contextualizer.source_gate.weight contextualizer.source_gate.bias
contextualizer.target_gate.weight contextualizer.target_gate.bias
encoder.forward_lstm.weight_ih_l0 encoder.forward_lstm.weight_hh_l0
encoder.forward_lstm.bias_ih_l0 encoder.forward_lstm.bias_hh_l0
encoder.backward_lstm.weight_ih_l0 encoder.backward_lstm.weight_hh_l0
encoder.backward_lstm.bias_ih_l0 encoder.backward_lstm.bias_hh_l0
attention.query.weight attention.key.weight attention.energy.weight
decoder.initial.weight decoder.initial.bias decoder.word.weight decoder.word.bias
decoder.context.weight decoder.recurrent.weight
readout.state.weight readout.state.bias readout.word.weight readout.context.weight
readout.output.weight readout.output.bias
"""


@pytest.mark.parametrize(
    ("context", "dropout", "initialisation", "expected"),
    [
        (False, 0.0, "gaussian", 19.183147),
        (True, 0.0, "glorot", 18.935385),
        # What dropout draws, it draws for the sentences in the order of their target lengths.
        (True, 0.3, "glorot", 18.987848),
    ],
)
def test_chois_models_have_the_losses_they_always_had(context, dropout, initialisation, expected):
    torch.manual_seed(1)
    contextualizer = ContextualizerSettings((7, 5), dropout > 0, "shared") if context else None
    settings = ModelSettings(6, 8, 10, 4, contextualizer, dropout, initialisation)
    model = Translator(settings, 12, 11)
    names = NAMES.split()
    assert list(model.state_dict()) == [each for each in names if context or "contextu" not in each]
    source = padded([[3, 7, 4, 2, 1], [5, 1], [6, 3, 1]])
    target = padded([[4, 2, 1], [3, 6, 7, 1], [1]])
    torch.manual_seed(5)
    assert model(source, target).sum().item() == pytest.approx(expected, rel=1e-5)
