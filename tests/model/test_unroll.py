"""Recurrences over whole sentences, with gradients of their own, against one step after another,
whose gradients are autograd's."""

import gc

import pytest
import torch
from model.architectures import build, every, pairs

from contextnmt.model import attending, hidden_layer, readout
from contextnmt.model.translator import PADDING

WORDS = 23
SIZES = {"embedding": 8, "hidden": 12, "alignment": 6, "maxout": 4}


def step_by_step(model, source, target):
    """Compute `model(source, target)` by `predict` and `advance`."""
    encoded = model.encode(source)
    state, losses = encoded.start, []
    for words in target.unbind(1):
        logits, context, _ = model.predict(state, encoded)
        logs = torch.log_softmax(logits.squeeze(1), 1)
        losses.append(-logs.gather(1, words.unsqueeze(1)))
        state = model.advance(state, words.unsqueeze(1), context, encoded)
    return torch.cat(losses, 1).masked_fill(target == PADDING, 0)


@every
@pytest.mark.usefixtures("both_hidden_layers", "both_devices")
@pytest.mark.parametrize(
    ("precision", "allowed"), [(torch.float64, 1e-12), (torch.float32, 2e-4)], ids=str
)
def test_losses_and_gradients_are_those_of_single_steps(name, precision, allowed):
    model = build(name, WORDS, SIZES, 0.3).to(precision)
    source, target = pairs([(9, 7), (4, 11), (12, 1), (1, 5)], WORDS)
    one, other = model(source, target), step_by_step(model, source, target)
    torch.testing.assert_close(one, other, rtol=0, atol=allowed)
    direction = torch.randn(one.shape, dtype=precision)
    slopes = [
        torch.autograd.grad((losses * direction).sum(), list(model.parameters()))
        for losses in (one, other)
    ]
    for (key, _), found, expected in zip(model.named_parameters(), *slopes, strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=allowed, msg=key)


@every
def test_a_target_of_one_symbol_moves_no_state(name):
    model = build(name, WORDS, SIZES, 0.3).double()
    source, target = pairs([(3, 1), (5, 1)], WORDS)
    losses = model(source, target)
    torch.testing.assert_close(losses, step_by_step(model, source, target), rtol=0, atol=1e-12)
    losses.sum().backward()
    moving = [
        weight.grad.abs().max().item()
        for key, weight in model.named_parameters()
        if key in ("decoder.recurrent.weight", "decoder.cell.recurrent_gates.weight")
    ]
    assert moving == [0.0]


@every
def test_without_gradients_the_losses_are_the_same(name):
    model = build(name, WORDS, SIZES, 0.3).double()
    source, target = pairs([(9, 7), (4, 11)], WORDS)
    with torch.no_grad():
        found = model(source, target)
    # Not bit by bit: products of matrices round by where in memory these lie.
    torch.testing.assert_close(found, model(source, target), rtol=0, atol=1e-12)


@every
@pytest.mark.parametrize("device", ["cpu", "as on a GPU"])
def test_in_lower_precision_the_gradients_are_as_good_as_those_of_single_steps(
    name, device, monkeypatch
):
    """In bfloat16, of long sentences: what adds up over the steps needs 32 bits."""
    if device != "cpu":  # there hidden layer and contexts are summed up in 16 bits
        for module in attending, hidden_layer:
            monkeypatch.setattr(module, "exact_on_cpu", lambda tensor: tensor)
        monkeypatch.setattr("contextnmt.model.device.CPU_TYPES", set())
    # Which of two is larger may turn over when they are rounded, in one of the ways and not in the
    # other.
    monkeypatch.setattr(readout, "maxout", lambda pieces: pieces.unflatten(-1, (-1, 2)).sum(-1))
    model = build(name, WORDS, SIZES, 0.3)
    source, target = pairs([(40, 40), (30, 35)], WORDS)
    parameters = list(model.parameters())
    exact = torch.autograd.grad(model.double()(source, target).sum(), parameters)
    model.float()
    with torch.autocast("cpu", torch.bfloat16):
        losses = [model(source, target), step_by_step(model, source, target)]
    found, plain = (torch.autograd.grad(each.sum(), parameters) for each in losses)
    for (key, _), one, other, true in zip(
        model.named_parameters(), found, plain, exact, strict=True
    ):
        assert (one - true).norm() <= 2 * (other - true).norm() + 0.01 * true.norm(), key


def test_a_model_of_16_bits_has_the_gradients_of_32():
    """Its keys have 32 bits on a CPU, and what adds up to their gradient has them too."""
    model = build("RNNsearch", WORDS, {**SIZES, "alignment": 64}, 0.3).bfloat16()
    source, target = pairs([(9, 7), (4, 11)], WORDS)
    found = torch.autograd.grad(model(source, target).sum(), list(model.parameters()))
    expected = torch.autograd.grad(model.float()(source, target).sum(), list(model.parameters()))
    for one, other in zip(found, expected, strict=True):
        assert (one.float() - other).norm() <= 0.1 * other.norm() + 1e-3


@every
@pytest.mark.usefixtures("both_devices")
def test_what_an_update_leaves_for_its_gradient_goes_with_it(name):
    """It would never go if it held what the function returns: through autograd, Python sees no
    cycle."""
    model = build(name, WORDS, SIZES, 0.3)
    source, target = pairs([(9, 7), (4, 11)], WORDS)

    def tensors():  # by type, since to ask some of torch's objects for their class warns
        return sum(issubclass(type(each), torch.Tensor) for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        counts = []
        for _ in range(3):
            torch.autograd.grad(model(source, target).sum(), list(model.parameters()))
            model(source, target)  # whose gradient is never taken, as where a loss is only read
            counts.append(tensors())
    finally:
        gc.enable()
    assert counts[0] == counts[1] == counts[2]
