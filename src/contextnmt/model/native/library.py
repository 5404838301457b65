"""Functions in C, compiled by each process when it first needs them, for the processor that it runs
on.

That takes half a second at most for each source; nothing is kept, so that nothing has to be found
out of date.
"""

import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.model.device import answers
from contextnmt.progress import say

FOLDER = Path(__file__).parent

#: What all sources include: named, so that who edits it edits this module (`contextnmt.closure`).
HEADER = "numbers.h"

#: By the type that matrices are multiplied in: that of all other numbers, and what `HEADER` calls
#: the two.
KINDS = {
    torch.float32: (torch.float32, ()),
    torch.float64: (torch.float64, ("-DDOUBLE",)),
    torch.bfloat16: (torch.float32, ("-DBFLOAT16",)),
}

#: Not -ffast-math, which lets the whole process round small numbers to zero: of it only that no
#: operation has to be left out for what it signals. Of libraries, those that are named alone: a
#: compiler whose code needs threads of its own makes nothing.
OPTIONS = (
    *("-O3", "-march=native", "-fno-trapping-math", "-fopenmp", "-fPIC", "-shared"),
    *("-nodefaultlibs", "-Wl,-z,defs"),
)

#: How long a compiler may take, in seconds.
PATIENCE = 60


class Start(ctypes.c_void_p):
    """Where a tensor begins. The tensor stays as long as this does: C may be given one that nobody
    else holds."""

    def __init__(self, tensor: Tensor) -> None:
        super().__init__(tensor.data_ptr())
        self.tensor = tensor


class Numbers:
    """Tensors of one type, as C is given them.

    Of any other C would read and write beside it: so both functions raise ValueError for a tensor
    of another type or place, or in other pieces.
    """

    def __init__(self, kind: torch.dtype) -> None:
        self.kind = kind

    def whole(self, tensor: Tensor) -> Start:
        """Where a tensor in one piece begins."""
        return self.start(tensor, tensor.is_contiguous())

    def rows(self, tensor: Tensor) -> tuple[Start, ctypes.c_long]:
        """Where a tensor [D, B, n] begins that is in one piece for each D, and how far apart these
        are."""
        _, batch, size = tensor.shape
        apart, *strides = tensor.stride()
        joined = (batch < 2 or strides[0] == size) and (size < 2 or strides[1] == 1)
        return self.start(tensor, joined), ctypes.c_long(apart)

    def start(self, tensor: Tensor, joined: bool) -> Start:
        """Where it begins, if it is what C takes."""
        if tensor.dtype != self.kind or not tensor.is_cpu or not joined:
            raise ValueError(
                f"a tensor of {tensor.dtype} on {tensor.device}, strides {tensor.stride()}: "
                f"the functions in C take those of {self.kind}, on a CPU and in one piece"
            )
        return Start(tensor)


#: Words.
IDS = Numbers(torch.int64)


class Library:
    """The functions of one source, for matrices that are multiplied in one type."""

    def __init__(self, source: str, kind: torch.dtype) -> None:
        """Compile them. Raises UserError if that cannot be done."""
        number, names = KINDS[kind]
        #: Of matrices' products and their factors, and all others.
        self.lower, self.numbers = Numbers(kind), Numbers(number)
        command = compiler()
        self.functions = compiled(command, names, source)
        #: What the compiler says it is: now, since at the end of a training it may be gone.
        self.compiler = run(command, "--version").partition("\n")[0]

    def call(self, name: str, *arguments: Start | ctypes.c_long | int) -> None:
        """The function `name`; its last argument is how many threads torch has."""
        numbers = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
        getattr(self.functions, name)(*numbers, ctypes.c_long(torch.get_num_threads()))


#: Those that this process has asked for, by source and by the type that matrices are multiplied in.
libraries: dict[tuple[str, torch.dtype], Library | None] = {}


def library(source: str, kind: torch.dtype) -> Library | None:
    """The functions of a source, for matrices of this type; None where there are none, or they
    cannot be compiled. On Linux, where they can be had, it says why, and tries no others."""
    if sys.platform != "linux" or kind not in KINDS:
        return None
    if (source, kind) not in libraries:
        made = None
        if None not in libraries.values():
            try:
                made = Library(source, kind)
            except UserError as error:
                say(f"training takes longer: not all is compiled for this processor, as {error}")
        libraries[source, kind] = made
    return libraries[source, kind]


def in_training(source: str, kind: torch.dtype, device: torch.device) -> Library | None:
    """As `library`, but None on a GPU, and where no gradients are wanted."""
    return library(source, kind) if torch.is_grad_enabled() and answers(device) else None


def compiler_used() -> str | None:
    """What the compiler of the functions says it is; None if this process has none."""
    return next((each.compiler for each in libraries.values() if each), None)


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


def compiled(command: list[str], names: Sequence[str], source: str) -> ctypes.CDLL:
    """What the compiler makes of a source, loaded. Raises UserError if it makes nothing
    that this process can load."""
    threads = threads_of(ctypes.CDLL(torch._C.__file__))
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            target = Path(folder, "functions.so")
            files = ["-o", str(target), str(FOLDER / source), threads, "-lc"]
            run(command, *OPTIONS, *names, *files)
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
