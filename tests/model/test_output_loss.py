"""Output layer and cross-entropy in one, against torch's, apart."""

import pytest
import torch
from torch.nn import functional

from contextnmt.model import readout
from contextnmt.model.readout import negative_log_likelihood

pytestmark = pytest.mark.usefixtures("both_losses")


@pytest.mark.parametrize("rows", [1, 4, 100])
@pytest.mark.parametrize("size", [1, 15, 16])
def test_losses_and_gradients_are_those_of_torch(size, rows, monkeypatch):
    monkeypatch.setitem(readout.LOGITS, "cpu", 11 * rows)
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


def test_large_logits_neither_overflow_nor_vanish_and_nan_stays():
    output = torch.nn.Linear(1, 3)
    with torch.no_grad():
        output.weight.copy_(torch.tensor([[1e4], [-1e4], [0.0]]))
        output.bias.zero_()
    features = torch.tensor([[1.0], [1.0], [1.0], [torch.nan]])
    found = negative_log_likelihood(output, features, torch.tensor([0, 1, 2, 0])).tolist()
    assert found == [0.0, 2e4, 1e4, pytest.approx(torch.nan, nan_ok=True)]


def test_in_lower_precision_the_slopes_of_sure_words_are_as_good_as_those_of_torch():
    """Nearly all of p - 1 cancels there, and one word is the target of many rows."""
    torch.manual_seed(3)
    output, target = torch.nn.Linear(24, 11), torch.arange(64) % 3
    with torch.no_grad():
        output.weight.mul_(4)
    features = (4 * output.weight[target].detach()).requires_grad_()
    leaves = [features, output.weight, output.bias]

    def slopes(losses):
        return torch.autograd.grad(losses.sum(), leaves)

    exact = functional.cross_entropy(output.double()(features.double()), target, reduction="none")
    expected = slopes(exact)
    output.float()
    with torch.autocast("cpu", torch.bfloat16):
        ours = negative_log_likelihood(output, features, target)
        theirs = functional.cross_entropy(output(features), target, reduction="none")
    assert exact.max() < 0.1
    for found, others, true in zip(slopes(ours), slopes(theirs), expected, strict=True):
        assert (found - true).norm() < 1.2 * (others - true).norm() + 1e-3 * true.norm()
