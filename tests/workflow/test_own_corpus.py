"""The corpus of docs/own-corpora.md, from its files to clean tokenized pairs."""

import gzip
import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextnmt.configuration.layers import Layer, resolve
from contextnmt.configuration.reading import load
from contextnmt.files import read_lines, read_pairs, write_lines

ROOT = Path(__file__).parents[2]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the page's configuration and, small, the files that it names."""
    page = (ROOT / "docs" / "own-corpora.md").read_text()
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    own, large = map(yaml.safe_load, blocks)
    (tmp_path / "large.yaml").write_text(yaml.safe_dump(large))
    own["corpora"]["own"]["texts"]["novel"] |= {"lines": 2, "references": {"cs": ["second.cs"]}}
    own["corpora"]["own"]["files"]["second.cs"] = {"local": "second.cs"}
    (tmp_path / "second.cs").write_text("Jeden.\nDva!\n")
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    rows = ["2001\tAhoj, světe!\tHello, world!", "2002\tDobrý den.\tGood\u2028day.", "2003\t\t"]
    (tmp_path / "letters.tsv").write_text("".join(f"{row}\n" for row in rows))
    for name in ("diary", "essays"):
        (tmp_path / f"{name}.tsv").write_text("Rain.\tDéšť.\n")
    (tmp_path / "novel-english.txt.gz").write_bytes(gzip.compress(b"One.\nTwo.\n"))
    (tmp_path / "novel-czech.txt.gz").write_bytes(gzip.compress("Jedna.\r\nDvě.\r\n".encode()))
    return tmp_path


def arguments(folder: Path) -> list[str]:
    """Arguments that run the repository's workflow in `folder`, with its configuration."""
    options = ["--quiet", "host", "rules", "--cores", "1"]
    place = ["-s", f"{ROOT}/Snakefile", "-d", f"{folder}"]
    return [*options, *place, "--configfile", f"{folder / 'own.yaml'}"]


def test_it_comes_out_clean_and_follows_its_files(snakemake: Run, folder: Path) -> None:
    run = snakemake(ROOT, "cleaned", "tokenized", *arguments(folder))
    assert run.returncode == 0, run.stdout
    results = folder / "results/demo"
    for path, lines in {
        "clean/en-cs/letters.en.gz": ["Hello , world !", "Good day ."],
        "clean/en-cs/letters.cs.gz": ["Ahoj , světe !", "Dobrý den ."],
        "tokenize/en-cs/novel.en.gz": ["One .", "Two ."],
        "tokenize/en-cs/novel.cs.gz": ["Jedna .", "Dvě ."],
        "tokenize/en-cs/novel.reference2.cs.gz": ["Jeden .", "Dva !"],
    }.items():
        assert list(read_lines(results / path)) == lines

    with (folder / "letters.tsv").open("a") as table:
        table.write("2004\tAno.\n")
    os.utime(folder / "letters.tsv", (0, 0))  # as of a backup that is laid back
    plan = snakemake(ROOT, "cleaned", "tokenized", "-n", *arguments(folder))
    assert dict(re.findall(r"^(\w+) +(\d+)$", plan.stdout, re.MULTILINE))["extract"] == "1"
    run = snakemake(ROOT, "cleaned", *arguments(folder))
    assert run.returncode != 0
    log = (results / "logs/extract/en-cs/letters.log").read_text()
    assert "letters.tsv, line 4: 2 columns separated by tabs, expected 3" in log

    (folder / "letters.tsv").write_text("2004\tAno.\tYes.\tmore\n")
    snakemake(ROOT, "cleaned", *arguments(folder))
    log = (results / "logs/extract/en-cs/letters.log").read_text()
    assert "letters.tsv, line 1: 4 columns separated by tabs, expected 3" in log


def test_a_file_that_is_not_there_is_told_at_once(snakemake: Run, folder: Path) -> None:
    (folder / "novel-czech.txt.gz").unlink()
    run = snakemake(ROOT, "-n", *arguments(folder))
    assert run.returncode != 0
    assert "corpora.own.files.novel.cs.local: " in run.stdout
    assert "novel-czech.txt.gz: no such file: correct the path" in run.stdout
    assert "Traceback" not in run.stdout


def test_a_file_of_a_later_day_is_told_at_once(snakemake: Run, folder: Path) -> None:
    os.utime(folder / "second.cs", (time.time() + 9000,) * 2)
    run = snakemake(ROOT, "-n", *arguments(folder))
    assert run.returncode != 0
    assert "corpora.own.files.second.cs.local: " in run.stdout
    assert "second.cs: dated in the future, and Snakemake goes by dates: touch" in run.stdout


