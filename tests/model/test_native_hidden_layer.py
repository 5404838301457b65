"""The hidden layer of the attention in C, against torch's ways to the same numbers."""

import pytest
import torch
from model.architectures import build, pairs
from model.native_ways import in_torch

from contextnmt.model.hidden_layer import Keys, back, forth

pytestmark = pytest.mark.usefixtures("in_c", "same_threads_after")


BOTH = [torch.float32, torch.float64]
#: Of which the last two have work for several threads.
SHAPES = [(0, 2, 3), (1, 1, 1), (3, 2, 5), (2, 40, 1000), (7, 30, 333)]


def made(sentences, positions, size, kind=torch.float64):
    """Exponentials of queries and keys; a weight."""
    torch.manual_seed(1)
    shapes = [(sentences, size), (sentences, positions, size), (1, size)]
    asked, keys, weight = (torch.randn(shape, dtype=kind) for shape in shapes)
    return asked.exp(), Keys(keys.exp(), True), weight


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind", BOTH, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_energies_are_those_of_torch(shape, kind):
    asked, keys, weight = made(*shape, kind=kind)
    scratch = torch.full_like(keys.entering, torch.nan)
    found = forth(asked, keys, weight, scratch)
    assert scratch.isnan().all()  # which C does not need
    torch.testing.assert_close(found, in_torch(forth, asked, keys, weight, scratch))


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind", BOTH, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_are_those_of_torch(shape, kind):
    asked, keys, _ = made(*shape, kind=kind)
    slopes = torch.randn(shape[:2], dtype=kind)
    nothing = torch.full_like(asked, torch.nan)  # which is not added to
    before = [nothing, torch.randn_like(keys.entering), torch.randn_like(asked.unsqueeze(1))]
    found, expected = ([each.clone() for each in before] for _ in range(2))
    scratch = torch.full_like(keys.entering, torch.nan)
    back(asked, keys, slopes, *found, scratch)
    assert scratch.isnan().all()
    in_torch(back, asked, keys, slopes, *expected, scratch)
    allowed = 1e-12 if kind == torch.float64 else 1e-4
    torch.testing.assert_close(found, expected, rtol=0, atol=allowed)


def test_threads_change_no_digit():
    asked, keys, weight = made(7, 30, 333, kind=torch.float32)
    slopes = torch.randn(7, 30)
    found = []
    for threads in 1, 2, 3:
        torch.set_num_threads(threads)
        scratch = torch.empty_like(keys.entering)
        into = [torch.zeros_like(each) for each in (asked, keys.entering, asked)]
        back(asked, keys, slopes, *into, scratch)
        found.append([forth(asked, keys, weight, scratch), *into])
    for each in found[1:]:
        assert all(map(torch.equal, each, found[0]))


def test_a_model_of_16_bits_has_the_gradients_of_32():
    """Its keys have 32 bits on a CPU, and what adds up to their gradient has them too."""
    sizes = {"embedding": 5, "hidden": 10, "alignment": 64, "maxout": 3}
    model = build("RNNsearch", 11, sizes, 0.3).bfloat16()
    source, target = pairs([(9, 7), (4, 11)], 11)
    found = torch.autograd.grad(model(source, target).sum(), list(model.parameters()))
    expected = torch.autograd.grad(model.float()(source, target).sum(), list(model.parameters()))
    for one, other in zip(found, expected, strict=True):
        assert (one.float() - other).norm() <= 0.1 * other.norm() + 1e-3
