"""What becomes of memory that is freed."""

import subprocess
import sys
from pathlib import Path

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


HUGE = """
from pathlib import Path
import torch
from contextnmt.training.allocator import keep_freed_memory
keep_freed_memory()
kept = torch.ones(1 << 24)  # 64 MB
rollup = Path("/proc/self/smaps_rollup").read_text().splitlines()
print(next(line.split()[1] for line in rollup if line.startswith("AnonHugePages:")))
"""

ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.mark.skipif(
    not ENABLED.exists() or "[never]" in ENABLED.read_text(), reason="no huge pages here"
)
def test_tensors_lie_on_huge_pages():
    command = [sys.executable, "-c", HUGE]
    kilobytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(kilobytes) > 48 << 10
