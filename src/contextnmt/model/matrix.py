"""Matrices whose products search adds to what is there: as they are, or in bfloat16 (A46)."""

import torch
from torch import Tensor

from contextnmt.model.device import answers
from contextnmt.model.rows import once, take


class Matrix:
    """A matrix W [d, s], by which vectors [..., s] are multiplied, side by side.

    In bfloat16 the factors are rounded and so is their product, which adds up in 32 bits; what it
    is added to stays as it is.
    """

    def __init__(self, weight: Tensor, bf16: bool) -> None:
        self.weight = weight.bfloat16() if bf16 else weight

    def add_to(self, to: Tensor, values: Tensor) -> Tensor:
        """`to` [..., d] plus W x of `values` [..., s], written to `to`, so that nothing is copied
        or read twice."""
        rows, factors = to.flatten(0, -2), values.flatten(0, -2).to(self.weight.dtype)
        if factors.dtype == rows.dtype:
            torch.addmm(rows, factors, self.weight.t(), out=rows)
        else:
            rows += factors @ self.weight.t()
        return to

    def add_once(self, to: Tensor, values: Tensor, slots: Tensor) -> Tensor:
        """As `add_to` [B, K, d], of the `slots` [B, K] of the vectors [B, K', s], each of which is
        multiplied once: a beam of 12 continues 7 hypotheses on average. A GPU multiplies one for
        each slot, since which ones they name is for it to say."""
        if slots.size(1) == 1 or not answers(values.device):
            return self.add_to(to, take(values, slots))
        factors, places = once(values, slots)
        product = factors.to(self.weight.dtype) @ self.weight.t()
        to.flatten(0, -2).add_(product.index_select(0, places))
        return to
