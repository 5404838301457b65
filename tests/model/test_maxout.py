"""The larger of each two neighbours, and its gradient."""

import pytest
import torch

from contextnmt.model.readout import maxout


def test_the_larger_of_each_two_is_taken():
    pieces = torch.tensor([[1.0, 2.0, -3.0, -4.0], [5.0, 5.0, 0.0, -0.5]])
    assert maxout(pieces).tolist() == [[2.0, -3.0], [5.0, 0.0]]


@pytest.mark.parametrize("shape", [(6,), (3, 6), (2, 0, 6), (2, 3, 8)])
def test_the_gradient_is_that_of_torch(shape):
    torch.manual_seed(1)
    pieces = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    direction = torch.randn(*shape[:-1], shape[-1] // 2, dtype=torch.float64)
    (found,) = torch.autograd.grad(maxout(pieces), pieces, direction)
    plain = torch.unflatten(pieces, -1, (-1, 2)).amax(-1)
    (expected,) = torch.autograd.grad(plain, pieces, direction)
    assert torch.equal(found, expected)


def test_of_equal_ones_the_first_has_the_gradient():
    pieces = torch.tensor([2.0, 2.0, -1.0, -1.0], requires_grad=True)
    maxout(pieces).backward(torch.tensor([3.0, 4.0]))
    assert pieces.grad.tolist() == [3.0, 0.0, 4.0, 0.0]


def test_a_gradient_that_is_no_number_stays_one():
    pieces = torch.tensor([1.0, 2.0], requires_grad=True)
    maxout(pieces).backward(torch.tensor([float("nan")]))
    assert pieces.grad.isnan().any()
