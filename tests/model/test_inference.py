"""The step as search takes it against the plain one."""

import pytest
import torch
from model.architectures import build, every

from contextnmt.model import inference
from contextnmt.model.inference import Inference
from contextnmt.model.rows import take

SIZES = {"embedding": 5, "hidden": 6, "alignment": 4, "maxout": 5}
SOURCE = torch.tensor([[3, 2, 5, 1], [4, 1, 0, 0], [6, 7, 1, 0]])


def selected(state, slots):
    """The state of the hypotheses `slots` of each sentence."""
    history = None if state.history is None else take(state.history, slots)
    memory = tuple(take(each, slots) for each in state.memory)
    return state._replace(memory=memory, previous=take(state.previous, slots), history=history)


@every
@pytest.mark.usefixtures("both_hidden_layers")
@pytest.mark.parametrize("most", [1, 10**6])
@torch.inference_mode()
def test_it_equals_the_plain_step(name, most, monkeypatch):
    """Two steps of two hypotheses a sentence, with the attention in parts and at once."""
    monkeypatch.setitem(inference.HIDDEN, "cpu", most)
    model = build(name, 9, SIZES, 0.7).double().eval()
    search, encoded = Inference(model), model.encode(SOURCE)
    source, state = search.encode(SOURCE)
    plain, first = encoded.start, torch.zeros(len(SOURCE), 2, dtype=torch.long)
    for words, slots in (
        (torch.tensor([[3, 2], [4, 5], [2, 2]]), first),
        (torch.tensor([[7, 8], [2, 3], [5, 4]]), torch.tensor([[1, 1], [0, 1], [1, 0]])),
    ):
        weights = search.attend(state, source)
        logits, context, alignment = model.predict(plain, encoded)
        found = search.log_probabilities(search.features(state, weights, source))[..., :9]
        torch.testing.assert_close(found, logits.log_softmax(2))
        if alignment is not None:
            torch.testing.assert_close(weights, alignment)
        state = search.advance(state, slots, words, weights, source)
        plain, context = selected(plain, slots), take(context, slots)
        plain = model.advance(plain, words, context, encoded)
        for now, expected in zip(state.memory, plain.memory, strict=True):
            torch.testing.assert_close(now, expected)
        torch.testing.assert_close(state.previous, model.readout.word(plain.previous))


@every
@torch.inference_mode()
def test_in_bfloat16_it_is_near_the_plain_step(name):
    """The source is read in 32 bits, and so are the likeliest words predicted."""
    model = build(name, 9, SIZES, 0.7).eval()
    search, encoded = Inference(model, bf16=True), model.encode(SOURCE)
    source, state = search.encode(SOURCE)
    words = torch.tensor([[3], [4], [2]])
    weights = search.attend(state, source)
    logits, context, _ = model.predict(encoded.start, encoded)
    found = search.log_probabilities(search.features(state, weights, source))[..., :9]
    assert (found.exp() - logits.softmax(2)).abs().max() < 0.02
    state = search.advance(state, torch.zeros_like(words), words, weights, source)
    plain = model.advance(encoded.start, words, context, encoded)
    for now, expected in zip(state.memory, plain.memory, strict=True):
        assert now.dtype == torch.float32
        assert 1e-6 < (now - expected).abs().max() < 0.02
