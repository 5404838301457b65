"""Output layer and cross-entropy in one, against torch's, apart."""

import pytest
import torch
from torch.nn import functional

from contextnmt.model import cross_entropy
from contextnmt.model.cross_entropy import negative_log_likelihood


@pytest.mark.parametrize("rows", [1, 4, 7, 100])
@pytest.mark.parametrize("size", [1, 15, 16, 20])
def test_losses_and_gradients_are_those_of_torch(size, rows, monkeypatch):
    monkeypatch.setattr(cross_entropy, "ROWS", rows)
    torch.manual_seed(3)
    output = torch.nn.Linear(size, 11).double()
    features = torch.randn(9, size, dtype=torch.double, requires_grad=True)
    target = torch.randint(0, 11, (9,))
    direction = torch.randn(9, dtype=torch.double)
    leaves = [features, output.weight, output.bias]
    expected = functional.cross_entropy(output(features), target, reduction="none")
    found = negative_log_likelihood(output, features, target)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-13)
    slopes = [torch.autograd.grad((each * direction).sum(), leaves) for each in (found, expected)]
    for one, other in zip(*slopes, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-13)


def test_large_logits_neither_overflow_nor_vanish():
    output = torch.nn.Linear(1, 3)
    with torch.no_grad():
        output.weight.copy_(torch.tensor([[1e4], [-1e4], [0.0]]))
        output.bias.zero_()
    found = negative_log_likelihood(output, torch.ones(3, 1), torch.tensor([0, 1, 2]))
    assert found.tolist() == [0.0, 2e4, 1e4]


def test_a_logit_that_is_no_number_makes_a_loss_that_is_none():
    output = torch.nn.Linear(2, 3)
    features = torch.tensor([[torch.nan, 0.0], [0.0, 0.0]])
    found = negative_log_likelihood(output, features, torch.tensor([0, 0]))
    assert found.isnan().tolist() == [True, False]
