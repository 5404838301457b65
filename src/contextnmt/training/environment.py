"""Versions, commit, processor and GPU that a number was made with."""

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
