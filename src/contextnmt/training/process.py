"""What a process that trains keeps for itself."""

import torch

from contextnmt.training.allocator import keep_freed_memory
from contextnmt.training.compiled import keep_compiled_products


def settle(device: torch.device) -> None:
    """Let this process keep the memory and the compiled products that a training on `device` comes
    back to. To be called before tensors are made."""
    if device.type == "cpu":
        keep_freed_memory()
        keep_compiled_products()
