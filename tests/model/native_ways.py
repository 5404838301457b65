"""What all tests of functions in C need."""

import pytest
import torch

from contextnmt.model.native import library as native

#: Types of matrices and of all else.
TYPES = [
    (torch.float32, torch.float32),
    (torch.float64, torch.float64),
    (torch.bfloat16, torch.float32),
]


def in_torch(function, *arguments):
    """What a function does where nothing can be compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "libraries", {("none.c", torch.float32): None})
        return function(*arguments)
