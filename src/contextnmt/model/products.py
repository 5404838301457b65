"""Products of matrices in 16 bits, and sums of them in 32.

A product has the type of its matrix, whatever type its factors have.

Shapes: products side by side D, batch B, hidden n, what enters the gates g.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.model.device import is_cpu

#: Numbers that the length of a row should be a multiple of: else, as with the papers' embeddings,
#: a product in 16 bits takes a GPU several times as long.
MULTIPLE = 8


def aligned(factors: Tensor, matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return factors [..., k] and a matrix [..., k], with columns of zeros up to a `MULTIPLE`.

    The columns are added only where autocast lets a GPU multiply in 16 bits.
    """
    device, missing = factors.device, -factors.size(-1) % MULTIPLE
    if not missing or is_cpu(device) or not torch.is_autocast_enabled(device.type):
        return factors, matrix
    return functional.pad(factors, (0, missing)), functional.pad(matrix, (0, missing))


class Linear(nn.Linear):
    """The layer of torch with `aligned` factors, for inputs that are embeddings."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Return [..., out] from `inputs` [..., in]."""
        return functional.linear(*aligned(inputs, self.weight), self.bias)


def plus_product(inputs: Tensor, states: Tensor, matrix: Tensor) -> Tensor:
    """Return `inputs` [D, B, g] plus the product of `states` [D, B, n] and `matrix` [D, n, g].

    The result is new, and has the type of the states.
    """
    factors = states.to(matrix.dtype)
    if inputs.dtype == matrix.dtype:
        return torch.baddbmm(inputs, factors, matrix).to(states.dtype)
    return torch.bmm(factors, matrix).to(states.dtype).add_(inputs)


def add_product(to: Tensor, factors: Tensor, matrix: Tensor) -> Tensor:
    """Add the product of `factors` [D, B, g] and `matrix` [D, g, n] to `to` [D, B, n]."""
    factors = factors.to(matrix.dtype)
    if to.dtype == matrix.dtype:
        return to.baddbmm_(factors, matrix)
    return to.add_(torch.bmm(factors, matrix))


def write_product(to: Tensor, factors: Tensor, matrix: Tensor) -> Tensor:
    """Write the product of `factors` [B, n] and `matrix` [n, g] to `to` [B, g], and return it."""
    if to.dtype == matrix.dtype == factors.dtype:
        return torch.mm(factors, matrix, out=to)
    return to.copy_(factors.to(matrix.dtype) @ matrix)


def of_matrix(inputs: Tensor, states: Tensor) -> Tensor:
    """Return the gradient of a matrix [D, g, n] that maps `states` [D, N, n].

    `inputs` [D, N, g] is the gradient of what the matrix returned, in the type of the states.

    Each direction is a product of its own: for one of both, torch would first copy `inputs` of 16
    bits, which are columns of wider rows.
    """
    found = inputs.new_empty(len(inputs), inputs.size(2), states.size(2))
    for each, entered, state in zip(found, inputs, states, strict=True):
        torch.mm(entered.t(), state, out=each)
    return found
