"""Which pairs a job reads and writes."""

from collections.abc import Callable
from math import nan
from typing import Any

import pytest

from contextnmt.planning.jobs import WORDS_A_PAIR, Job, Sizes

MakeJob = Callable[..., Job]

PARTS = " ".join(f"extract/en-fr/news.{n}of8.en.gz" for n in range(1, 9))
RUN = {"pair": "en-fr", "system": "baseline", "seed": "1"}


@pytest.mark.parametrize(
    ("inputs", "outputs", "pairs"),
    [
        # a text, its parts, one part
        ("download/news/dev.tgz", "extract/en-fr/dev.en.gz extract/en-fr/dev.fr.gz", 3000),
        ("download/news/news.tgz", PARTS, 800_000),
        # counts of the other parts do not count
        (
            "tokenize/en-fr/news.2of8.en.gz survey/en-fr/news.1of8.en.tsv.gz",
            *("clean/en-fr/news.2of8.en.gz", 100_000),
        ),
        # a fifth is selected of a million
        ("clean/en-fr/news.2of8.en.gz", "select/en-fr/news.2of8.en.gz", 20_000),
        ("select/en-de/news.1of8.en.gz", "bpe/en-de/bpe/news.1of8.en.gz", 12_500),
        ("tokenize/en-fr/dev.en.gz", "symbolize/en-fr/dev.pair.en.gz", 3000),
        # several texts into one file
        (
            "cross-entropy/en-fr/news.1of8.scores.npy cross-entropy/en-fr/talks.scores.npy",
            *("rank/en-fr.json", 300_000),
        ),
        (
            "select/en-fr/talks.en.gz select/en-fr/talks.fr.gz",
            *("binarize/en-fr/word/train.source.ids.npy", 40_000),
        ),
        # before and after symbolization
        ("select/en-fr/talks.en.gz symbolize/en-fr/talks.en.gz", "coverage/en-fr.json", 4e4),
        # no text by name: all that is trained on
        ("binarize/en-fr/word/train.source.ids.npy", "pairs/en-fr.json", 200_000),
        # a text of unknown size
        ("tokenize/en-fr/letters.en.gz", "symbolize/en-fr/letters.en.gz", nan),
    ],
)
def test_pairs_of_a_job_are_those_of_the_texts_that_its_files_name(
    configuration: dict[str, Any], job: MakeJob, inputs: str, outputs: str, pairs: float
) -> None:
    made = job("rule", inputs, outputs)
    assert Sizes(configuration).pairs(made) == pytest.approx(pairs, nan_ok=True)


@pytest.mark.parametrize(
    ("inputs", "wildcards", "pairs"),
    [
        # whole and selected, in any order
        ("survey/en-fr/talks.json select/en-fr/talks.selected.json", {}, 200_000),
        ("select/en-fr/talks.selected.json survey/en-fr/talks.json", {}, 200_000),
        # a table of all pairs
        ("coverage/en-fr.json", {}, 0),
        # a translation of one text, and the scores of dev and test
        ("train/en-fr/baseline/1/model.json", {**RUN, "text": "test"}, 2000),
        ("restore/en-fr/baseline/1", RUN, 5000),
    ],
)
def test_a_report_and_a_run_have_the_pairs_of_their_texts(
    configuration: dict[str, Any], job: MakeJob, inputs: str, wildcards: dict[str, str], pairs: int
) -> None:
    made = job("rule", inputs, "report/choi2017/table2.csv", wildcards=wildcards)
    assert Sizes(configuration).pairs(made) == pairs


def test_a_selection_reads_more_than_it_leaves(configuration: dict[str, Any], job: MakeJob) -> None:
    made = job("select", "clean/en-fr/talks.en.gz rank/en-fr.json", "select/en-fr/talks.en.gz")
    sizes = Sizes(configuration)
    assert (sizes.pairs_read(made), sizes.pairs(made)) == (200_000, 40_000)
    made = job("clean", "tokenize/en-fr/talks.en.gz", "clean/en-fr/talks.en.gz")
    assert sizes.pairs_read(made) == sizes.pairs(made) == 200_000


@pytest.mark.parametrize(
    ("selection", "more", "pairs"),
    [
        # of a million pairs, half, all, and all
        ({"pairs": None, "target_words": WORDS_A_PAIR * 500_000}, [], 100_000),
        ({"pairs": None, "target_words": WORDS_A_PAIR * 5_000_000}, [], 200_000),
        (None, [], 200_000),
        ({"pairs": 200_000, "target_words": None}, ["letters"], nan),  # of an unknown number
    ],
)
def test_selected_words_are_pairs_of_average_length(
    configuration: dict[str, Any], job: MakeJob, selection: dict | None, more: list, pairs: float
) -> None:
    configuration["select"]["en-fr"] = selection
    configuration["roles"]["en-fr"]["train"] += more
    made = job("select", "clean/en-fr/talks.en.gz", "select/en-fr/talks.en.gz")
    assert Sizes(configuration).pairs(made) == pytest.approx(pairs, nan_ok=True)
