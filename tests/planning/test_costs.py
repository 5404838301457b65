"""Sums of seconds, bytes and jobs by stage, and the table that shows them."""

from collections.abc import Callable
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import pytest

from contextnmt.errors import UserError
from contextnmt.planning.jobs import Job, Sizes
from contextnmt.planning.plan import (
    NETWORK,
    NOT_MEASURED,
    UNKNOWN_SIZE,
    Rate,
    cost,
    read_rates,
    report,
)

MakeJob = Callable[..., Job]

RATES = {
    "tokenize": Rate("tokenize", 1.0, 40.0, 80.0),
    "clean": Rate("clean", 2.0, 10.0, 60.0),
    "select": Rate("select", 1.0, 10.0, 50.0),
    "choi2017": Rate("choi2017", 3.0, 0.0, 0.0),
    "choi2017_corpora": Rate("choi2017_corpora", 4.0, 0.0, 0.0),
}
NAN = pytest.approx(nan, nan_ok=True)


@pytest.fixture
def jobs(job: MakeJob) -> list[Job]:
    """Some jobs, not in the order of the data."""
    run = {"pair": "en-fr", "system": "baseline", "seed": "1"}
    asked = {"gpus": 1, "minutes": 120, "memory": 16_000}
    texts = {
        stage: f"{stage}/en-fr/talks.en.gz" for stage in ("extract", "tokenize", "clean", "select")
    }
    files = [{"corpus": "news", "file": name} for name in ("news.tgz", "test.tgz")]
    return [
        job("choi2017", "", "report/choi2017/index.html", wildcards={}),
        job("train", texts["clean"], "train/en-fr/1/model.json", wildcards=run, **asked),
        job("select", texts["clean"], texts["select"]),
        job("clean", texts["tokenize"], texts["clean"], threads=3),
        job("tokenize", texts["extract"], texts["tokenize"], memory=2000),
        job("tokenize", "extract/en-fr/dev.en.gz", "tokenize/en-fr/dev.en.gz", memory=1000),
        job("tokenize", "extract/en-de/letters.en.gz", "tokenize/en-de/letters.en.gz"),
        *(job("file", "", f"download/news/{file['file']}", wildcards=file) for file in files),
    ]


def test_a_job_costs_what_its_rule_does_a_pair(
    configuration: dict[str, Any], jobs: list[Job]
) -> None:
    sizes = Sizes(configuration)
    found = [cost(job, sizes, RATES)[1:] for job in jobs if job.rule != "train"]
    assert found == [
        (3, 0, ""),
        (pytest.approx(1 + 2), 50 * 40_000, ""),  # time for all, and disk for what is selected
        (pytest.approx(2 + 2), 60 * 200_000, ""),
        (pytest.approx(1 + 8), 80 * 200_000, ""),
        (pytest.approx(1 + 0.12), 80 * 3000, ""),
        (NAN, NAN, UNKNOWN_SIZE),
        (NAN, 5000, NETWORK),
        (NAN, NAN, NETWORK),
    ]
    assert cost(jobs[4], sizes, {}).missing == NOT_MEASURED


@pytest.mark.parametrize(
    ("rule", "seconds"), [("my_own", 3), ("my_own_corpora", 4), ("papers", NAN)]
)
def test_the_rate_of_a_report_is_that_of_the_same_part_of_another(
    configuration: dict[str, Any], job: MakeJob, rule: str, seconds: float
) -> None:
    made = job(rule, "", f"report/{rule}/index.html", wildcards={})
    assert cost(made, Sizes(configuration), RATES).seconds == seconds


def test_a_model_is_as_large_as_its_weights(configuration: dict[str, Any], jobs: list[Job]) -> None:
    train = cost(jobs[1], Sizes(configuration), RATES)
    m, n, a, o, words = 2, 3, 4, 5, 100
    embeddings = 2 * words * m
    encoder = 2 * (4 * n * (m + n) + 4 * n)
    assert train.bytes > 4 * (embeddings + encoder + o * words + a * n)
    configuration["text"]["vocabulary_size"] += 1000
    larger = cost(jobs[1], Sizes(configuration), RATES)
    assert larger.bytes == train.bytes + 4 * 1000 * (2 * m + o + 1)  # readout: maxout and bias


def test_the_report_shows_what_is_left_out(
    configuration: dict[str, Any], jobs: list[Job], job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextnmt.planning.plan.read_rates", lambda: RATES)
    nothing = job("all", "report/index.html", "", wildcards={})
    lines = report([nothing, *jobs], configuration)
    assert len({len(line) for line in lines[:2]}) == 1  # a rule as wide as the head
    table = {line.split()[0]: line.split()[1:] for line in lines if line}
    stages = ["tokenize", "download", "clean", "train", "select", "report"]  # as the data pass
    assert [*table][2:-1][: len(stages)] == stages
    # In a stage, the sum of jobs and the largest one; three cores clean for four seconds.
    assert table["tokenize"] == ["3", "<0.01+?", "<0.01+?", "16.2", "MB+?", "2.00", "GB", "1"]
    assert table["clean"] == ["1", "<0.01", "<0.01", "12.0", "MB", "3"]
    assert table["download"] == ["2", "?", "?", "5.00", "kB+?", "1"]
    assert table["train"][:3] == ["1", "?", "?"]
    assert table["total"][:3] == ["9", "0.01+?", "<0.01+?"]
    assert table["total"][-3:] == ["16.0", "GB", "3"]
    text = " ".join(" ".join(lines).split())
    assert "letters (en-de)" in text
    assert "depends on the network: download (2) - files without `bytes`: test.tgz" in text
    assert "trainings: 1, of at most 700 updates together, in which 56,000 pairs" in text
    assert "by their time limits at most 2, at one try each" in text
    assert report([nothing], configuration) == ["Nothing to be done."]
    exported = replace(next(each for each in jobs if each.rule == "train"), rule="pretrained")
    assert "trainings" not in " ".join(report([exported], configuration))


@pytest.mark.parametrize(
    ("rows", "line"),
    [("", 1), ("rule\ta\tb\tc\n", 1), ("rule\ta\tb\tc\nbpe\t1\t2\n", 2), ("h\nbpe\t1\tx\t2\n", 2)],
)
def test_a_table_of_rates_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str, line: int
) -> None:
    path = tmp_path / "rates.tsv"
    path.write_text(rows)
    monkeypatch.setattr("contextnmt.planning.plan.RATES", path)
    with pytest.raises(UserError, match=f"rates.tsv, line {line}: no row of a table of rates"):
        read_rates()


def test_the_measured_rates_are_of_rules_that_exist() -> None:
    rules = Path(__file__).parents[2] / "workflow" / "rules"
    declared = "\n".join(path.read_text() for path in rules.glob("*.smk"))
    rates = read_rates()
    assert {"tokenize", "symbolize", "bpe", "binarize"} <= rates.keys()
    for name in rates:
        part = name.replace("choi2017_", "{name}_")
        named = [f"rule {name}:", f'"{part}"']
        assert any(words in declared for words in named) or name == "choi2017", name
