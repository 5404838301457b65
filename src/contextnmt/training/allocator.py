"""Where the tensors of a training lie, and what the C library does with those that are freed."""

import ctypes
import sys
from functools import cache

#: Names of mallopt's parameters in glibc's malloc.h, and of advice in Linux's mman.h.
TRIM_THRESHOLD, TOP_PAD, MMAP_MAX = -1, -2, -4
HUGEPAGE = 14

#: Bytes that are asked of the system at once, beyond those that are reserved.
STEP = 64 << 20

#: Bytes of addresses that are reserved. They take memory as they are used, not before.
RESERVED = 4 << 30

#: Bytes of a huge page, where others have 4 kB.
PAGE = 2 << 20


@cache
def keep_freed_memory() -> None:
    """Let freed tensors stay with this process, for those of the next update, on huge pages.

    By default, glibc gives each large one back to the system, from which the next comes as pages to
    be zeroed at their first touch: a tenth of the time of an update on a CPU. And a processor loses
    one to four hundredths more on looking up many small pages. In return the process keeps the most
    that it has ever had, and somewhat more where tensors of different sizes leave gaps. To be
    called before tensors are made: those that are there stay where they are.

    Other C libraries are left as they are, and so are pages where the system has no huge ones.
    """
    if not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None)
    mallopt = getattr(library, "mallopt", None)
    if mallopt is None:
        return
    mallopt(MMAP_MAX, 0)
    mallopt(TRIM_THRESHOLD, -1)  # never
    mallopt(TOP_PAD, STEP)
    library.malloc.argtypes, library.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.free.argtypes = [ctypes.c_void_p]
    start = library.malloc(RESERVED)
    if start is not None:  # else the system gives no more than is used at once
        unaligned = -start % PAGE
        library.madvise(start + unaligned, RESERVED - unaligned, HUGEPAGE)
        library.free(start)
