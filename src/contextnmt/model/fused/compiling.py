"""Compilation of the kernels between two matrix products by Triton.

A program of a kernel works on a block of one sentence. Kernels get whole tensors and the row where
a step begins: for another alignment of memory, and for numbers with other divisors, Triton would
compile again, which it cannot while a CUDA graph is captured. Kernels compute in the type `KIND`,
of 32 bits or more, whatever type they read and write.
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
def fetch(place, there, KIND: tl.constexpr):
    """Load the numbers at a place, zero where `there` is false, in the type to compute in."""
    return tl.load(place, there, 0.0).to(KIND)


def kind_of(tensor: Tensor) -> Any:
    """Return the type to compute in with such numbers."""
    return tl.float64 if tensor.dtype == torch.float64 else tl.float32


def apart_in_memory(tensor: Tensor) -> Tensor:
    """Copy a tensor row by row: as a part of a larger one it may begin where Triton would have to
    compile again."""
    return tensor.clone(memory_format=torch.contiguous_format)
