"""The preset wmt14 against what literature knows of the archives, and its plan."""

import csv
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextnmt.configuration.keys import CorpusFile
from contextnmt.configuration.layers import Layer, of_paper, resolve
from contextnmt.configuration.places import place, roles
from contextnmt.configuration.reading import load
from contextnmt.configuration.recipes import deviations

ROOT = Path(__file__).parents[2]
CONFIGURATION = resolve(
    ROOT / "workflow", [Layer("config.yaml", {**load(ROOT / "config.yaml"), "preset": "wmt14"})]
)
CORPORA = CONFIGURATION["corpora"]
PAIRS = ["en-fr", "en-de"]
EXPERIMENTS = ["choi2017", "bahdanau2015", "chen2017"]

#: Nobody states a digest of this archive, and no experiment needs it.
LEFT_OUT = "http://www.statmt.org/wmt15/dev-v2.tgz"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def archives(shared: Path) -> list[dict[str, str]]:
    """The rows of the list of archives."""
    with (shared / "spec" / "wmt14_files.csv").open(newline="") as table:
        return [row for row in csv.DictReader(table) if row["url"] != LEFT_OUT]


def first(file: dict[str, Any]) -> str:
    """The first address of a file."""
    return CorpusFile(**file).addresses[0]


def test_every_archive_is_declared_with_its_digests_and_size(
    archives: list[dict[str, str]],
) -> None:
    declared = {
        first(file): {**file, "url": first(file)}
        for corpus in CORPORA.values()
        for file in corpus["files"].values()
    }
    for row in archives:
        known = {key: row[key] for key in ("url", "sha256", "md5", "bytes") if row[key]}
        assert {key: str(value) for key, value in declared.pop(row["url"], known).items()} == known
    assert declared == {}


def members(url: str, pair: str) -> set[str]:
    """The members that the texts of the archive at `url` name for a language pair."""
    return {
        str(place(CONFIGURATION, pair, text, language)[2])
        for corpus in CORPORA.values()
        for text, entry in corpus["texts"].items()
        if first(corpus["files"][entry["file"]]) == url
        for language in pair.split("-")
    }


def test_every_member_is_named_as_in_the_archive(archives: list[dict[str, str]]) -> None:
    for url in {row["url"] for row in archives}:
        listed = {m for row in archives if row["url"] == url for m in row["members"].split(";")}
        pairs = {pair for row in archives if row["url"] == url for pair in row["pair"].split(";")}
        named = set().union(*(members(url, pair) for pair in pairs))
        assert listed <= named
        # Of two test sets in one archive, each exists for one of the language pairs alone.
        assert all("2015" in member for member in named - listed)


def test_the_numbers_of_lines_are_the_known_ones(archives: list[dict[str, str]]) -> None:
    for row in archives:
        for corpus in CORPORA.values():
            for entry in corpus["texts"].values():
                if corpus["files"][entry["file"]]["url"] != row["url"]:
                    continue
                for key in ("lines", "lines_recalled"):
                    stated = entry.get(key, {})
                    for pair in row["pair"].split(";"):
                        lines = stated.get(pair) if isinstance(stated, dict) else stated
                        if lines and "2015" not in row["corpus"]:
                            assert str(lines) in re.findall(r"\d+", row["lines"])
    tests = CORPORA["wmt15-test"]["texts"]
    assert [tests[name]["lines"] for name in ("newsdiscusstest2015", "newstest2015")] == [
        1500,
        2169,
    ]


@pytest.mark.parametrize(
    ("experiment", "pair", "dev", "test"),
    [
        ("choi2017", "en-fr", ["newstest2014"], ["newsdiscusstest2015"]),
        ("choi2017", "en-de", ["newstest2013"], ["newstest2015"]),
        ("bahdanau2015", "en-fr", ["newstest2012", "newstest2013"], ["newstest2014"]),
    ],
)
def test_dev_and_test_sets_are_the_papers(
    experiment: str, pair: str, dev: list[str], test: list[str]
) -> None:
    assert roles(CONFIGURATION, experiment, pair) == {"dev": dev, "test": test}


#: The sentences that papers show, by words in them -> the texts that may have them.
SHOWN = {
    "was signed in August 1992": {"newstest2014"},
    "marine environment is the least known": {"newstest2014"},
    "no longer produce new chemical weapons": {"newstest2014"},
    "will change my future with my": {"newstest2014"},
    "An admitting privilege is the right": {"newstest2014"},
    "This kind of experience is part": {"newstest2014"},
    "on Thursday, Mr Blair stated": {"newstest2014"},
    "Scorsese-DiCaprio duo seems": {"newstest2014", "newsdiscusstest2015"},
    "Trakhtenberg was the presenter": {"newstest2013", "newstest2015"},
}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_shows_the_sentences_that_its_texts_may_have(experiment: str) -> None:
    entry = CONFIGURATION["experiments"][experiment]
    pairs = entry.get("pairs") or PAIRS
    assert list(entry["sentences"]) == pairs
    for pair in pairs:
        texts = {text for role in roles(CONFIGURATION, experiment, pair).values() for text in role}
        expected = [words for words, having in SHOWN.items() if having & texts]
        assert sorted(entry["sentences"][pair]) == sorted(expected)


def test_members_of_the_test_sets_are_of_the_right_direction() -> None:
    assert place(CONFIGURATION, "en-fr", "newsdiscusstest2015", "fr")[2] == (
        "test/newsdiscusstest2015-enfr-ref.fr.sgm"
    )


def test_the_settings_are_the_papers() -> None:
    assert CONFIGURATION["systems"] is None  # all of them
    for experiment in EXPERIMENTS:
        paper = of_paper(ROOT / "workflow", experiment)
        assert deviations(paper, CONFIGURATION, experiment) == []


def test_a_training_is_stopped_by_the_dev_texts_of_its_experiment(
    snakemake: Run, tmp_path: Path
) -> None:
    arguments = ["-n", "-p", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]
    for system, dev in [
        ("rnnsearch-50", ["newstest2012", "newstest2013"]),
        ("baseline", ["newstest2014"]),
    ]:
        model = f"results/wmt14/train/en-fr/{system}/1/model.json"
        shown = snakemake(ROOT, model, *arguments, "--config", "preset=wmt14").stdout
        (command,) = [line for line in shown.split("\n") if "contextnmt train " in line]
        for side, language in [("source", "en"), ("target", "fr")]:
            files = re.findall(rf"--dev-{side} \S*/tokenize/en-fr/(\S+)\.{language}\.gz", command)
            assert files == dev


def test_the_whole_experiment_is_planned(snakemake: Run, tmp_path: Path) -> None:
    arguments = ["-n", "--quiet", "host", "rules", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]
    run = snakemake(ROOT, *arguments, "--config", "preset=wmt14")
    assert run.returncode == 0, run.stdout
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE))
    assert int(jobs["train"]) == 2 * 8 + 5 + 2 * 9
    assert {jobs[name] for name in EXPERIMENTS} == {"1"}
    assert int(jobs["download_file"]) >= 8
    parts = {"en-fr": 21, "en-de": 5}
    assert int(jobs["cross_entropy"]) == parts["en-fr"]  # en-de is not selected
    assert int(jobs["symbolize"]) == sum(parts.values())
