"""The log of a training: JSON lines, which the report reads, and events for TensorBoard."""

import json
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils.tensorboard import SummaryWriter

from contextnmt.configuration.training import TrainingSettings
from contextnmt.files import write_lines
from contextnmt.training.update import Taken

#: Bytes of the unit in which the system counts the memory of a process.
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Journal:
    """Records in order of time, each a JSON object with `kind` and `update`.

    A checkpoint holds them all, so a resumed run has each record once. The file on disk is there
    to be watched; it may have more when the run is killed, and is written anew.
    """

    def __init__(self, folder: Path, tensorboard: Path) -> None:
        """`folder` takes log.jsonl; nothing is written before `open`."""
        self.path, self.tensorboard = folder / "log.jsonl", tensorboard
        self.records: list[dict[str, Any]] = []

    def open(self, update: int, records: Sequence[dict[str, Any]] = ()) -> None:
        """Write the journal anew, with the `records` of a run up to `update`."""
        self.records = list(records)
        write_lines(self.path, map(json.dumps, self.records))
        self._stream = open(self.path, "a", encoding="utf-8")  # noqa: SIM115, closed by close()
        self._board = SummaryWriter(str(self.tensorboard), purge_step=update + 1)

    def write(self, kind: str, update: int, **values: float | str) -> None:
        """Add a record; in TensorBoard, its numbers become curves `kind/name`, its texts notes."""
        record = {"kind": kind, "update": update, **values}
        self.records.append(record)
        self._stream.write(json.dumps(record) + "\n")
        self._stream.flush()
        for name, value in values.items():
            if isinstance(value, str):
                self._board.add_text(f"{kind}/{name}", value, update)
            else:
                self._board.add_scalar(f"{kind}/{name}", value, update)

    def write_machine(self, update: int, names: Mapping[str, str]) -> None:
        """Add a record of the machine that is at work from here on, unless it was before."""
        before = [each for each in self.records if each["kind"] == "machine"] or [{}]
        if any(before[-1].get(name) != names.get(name) for name in ("processor", "gpu")):
            self.write("machine", update, **names)

    def close(self) -> None:
        """Write everything out."""
        self._stream.close()
        self._board.close()


class Window:
    """Sums over the updates since the last record.

    `sums` are on the device, so that no update waits for the host: of loss, finite norm, whether
    the gradient was clipped, whether it was finite. `counts`: updates, source and target symbols.
    """

    def __init__(self, device: torch.device, recipe: TrainingSettings) -> None:
        self.device, self.recipe = device, recipe
        self.diverged = torch.zeros((), dtype=torch.int64, device=device)
        self.restart()

    def restart(self) -> None:
        """Start anew, at this moment: what was taken in is forgotten."""
        self.sums, self.counts = torch.zeros(4, device=self.device), [0, 0, 0]
        self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long the window has been open."""
        return time.monotonic() - self.started

    def restore(self, sums: Tensor, counts: list[int], seconds: float) -> None:
        """Go on where a window with these `sums` and `counts` was, after so many `seconds`."""
        self.sums, self.counts = sums.to(self.device), counts
        self.started = time.monotonic() - seconds

    def add(self, update: int, taken: Taken, source_tokens: int, target_tokens: int) -> None:
        """Take in an update by so many symbols."""
        (loss, norm), finite = taken, taken.norm.isfinite()
        clipped = finite & (norm > self.recipe.clip)
        self.sums += torch.stack([loss, torch.where(finite, norm, 0.0), clipped, finite])
        diverges = ~loss.isfinite()
        if not self.recipe.replaces_non_finite:
            diverges = diverges | ~finite
        self.diverged = torch.where((self.diverged == 0) & diverges, update, self.diverged)
        added = 1, source_tokens, target_tokens
        self.counts = [sum(each) for each in zip(self.counts, added, strict=True)]

    def numbers(self) -> dict[str, float]:
        """Return the numbers of a record, and start the window anew.

        The loss in nats per target word; the mean norm of the finite gradients, the share of
        updates whose gradient was clipped, the number of those whose gradient was not finite;
        symbols per second; `peak_memory`.
        """
        seconds = self.seconds
        loss, norm, clipped, finite = self.sums.tolist()
        updates, source_tokens, target_tokens = self.counts
        self.restart()
        return {
            "loss": round(loss / target_tokens, 4),
            "gradient_norm": round(norm / max(1.0, finite), 4),
            "clip_rate": round(clipped / updates, 4),
            "non_finite": updates - int(finite),
            "source_tokens_per_second": round(source_tokens / seconds, 1),
            "target_tokens_per_second": round(target_tokens / seconds, 1),
            **peak_memory(self.device),
        }

    def first_diverged(self) -> int:
        """The first update with a loss, or a gradient that was not replaced, that was not finite.

        0 without one; `restart` does not forget it.
        """
        return int(self.diverged)


def peak_memory(device: torch.device) -> dict[str, float]:
    """The most memory taken so far, in MB of 2^20 bytes, by the process and on `device`, if a GPU.

    The process's includes mapped pages of the training data; the GPU's is all that torch has
    reserved, as graphs of updates keep theirs.
    """
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_UNIT
    taken: dict[str, float] = {"memory_mb": most >> 20}
    if device.type == "cuda":
        taken["gpu_memory_mb"] = torch.cuda.max_memory_reserved(device) >> 20
    return taken
