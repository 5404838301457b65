"""Functions in C, compiled by each process that needs them, for the processor that it runs on.

That takes a quarter of a second; nothing is kept, so that nothing has to be found out of date.
"""

import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.progress import say

SOURCE = Path(__file__).with_name("hidden_layer.c")

#: C's names of the types that the functions are compiled for.
NAMES = {torch.float32: "float", torch.float64: "double"}

#: Not -ffast-math, which lets the whole process round small numbers to zero. Of libraries, those
#: that are named alone: a compiler whose code needs threads of its own makes nothing.
OPTIONS = (
    *("-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"),
    *("-nodefaultlibs", "-Wl,-z,defs"),
)

#: How long a compiler may take, in seconds.
PATIENCE = 60


class Library:
    """The functions, for numbers of one type."""

    def __init__(self, kind: torch.dtype) -> None:
        """Compile them. Raises UserError if that cannot be done."""
        command = compiler()
        self.kind, self.functions = kind, compiled(command, NAMES[kind])
        #: What the compiler says it is: now, since at the end of a training it may be gone.
        self.compiler = run(command, "--version").partition("\n")[0]

    def call(self, name: str, *arguments: Tensor | int) -> None:
        """The function `name` of tensors and sizes; then how many threads torch has."""
        self.functions[name](*map(self.given, (*arguments, torch.get_num_threads())))

    def given(self, argument: Tensor | int) -> ctypes.c_void_p | ctypes.c_long:
        """What C is given: where a tensor begins, or a number. Raises ValueError for a tensor of
        another type or place, or in several pieces: C cannot see that and would read and write
        beside it."""
        if not isinstance(argument, Tensor):
            return ctypes.c_long(argument)
        if argument.dtype != self.kind or not argument.is_cpu or not argument.is_contiguous():
            raise ValueError(
                f"a tensor of {argument.dtype} on {argument.device}, strides {argument.stride()}: "
                f"the functions in C take those of {self.kind}, on a CPU and in one piece"
            )
        return ctypes.c_void_p(argument.data_ptr())


@cache
def library(kind: torch.dtype) -> Library | None:
    """The functions for numbers of this type; None where they cannot be compiled. On Linux, where
    they can be had, it says why."""
    if sys.platform != "linux":
        return None
    try:
        return Library(kind)
    except UserError as error:
        say(f"training takes longer: attention is not compiled for this processor, as {error}")
        return None


def compiler_used() -> str | None:
    """What the compiler of the functions for 32 bits says it is; None if this process has not
    asked for any, or there are none."""
    functions = library(torch.float32) if library.cache_info().currsize else None
    return functions.compiler if functions else None


def compiler() -> list[str]:
    """`CC` in the environment, else cc, as words. Raises UserError if it cannot be read."""
    try:
        return shlex.split(os.environ.get("CC", "")) or ["cc"]
    except ValueError as error:
        raise UserError(f"CC in the environment cannot be read: {error}") from None


def run(command: list[str], *options: str) -> str:
    """What the compiler writes. Raises UserError if it fails."""
    try:
        done = subprocess.run(
            [*command, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{error} (install GCC, or name it by CC)") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().split("\n")
        reason = next((line for line in lines if "error" in line), lines[-1])
        reason = reason or f"exit status {done.returncode}"
        raise UserError(f"{command[0]} fails: {reason} (GCC is needed; CC may name it)")
    return done.stdout.decode(errors="replace")


def compiled(command: list[str], number: str) -> ctypes.CDLL:
    """What the compiler makes of `SOURCE`, loaded. Raises UserError if it makes nothing that this
    process can load."""
    threads = threads_of(ctypes.CDLL(torch._C.__file__))
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            target = Path(folder, "functions.so")
            files = ["-o", str(target), str(SOURCE), threads, "-lc"]
            run(command, *OPTIONS, f"-DNUMBER={number}", *files)
            functions = ctypes.CDLL(str(target))  # which stays when the file goes
    except OSError as error:
        raise UserError(f"{error} (TMPDIR may name a folder whose programs may be run)") from None
    if threads_of(functions) != threads:
        raise UserError("its threads are not torch's")  # both would wait for the same cores
    return functions


class Symbol(ctypes.Structure):
    """Dl_info of dlfcn.h."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("start", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def threads_of(loaded: ctypes.CDLL) -> str:
    """The library of threads, for the code that GCC makes, of what is loaded. Raises UserError if
    it has none."""
    found = Symbol()
    try:
        address = ctypes.cast(loaded.GOMP_parallel, ctypes.c_void_p)
        known = ctypes.CDLL(None).dladdr(address, ctypes.byref(found))
    except AttributeError as error:
        raise UserError(f"torch has no threads for code of GCC: {error}") from None
    if not known or not found.file:
        raise UserError("it is not known where torch's threads come from")
    return os.fsdecode(found.file)
