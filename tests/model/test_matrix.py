"""Matrices of search, in either type."""

import pytest
import torch

from contextnmt.model.matrix import Matrix


@pytest.mark.parametrize(("bf16", "near"), [(False, 1e-6), (True, 0.02)])
def test_it_multiplies_and_adds(bf16, near):
    torch.manual_seed(1)
    weight, values = torch.randn(6, 5), torch.randn(2, 3, 5)
    matrix, product = Matrix(weight, bf16), values @ weight.t()
    zeros = torch.zeros(2, 3, 6)
    torch.testing.assert_close(matrix.add_to(zeros, values), product, rtol=near, atol=near)
    to = torch.full((2, 3, 6), 1000.0)
    assert matrix.add_to(to, values) is to
    # What it is added to has 24 bits still: 8 would tell 1000 from 1004 at best.
    torch.testing.assert_close(to, 1000 + product, rtol=0, atol=max(near, 1e-3))


def test_products_of_other_types_stay_in_them():
    weight, values = torch.randn(6, 5).double(), torch.randn(3, 5).double()
    to = torch.zeros(3, 6).double()
    torch.testing.assert_close(Matrix(weight, False).add_to(to, values), values @ weight.t())
