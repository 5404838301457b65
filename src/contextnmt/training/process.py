"""Settings of a process that trains: the memory and compiled products that it keeps, and how a GPU
multiplies."""

import ctypes
import os
import sys
from functools import cache

import torch

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
