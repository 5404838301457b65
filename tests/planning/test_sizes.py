"""Which pairs a job reads and writes."""

from collections.abc import Callable
from math import isnan
from typing import Any

import pytest

from contextnmt.planning.jobs import Job
from contextnmt.planning.sizes import WORDS_A_PAIR, Sizes

MakeJob = Callable[..., Job]


@pytest.mark.parametrize(
    ("inputs", "outputs", "pairs"),
    [
        # a text, its parts, one part
        ("download/news/dev.tgz", "extract/en-fr/dev.en.gz extract/en-fr/dev.fr.gz", 3000),
        (
            "download/news/news.tgz",
            " ".join(f"extract/en-fr/news.{n}of8.en.gz" for n in range(1, 9)),
            800_000,
        ),
        ("extract/en-fr/news.2of8.en.gz", "tokenize/en-fr/news.2of8.en.gz", 100_000),
        # counts of the other parts do not count
        (
            "tokenize/en-fr/news.2of8.en.gz survey/en-fr/news.1of8.en.tsv.gz",
            "clean/en-fr/news.2of8.en.gz",
            100_000,
        ),
        # a fifth is selected of a million
        ("clean/en-fr/news.2of8.en.gz", "select/en-fr/news.2of8.en.gz", 20_000),
        ("select/en-fr/talks.en.gz", "symbolize/en-fr/talks.en.gz", 40_000),
        ("select/en-de/news.1of8.en.gz", "bpe/en-de/bpe/news.1of8.en.gz", 12_500),
        ("tokenize/en-fr/dev.en.gz", "symbolize/en-fr/dev.pair.en.gz", 3000),
        # several texts into one file
        (
            "cross-entropy/en-fr/news.1of8.scores.npy cross-entropy/en-fr/talks.scores.npy",
            "rank/en-fr.json",
            300_000,
        ),
        (
            "select/en-fr/talks.en.gz select/en-fr/talks.fr.gz",
            "binarize/en-fr/word/train.source.ids.npy binarize/en-fr/word/manifest.json",
            40_000,
        ),
        # before and after symbolization
        ("select/en-fr/talks.en.gz symbolize/en-fr/talks.en.gz", "coverage/en-fr.json", 4e4),
        # no text by name: all that is trained on
        ("binarize/en-fr/word/train.source.ids.npy", "pairs/en-fr.json", 200_000),
    ],
)
def test_pairs_of_a_job(
    configuration: dict[str, Any],
    job: MakeJob,
    inputs: str,
    outputs: str,
    pairs: float,
) -> None:
    made = job("rule", inputs, outputs)
    assert Sizes(configuration).pairs(made) == pytest.approx(pairs)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_text_that_is_read_whole_and_selected_counts_whole(
    configuration: dict[str, Any], job: MakeJob, turn: int
) -> None:
    inputs = ["survey/en-fr/talks.json", "select/en-fr/talks.selected.json"][::turn]
    made = job("choi2017_corpora", " ".join(inputs), "report/choi2017/table2.csv", wildcards={})
    assert Sizes(configuration).pairs(made) == 200_000


def test_a_selection_reads_more_than_it_leaves(configuration: dict[str, Any], job: MakeJob) -> None:
    made = job("select", "clean/en-fr/talks.en.gz rank/en-fr.json", "select/en-fr/talks.en.gz")
    sizes = Sizes(configuration)
    assert (sizes.pairs_read(made), sizes.pairs(made)) == (200_000, 40_000)
    made = job("clean", "tokenize/en-fr/talks.en.gz", "clean/en-fr/talks.en.gz")
    assert sizes.pairs_read(made) == sizes.pairs(made) == 200_000


def test_a_run_is_evaluated_on_dev_and_test(configuration: dict[str, Any], job: MakeJob) -> None:
    wildcards = {"pair": "en-fr", "system": "baseline", "seed": "1"}
    made = job("score", "restore/en-fr/baseline/1", "score/x/scores.json", wildcards=wildcards)
    assert Sizes(configuration).pairs(made) == 5000


def test_a_table_of_all_pairs_reads_what_is_named(
    configuration: dict[str, Any], job: MakeJob
) -> None:
    made = job("table", "coverage/en-fr.json", "report/tables/table3.csv", wildcards={})
    assert Sizes(configuration).pairs(made) == 0


def test_unstated_texts_have_no_size(configuration: dict[str, Any], job: MakeJob) -> None:
    made = job("tokenize", "extract/en-de/letters.en.gz", "tokenize/en-de/letters.en.gz")
    assert isnan(Sizes(configuration).pairs(made))
    configuration["roles"]["en-fr"]["train"].append("letters")
    made = job("select", "clean/en-fr/talks.en.gz", "select/en-fr/talks.en.gz")
    assert isnan(Sizes(configuration).pairs(made))  # which share of an unknown number?


def test_selected_words_are_pairs_of_average_length(configuration: dict[str, Any]) -> None:
    sizes, selection = Sizes(configuration), configuration["select"]["en-fr"]
    selection.update(pairs=None, target_words=WORDS_A_PAIR * 500_000)
    assert sizes.share("en-fr") == pytest.approx(0.5)
    selection["target_words"] *= 10
    assert sizes.share("en-fr") == 1
    configuration["select"]["en-fr"] = None
    assert sizes.share("en-fr") == 1
