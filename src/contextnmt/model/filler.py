"""Rows without a meaning, which make products of matrices come in few shapes.

What multiplies matrices of bfloat16 on a CPU compiles itself for each new shape, and forgets all
but a thousand: that takes milliseconds, as long as to multiply, and a batch hardly ever has as many
words as one before it. So the words are filled up, and the shapes come again. What is made of the
filler is dropped, and its gradient is zero.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

#: Numbers of rows come in multiples of it, besides what they begin with.
MULTIPLE = 128


def filler(rows: int, device: torch.device) -> int:
    """How many rows to add to so many, which are to be multiplied as autocast says."""
    compiled = device.type == "cpu" and torch.is_autocast_enabled("cpu")
    return -rows % MULTIPLE if compiled else 0


def with_filler(steps: Sequence[Tensor], like: Tensor, rows: int) -> Tensor:
    """The rows of all steps [D, B, n] in one tensor [D, rows, n], which ends with zeros; `like`
    [D, ..., n] has their type."""
    missing = rows - sum(each.size(1) for each in steps)
    return torch.cat([*steps, like.new_zeros(like.size(0), missing, like.size(2))], 1)
