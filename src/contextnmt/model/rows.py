"""Selections of rows of a batch, and of hypotheses of its sentences."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor


class Kept:
    """The rows of a batch that stay; the last ones take the places of those that go."""

    def __init__(self, stays: Tensor) -> None:
        """`stays` [R] is true for the rows to keep."""
        places = stays.nonzero().squeeze(1)
        self.count = len(places)
        self.empty = (~stays[: self.count]).nonzero().squeeze(1)
        self.moved = places[self.count - len(self.empty) :]

    def of(self, rows: Any) -> Any:
        """Return the rows that stay of a tensor [R, ...], which is overwritten.

        In tuples, named or not, this is done to each tensor; what is none is returned as it is.
        """
        if isinstance(rows, tuple):
            kept = [self.of(each) for each in rows]
            return type(rows)(*kept) if hasattr(rows, "_fields") else tuple(kept)
        if not isinstance(rows, Tensor):
            return rows
        if len(self.empty):
            rows = rows.contiguous()  # one that was expanded cannot be written to
            rows[self.empty] = rows[self.moved]
        return rows[: self.count]


def take(tensor: Tensor, slots: Tensor) -> Tensor:
    """Return the `slots` [R, K] of each row of `tensor` [R, K', ...]: [R, K, ...]."""
    first = torch.arange(len(slots), device=slots.device).unsqueeze(1) * tensor.size(1)
    taken = tensor.flatten(0, 1).index_select(0, (first + slots).flatten())
    return torch.unflatten(taken, 0, slots.shape)


def slices(rows: int, size: int, most: int) -> Iterator[slice]:
    """Yield parts of `rows` rows of `size` numbers, each of one row or of `most` numbers."""
    step = max(1, most // size)
    return (slice(start, start + step) for start in range(0, rows, step))
