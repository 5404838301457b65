"""Whether Triton compiles: it needs a C compiler and Python's headers."""

import torch

from contextnmt.model.fused.cross_entropy import into_slopes


def probe(device: torch.device) -> None:
    """Compile and run a function on `device`. Raises whatever Triton does if it cannot."""
    numbers = torch.zeros(3, 1, device=device)
    target = torch.zeros(1, dtype=torch.long, device=device)
    into_slopes(numbers[:1], target, numbers[1], numbers[2])
