"""Many small jobs: none is lost, none runs twice."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from cluster import Cluster
from conftest import Start

SHARDS = 40
TEXT = "results/demo/extract/en-fr"


@pytest.mark.slow
def test_forty_parts_of_a_text_run_once_each_and_make_it_up(
    cluster: Cluster, start: Start, clone: Callable[[], Path]
) -> None:
    folder = clone()
    own = folder / "own.yaml"
    own.write_text(
        f"pairs: [en-fr]\ncorpora: {{embedded: {{texts: {{train: {{shards: {SHARDS}}}}}}}}}\n"
    )
    run = start(cluster, folder, "tokenized", "--configfile", str(own))
    said, _ = run.communicate(timeout=1200)
    assert run.returncode == 0, said[-5000:]
    jobs = cluster.jobs(["WorkDir", "State", "Comment"])
    mine = [job for job in jobs if job["WorkDir"] == str(folder)]
    parts = [job["Comment"] for job in mine if f"of{SHARDS}" in job["Comment"]]
    assert len(parts) == len(set(parts)) == SHARDS
    assert {job["State"] for job in mine} == {"COMPLETED"}
    texts = [
        gzip.decompress((folder / TEXT / f"train.{n}of{SHARDS}.en.gz").read_bytes())
        for n in range(1, SHARDS + 1)
    ]
    assert sum(text.count(b"\n") for text in texts) == 10_080
    assert all(texts)
