"""Sums of seconds, bytes and jobs by stage, and the table that shows them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextnmt.errors import UserError
from contextnmt.planning.costs import NOT_MEASURED, UNKNOWN_SIZE, costs, rows, summed
from contextnmt.planning.jobs import Job, message
from contextnmt.planning.plan import report
from contextnmt.planning.rates import Rate, provenance, rate_of, read_rates, table
from contextnmt.planning.sizes import Sizes

MakeJob = Callable[..., Job]

RATES = {
    "tokenize": Rate("tokenize", 1.0, 40.0, 80.0, 500_000),
    "clean": Rate("clean", 2.0, 10.0, 60.0, 500_000),
}


@pytest.fixture
def jobs(job: MakeJob) -> list[Job]:
    """Some jobs, not in the order of the data."""
    run = {"pair": "en-fr", "system": "baseline", "seed": "1"}
    asked = {"gpus": 1, "minutes": 120, "memory": 16_000}
    model = "train/en-fr/baseline/1/model.json"
    return [
        job("all", "report/index.html", "", wildcards={}),
        job("train", "clean/en-fr/talks.en.gz", model, wildcards=run, **asked),
        job("clean", "tokenize/en-fr/talks.en.gz", "clean/en-fr/talks.en.gz", threads=3),
        job("tokenize", "extract/en-fr/talks.en.gz", "tokenize/en-fr/talks.en.gz", memory=2000),
        job("tokenize", "extract/en-fr/dev.en.gz", "tokenize/en-fr/dev.en.gz", memory=1000),
        job("tokenize", "extract/en-de/letters.en.gz", "tokenize/en-de/letters.en.gz"),
        job(
            "download_file", "", "download/news/news.tgz",
            wildcards={"corpus": "news", "file": "news.tgz"},
        ),
        job(
            "download_file", "", "download/news/test.tgz",
            wildcards={"corpus": "news", "file": "test.tgz"},
        ),
    ]  # fmt: skip


def test_costs_are_summed_by_stage_in_the_order_of_the_data(
    configuration: dict[str, Any], jobs: list[Job]
) -> None:
    found = rows(list(costs(jobs, Sizes(configuration), RATES)))
    assert [row.stage for row in found] == ["tokenize", "download", "clean", "train"]
    by_stage = {row.stage: row for row in found}
    tokenize, clean = by_stage["tokenize"], by_stage["clean"]
    assert tokenize.core_seconds == pytest.approx((1 + 8) + (1 + 0.12))
    assert tokenize.longest == pytest.approx(9)
    assert tokenize.bytes == pytest.approx(80 * 203_000)
    assert (tokenize.jobs, tokenize.memory, tokenize.missing) == (3, 2000, {UNKNOWN_SIZE: 1})
    assert (tokenize.without_seconds, tokenize.without_bytes) == (1, 1)
    assert clean.core_seconds == pytest.approx(3 * 4)  # three cores for four seconds
    assert (by_stage["download"].bytes, by_stage["download"].without_bytes) == (5000, 1)
    assert (by_stage["train"].gpu_jobs, by_stage["train"].missing) == (1, {NOT_MEASURED: 1})
    whole = summed(found)
    assert (whole.jobs, whole.gpu_jobs, whole.memory, whole.threads) == (7, 1, 16_000, 3)
    assert whole.core_seconds == pytest.approx(10.12 + 12)
    assert whole.without_seconds == 4


def test_a_model_is_as_large_as_its_weights(configuration: dict[str, Any], jobs: list[Job]) -> None:
    (train,) = (c for c in costs(jobs, Sizes(configuration), RATES) if c.job.rule == "train")
    m, n, a, o, words = 2, 3, 4, 5, 100
    embeddings = 2 * words * m
    encoder = 2 * (4 * n * (m + n) + 4 * n)
    assert train.bytes is not None
    assert train.bytes > 4 * (embeddings + encoder + o * words + a * n)
    configuration["text"]["vocabulary_size"] += 1000
    (larger,) = (c for c in costs(jobs, Sizes(configuration), RATES) if c.job.rule == "train")
    assert larger.bytes == train.bytes + 4 * 1000 * (2 * m + o + 1)  # readout: maxout and bias


def test_the_report_shows_what_is_left_out(
    configuration: dict[str, Any], jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextnmt.planning.plan.read_rates", lambda: RATES)
    lines = report(jobs, configuration)
    assert len({len(line) for line in lines[:2]}) == 1  # a rule as wide as the head
    table = {line.split()[0]: line.split()[1:] for line in lines if line}
    assert table["tokenize"][:3] == ["3", "<0.01+?", "<0.01"]
    assert table["clean"][:4] == ["1", "<0.01", "<0.01", "12"]
    assert table["download"][:2] == ["2", "?"]
    assert table["train"][:5] == ["1", "?", "?", "not", "measured"]
    assert table["total"][:2] == ["7", "0.01+?"]
    text = " ".join(" ".join(lines).split())
    assert "letters (en-de)" in text
    assert "test.tgz" in text
    assert "train: 1 trainings of at most 700 updates together, in which 56,000 pairs" in text
    assert "by their time limits at most 2, at one try each" in text
    assert "as any that was measured" not in text
    few = {rule: replace(rate, pairs=1000) for rule, rate in RATES.items()}
    monkeypatch.setattr("contextnmt.planning.plan.read_rates", lambda: few)
    (line,) = (line for line in report(jobs, configuration) if "as any that was measured" in line)
    assert line.endswith(": clean, tokenize.")


def test_nothing_to_be_done_is_said(configuration: dict[str, Any], jobs: list[Job]) -> None:
    assert report(jobs[:1], configuration) == ["Nothing to be done."]


def test_a_table_of_rates_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "rates.tsv"
    path.write_text("\n".join(["# Made by hand.", *table(RATES.values())]) + "\n")
    assert read_rates(path) == RATES
    assert provenance(path) == ["Made by hand."]
    path.write_text(path.read_text() + "clean\t1\tmany\t3\t4\n")
    with pytest.raises(UserError, match=r"rates\.tsv, line 5: not a row of rule, seconds_a_job"):
        read_rates(path)


def test_the_measured_rates_are_of_rules_that_exist() -> None:
    rules = Path(__file__).parents[2] / "workflow" / "rules"
    declared = "\n".join(path.read_text() for path in rules.glob("*.smk"))
    rates = read_rates()
    assert {"tokenize", "symbolize", "bpe", "binarize"} <= rates.keys()
    for name in rates:
        part = name.replace("choi2017_", "{name}_")
        named = [f"rule {name}:", f'"{part}"']
        assert any(words in declared for words in named) or name == "choi2017", name


def test_the_rate_of_a_report_is_that_of_the_same_part_of_another(
    job: Callable[..., Job],
) -> None:
    names = ["choi2017", "choi2017_corpora"]
    rates = {name: Rate(name, 1, 2, 3, 4) for name in names} | RATES
    table = job("chen2017_corpora", "", "report/chen2017/tables/cleaning.csv", wildcards={})
    assert rate_of(table, rates) == rates["choi2017_corpora"]
    page = job("chen2017", "", "report/chen2017/index.html", wildcards={})
    assert rate_of(page, rates) == rates["choi2017"]
    assert rate_of(job("papers", "", "report/index.html"), rates) is None
    assert rate_of(job("clean", "", "clean/en-fr/news.en.gz"), rates) == RATES["clean"]
    assert rate_of(job("other_cleaning", "", "other/en-fr/news.en.gz"), rates) is None


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ("Using profile slurm for …\n--config: preset: unknown\n", "--config: preset: unknown"),
        (
            "Traceback (most recent call last):\n  File cli.py\nValueError: define a=b\n",
            "define a=b",
        ),
        (bug := "Traceback (most recent call last):\n  File x.py\nKeyError: 1", bug),
        ("usage: snakemake [-h]\n  [-n]\nsnakemake: error: no -x", "snakemake: error: no -x"),
    ],
)
def test_the_mistake_alone_is_told(shown: str, told: str) -> None:
    assert message(shown) == told
