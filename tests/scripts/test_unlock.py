"""scripts/unlock.py: a killed snakemake's lock goes, a living one's stays."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "unlock.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a workflow in it and the lock that a snakemake took there."""
    folder = tmp_path / "folder"
    folder.joinpath(".snakemake", "locks").mkdir(parents=True)
    folder.joinpath(".snakemake", "locks", "0.output.lock").write_text("out.txt\n")
    folder.joinpath("Snakefile").write_text('rule all:\n    shell: "true"\n')
    return folder


def locked(folder: Path) -> bool:
    locks = folder / ".snakemake" / "locks"
    return locks.is_dir() and any(locks.iterdir())


def unlock(folder: Path) -> str:
    """Run the script in `folder` and return what it printed."""
    return subprocess.run(
        [sys.executable, SCRIPT],
        cwd=folder,
        check=True,
        timeout=30,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ).stdout


@contextmanager
def running(program: str, folder: Path, *arguments: str, seconds: float = 60) -> Iterator[None]:
    """A Python process called `program` that works in `folder` and does nothing."""
    path = folder.parent / "bin" / program
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"print(flush=True)\nimport time\ntime.sleep({seconds})\n")
    command = [sys.executable, str(path), *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it runs
        try:
            yield
        finally:
            process.kill()


def test_takes_the_lock_of_a_killed_snakemake_away(folder: Path) -> None:
    unlock(folder)
    assert not locked(folder)


def test_leaves_the_lock_of_a_living_snakemake(folder: Path) -> None:
    with running("snakemake", folder, "--profile", "local"):
        assert "is at work in this folder" in unlock(folder)
    assert locked(folder)


def test_a_snakemake_in_another_folder_does_not_count(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with running("snakemake", elsewhere):
        unlock(folder)
    assert not locked(folder)


@pytest.mark.parametrize("job", [("contextnmt", "train"), ("snakemake", "--mode", "subprocess")])
def test_waits_for_the_jobs_that_a_killed_snakemake_left(
    folder: Path, job: tuple[str, ...]
) -> None:
    program, *arguments = job
    with running(program, folder, *arguments, seconds=2):
        printed = unlock(folder)
    assert "of the killed snakemake" in printed
    assert not locked(folder)


@contextmanager
def training(folder: Path, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """A process that owns the state of a training, and that no name gives away."""
    state = folder / "results/demo/train/en-fr/baseline/1/state"
    code = f"""
import time; from pathlib import Path; from contextnmt.training.lock import Lock
with Lock(Path({str(state)!r})):
    print(flush=True)
    time.sleep({seconds})
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def test_waits_for_a_training_by_its_lock(folder: Path) -> None:
    with training(folder, seconds=2) as process:
        printed = unlock(folder)
        assert process.wait() == 0
    assert f"baseline/1/state: process {process.pid} on " in printed
    assert not locked(folder)


def test_does_not_wait_for_a_training_that_was_killed(folder: Path) -> None:
    with training(folder, seconds=60) as process:
        process.kill()
        process.wait()
        assert "Waiting" not in unlock(folder)
    assert not locked(folder)


def test_does_nothing_where_nothing_is_locked(tmp_path: Path) -> None:
    assert unlock(tmp_path) == ""
