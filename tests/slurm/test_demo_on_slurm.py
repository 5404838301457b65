"""The workflow on a cluster: every job where it belongs, and the same results as on one machine."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cluster import Cluster
from conftest import Start

from contextnmt.files import read_json

REDUCED = Path(__file__).parent / "reduced.yaml"
CALL = ["choi2017", "--configfile", str(REDUCED)]

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_demo_through_the_cluster_is_the_demo(
    cluster: Cluster, start: Start, clone: Callable[[], Path], snakemake: Run
) -> None:
    """Nothing here has a way out of its machine, and Slurm has no database of accounts."""
    local, folder = clone(), clone()
    run = snakemake(local, *CALL, "--profile", "local", timeout=1500)
    assert run.returncode == 0, run.stdout[-3000:]
    on_one_machine = local / "results" / "demo"
    with pytest.raises(RuntimeError, match="accounting storage is disabled"):
        cluster.said("sacct")
    run = start(cluster, folder, *CALL)
    said, _ = run.communicate(timeout=1500)
    assert run.returncode == 0, said[-5000:]
    results = folder / "results" / "demo"
    scores = sorted(on_one_machine.glob("score/**/scores.json"))
    models = sorted(on_one_machine.glob("train/**/model.safetensors"))
    texts = sorted(on_one_machine.glob("restore/*/*/1/*"))
    assert len(scores) == len(models) == 2 and texts
    for path in [*models, *texts]:
        assert (results / path.relative_to(on_one_machine)).read_bytes() == path.read_bytes()
    for path in scores:
        assert read_json(results / path.relative_to(on_one_machine)) == read_json(path)

    jobs = cluster.jobs(["Name", "State", "Partition", "WorkDir", "Comment"])
    mine = [job for job in jobs if job["WorkDir"] == str(folder)]
    assert {(job["State"], job["Partition"]) for job in mine} == {("COMPLETED", "cpu")}
    rules = [job["Comment"].removeprefix("rule_").partition("_wildcards")[0] for job in mine]
    assert rules.count("train") == rules.count("translate") == 2
    # What is light stays where Snakemake is.
    assert not {rule for rule in rules if rule.startswith(("choi2017", "download"))}
    assert not {"train_identity", "run_file"} & set(rules)
