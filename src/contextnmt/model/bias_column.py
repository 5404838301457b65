"""The bias of a layer as one more column of its matrix, which meets a feature that is always 1.

Added by itself, it is copied to every row of what the matrices' product is then added to: of the
output layer's, as many numbers as there are words for each row. Columns of zeros fill up the sizes
to a multiple with which matrices multiply fastest.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

MULTIPLE = 16


def with_bias(layer: nn.Linear) -> Tensor:
    """Its matrix [words, k], bias included, from one [words, size]."""
    return filled(torch.cat([layer.weight, layer.bias.unsqueeze(1)], 1))


def with_one(features: Tensor) -> Tensor:
    """What such a matrix multiplies [N, k], from features [N, size]."""
    return filled(torch.cat([features, features.new_ones(len(features), 1)], 1))


def filled(columns: Tensor) -> Tensor:
    """With columns of zeros, up to the next multiple of `MULTIPLE`."""
    return functional.pad(columns, (0, -columns.size(1) % MULTIPLE))