def test_a_language_that_no_stage_knows_is_told_at_once(snakemake: Run, folder: Path) -> None:
    own = folder / "own.yaml"
    own.write_text(own.read_text().replace("cs", "xx"))
    run = snakemake(ROOT, "-n", *arguments(folder))
    assert run.returncode != 0
    assert "pairs: en-xx: language xx is not known; allowed: as, bn, ca, cs, " in run.stdout
    assert "Traceback" not in run.stdout


def test_a_language_that_cannot_be_segmented_is_told_at_once(snakemake: Run, folder: Path) -> None:
    own = folder / "own.yaml"
    own.write_text(own.read_text().replace("cs", "yue"))
    run = snakemake(ROOT, "-n", *arguments(folder))
    assert run.returncode != 0
    assert "pairs: en-yue: the words of the language 'yue' have no spaces" in run.stdout
    assert "name yue in text.segmented" in run.stdout
    assert "Traceback" not in run.stdout
    (folder / "second.cs").rename(folder / "second.yue")
    options = ["--config", "text={segmented: [yue]}"]
    run = snakemake(ROOT, "-n", *arguments(folder), *options)
    assert run.returncode == 0, run.stdout


def test_the_whole_experiment_is_planned(snakemake: Run, folder: Path) -> None:
    run = snakemake(ROOT, "-n", *arguments(folder))
    assert run.returncode == 0, run.stdout
    large = snakemake(ROOT, "-n", *arguments(folder), f"{folder / 'large.yaml'}")
    assert large.returncode == 0, large.stdout
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", large.stdout, re.MULTILINE))
    assert (jobs["cross_entropy"], jobs["rank"], jobs["symbolize"]) == ("8", "1", "8")


def test_pairs_of_a_domain_are_found_in_a_pool(
    snakemake: Run, shared: Path, tmp_path: Path
) -> None:
    """Laws, in two files, with some pages of manuals among them, in a table; manuals are wanted."""
    laws, manuals = (shared / f"data/{name}_en-fr" for name in ("canada-laws", "python-docs"))
    for language in ("en", "fr"):
        lines = islice(read_lines(laws / f"train.{language}.gz"), 6000)
        write_lines(tmp_path / f"laws.{language}", lines)
    pairs = read_pairs(*(manuals / f"train.{language}.gz" for language in ("en", "fr")))
    rows = [f"{source}\t{target}" for source, target in islice(pairs, 500)]
    write_lines(tmp_path / "manuals.tsv", rows)
    files = {f"laws.{language}": {"local": f"laws.{language}"} for language in ("en", "fr")}
    files |= {f"dev.{x}": {"local": f"{manuals}/dev.{x}.gz"} for x in ("en", "fr")}
    own = {
        "pairs": ["en-fr"],
        "corpora": {
            "own": {
                "files": {**files, "manuals.tsv": {"local": "manuals.tsv"}},
                "texts": {
                    "laws": {"file": "laws.{lang}", "shards": 2},
                    "manuals": {"file": "manuals.tsv", "columns": ["en", "fr"]},
                    "manual": {"file": "dev.{lang}"},
                },
            }
        },
        "roles": {"en-fr": {"train": ["laws", "manuals"], "dev": ["manual"]}},
        "clean": {"en-fr": {"drop_empty": True}},
        "select": {"en-fr": {"in_domain": ["manual"], "pairs": 500}},
    }
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    run = snakemake(ROOT, "choi2017_corpora", *arguments(tmp_path), timeout=600)
    assert run.returncode == 0, run.stdout
    results = tmp_path / "results/demo"
    kept = {
        path.name.partition(".")[0]: json.loads(path.read_bytes())["kept"]["pairs"]
        for path in results.glob("select/en-fr/*.selected.json")
        if not path.name.startswith("laws.1")
    }
    assert kept["manuals"] > 350  # by chance, 38
    for cut_off in json.loads((results / "perplexity/en-fr.json").read_bytes())["cut_offs"]:
        assert cut_off["selected"]["perplexity"] < cut_off["random"]["perplexity"]


def test_what_a_preset_tells_of_its_corpora_does_not_stand_above_reports_on_others() -> None:
    def about(**own: Any) -> str:
        layers = [Layer("config.yaml", load(ROOT / "config.yaml")), Layer("own.yaml", own)]
        return str(resolve(ROOT / "workflow", layers)["about"])

    corpora = {"own": {"files": {"a.tsv": {"local": str(ROOT / "README.md")}}, "texts": {}}}
    assert about(corpora=corpora) == "Includes your corpora own; describe them in the key “about”."
    assert about(corpora=corpora, about="Letters.") == "Letters."
    shards = {"embedded": {"texts": {"train": {"shards": 2}}}}
    assert about(corpora=shards) == about() == load(ROOT / "workflow/presets/demo.yaml")["about"]
