"""The process that trains: its memory and how a GPU multiplies, what it runs on, how it is stopped.

A signal, SIGINT, SIGTERM, SIGHUP or SIGUSR1, stops a training between two pieces of work.
"""

import contextlib
import ctypes
import os
import platform
import signal
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from contextnmt.closure import commit
from contextnmt.configuration.training import TrainingSettings
from contextnmt.model.arithmetic import choose_device

#: Names of mallopt's parameters in glibc's malloc.h, and of advice in Linux's mman.h.
TRIM_THRESHOLD, TOP_PAD, MMAP_MAX = -1, -2, -4
HUGEPAGE = 14

#: Bytes that are asked of the system at once, beyond those that are reserved.
STEP = 64 << 20

#: Bytes of addresses that are reserved. They take memory as they are used, not before.
RESERVED = 4 << 30

#: Bytes of a huge page, where others have 4 kB.
PAGE = 2 << 20

#: oneDNN reads it at its first product.
VARIABLE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"

#: A training in bfloat16 has some 1,500 shapes of products (see `model.padding`).
CAPACITY = 2048


def prepare(recipe: TrainingSettings) -> None:
    """Set this process up for a training. To be called before tensors are made.

    Raises UserError if the device of the recipe is not there.
    """
    settle(choose_device(recipe.device))
    set_precision(recipe.precision)
    torch.set_num_threads(recipe.threads)


def settle(device: torch.device) -> None:
    """Let this process keep freed memory and compiled products on a CPU. To be called first."""
    if device.type == "cpu":
        keep_freed_memory()
        keep_compiled_products()


def set_precision(precision: str) -> None:
    """Let matrix products on a GPU round their factors to TF32, or not, for the whole process
    (A46)."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


@cache
def keep_freed_memory() -> None:
    """Let freed tensors stay with this process, for those of the next update, on huge pages.

    By default, glibc gives each large one back to the system, which zeroes the pages of the next: a
    tenth of the time of an update on a CPU. Small pages cost one to four hundredths more. In return
    the process keeps its peak memory, and somewhat more where tensors of different sizes leave
    gaps. Only glibc on Linux is set so.
    """
    library = ctypes.CDLL(None)
    if not sys.platform.startswith("linux") or not hasattr(library, "mallopt"):
        return
    library.mallopt(MMAP_MAX, 0)
    library.mallopt(TRIM_THRESHOLD, -1)  # never
    library.mallopt(TOP_PAD, STEP)
    library.malloc.argtypes, library.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.free.argtypes = [ctypes.c_void_p]
    start = library.malloc(RESERVED)
    if start is not None:  # else the system gives no more than is used at once
        unaligned = -start % PAGE
        library.madvise(start + unaligned, RESERVED - unaligned, HUGEPAGE)
        library.free(start)


def keep_compiled_products() -> None:
    """Let oneDNN keep as many as a training needs, unless the environment says how many.

    By default it keeps 1,024, and compiles others again: up to a third of the time of a training in
    bfloat16. Each takes about a megabyte. To be called before the first product by oneDNN.
    """
    os.environ.setdefault(VARIABLE, str(CAPACITY))


def environment() -> dict[str, Any]:
    """Return the record for model.json."""
    packages = {}
    for name in ("sacrebleu", "sacremoses", "subword-nmt", "safetensors", "snakemake"):
        with contextlib.suppress(PackageNotFoundError):
            packages[name] = version(name)
    return {
        "python": platform.python_version(),
        "contextnmt": version("contextnmt"),
        "torch": torch.__version__,
        "numpy": version("numpy"),
        "packages": packages,
        **commit(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def machine(device: torch.device) -> dict[str, str]:
    """The names of the processor and, if `device` is one, of the GPU, for the journal."""
    names = {"processor": processor()}
    if device.type == "cuda":
        names["gpu"] = torch.cuda.get_device_name(device)
    return names


def processor() -> str:
    """The processor's name as the operating system knows it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").split("\n"):
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


class TrainingInterruptedError(Exception):
    """A signal, of number `signal`, ended the training. A checkpoint is written if it had begun."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.signal = number


class Signals:
    """Notes a signal while the block runs, to be asked about between two pieces of work."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)

    def __init__(self) -> None:
        self.received = 0
        #: Whether the process has stayed alive after one.
        self.outlived = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Signals":
        for number in self.NUMBERS:
            hangs_up = number == signal.SIGHUP
            if not (hangs_up and signal.getsignal(number) is signal.SIG_IGN):  # by `nohup`
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
