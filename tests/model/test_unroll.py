"""Recurrences over whole sentences, with gradients of their own, against one step after another,
whose gradients are autograd's."""

import gc

import pytest
import torch
from model.architectures import build, every, pairs

from contextnmt.model import attention, hidden_layer, readout
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
@pytest.mark.parametrize("device", ["cpu", "as on a GPU"])
def test_in_lower_precision_the_gradients_are_as_good_as_those_of_single_steps(
    name, device, monkeypatch
):
    """In bfloat16, of long sentences: what adds up over the steps needs 32 bits."""
    if device != "cpu":  # there hidden layer and contexts are summed up in 16 bits
        for module in attention, hidden_layer:
            monkeypatch.setattr(module, "exact_on_cpu", lambda tensor: tensor)
        monkeypatch.setattr("contextnmt.model.arithmetic.CPU_TYPES", set())
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
