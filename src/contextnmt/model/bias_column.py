"""The bias of the output layer as one more column of its matrix, which meets a feature that is
always 1.

Added by itself, it is copied to every row of what the matrices' product is then added to: as many
numbers as there are words for each row. Zeros fill up the columns, and words that there are not the
rows, to multiples with which matrices multiply fastest.
"""

import torch
from torch import Tensor

#: Bytes of a row: 16 numbers of 32 bits, 32 of 16.
MULTIPLE = 64

#: Words. With 32 or 64 of them, products in 32 bits take a CPU longer.
WORDS = 16


def with_bias(weight: Tensor, bias: Tensor, kind: torch.dtype, multiple: int = WORDS) -> Tensor:
    """The matrix [words', k] in the type `kind`, from the weights [words, size] of a layer and its
    bias [words]; the words that there are not, up to a `multiple`, have the bias minus infinity."""
    words, size = weight.shape
    matrix = weight.new_empty(words + -words % multiple, columns(size, kind), dtype=kind)
    matrix[:words, :size], matrix[:words, size] = weight, bias
    matrix[words:, :size], matrix[words:, size] = 0, -torch.inf
    matrix[:, size + 1 :] = 0
    return matrix


def with_one(features: Tensor, kind: torch.dtype) -> Tensor:
    """What such a matrix multiplies [N, k], from features [N, size]."""
    size = features.size(1)
    rows = features.new_empty(len(features), columns(size, kind), dtype=kind)
    rows[:, :size], rows[:, size], rows[:, size + 1 :] = features, 1, 0
    return rows


def columns(size: int, kind: torch.dtype) -> int:
    """k, of so many features."""
    return size + 1 + -(size + 1) % (MULTIPLE // kind.itemsize)
