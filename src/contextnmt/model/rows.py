"""Selections of rows of a batch, and of hypotheses of its sentences."""

from collections.abc import Iterator

import torch
from torch import Tensor


class Kept:
    """The rows of a batch that stay.

    The last ones move into the places of those that go, so that as few rows as possible are copied.
    The order changes.
    """

    def __init__(self, stays: Tensor) -> None:
        """`stays` [R] is true for the rows to keep."""
        places = stays.nonzero().squeeze(1)
        self.count = len(places)
        self.empty = (~stays[: self.count]).nonzero().squeeze(1)
        self.moved = places[self.count - len(self.empty) :]

    def of(self, tensor: Tensor) -> Tensor:
        """Return the rows of `tensor` [R, ...] that stay; `tensor` is overwritten."""
        if len(self.empty):
            tensor = tensor.contiguous()  # one that was expanded cannot be written to
            tensor[self.empty] = tensor[self.moved]
        return tensor[: self.count]


def take(tensor: Tensor, slots: Tensor) -> Tensor:
    """Return the `slots` [R, K] of each row of `tensor` [R, K', ...]: [R, K, ...]."""
    taken = tensor.flatten(0, 1).index_select(0, flat(slots, tensor.size(1)))
    return torch.unflatten(taken, 0, slots.shape)


def once(tensor: Tensor, slots: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct rows [n, ...] of `tensor` [R, K', ...] that the `slots` [R, K] name, and
    the number of each slot's row among them [R K]."""
    distinct, places = torch.unique(flat(slots, tensor.size(1)), return_inverse=True)
    return tensor.flatten(0, 1).index_select(0, distinct), places


def flat(slots: Tensor, width: int) -> Tensor:
    """Return the `slots` [R, K] of rows of `width`, counted through all rows: [R K]."""
    rows = torch.arange(len(slots), device=slots.device).unsqueeze(1) * width
    return (rows + slots).flatten()


def slices(rows: int, size: int, most: int) -> Iterator[slice]:
    """Yield parts of `rows` rows of `size` numbers, each of one row or of `most` numbers."""
    step = max(1, most // size)
    return (slice(start, start + step) for start in range(0, rows, step))
