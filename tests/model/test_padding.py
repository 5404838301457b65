"""Leaving out padding."""

import pytest
import torch

from contextnmt.configuration.model import ModelSettings
from contextnmt.model import device, inference
from contextnmt.model.inference import Inference
from contextnmt.model.padding import lengths, of_words
from contextnmt.model.translator import Translator

LENGTHS = [[3, 1, 4], [2, 2], [5], [4, 0]]


@pytest.fixture(params=LENGTHS, ids=str)
def batch(request):
    """Sentences [B, S, d] and their padding [B, 1, S]."""
    torch.manual_seed(1)
    found = torch.tensor(request.param)
    behind = torch.arange(int(found.max())) >= found.unsqueeze(1)
    sentences = torch.randn(*behind.shape, 6, dtype=torch.float64, requires_grad=True)
    padding = torch.zeros_like(behind, dtype=torch.float64).masked_fill(behind, -torch.inf)
    return sentences, padding.unsqueeze(1)


def test_only_words_are_multiplied(batch):
    sentences, padding = batch
    real = padding.squeeze(1) == 0
    layer, given = torch.nn.Linear(6, 4).double(), []

    def counted(words):
        given.append(words.shape)
        return layer(words)

    made = of_words(counted, sentences, padding)
    assert given == [(int(real.sum()), 6)]
    torch.testing.assert_close(made[real], layer(sentences)[real])
    assert not made[~real].any()
    [gradient] = torch.autograd.grad(made.square().sum(), sentences)
    whole = (layer(sentences) * real.unsqueeze(2)).square().sum()
    torch.testing.assert_close(gradient, torch.autograd.grad(whole, sentences)[0])


def test_a_gpu_is_not_asked_where_padding_is(batch, monkeypatch):
    monkeypatch.setattr(device, "ANSWERING", set())
    sentences, padding = batch
    layer = torch.nn.Linear(6, 4).double()
    assert torch.equal(of_words(layer, sentences, padding), layer(sentences))
    assert lengths(padding) == [padding.size(2)] * len(padding)


def test_sentences_are_as_long_as_they_have_words(batch):
    _, padding = batch
    assert lengths(padding) == (padding == 0).sum(2).flatten().tolist()


@torch.inference_mode()
@pytest.mark.parametrize("most", [1, 2**20])
def test_energies_are_those_of_words(most, monkeypatch):
    """No more of the hidden layer is computed than the longest sentence of a part has."""
    monkeypatch.setitem(inference.HIDDEN, "cpu", most)
    positions = []

    def counted(asked, keys, weight, out):
        positions.append(tuple(out.shape[:3]))
        return energies(asked, keys, weight, out)

    energies = inference.energies
    monkeypatch.setattr(inference, "energies", counted)
    torch.manual_seed(1)
    search = Inference(Translator(ModelSettings(4, 6, 5, 3), 9, 9))
    source, state = search.encode(torch.tensor([[4, 5, 1, 0, 0], [3, 4, 6, 5, 1], [1, 0, 0, 0, 0]]))
    weights = search.attend(state, source)
    assert positions == ([(1, 1, 3), (1, 1, 5), (1, 1, 1)] if most == 1 else [(3, 1, 5)])
    torch.testing.assert_close(weights.sum(2), torch.ones(3, 1))
    assert (weights[0, 0, :3] > 0).all() and not weights[0, 0, 3:].any()
