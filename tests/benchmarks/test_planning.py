"""benchmarks/planning.py: the call of the plan, and the rows made of it."""

from pathlib import Path

import pytest
from planning import CUTS, jobs, own_configuration

from contextnmt.configuration.layers import of_call
from contextnmt.configuration.places import texts

ROOT = Path(__file__).parents[2]


def test_the_parts_are_those_of_the_papers_texts(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(own_configuration(CUTS["all in 64 parts"]), encoding="utf-8")
    made = of_call(ROOT, [own], {"preset": "wmt14"})
    training = {name for pair in made["pairs"] for name in texts(made, pair, "train")}
    assert made["seeds"] == [1, 2, 3]
    assert {made["corpora"][name]["texts"][name]["shards"] for name in training} == {64}


def test_the_jobs_are_those_of_all_stages() -> None:
    assert jobs("stage  jobs\ntrain     3\n-----  ----\ntotal   1,426      0.07+?\n") == 1426
    with pytest.raises(ValueError, match="no line of all jobs"):
        jobs("Nothing to be done")
