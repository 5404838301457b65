"""Let the writes of a process fail, by a filter of system calls: Linux on x86_64 or aarch64."""

import ctypes
import os
import platform
import sys
from collections.abc import Callable
from typing import Any

#: Numbers of the system calls write, pwrite64, writev, fsync, sendfile; of openat; of seccomp.
CALLS = {"x86_64": ([1, 18, 20, 74, 40], 257, 317), "aarch64": ([64, 68, 66, 82, 71], 56, 277)}
#: Instructions of a filter: load a word, jump if equal, greater or any bit is set, return.
LOAD, EQUAL, GREATER, ANY, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000


class Instruction(ctypes.Structure):
    """struct sock_filter of Linux."""

    _fields_ = [
        ("code", ctypes.c_uint16),
        ("yes", ctypes.c_uint8),
        ("no", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class Program(ctypes.Structure):
    """struct sock_fprog of Linux."""

    _fields_ = [("length", ctypes.c_uint16), ("filter", ctypes.POINTER(Instruction))]


def let_writes_fail(number: int, creating: bool) -> None:
    """Let writes of this process to other files than stdin, stdout and stderr fail with an errno
    from now on, and with `creating` new files too."""
    calls, openat, seccomp = CALLS[platform.machine()]
    count = len(calls)
    # Jumps go over so many instructions.
    body = [(LOAD, 0, 0, 0), (EQUAL, count + 1, 0, openat if creating else 0xFFFFFFFF)]
    body += [(EQUAL, count - place + 2, 0, call) for place, call in enumerate(calls)]
    body += [(RETURN, 0, 0, ALLOW)]
    body += [(LOAD, 0, 0, 32), (ANY, 3, 2, os.O_CREAT)]  # flags of openat
    body += [(LOAD, 0, 0, 16), (GREATER, 1, 0, 2), (RETURN, 0, 0, ALLOW)]  # the descriptor
    body += [(RETURN, 0, 0, FAIL | number)]
    instructions = (Instruction * len(body))(*(Instruction(*each) for each in body))
    system, all_threads = ctypes.CDLL(None, use_errno=True), 1
    system.prctl(38, 1, 0, 0, 0)  # no new privileges, as an unprivileged process has to say
    program = ctypes.byref(Program(len(body), instructions))
    if system.syscall(seccomp, 1, all_threads, program):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def at_opening(
    number: int, action: Callable[[], object] = lambda: None, counter: Any = None
) -> None:
    """Call `action` when this process opens a file to write for the time `number`; count them."""
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR):
            count += 1
            if counter is not None:
                counter.value = count
            if count == number:
                action()

    sys.addaudithook(hook)
