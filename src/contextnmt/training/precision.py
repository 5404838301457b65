"""In how many bits a training multiplies matrices (A46)."""

import torch


def set_precision(precision: str) -> None:
    """Let matrix products on a GPU round their factors to TF32, or not, for the whole process."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """The block in which a batch's loss is computed: in bfloat16 where the recipe has `bf16`.

    torch multiplies matrices in bfloat16 there and takes the softmax over the words, and the loss,
    in 32 bits. Weights, their gradients and all that the optimizer keeps stay in 32 bits.
    """
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")
