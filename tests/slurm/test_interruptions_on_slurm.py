"""Whatever Slurm does to a training, it goes on and ends with the same model."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from cluster import Cluster, wait_until
from conftest import MODEL, ONE_MODEL, Start

STATE = "results/demo/train/en-fr/baseline/1/state"
LOG = "results/demo/logs/train/en-fr/baseline/1.log"
JOB = "rule_train_wildcards_en-fr_baseline_1"


def training(cluster: Cluster, folder: Path) -> str:
    """The Slurm job of the training, once it runs and has saved a state."""

    def found() -> list[dict[str, str]]:
        running = cluster.jobs(["JobID", "State", "Comment", "WorkDir"])
        return [
            job
            for job in running
            if (job["Comment"], job["State"], job["WorkDir"]) == (JOB, "RUNNING", str(folder))
        ]

    wait_until(found, 300, "the training runs")
    wait_until(lambda: list((folder / STATE).glob("*.safetensors")), 300, "a state is saved")
    return found()[0]["JobID"]


def attempts(cluster: Cluster, folder: Path) -> list[dict[str, str]]:
    """What Slurm remembers of the training's jobs, the first one first."""
    jobs = cluster.jobs(["JobID", "Comment", "WorkDir"])
    numbers = [
        job["JobID"] for job in jobs if (job["Comment"], job["WorkDir"]) == (JOB, str(folder))
    ]
    return [cluster.job(number) for number in sorted(numbers, key=int)]


def finish(run: subprocess.Popen[str], folder: Path, trained: Path, seconds: int = 900) -> str:
    """Wait for the end; the model is that of an undisturbed training that has never stopped."""
    said, _ = run.communicate(timeout=seconds)
    assert run.returncode == 0, said[-5000:]
    assert (folder / MODEL).read_bytes() == (trained / MODEL).read_bytes()
    assert not (folder / STATE).exists()
    return said


def halt(folder: Path) -> None:
    """Stop the clock of the trainer; signals that end it set it going again."""
    for process in psutil.process_iter(["cmdline"]):
        with contextlib.suppress(psutil.Error):
            words = process.info["cmdline"] or []
            if "contextnmt" in words and process.cwd() == str(folder):
                process.suspend()


def resumed(folder: Path) -> bool:
    return "resumed after update" in (folder / LOG).read_text()


def requeue(cluster: Cluster, job: str) -> None:
    cluster.said("scontrol", "requeue", job)


def preempt(cluster: Cluster, job: str) -> None:
    urgent = ["--partition=urgent", "--nodes=2", "--exclusive", "--time=5", "--output=/dev/null"]
    cluster.said("sbatch", *urgent, "--wrap=sleep 2")
    wait_until(lambda: cluster.job(job)["JobState"] == "PENDING", 300, "it is preempted")


@pytest.mark.parametrize("disturb", [preempt, pytest.param(requeue, marks=pytest.mark.slow)])
def test_a_training_that_slurm_starts_again_goes_on(
    cluster: Cluster,
    start: Start,
    untrained: Path,
    trained: Path,
    disturb: Callable[[Cluster, str], None],
) -> None:
    run = start(cluster, untrained, *ONE_MODEL)
    job = training(cluster, untrained)
    disturb(cluster, job)
    finish(run, untrained, trained)
    assert resumed(untrained)
    (only,) = attempts(cluster, untrained)
    assert (only["JobId"], only["Restarts"], only["JobState"]) == (job, "1", "COMPLETED")


@pytest.mark.slow
def test_a_training_whose_node_dies_goes_on_on_another(
    cluster: Cluster, start: Start, untrained: Path, trained: Path
) -> None:
    run = start(cluster, untrained, *ONE_MODEL)
    job = training(cluster, untrained)
    node = cluster.job(job)["NodeList"]
    cluster.fail(node)
    try:
        finish(run, untrained, trained)
        assert resumed(untrained)
        (only,) = attempts(cluster, untrained)
        assert (only["JobId"], only["Restarts"]) == (job, "1")
        assert only["NodeList"] != node
    finally:
        cluster.start_node(node)
        wait_until(lambda: set(cluster.states()) == {"idle"}, 300, "the node is back")


@pytest.mark.slow
def test_a_training_out_of_time_goes_on_in_another_job(
    cluster: Cluster, start: Start, untrained: Path, trained: Path
) -> None:
    run = start(cluster, untrained, *ONE_MODEL, CONTEXTNMT_SLURM_TRAINING_TIME="3m")
    job = training(cluster, untrained)

    def over() -> bool:
        halt(untrained)  # a minute of training would be as good, but busy
        return cluster.job(job)["JobState"] == "TIMEOUT"

    wait_until(over, 300, "its time is over")
    finish(run, untrained, trained)
    assert resumed(untrained)
    first, second = attempts(cluster, untrained)
    assert (first["JobState"], second["JobState"]) == ("TIMEOUT", "COMPLETED")
    assert first["TimeLimit"] == second["TimeLimit"] == "00:03:00"


def test_a_training_that_ends_between_the_signal_and_the_limit_is_not_lost(
    cluster: Cluster, start: Start, untrained: Path, trained: Path
) -> None:
    """Snakemake has had the signal too: it counts the job as failed and deletes its outputs."""
    run = start(cluster, untrained, *ONE_MODEL)
    job = training(cluster, untrained)
    cluster.said("scancel", "--signal=TERM", job)
    finish(run, untrained, trained)
    first, second = attempts(cluster, untrained)
    assert (first["JobState"], second["JobState"]) == ("FAILED", "COMPLETED")
    assert "resumed after update 900" in (untrained / LOG).read_text()


def test_ctrl_c_cancels_the_jobs_and_the_same_command_goes_on(
    cluster: Cluster, start: Start, untrained: Path, trained: Path
) -> None:
    run = start(cluster, untrained, *ONE_MODEL)
    job = training(cluster, untrained)
    os.kill(run.pid, signal.SIGINT)
    said, _ = run.communicate(timeout=600)
    assert run.returncode == 1
    assert "Traceback" not in said
    wait_until(lambda: cluster.job(job)["JobState"] == "CANCELLED", 300, "it is cancelled")
    assert not (untrained / MODEL).exists()
    finish(start(cluster, untrained, *ONE_MODEL), untrained, trained)
    assert resumed(untrained)


def test_after_a_kill_the_same_command_ends_the_old_job_and_goes_on(
    cluster: Cluster,
    start: Start,
    untrained: Path,
    trained: Path,
    snakemake: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    before = {path: path.stat().st_mtime_ns for path in files(untrained)}
    run = start(cluster, untrained, *ONE_MODEL)
    job = training(cluster, untrained)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert cluster.job(job)["JobState"] == "RUNNING"
    assert snakemake(untrained, "--unlock").returncode == 0
    said = finish(start(cluster, untrained, *ONE_MODEL), untrained, trained)
    assert f"{job} ({JOB})" in said
    old, new = attempts(cluster, untrained)
    assert (old["JobState"], new["JobState"]) == ("CANCELLED", "COMPLETED")
    assert old["EndTime"] <= new["StartTime"]
    assert resumed(untrained)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def files(folder: Path) -> list[Path]:
    """All results in a clone."""
    return [
        path
        for path in (folder / "results").rglob("*")
        if path.is_file() and "train" not in path.parts
    ]
