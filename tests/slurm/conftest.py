"""A real Slurm for the tests, and Snakemake on it."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import Cluster, may_isolate, missing

QUICK = Path(__file__).parent / "quick_snakemake.py"

#: Profile settings that spare seconds; they change nothing else.
AT_ONCE = ["--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "10"]

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Two nodes without accounting, which last for all tests."""
    if lacking := missing():
        pytest.skip(f"no Slurm here: apt-get install {' '.join(lacking)}")
    if not may_isolate():
        pytest.skip("this user may not make namespaces: run as root")
    # A short name: that of a socket has 108 characters at most.
    with tempfile.TemporaryDirectory(prefix="slurm") as folder:
        made = Cluster(Path(folder), memory=64_000)
        try:
            made.start()
            yield made
        finally:
            made.stop()


@pytest.fixture
def start(cluster: Cluster, environment: dict[str, str]) -> Start:
    """Start Snakemake with the profile in a clone; the two streams come together."""

    def run(folder: Path, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, QUICK, *arguments, "--profile", "slurm", *AT_ONCE],
            cwd=folder,
            env={**cluster.environment, **environment, "SLURM_CONF": cluster.configuration},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    return run
