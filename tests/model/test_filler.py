"""Words are filled up where products compile themselves for each shape; all else is as before."""

import pytest
import torch
from model.architectures import build, every, pairs
from torch.utils._python_dispatch import TorchDispatchMode

from contextnmt.model import filler as module
from contextnmt.model import packed, padding
from contextnmt.model.filler import filler, with_filler

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
        for where in (packed, padding):
            monkeypatch.setattr(where, "filler", lambda rows, _, most=multiple: -rows % most)
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
