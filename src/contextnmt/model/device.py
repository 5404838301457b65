"""The device that a model computes on, and which of the ways to compute suit it."""

from functools import cache

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.progress import say

#: Types of devices whose results the program may look at, at any time. To look at those of a GPU
#: synchronizes: the GPU first ends all that it was given, and then idles until it is given more.
CPU_TYPES = {"cpu"}


def choose_device(name: str) -> torch.device:
    """Return the device `cpu` or `cuda`, without TF32 until a training allows it (A46).

    Raises UserError if there is no such device.
    """
    if name not in ("cpu", "cuda"):
        raise UserError(f"device {name!r}: choose from cpu, cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError(
            "device cuda: torch sees no GPU here; run on a machine with one, install a CUDA "
            "build of torch, or choose cpu"
        )
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    return torch.device(name)


def is_cpu(device: torch.device) -> bool:
    """Whether to look at a result costs nothing, as on a CPU: on a GPU it would synchronize."""
    return device.type in CPU_TYPES


def exact_on_cpu(tensor: Tensor) -> Tensor:
    """Return `tensor` in 32 bits at least on a CPU, and as it is on a GPU (A46).

    A CPU takes longer over 16 bits in all but products of large matrices.
    """
    if tensor.device.type != "cpu":
        return tensor
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def fuses(tensor: Tensor) -> bool:
    """Whether `fused` computes recurrences and losses of `tensor`: on a GPU, if Triton compiles."""
    return tensor.is_cuda and compiles(tensor.device)


@cache
def compiles(device: torch.device) -> bool:
    """Whether Triton, which needs a C compiler and Python's headers, compiles; if not, log why."""
    try:
        from contextnmt.model.fused.loss_kernel import into_slopes

        numbers = torch.zeros(3, 1, device=device)
        target = torch.zeros(1, dtype=torch.long, device=device)
        into_slopes(numbers[:1], target, numbers[1], numbers[2])
    except Exception as error:  # whatever it is, there is another way
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        say(
            "recurrences take longer, and training up to twice as long, as Triton cannot compile "
            f"for {device}: {reason}"
        )
        return False
    return True
