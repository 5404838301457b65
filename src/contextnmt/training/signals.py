"""How a training ends on SIGINT, SIGTERM and SIGUSR1."""

import os
import signal
import sys
from types import FrameType
from typing import Any


class TrainingInterruptedError(Exception):
    """A signal, of number `signal`, ended the training. A checkpoint is written if it had begun."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.signal = number


class Signals:
    """Notes a signal while the block runs, to be asked about between two pieces of work."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)

    def __init__(self) -> None:
        self.received = 0
        #: Whether the process has stayed alive after one.
        self.outlived = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Signals":
        for number in self.NUMBERS:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received = number

    def handle(self) -> None:
        """Forget a signal if the process stays alive; else raise TrainingInterruptedError."""
        number, self.received = self.received, 0
        if number and not stays_alive():
            raise TrainingInterruptedError(number)
        self.outlived |= bool(number)


def stays_alive() -> bool:
    """Whether a process that a signal tells to end should go on training until it is killed.

    It should in a batch job of Slurm: one that exits by itself counts as failed, even when it was
    only to make room for another job, and is not queued again.
    """
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    return "SLURM_JOB_ID" in os.environ and not at_terminal
