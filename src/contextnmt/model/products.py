"""Products of matrices in another type, of 16 bits, than what they add to may have.

Types: a product is taken in the type of its matrix, whatever its factors have.

Shapes: products side by side D, batch B, hidden n, what enters the gates g.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.model.device import answers

#: A GPU multiplies in 16 bits as fast as it can where rows are of a multiple of it; those of the
#: papers' embeddings are not, and take it several times as long.
MULTIPLE = 8


def aligned(factors: Tensor, matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Factors [..., k] and a matrix [..., k], with columns of zeros up to a `MULTIPLE` where
    autocast lets a GPU multiply them in 16 bits."""
    device, missing = factors.device, -factors.size(-1) % MULTIPLE
    if not missing or answers(device) or not torch.is_autocast_enabled(device.type):
        return factors, matrix
    return functional.pad(factors, (0, missing)), functional.pad(matrix, (0, missing))


class Linear(nn.Linear):
    """That of torch, by `aligned` factors: for what reads embeddings."""

    def forward(self, inputs: Tensor) -> Tensor:
        """[..., out] from `inputs` [..., in]."""
        return functional.linear(*aligned(inputs, self.weight), self.bias)


def plus_product(inputs: Tensor, states: Tensor, matrix: Tensor) -> Tensor:
    """`inputs` [D, B, g] plus states W, from `states` [D, B, n] and W [D, n, g]: new, and in the
    type of the states."""
    factors = states.to(matrix.dtype)
    if inputs.dtype == matrix.dtype:
        return torch.baddbmm(inputs, factors, matrix).to(states.dtype)
    return torch.bmm(factors, matrix).to(states.dtype).add_(inputs)


def add_product(to: Tensor, factors: Tensor, matrix: Tensor) -> Tensor:
    """`to` [D, B, n] plus the `factors` [D, B, g] times a matrix [D, g, n], written to `to`."""
    factors = factors.to(matrix.dtype)
    if to.dtype == matrix.dtype:
        return to.baddbmm_(factors, matrix)
    return to.add_(torch.bmm(factors, matrix))


def write_product(to: Tensor, factors: Tensor, matrix: Tensor) -> Tensor:
    """The `factors` [B, n] times a matrix [n, g], written to `to` [B, g]."""
    if to.dtype == matrix.dtype == factors.dtype:
        return torch.mm(factors, matrix, out=to)
    return to.copy_(factors.to(matrix.dtype) @ matrix)


def of_matrix(inputs: Tensor, states: Tensor) -> Tensor:
    """The gradient of a matrix [D, g, n], from those of what it made [D, N, g] of `states`
    [D, N, n], both of one type.

    A product for each direction: of both together, columns of wider rows, which is what enters a
    gate, are copied first where they have 16 bits, and that takes longer than to multiply them.
    """
    found = inputs.new_empty(len(inputs), inputs.size(2), states.size(2))
    for each, entered, state in zip(found, inputs, states, strict=True):
        torch.mm(entered.t(), state, out=each)
    return found
