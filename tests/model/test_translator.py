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


def all_losses(model, name):
    w = {key: parameter.detach().numpy() for key, parameter in model.named_parameters()}
    settings = model_settings((ARCHITECTURES | OTHERS)[name])
    return [x for pair in zip(SOURCE, TARGET, strict=True) for x in losses(w, settings, *pair)]


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
@pytest.mark.usefixtures("both_devices")
def test_likelihood_equals_the_equations(name):
    model = double(name)
    found = real_losses(model, padded(SOURCE), padded(TARGET)).detach().numpy()
    np.testing.assert_allclose(found, all_losses(model, name), rtol=0, atol=1e-12)


@every
def test_gradients_equal_the_slope_of_the_equations(name):
    model = double(name)
    model(padded(SOURCE), padded(TARGET)).sum().backward()
    random = np.random.default_rng(5)
    for key, parameter in model.named_parameters():
        flat = parameter.data.view(-1)
        index = int(random.integers(len(flat)))
        totals = []
        for shift in (1e-6, -2e-6):
            flat[index] += shift
            totals.append(sum(all_losses(model, name)))
        flat[index] += 1e-6
        slope = (totals[0] - totals[1]) / 2e-6
        assert parameter.grad.view(-1)[index].item() == pytest.approx(slope, abs=1e-6), key


@every
def test_sixteen_bits_change_little(name):
    """Matrices may be multiplied in bfloat16 (A46), which has 8 bits. The decoder's states, which
    would add up their roundings, the attention's weights and the losses have 32 nevertheless."""
    distances = [gradients_apart(build(name, WORDS, SIZES, 0.5, seed)) for seed in (3, 4, 5, 6, 7)]
    for key in distances[0]:
        # Rounding may choose the other half of a maxout unit, but not in most models.
        assert np.median([of_model[key] for of_model in distances]) < 0.1, key


def gradients_apart(model):
    """The relative distance of each gradient in 16 bits to the one in 32."""
    exact = model(padded(SOURCE), padded(TARGET))
    exact.sum().backward()
    gradients = {key: weight.grad for key, weight in model.named_parameters()}
    model.zero_grad()
    with torch.autocast("cpu", torch.bfloat16):
        encoded = model.encode(padded(SOURCE))
        logits, context, weights = model.predict(encoded.start, encoded)
        state = model.advance(encoded.start, torch.tensor([[3], [2], [1]]), context, encoded)
        losses = model(padded(SOURCE), padded(TARGET))
    kept = [*encoded.start.memory, *state.memory, losses, *([] if weights is None else [weights])]
    assert {tensor.dtype for tensor in kept} == {torch.float32}
    assert logits.dtype == torch.bfloat16
    torch.testing.assert_close(losses, exact, rtol=0.03, atol=0.03)
    losses.sum().backward()
    return {
        key: float((weight.grad - gradients[key]).norm() / gradients[key].norm().clamp(min=0.1))
        for key, weight in model.named_parameters()
    }


@every
def test_padding_and_neighbours_change_nothing(name):
    model = double(name)
    together = real_losses(model, padded(SOURCE), padded(TARGET))
    alone = [
        model(torch.tensor([source]), torch.tensor([target]))[0]
        for source, target in zip(SOURCE, TARGET, strict=True)
    ]
    torch.testing.assert_close(together, torch.cat(alone), rtol=0, atol=1e-12)


@every
@pytest.mark.usefixtures("both_devices")
def test_targets_of_one_word_and_more_padding_than_needed(name):
    """No word moves a state; and nobody has said that padding is as short as it can be."""
    model = double(name)
    ends = [[1], [1], [1]]
    wide = torch.nn.functional.pad(padded(TARGET), (0, 2))
    for source, target in ((padded(SOURCE), padded(ends)), (padded(SOURCE), wide)):
        model.zero_grad()
        losses = real_losses(model, source, target)
        losses.sum().backward()
        assert all(
            weight.grad.isfinite().all() for weight in model.parameters() if weight.grad is not None
        )
    short = real_losses(model, padded(SOURCE), padded(TARGET))
    torch.testing.assert_close(losses, short, rtol=0, atol=1e-14)


