"""Matrices of search, in either type."""

import pytest
import torch

from contextnmt.model import device
from contextnmt.model.matrix import Matrix
from contextnmt.model.rows import take

#: Of two sentences with three hypotheses each: continued by more, by fewer, by one each, by one.
SLOTS = [[[2, 0, 2, 2], [1, 1, 0, 1]], [[0, 2], [1, 1]], [[1], [0]], [[0, 0, 0], [0, 0, 0]]]


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


@pytest.mark.parametrize("slots", SLOTS)
@pytest.mark.parametrize("asked", [True, False], ids=["", "as on a GPU"])
@pytest.mark.parametrize(("bf16", "near"), [(False, 1e-6), (True, 0.02)])
def test_what_is_multiplied_once_is_added_wherever_it_is_named(
    bf16, near, asked, slots, monkeypatch
):
    if not asked:
        monkeypatch.setattr(device, "ANSWERING", set())
    torch.manual_seed(2)
    weight, values, slots = torch.randn(6, 5), torch.randn(2, 3, 5), torch.tensor(slots)
    # A part of wider rows, as the gates of a GRU are, the rest of which stays.
    wide = torch.randn(*slots.shape, 8)
    expected = wide.clone()
    expected[:, :, 2:] += take(values, slots) @ weight.t()
    to = wide[:, :, 2:]
    assert Matrix(weight, bf16).add_once(to, values, slots) is to
    torch.testing.assert_close(wide, expected, rtol=near, atol=near)


def test_each_vector_is_multiplied_once(monkeypatch):
    """However often it is named; those that are not named are left out."""
    multiplied = []

    class Counted(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            if function is torch.Tensor.matmul:
                multiplied.append(len(args[0]))
            return super().__torch_function__(function, types, args, kwargs or {})

    matrix = Matrix(torch.randn(6, 5), False)
    matrix.weight = matrix.weight.as_subclass(Counted)
    slots = torch.tensor([[2, 0, 2, 2], [1, 1, 1, 1]])
    matrix.add_once(torch.zeros(2, 4, 6), torch.randn(2, 3, 5), slots)
    assert multiplied == [3]
