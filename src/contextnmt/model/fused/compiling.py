"""How Triton compiles the kernels for what lies between two products of matrices.

A program of a kernel works on a block of one sentence. Kernels get whole tensors and the row where
a step begins: for memory that starts elsewhere, and for numbers that divide otherwise, Triton would
compile again, which it cannot while a CUDA graph is captured. Numbers are worked on in `KIND`, of
32 bits or more, whatever type they are read and written in.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

#: Arguments that may change from call to call.
VARYING = ("step", "steps", "batch", "time", "products_from", "of_states_from", "row")


def kernel(function: Any) -> Any:
    """Compile a function by Triton, once for all steps and all shapes of batches."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return triton.jit(function, do_not_specialize=[name for name in names if name in VARYING])


@triton.jit
def read(place, there, KIND: tl.constexpr):
    """Load what is at a place, zero where nothing is there, in the type to work in."""
    return tl.load(place, there, 0.0).to(KIND)


def kind_of(tensor: Tensor) -> Any:
    """Return the type to work on such numbers in."""
    return tl.float64 if tensor.dtype == torch.float64 else tl.float32


def apart_in_memory(tensor: Tensor) -> Tensor:
    """Copy a tensor row by row: as a part of a larger one it may begin where Triton would have to
    compile again."""
    return tensor.clone(memory_format=torch.contiguous_format)
