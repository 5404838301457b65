"""What the C library does with memory that a training frees."""

import ctypes
import sys

#: Names of mallopt's parameters in glibc's malloc.h.
TRIM_THRESHOLD, TOP_PAD, MMAP_MAX = -1, -2, -4

#: Bytes that are asked of the system at once.
STEP = 64 << 20


def keep_freed_memory() -> None:
    """Let freed tensors stay with this process, for those of the next update.

    By default, glibc gives each large one back to the system, from which the next comes as pages to
    be zeroed at their first touch: a tenth of the time of an update on a CPU. In return the process
    keeps the most that it has ever had, and somewhat more where tensors of different sizes leave
    gaps. Other C libraries are left as they are.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, ctypes.c_int(2**31 - 1))
        mallopt(TOP_PAD, STEP)
