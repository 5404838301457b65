"""In how many bits search multiplies (A46)."""

from enum import StrEnum

import torch


class Precision(StrEnum):
    """Of the factors of matrix products; all else has 32 bits."""

    FP32 = "fp32"
    BF16 = "bf16"


#: What torch calls a processor's instructions that multiply bfloat16: of x86, and of ARM.
INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16")


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
    if precision is not Precision.BF16 or device.type != "cpu":
        return False
    able = torch.cpu.get_capabilities()  # which torch uses by way of oneDNN alone
    has_onednn: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return has_onednn and any(able.get(name) for name in INSTRUCTIONS)
