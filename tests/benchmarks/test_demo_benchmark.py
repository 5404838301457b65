"""The table of the demo's jobs."""

import demo


def test_each_job_is_in_one_row() -> None:
    jobs = [
        *(demo.Job("run", 0.0, 0.0), demo.Job("train", 6.0, 300.0), demo.Job("report", 3.0, 90.0)),
        *(demo.Job("train", 5.0, 310.0), demo.Job("extract", 1.0, 10.0)),
    ]
    assert list(demo.rows(jobs, 8.04)) == [
        ["extract", "1", "1.0", "7%", "10"],
        ["train", "2", "11.0", "73%", "310"],
        ["report", "1", "3.0", "20%", "90"],
        ["run", "1", "0.0", "0%", "0"],
        ["all jobs, added up", "5", "15.0", "100%", ""],
        ["**wall clock**", "", "**8.0**", "", ""],
    ]
