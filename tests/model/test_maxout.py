"""The gradient of the larger of each two neighbours."""

import torch

from contextnmt.model.readout import maxout


def test_of_equal_ones_the_first_has_the_gradient_and_nan_stays():
    pieces = torch.tensor([2.0, 2.0, -1.0, -1.0, 1.0, 2.0], requires_grad=True)
    maxout(pieces).backward(torch.tensor([3.0, 4.0, float("nan")]))
    assert pieces.grad[:4].tolist() == [3.0, 0.0, 4.0, 0.0]
    assert pieces.grad[4:].isnan().any()
