"""A mistake is told before the first job is queued, or by the first job, in words that help."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cluster import Cluster
from conftest import Start

#: The smallest call: one job, which writes the embedded corpus.
CALL = ["download", "--retries", "0"]
ARCHIVE = "results/demo/generate/embedded"


def refused(start: Start, cluster: Cluster, folder: Path, *words: str, **variables: str) -> str:
    """The output of a call that has to end without a job."""
    before = {job["JobID"] for job in cluster.jobs() if job["Name"] != "contextnmt_probe"}
    run = start(cluster, folder, *words, **variables)
    said, _ = run.communicate(timeout=1500)
    assert run.returncode == 1
    assert "Traceback" not in said
    after = {job["JobID"] for job in cluster.jobs() if job["Name"] != "contextnmt_probe"}
    assert after == before
    return said


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PARTITION", "night", ["generate", "Invalid partition", "one of cpu, gpu, urgent"]),
        ("CONSTRAINT", "fast", ["Invalid feature", "CONTEXTNMT_SLURM_"]),
        ("EXTRA", "--constraint=fast", ["is not allowed in the 'slurm_extra' parameter"]),
        ("EXTRA", "--reservation=night", ["--reservation=night", "reservation is invalid"]),
    ],
)
def test_what_slurm_refuses_is_told_first(
    cluster: Cluster, start: Start, clone: Callable[[], Path], name: str, value: str, words: list
) -> None:
    said = refused(start, cluster, clone(), *CALL, **{f"CONTEXTNMT_SLURM_{name}": value})
    for word in words:
        assert word in said


def test_a_gpu_that_no_node_has_and_a_time_that_no_partition_gives_are_told_together(
    cluster: Cluster, start: Start, clone: Callable[[], Path]
) -> None:
    where = {"CONTEXTNMT_SLURM_GPU_PARTITION": "gpu", "CONTEXTNMT_SLURM_GPU_TYPE": "a100"}
    words = ["models", "--config", "device=cuda"]
    said = refused(start, cluster, clone(), *words, **where, CONTEXTNMT_SLURM_PARTITION="urgent")
    assert "CONTEXTNMT_SLURM_GPU_TYPE" in said and "--gpus=a100:1" in said
    hyphen = {**where, "CONTEXTNMT_SLURM_GPU_TYPE": "a100-sxm4"}  # the executor would take none
    assert "jobs of train: Invalid GPU model" in refused(start, cluster, clone(), *words, **hyphen)
    said = refused(start, cluster, clone(), "models", CONTEXTNMT_SLURM_PARTITION="urgent")
    assert "train (" in said and "limit of 2 hours" in said
    assert "CONTEXTNMT_SLURM_TRAINING_TIME" in said


def test_an_account_of_somebody_else_is_told_with_ones_own(
    accounted: Cluster, start: Start, clone: Callable[[], Path], tmp_path: Path
) -> None:
    folder = clone()
    said = refused(start, accounted, folder, *CALL, CONTEXTNMT_SLURM_ACCOUNT="physics")
    assert "account physics" in said and "tests" in said
    hook = tmp_path / "hook"  # what a site needs before each job
    site = {"CONTEXTNMT_SLURM_ACCOUNT": "tests", "CONTEXTNMT_SLURM_MODULES": f"touch {hook}"}
    run = start(accounted, folder, *CALL, **site)
    said, _ = run.communicate(timeout=1500)
    assert run.returncode == 0, said[-3000:]
    assert hook.exists()
    done = accounted.said("sacct", "-n", "-X", "-P", "--format=Account,State,Comment")
    assert "tests|COMPLETED|rule_generate_wildcards_embedded_embedded.tar.gz" in done.split("\n")


@pytest.mark.parametrize("missing", ["results/demo", sys.executable])
def test_a_folder_or_python_that_nodes_do_not_see_is_told(
    cluster: Cluster, start: Start, clone: Callable[[], Path], missing: str
) -> None:
    folder = clone()
    place = folder / missing
    with cluster.covered(folder if place.is_relative_to(folder) else place.parent):
        said = refused(start, cluster, folder, *CALL)
    assert f"does not see {place}" in said
    assert "file system" in said


def test_a_full_disk_is_told_by_the_first_job(
    cluster: Cluster, start: Start, clone: Callable[[], Path]
) -> None:
    folder = clone()
    (folder / ARCHIVE).mkdir(parents=True)
    (folder / ARCHIVE / "kept").touch()  # Snakemake removes an empty folder
    with cluster.covered(folder / ARCHIVE, size="8k"):
        run = start(cluster, folder, *CALL)
        said, _ = run.communicate(timeout=1500)
    assert run.returncode == 1
    assert "the disk is full: free some space" in said
    assert "Traceback" not in said
    assert [path.name for path in (folder / ARCHIVE).iterdir()] == ["kept"]
