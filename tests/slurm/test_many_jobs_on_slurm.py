"""Many small jobs: none is lost, none runs twice."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cluster import Cluster
from conftest import Start

from contextnmt.files import count_lines

SHARDS = 40


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
    texts = [f"train.{n}of{SHARDS}.en.gz" for n in range(1, SHARDS + 1)]
    lines = [count_lines(folder / "results/demo/extract/en-fr" / text) for text in texts]
    assert sum(lines) == 10_080 and all(lines)