@every
def test_gradients_are_the_same_to_the_bit(name):
    """On several threads too, whatever their turns: what adds up has one order."""
    sizes = dict.fromkeys(SIZES, 64)
    model = build(name, 50, sizes, 0.1)
    random = torch.Generator().manual_seed(7)
    source, target = (
        torch.randint(3, 50, (64, 24), generator=random)
        * (torch.arange(24) < torch.randint(2, 24, (64, 1), generator=random))
        for _ in range(2)
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        found = []
        for _ in range(6):
            model.zero_grad()
            model(source, target).sum().backward()
            found.append([weight.grad for weight in model.parameters() if weight.grad is not None])
    finally:
        torch.set_num_threads(threads)
    for other in found[1:]:
        assert all(map(torch.equal, found[0], other))


@every
def test_step_by_step_prediction_equals_the_likelihood_of_training(name):
    model = double(name)
    source, target = padded(SOURCE[:1]), padded(TARGET[1:2])
    encoded = model.encode(source)
    state, found = encoded.start, []
    for word in target[0]:
        logits, context, weights = model.predict(state, encoded)
        if weights is not None:
            assert weights.shape == (1, 1, source.size(1))
            assert weights.sum().item() == pytest.approx(1)
        found.append(-logits.log_softmax(2)[0, 0, word])
        state = model.advance(state, word.view(1, 1), context, encoded)
    torch.testing.assert_close(torch.stack(found), model(source, target)[0])


def test_only_models_with_attention_align():
    for name, block in (ARCHITECTURES | OTHERS).items():
        encoded = (model := double(name)).encode(padded(SOURCE))
        _, _, weights = model.predict(encoded.start, encoded)
        assert (weights is None) == (block.get("attention") is False), name


def test_special_words_have_the_ids_of_the_vocabulary():
    assert (PADDING, UNKNOWN) == (PAD, UNK)


#: Sum of the absolute weights of each parameter after seed 1, initialisation glorot.
WEIGHTS = {
    "source_embedding.weight": 25.8036,
    "target_embedding.weight": 26.9904,
    "contextualizer.layers.0.weight": 14.0110,
    "contextualizer.layers.0.bias": 0.0000,
    "contextualizer.layers.1.weight": 13.3001,
    "contextualizer.layers.1.bias": 0.0000,
    "contextualizer.source_gate.weight": 11.6858,
    "contextualizer.source_gate.bias": 0.0000,
    "contextualizer.target_gate.weight": 9.4060,
    "contextualizer.target_gate.bias": 0.0000,
    "encoder.forward_lstm.weight_ih_l0": 36.5607,
    "encoder.forward_lstm.weight_hh_l0": 74.4241,
    "encoder.forward_lstm.bias_ih_l0": 0.0000,
    "encoder.forward_lstm.bias_hh_l0": 0.0000,
    "encoder.backward_lstm.weight_ih_l0": 37.2724,
    "encoder.backward_lstm.weight_hh_l0": 75.4900,
    "encoder.backward_lstm.bias_ih_l0": 0.0000,
    "encoder.backward_lstm.bias_hh_l0": 0.0000,
    "attention.query.weight": 22.5729,
    "attention.key.weight": 39.5094,
    "attention.energy.weight": 2.7530,
    "decoder.initial.weight": 20.1072,
    "decoder.initial.bias": 0.0000,
    "decoder.word.weight": 39.9357,
    "decoder.word.bias": 0.0000,
    "decoder.context.weight": 90.0695,
    "decoder.recurrent.weight": 76.3874,
    "readout.state.weight": 20.3151,
    "readout.state.bias": 0.0000,
    "readout.word.weight": 16.6243,
    "readout.context.weight": 36.2351,
    "readout.output.weight": 11.8319,
    "readout.output.bias": 0.0000,
}


def choi(context, dropout, initialisation):
    torch.manual_seed(1)
    shared = ContextualizerSettings((7, 5), dropout > 0, "shared")
    contextualizer = shared if context else None
    sizes = (6, 8, 10, 4)
    settings = ModelSettings(*sizes, contextualizer, dropout, initialisation)
    return Translator(settings, 12, 11)


def test_chois_models_start_from_the_weights_they_always_had():
    """A trained model can still be loaded, and a seed gives the numbers that were published."""
    found = {
        key: weight.double().abs().sum().item()
        for key, weight in choi(True, 0.0, "glorot").state_dict().items()
    }
    assert list(found) == list(WEIGHTS)
    assert found == pytest.approx(WEIGHTS, rel=1e-4)


@pytest.mark.parametrize(
    ("context", "dropout", "initialisation", "expected"),
    [
        (False, 0.0, "gaussian", 19.183147),
        (False, 0.0, "glorot", 19.372627),
        (True, 0.0, "gaussian", 19.183157),
        (True, 0.0, "glorot", 18.934015),
        # What dropout draws, it draws for the sentences in the order of their target lengths.
        (True, 0.3, "gaussian", 19.183159),
        (True, 0.3, "glorot", 18.982848),
    ],
)
def test_chois_models_have_the_losses_they_always_had(context, dropout, initialisation, expected):
    model = choi(context, dropout, initialisation)
    source = padded([[3, 7, 4, 2, 1], [5, 1], [6, 3, 1]])
    target = padded([[4, 2, 1], [3, 6, 7, 1], [1]])
    torch.manual_seed(5)
    assert model(source, target).sum().item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("initialisation", "deviation"), [("gaussian", 0.01), ("glorot", 0.5)])
def test_the_contextualizers_own_table_starts_as_other_tables_do(initialisation, deviation):
    torch.manual_seed(1)
    settings = ModelSettings(
        40, 2, 2, 2, ContextualizerSettings((50, 3)), initialisation=initialisation
    )
    model = Translator(settings, 100, 9)
    for table in (model.contextualizer.embedding, model.source_embedding):
        assert table.weight.std().item() == pytest.approx(deviation, rel=0.05)
    assert not model.contextualizer.embedding.bias.any()
