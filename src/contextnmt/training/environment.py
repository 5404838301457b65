"""What a number was made with and on: versions, commit, processor, GPU."""

import contextlib
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from contextnmt.closure import commit


def environment() -> dict[str, Any]:
    """Return the record for model.json."""
    return {
        "python": platform.python_version(),
        "contextnmt": version("contextnmt"),
        "torch": torch.__version__,
        "numpy": version("numpy"),
        "packages": packages(),
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


def packages() -> dict[str, str]:
    """Versions of the other packages that have a say in the numbers, those that are there."""
    found = {}
    for name in ("sacrebleu", "sacremoses", "subword-nmt", "safetensors", "snakemake"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def processor() -> str:
    """The processor's name as the operating system knows it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").split("\n"):
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
