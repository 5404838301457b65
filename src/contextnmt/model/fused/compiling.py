"""How Triton compiles what a GPU does between two products of matrices.

A program of such a function works on a block of one sentence. All are given whole tensors and the
row where a step begins: for memory that starts elsewhere, and for numbers that divide otherwise,
Triton would compile a function again, which cannot be done while a CUDA graph is captured. Numbers
are read in the type that they have, worked on in `KIND`, of 32 bits or more, and rounded to that of
where they are written.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

#: Arguments that may change from call to call.
VARYING = ("step", "steps", "batch", "time", "products_from", "of_states_from", "row")


def kernel(function: Any) -> Any:
    """What Triton makes of a function, once for all steps and all shapes of batches."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return triton.jit(function, do_not_specialize=[name for name in names if name in VARYING])


@triton.jit
def read(place, there, KIND: tl.constexpr):
    """What is at a place, zero where nothing is there, to work on."""
    return tl.load(place, there, 0.0).to(KIND)


def kind_of(tensor: Tensor) -> Any:
    """The type to work on such numbers in."""
    return tl.float64 if tensor.dtype == torch.float64 else tl.float32


def apart_in_memory(tensor: Tensor) -> Tensor:
    """The same numbers, row by row, in memory of their own: a part of a larger tensor may begin
    where Triton would have to compile again."""
    return tensor.clone(memory_format=torch.contiguous_format)
