"""What becomes of memory that is freed."""

import subprocess
import sys

import pytest

COUNT = """
import resource, sys
import torch
from contextnmt.training.allocator import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
def allocate(times):
    for _ in range(times):
        torch.zeros(1 << 24).fill_(1.0)  # 64 MB
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
before = allocate(20)  # the first ones find room beside what else is there
print(allocate(20) - before)
"""


def faults(what):
    """Pages that the system had to find in 20 allocations."""
    command = [sys.executable, "-c", COUNT, what]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has glibc")
def test_freed_memory_is_used_again():
    assert faults("kept") < faults("given back") / 5
