"""In how many bits search multiplies (A46)."""

from enum import StrEnum

import torch


class Precision(StrEnum):
    """Of the factors of matrix products; all else has 32 bits."""

    FP32 = "fp32"
    BF16 = "bf16"


def set_precision(precision: Precision, device: torch.device) -> None:
    """Let products of matrices on a GPU round their factors to TF32, or not, for the whole process.

    That is what `bf16` is there; on a CPU see `in_bfloat16`.
    """
    if device.type == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = precision is Precision.BF16


def in_bfloat16(precision: Precision, device: torch.device) -> bool:
    """Whether search keeps its matrices in bfloat16: if that is wanted of a CPU that multiplies it.

    On another one it takes longer than 32 bits, so that these are what it gets.
    """
    wanted = precision is Precision.BF16 and device.type == "cpu"
    return wanted and any(
        has is True and "bf16" in name for name, has in torch.cpu.get_capabilities().items()
    )
