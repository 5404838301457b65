"""Rates from the benchmark files and the outputs of a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rates import Counted, Measured, measured, rate, table

from contextnmt.files import write_lines
from contextnmt.planning import plan
from contextnmt.planning.jobs import Job


@pytest.mark.parametrize(("used", "seconds"), [("1.50", 1.5), ("0.00", 4.0), ("NA", 4.0)])
def test_a_job_is_measured_in_its_files(
    configuration: dict[str, Any],
    job: Callable[..., Job],
    tmp_path: Path,
    used: str,
    seconds: float,
) -> None:
    texts = [f"tokenize/en-fr/dev.{language}.gz" for language in ("en", "fr")]
    for path in ["extract/en-fr/dev.en.gz", *texts]:
        write_lines(tmp_path / "results/own" / path, ["a line"] * 30)
    times = f"s\th:m:s\tmax_rss\tcpu_time\n4.00\t0:00:04\t40.1\t{used}\n"
    (tmp_path / "times.tsv").write_text(times)
    jobs = [
        job("tokenize", "extract/en-fr/dev.en.gz", " ".join(texts), benchmark="times.tsv"),
        job("tokenize", "extract/en-fr/test.en.gz", "tokenize/en-fr/test.en.gz", benchmark="no"),
        job("train", "", "train/en-fr/baseline/1/model.json", benchmark="times.tsv"),
    ]
    size = sum((tmp_path / "results/own" / path).stat().st_size for path in texts)
    found = list(measured(jobs, Counted(configuration, tmp_path), tmp_path))
    assert found == [Measured("tokenize", 30, 30, seconds, size)]


@pytest.mark.parametrize(
    ("pairs", "seconds", "constant", "slope"),
    [
        ([1000, 50_000, 400_000], [2.02, 3.0, 10.0], 2, 20),
        # what reads no text takes what it took, and jobs of one size start like all others
        ([0, 0], [2.0, 3.0], 2.5, 0),
        ([100_000, 100_000], [2.0, 3.0], 0.5, 20),
        # no part is negative
        ([1000, 50_000, 400_000], [0.01, 2.0, 30.0], 0, 32.01 / 0.451),
        ([1000, 50_000, 400_000], [3.0, 2.0, 1.0], 0.5, 0.5 / 0.4),
    ],
)
def test_start_and_work_are_told_apart_by_jobs_of_several_sizes(
    pairs: list[int], seconds: list[float], constant: float, slope: float
) -> None:
    both = zip(pairs, seconds, strict=True)
    found = rate("clean", [Measured("clean", n, n, s, 10 * n) for n, s in both], 0.5)
    assert found.seconds_a_job == pytest.approx(constant)
    assert found.seconds_a_million_pairs == pytest.approx(slope)
    assert found.bytes_a_pair == pytest.approx(10 if any(pairs) else 0)


def test_a_table_of_rates_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = [plan.Rate("tokenize", 1.0, 40.0, 80.0), plan.Rate("clean", 2.0, 10.0, 0.5)]
    monkeypatch.setattr(plan, "RATES", tmp_path / "rates.tsv")
    plan.RATES.write_text("\n".join(["# Made by hand.", *table(rates)]) + "\n")
    assert plan.read_rates() == {rate.rule: rate for rate in rates}
