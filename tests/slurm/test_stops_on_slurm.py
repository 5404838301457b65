"""Whoever stops Snakemake starts it again, and it ends with the same model."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from cluster import Cluster, wait_until
from conftest import Start
from one_training import JOB, MODEL, ONE_MODEL, attempts, finish, resumed, training


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
    kept = [path for path in (untrained / "results").rglob("*") if path.is_file()]
    before = {path: path.stat().st_mtime_ns for path in kept if "train" not in path.parts}
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
