"""Compile what is for a GPU, on a machine without one: prints, for each function, how many versions
of it the first batch takes, and how many all batches.

In a process of its own, as elsewhere the functions are interpreted. Nothing is launched, so the
numbers are those of whatever memory holds.
"""

import json
import types
from collections.abc import Iterator

import torch
from model.architectures import build, pairs
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from contextnmt.model import arithmetic, attention, readout, units
from contextnmt.model.fused import attention_kernels, kernels

#: An H100's, and an H200's.
TARGET = GPUTarget("cuda", 90, 32)

#: The last batch of an epoch may have any number of sentences, and they any length.
BATCHES = [[(6, 4), (2, 5)], [(16, 16)] * 16, [(1, 1)], [(1, 2), (3, 3), (2, 1)]]
MODULES = (attention_kernels, kernels)
SIZES = {"embedding": 5, "hidden": 10, "alignment": 9, "maxout": 3}


class Driver:
    """The driver of a GPU that is not there."""

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return TARGET


def functions() -> Iterator[JITFunction]:
    """Yield the kernels that are launched: those with a type and a block size."""
    for module in MODULES:
        for each in vars(module).values():
            if isinstance(each, JITFunction) and {"KIND", "BLOCK"} <= {*each.arg_names}:
                yield each


def versions() -> dict[str, int]:
    """Return the number of compiled versions of each kernel."""
    return {each.fn.__name__: len(each.device_caches[0][0]) for each in functions()}


def compile_only(function: JITFunction, grid: object) -> object:
    return types.MethodType(
        lambda self, *given, **named: self.run(*given, grid=grid, warmup=True, **named), function
    )


driver.set_active(Driver())
JITFunction.__getitem__ = compile_only
arithmetic.CPU_TYPES = set()
for module in attention, readout, units:
    module.fuses = lambda tensor: True
found = []
for batch in BATCHES:
    for name in ("Choi", "RNNsearch", "RNNencdec"):
        with torch.autocast("cpu", torch.bfloat16):
            losses = build(name, 11, SIZES)(*pairs(batch, 11))
        losses.sum().backward()
    found.append(versions())
print(json.dumps([found[0], found[-1]]))
