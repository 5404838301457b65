"""A real Slurm for the tests, and Snakemake on it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import Cluster, may_isolate, missing
from filelock import FileLock
from one_training import MODEL, ONE_MODEL

HERE = Path(__file__).parent

#: Profile settings that spare seconds; they change nothing else.
AT_ONCE = ["--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "10"]

Start = Callable[..., subprocess.Popen[str]]
Run = Callable[..., subprocess.CompletedProcess[str]]


def up(**settings: object) -> Iterator[Cluster]:
    """A cluster while a fixture lasts; skips where there cannot be one."""
    # Where all that is needed can be had, a skipped test would be one that nobody runs.
    refuse = pytest.fail if os.environ.get("CONTEXTNMT_NEEDS_SLURM") else pytest.skip
    if lacking := missing(bool(settings.get("accounting"))):
        refuse(f"no Slurm here: apt-get install {' '.join(lacking)}")
    if not may_isolate():
        refuse("nodes are namespaces, which this user may not make: run as root")
    # A short name: that of a socket has 108 characters at most.
    with tempfile.TemporaryDirectory(prefix="slurm") as folder:
        made = Cluster(Path(folder), **settings)  # type: ignore[arg-type]
        try:
            made.start()
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Two nodes without accounting, which last for all tests."""
    yield from up()


@pytest.fixture(scope="session")
def accounted() -> Iterator[Cluster]:
    """One node with a database of accounts: root has the account `tests`."""
    yield from up(nodes=1, accounting=True)


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Start Snakemake with the profile in a clone; the two streams come together."""
    started: list[tuple[Cluster, subprocess.Popen[str]]] = []

    def run(
        cluster: Cluster, folder: Path, *arguments: str, **variables: str
    ) -> subprocess.Popen[str]:
        slurm = {"SLURM_CONF": cluster.configuration}
        # Where the tests run in the background, SIGINT is ignored, which children take over.
        program = ["env", "--default-signal=INT", sys.executable, str(HERE / "quick_snakemake.py")]
        process = subprocess.Popen(
            [*cluster.inside, *program, *arguments, "--profile", "slurm", *AT_ONCE],
            cwd=folder,
            env={**cluster.environment, **environment, **slurm, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append((cluster, process))
        return process

    yield run
    for cluster, process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        cluster.said("scancel", "--user=root")


@pytest.fixture(scope="session")
def trained(
    clone: Callable[[], Path],
    snakemake: Run,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
) -> Path:
    """A clone in which one small model has been trained, on this machine and undisturbed.

    Processes that share the tests share it too.
    """
    place = tmp_path_factory.getbasetemp()
    folder = (place if worker_id == "master" else place.parent) / "trained"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            made = clone()
            run = snakemake(made, *ONE_MODEL, "--profile", "local", timeout=1500)
            assert run.returncode == 0, run.stdout[-3000:]
            made.rename(folder)
    return folder


@pytest.fixture
def untrained(trained: Path, tmp_path: Path) -> Path:
    """The same before the training."""
    folder = Path(shutil.copytree(trained, tmp_path / "repo", symlinks=True))
    shutil.rmtree((folder / MODEL).parent)
    return folder
