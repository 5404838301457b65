"""Leaving out padding, and filling up rows where products compile themselves for each shape."""

import pytest
import torch
from model.architectures import build, every, pairs
from torch.utils._python_dispatch import TorchDispatchMode

from contextnmt.configuration.model import ModelSettings
from contextnmt.model import arithmetic, inference
from contextnmt.model import padding as module
from contextnmt.model.inference import Inference
from contextnmt.model.padding import filler, lengths, of_words, with_filler
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
    monkeypatch.setattr(arithmetic, "CPU_TYPES", set())
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


CPU = torch.device("cpu")
WORDS, SIZES = 9, {"embedding": 6, "hidden": 5, "alignment": 4, "maxout": 3}
PRODUCTS = {torch.ops.aten.mm, torch.ops.aten.addmm, torch.ops.aten.bmm, torch.ops.aten.baddbmm}


class Shapes(TorchDispatchMode):
    """Notes the shapes of the factors of all products."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket in PRODUCTS:
            factors = args[-2:]
            self.found.add(tuple(tuple(each.shape) for each in factors))
        return func(*args, **(kwargs or {}))


def test_only_a_cpu_s_products_in_fewer_bits_are_filled_up(monkeypatch):
    monkeypatch.setattr(module, "MULTIPLE", 8)
    assert filler(13, CPU) == 0
    with torch.autocast("cpu", torch.bfloat16):
        assert [filler(rows, CPU) for rows in (0, 1, 8, 13)] == [0, 7, 0, 3]
        assert filler(13, torch.device("cuda")) == 0


def test_filler_is_zero():
    steps = [torch.ones(2, 3, 4), torch.ones(2, 1, 4)]
    filled = with_filler(steps, steps[0], 6)
    assert filled.shape == (2, 6, 4)
    assert (filled[:, :4] == 1).all()
    assert not filled[:, 4:].any()
    assert with_filler([], steps[0], 0).shape == (2, 0, 4)


@every
@pytest.mark.parametrize("lengths", [[(3, 2), (6, 7), (1, 4)], [(2, 1), (3, 1)]], ids=str)
def test_it_changes_neither_losses_nor_gradients(name, lengths, monkeypatch):
    model = build(name, WORDS, SIZES, 0.5).double()
    source, target = pairs(lengths, WORDS)
    found = []
    for multiple in (1, 16):
        monkeypatch.setattr(module, "filler", lambda rows, _, most=multiple: -rows % most)
        losses = model(source, target)
        slopes = torch.autograd.grad(losses.square().sum(), list(model.parameters()))
        found.append([losses, *slopes])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["RNNsearch", "RNNencdec", "Choi"])
def test_batches_of_as_many_steps_have_the_same_shapes_of_products(name, monkeypatch):
    """All but those of single steps, whose sentences are few."""
    monkeypatch.setattr(module, "MULTIPLE", 100)
    model, found = build(name, WORDS, SIZES, 0.5), []
    for second in (19, 22, 27):
        source, target = pairs([(40, 40), (second, second + 1), (second - 2, second)], WORDS)
        with Shapes() as products:
            with torch.autocast("cpu", torch.bfloat16):
                losses = model(source, target)
            losses.sum().backward()
        found.append({shapes for shapes in products.found if max(map(max, shapes)) > 40})
    assert found[0]
    assert found[0] == found[1] == found[2]
