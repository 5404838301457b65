"""Where a model computes."""

from functools import cache

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.progress import say

#: Kinds of devices that may be asked at any time what they have computed. A GPU would have to end
#: first all that it was given, and idle until it is given more.
ANSWERING = {"cpu"}


def choose_device(name: str) -> torch.device:
    """The device `cpu` or `cuda`, set to 32-bit arithmetic, which a training may lift (A46).

    torch lets cuDNN's recurrent networks round to TF32 unless told otherwise. Raises UserError if
    there is no such device.
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


def answers(device: torch.device) -> bool:
    """Whether `device` may be asked at any time what it has computed."""
    return device.type in ANSWERING


def exact_on_cpu(tensor: Tensor) -> Tensor:
    """`tensor` in 32 bits at least on a CPU, which takes longer over 16 in all but products of
    large matrices; on a GPU as it is (A46)."""
    if tensor.device.type != "cpu":
        return tensor
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def fuses(tensor: Tensor) -> bool:
    """Whether recurrences and losses on the device of `tensor` are those of `fused`: on a GPU, if
    Triton, which comes with torch's builds for it, compiles for it here."""
    return tensor.is_cuda and compiles(tensor.device)


@cache
def compiles(device: torch.device) -> bool:
    """Whether Triton compiles functions for `device`; if not, says why."""
    try:
        from contextnmt.model.fused.probe import probe

        probe(device)
    except Exception as error:  # whatever it is, there is another way
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        say(
            "recurrences take longer, and training up to twice as long, as Triton cannot compile "
            f"for {device}: {reason}"
        )
        return False
    return True
