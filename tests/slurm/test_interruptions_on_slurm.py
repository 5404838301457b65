"""Whatever Slurm does to a training, it goes on and ends with the same model."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from cluster import Cluster, wait_until
from conftest import Start
from one_training import ONE_MODEL, attempts, finish, resumed, training, updates


def halt(folder: Path) -> None:
    """Stop the clock of the trainer; signals that end it set it going again, once."""
    for process in psutil.process_iter(["cmdline"]):
        with contextlib.suppress(psutil.Error):
            words = process.info["cmdline"] or []
            if "contextnmt" in words and process.cwd() == str(folder):
                process.suspend()


def saved(folder: Path) -> int:
    """The update after which the trainer last saved its state for a signal; waits for one."""

    def found() -> list[int]:
        return updates("signal 15: state saved", folder)

    wait_until(found, 300, "a signal comes")
    return found()[-1]


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
    update = saved(untrained)
    finish(run, untrained, trained)
    (then,) = resumed(untrained)
    assert then >= update  # until it is killed, it goes on and validates
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
        halt(untrained)  # it might end, in the two minutes that the signal leaves it
        return cluster.job(job)["JobState"] == "TIMEOUT"

    halt(untrained)  # nor is it to end before that
    saved(untrained)
    wait_until(over, 300, "its time is over")
    last = saved(untrained)
    finish(run, untrained, trained)
    assert resumed(untrained) == [last]
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
    assert resumed(untrained) == [900]
