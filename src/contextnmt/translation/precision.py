"""In how many bits search multiplies (A46)."""

from enum import StrEnum

import torch


class Precision(StrEnum):
    """Of the factors of matrix products; all else has 32 bits."""

    FP32 = "fp32"
    BF16 = "bf16"


def set_precision(precision: Precision) -> None:
    """Let matrix products round their factors, or not, for the whole process.

    Factors and products stay tensors of 32 bits: bfloat16 is what a processor that can multiply it
    makes of them, and one that cannot gives what it gives with `fp32`. A GPU rounds to TF32.
    """
    torch.set_float32_matmul_precision("medium" if precision is Precision.BF16 else "highest")
