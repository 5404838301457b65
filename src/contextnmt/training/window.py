"""What a record of the training's course says: sums over the updates since the one before."""

import resource
import sys
import time
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from contextnmt.configuration.training import TrainingSettings
from contextnmt.training.update import Taken

#: Bytes of the unit in which the system counts the memory of a process.
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024

#: What a window adds up, on the device and here.
SUMS = ("loss", "norm", "clipped", "finite")
COUNTS = ("updates", "source_tokens", "target_tokens")


class Window:
    """Sums over the updates since the last record, on the device: no update waits for the host."""

    def __init__(self, device: torch.device, recipe: TrainingSettings) -> None:
        self.device, self.recipe = device, recipe
        self.spoilt = torch.zeros((), dtype=torch.int64, device=device)
        self.restart()

    def restart(self) -> None:
        """Start anew, at this moment: what was taken in is forgotten."""
        self.loss = torch.zeros((), device=self.device)
        self.norm = torch.zeros((), device=self.device)
        self.clipped = torch.zeros((), device=self.device)
        self.finite = torch.zeros((), device=self.device)
        self.updates = self.source_tokens = self.target_tokens = 0
        self.started = time.monotonic()

    def add(self, update: int, taken: Taken, source_tokens: int, target_tokens: int) -> None:
        """Take in an update by so many symbols."""
        (loss, norm), finite = taken, taken.norm.isfinite()
        self.loss += loss
        self.norm += torch.where(finite, norm, 0.0)
        self.clipped += finite & (norm > self.recipe.clip)
        self.finite += finite
        spoils = ~loss.isfinite()
        if not self.recipe.replaces_non_finite:
            spoils = spoils | ~finite
        self.spoilt = torch.where((self.spoilt == 0) & spoils, update, self.spoilt)
        self.updates += 1
        self.source_tokens += source_tokens
        self.target_tokens += target_tokens

    def numbers(self) -> dict[str, float]:
        """What the window holds, which then starts anew.

        The loss in nats a target word; the mean norm of the gradients that were finite, the share
        of updates whose gradient was clipped, the number of those whose gradient was not finite;
        symbols a second; the most memory that the process has taken so far, the mapped pages of
        the training data included, and the most that it has taken on the GPU, in MB of 2^20
        bytes.
        """
        seconds = time.monotonic() - self.started
        numbers = {
            "loss": round(float(self.loss) / self.target_tokens, 4),
            "gradient_norm": round(float(self.norm) / max(1.0, float(self.finite)), 4),
            "clip_rate": round(float(self.clipped) / self.updates, 4),
            "non_finite": self.updates - int(self.finite),
            "source_tokens_per_second": round(self.source_tokens / seconds, 1),
            "target_tokens_per_second": round(self.target_tokens / seconds, 1),
            **peak_memory(self.device),
        }
        self.restart()
        return numbers

    def sums(self) -> dict[str, Tensor]:
        """What a checkpoint has to hold for `restore`, besides `counts`."""
        return {name: getattr(self, name) for name in SUMS}

    def counts(self) -> dict[str, float]:
        """What a checkpoint has to hold for `restore`, besides `sums`."""
        seconds = time.monotonic() - self.started
        return {**{name: getattr(self, name) for name in COUNTS}, "seconds": seconds}

    def restore(self, sums: Mapping[str, Tensor], counts: Mapping[str, Any]) -> None:
        """Go on where a window was when `sums` and `counts` were asked for."""
        for name in SUMS:
            setattr(self, name, sums[name].to(self.device))
        for name in COUNTS:
            setattr(self, name, counts[name])
        self.started = time.monotonic() - counts["seconds"]

    def first_spoilt(self) -> int:
        """The first update whose loss, or gradient that was not replaced, was not finite; 0: none.

        `restart` does not forget it.
        """
        return int(self.spoilt)


def peak_memory(device: torch.device) -> dict[str, float]:
    """The most memory taken so far by the process and, if `device` is one, on the GPU, in MB.

    There all that torch has reserved: graphs of updates keep theirs, also where no tensor is.
    """
    taken = {"memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_UNIT >> 20}
    if device.type == "cuda":
        taken["gpu_memory_mb"] = torch.cuda.max_memory_reserved(device) >> 20
    return dict(taken)
