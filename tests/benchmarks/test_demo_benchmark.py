"""The table of the demo's jobs."""

import demo
from calls import Cost


def test_each_job_is_in_one_row() -> None:
    seconds = {"train": (6.0, 300.0), "report": (3.0, 90.0), "extract": (1.0, 10.0)}
    jobs = [Cost([stage, "--out"], wall, 0.5, most) for stage, (wall, most) in seconds.items()]
    jobs.append(Cost(["train"], 5.0, 0.5, 310.0))
    assert list(demo.rows(jobs, 8.04)) == [
        ["extract", "1", "1.0", "7%", "10"],
        ["train", "2", "11.0", "73%", "310"],
        ["report", "1", "3.0", "20%", "90"],
        ["all jobs, added up", "4", "15.0", "100%", ""],
        ["**wall clock**", "", "**8.0**", "", ""],
    ]
