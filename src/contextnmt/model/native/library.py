"""Functions in C, compiled by each process that needs them, for the processor that it runs on.

That takes a quarter of a second; nothing is kept, so that nothing has to be found out of date.
"""

import ctypes
import os
import shlex
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.progress import say

SOURCE = Path(__file__).with_name("hidden_layer.c")

#: Of the numbers that the functions work on, in C.
NAMES = {torch.float32: "float", torch.float64: "double"}

#: Not -ffast-math, which lets the whole process round small numbers to zero.
OPTIONS = ("-O3", "-march=native", "-fopenmp", "-fPIC", "-shared", "-Wl,--as-needed")


class Library:
    """The functions, for numbers of one type."""

    def __init__(self, compiled: ctypes.CDLL) -> None:
        self.compiled = compiled

    def call(self, name: str, *arguments: Tensor | int) -> None:
        """The function `name` of tensors, which lie in one piece each, and of sizes; then how many
        threads torch has."""
        self.compiled[name](*map(given, (*arguments, torch.get_num_threads())))


def given(argument: Tensor | int) -> ctypes.c_void_p | ctypes.c_long:
    """What C is given: where a tensor begins, or a number. Raises ValueError for a tensor that is
    in several pieces, beyond which C would read and write."""
    if not isinstance(argument, Tensor):
        return ctypes.c_long(argument)
    if not argument.is_contiguous():
        raise ValueError(f"a tensor {list(argument.shape)} in several pieces")
    return ctypes.c_void_p(argument.data_ptr())


@cache
def library(kind: torch.dtype) -> Library | None:
    """The functions for numbers of this type; None where they cannot be compiled, and says why."""
    try:
        return Library(compiled(NAMES[kind]))
    except UserError as error:
        say(f"attention takes up to three times as long on this processor, as {error}")
        return None


def compiled(number: str) -> ctypes.CDLL:
    """What the C compiler (`CC` in the environment, else cc) makes of `SOURCE`. Raises UserError if
    it makes nothing that this process can load."""
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "functions.so")
        options = [*OPTIONS, f"-DNUMBER={number}", "-o", str(target), str(SOURCE), threads()]
        try:
            subprocess.run([*compiler, *options], capture_output=True, text=True, check=True)
            return ctypes.CDLL(str(target))  # which stays when the file goes
        except subprocess.CalledProcessError as error:
            reason = error.stderr.strip().partition("\n")[0] or f"exit status {error.returncode}"
        except OSError as error:  # no compiler, or a folder from which nothing may be run
            reason = str(error)
    raise UserError(f"{compiler[0]} makes nothing that runs here: {reason}")


def threads() -> str:
    """The library of threads that torch has loaded. With any other, the threads of both would wait
    for the same processor cores. Raises UserError if it is not one to which GCC's code links."""
    try:
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8").split("\n")
    except OSError:
        mapped = []
    paths = [line.split(maxsplit=5)[5] for line in mapped if "/libgomp" in line]
    installed = str(Path(torch.__file__).parents[1])
    # Other packages may have loaded one of their own.
    for path in sorted(paths, key=lambda path: not path.startswith(installed)):
        return path
    raise UserError("torch has no threads of GCC's library here (libgomp)")
