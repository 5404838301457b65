"""The bias of a layer as one more column of its matrix, which meets a feature that is always 1.

Added by itself, it is copied to every row of what the matrices' product is then added to: of the
output layer's, as many numbers as there are words for each row. Columns of zeros fill up the rows
to a multiple with which matrices multiply fastest.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

#: Bytes: 16 numbers of 32 bits, 32 of 16.
MULTIPLE = 64


def with_bias(layer: nn.Linear, kind: torch.dtype) -> Tensor:
    """Its matrix [words, k], bias included, from one [words, size], in the type `kind`."""
    return filled(torch.cat([layer.weight.to(kind), layer.bias.to(kind).unsqueeze(1)], 1))


def with_one(features: Tensor) -> Tensor:
    """What such a matrix of their type multiplies [N, k], from features [N, size]."""
    return filled(torch.cat([features, features.new_ones(len(features), 1)], 1))


def filled(columns: Tensor) -> Tensor:
    """With columns of zeros, up to the next multiple of `MULTIPLE`."""
    return functional.pad(columns, (0, -columns.size(1) % (MULTIPLE // columns.itemsize)))
