"""The memory and the compiled products that a training keeps, and signals to it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from contextnmt.training.process import VARIABLE, Signals, keep_compiled_products


def output(script, *arguments, **environment):
    """Return what a script prints in a process of its own, without that variable of ours."""
    inherited = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, "-c", script, *arguments]
    run = subprocess.run(
        command, check=True, capture_output=True, text=True, env=inherited | environment
    )
    return run.stdout


#: Prints the pages that the system had to find in 20 allocations.
COUNT = """
import resource, sys
import torch
from contextnmt.training.process import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
def allocate(times):
    for _ in range(times):
        torch.zeros(1 << 24).fill_(1.0)  # 64 MB
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
before = allocate(20)  # the first ones find room beside what else is there
print(allocate(20) - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has glibc")
def test_freed_memory_is_used_again():
    assert int(output(COUNT, "kept")) < int(output(COUNT, "given back")) / 5


HUGE = """
from pathlib import Path
import torch
from contextnmt.training.process import keep_freed_memory
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
    assert int(output(HUGE)) > 48 << 10  # kilobytes


#: Convolutions, which oneDNN does on any processor; more shapes than it keeps by default.
MULTIPLY = """
import sys
import torch
from contextnmt.training.process import keep_compiled_products
if sys.argv[1] == "kept":
    keep_compiled_products()
weight = torch.ones(1, 32, 1, 3)
for _ in range(2):
    for size in range(1000, 1500):
        torch.nn.functional.conv2d(torch.ones(1, 32, 1, size), weight)
"""


def test_what_was_compiled_is_kept():
    kept, default = (
        output(MULTIPLY, which, ONEDNN_VERBOSE="profile_create").count("create:cache_miss")
        for which in ("kept", "by default")
    )
    assert kept < 0.6 * default


def test_the_environment_has_the_last_word(monkeypatch):
    monkeypatch.setenv(VARIABLE, "7")
    keep_compiled_products()
    assert os.environ[VARIABLE] == "7"


@pytest.mark.parametrize(
    ("before", "received"), [(signal.SIG_DFL, signal.SIGHUP), (signal.SIG_IGN, 0)]
)
def test_a_terminal_that_closes_stops_a_training_except_under_nohup(before, received):
    outside = signal.signal(signal.SIGHUP, before)
    try:
        with Signals() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            assert signals.received == received
        assert signal.getsignal(signal.SIGHUP) is before
    finally:
        signal.signal(signal.SIGHUP, outside)
