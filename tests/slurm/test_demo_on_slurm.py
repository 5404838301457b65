"""The workflow on a cluster: every job where it belongs, and the same results as on one machine."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cluster import Cluster

from contextnmt.files import read_json

REDUCED = Path(__file__).parent / "reduced.yaml"

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="module")
def on_one_machine(clone: Callable[[], Path], snakemake: Run) -> Path:
    """The results of the profile `local`."""
    folder = clone()
    words = ["choi2017", "--profile", "local", "--configfile", str(REDUCED)]
    run = snakemake(folder, *words, timeout=600)
    assert run.returncode == 0, run.stdout[-3000:]
    return folder / "results" / "demo"


def test_the_demo_through_the_cluster_is_the_demo(
    cluster: Cluster, start: Start, clone: Callable[[], Path], on_one_machine: Path
) -> None:
    folder = clone()
    run = start(folder, "choi2017", "--configfile", str(REDUCED))
    said, _ = run.communicate(timeout=600)
    assert run.returncode == 0, said[-5000:]
    results = folder / "results" / "demo"
    for path in sorted(on_one_machine.glob("score/**/scores.json")):
        there = results / path.relative_to(on_one_machine)
        assert read_json(there) == read_json(path)
    for path in sorted(on_one_machine.glob("train/**/model.safetensors")):
        assert (results / path.relative_to(on_one_machine)).read_bytes() == path.read_bytes()
    jobs = cluster.jobs(["JobID", "State", "Partition", "tres-alloc", "Comment"])
    assert {job["State"] for job in jobs} == {"COMPLETED"}
    assert {job["Partition"] for job in jobs} == {"cpu"}
    print(json.dumps(jobs[:3]))
