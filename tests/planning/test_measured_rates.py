"""Rates from the benchmark files and the outputs of a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rates import Counted, Measured, measured, rate, table

from contextnmt.files import write_lines
from contextnmt.planning import plan
from contextnmt.planning.jobs import Job

HEAD = "s\th:m:s\tmax_rss\tcpu_time\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder where dev has been extracted and tokenized; the files have 30 lines."""
    for stage in ("extract", "tokenize"):
        for language in ("en", "fr"):
            path = tmp_path / "results" / "own" / stage / "en-fr" / f"dev.{language}.gz"
            write_lines(path, ["a line"] * 30)
    return tmp_path


@pytest.mark.parametrize(("used", "seconds"), [("1.50", 1.5), ("0.00", 4.0), ("NA", 4.0)])
def test_a_job_is_measured_in_its_files(
    configuration: dict[str, Any], job: Callable[..., Job], run: Path, used: str, seconds: float
) -> None:
    configuration["preset"] = "own"
    outputs = "tokenize/en-fr/dev.en.gz tokenize/en-fr/dev.fr.gz"
    benchmark = "results/own/benchmarks/tokenize/en-fr/dev.tsv"
    (run / benchmark).parent.mkdir(parents=True)
    (run / benchmark).write_text(f"{HEAD}4.00\t0:00:04\t40.1\t{used}\n")
    jobs = [
        job("tokenize", "extract/en-fr/dev.en.gz", outputs, benchmark=benchmark),
        job("tokenize", "extract/en-fr/test.en.gz", "tokenize/en-fr/test.en.gz", benchmark="no"),
        job("train", "", "train/en-fr/baseline/1/model.json", benchmark=benchmark),
    ]
    size = sum((run / "results" / "own" / path).stat().st_size for path in outputs.split())
    found = list(measured(jobs, Counted(configuration, run), run))
    assert found == [Measured("tokenize", 30, 30, seconds, size)]


def made(pairs: list[int], seconds: list[float]) -> list[Measured]:
    """Jobs that write ten bytes a pair."""
    both = zip(pairs, seconds, strict=True)
    return [Measured("clean", n, n, s, 10 * n) for n, s in both]


def test_start_and_work_are_told_apart_by_jobs_of_several_sizes() -> None:
    found = rate("clean", made([1000, 50_000, 400_000], [2.02, 3.0, 10.0]), 0.5)
    assert found.seconds_a_job == pytest.approx(2)
    assert found.seconds_a_million_pairs == pytest.approx(20)
    assert found.bytes_a_pair == pytest.approx(10)


def test_jobs_that_read_no_text_take_what_they_took() -> None:
    found = rate("choi2017_corpora", made([0, 0], [2.0, 3.0]), 0.5)
    assert (found.seconds_a_job, found.seconds_a_million_pairs) == (2.5, 0)


def test_jobs_of_one_size_start_like_all_others() -> None:
    found = rate("clean", made([100_000, 100_000], [2.0, 3.0]), 0.5)
    assert (found.seconds_a_job, found.seconds_a_million_pairs) == pytest.approx((0.5, 20))


@pytest.mark.parametrize(
    ("seconds", "constant", "slope"),
    [([0.01, 2.0, 30.0], 0.0, 32.01 / 0.451), ([3.0, 2.0, 1.0], 0.5, 0.5 / 0.4)],
)
def test_no_part_of_a_rate_is_negative(seconds: list[float], constant: float, slope: float) -> None:
    found = rate("clean", made([1000, 50_000, 400_000], seconds), 0.5)
    assert found.seconds_a_job == pytest.approx(constant)
    assert found.seconds_a_million_pairs == pytest.approx(slope)


def test_a_table_of_rates_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = [plan.Rate("tokenize", 1.0, 40.0, 80.0), plan.Rate("clean", 2.0, 10.0, 0.5)]
    monkeypatch.setattr(plan, "RATES", tmp_path / "rates.tsv")
    plan.RATES.write_text("\n".join(["# Made by hand.", *table(rates)]) + "\n")
    assert plan.read_rates() == {rate.rule: rate for rate in rates}
