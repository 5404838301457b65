"""The experiments besides choi2017, from the embedded corpus to their pages, in a few updates."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextnmt.files import read_json, read_lines

ROOT = Path(__file__).parents[2]
#: Some systems of each, of every kind.
SYSTEMS = {
    "bahdanau2015": ["rnnencdec-30", "rnnsearch-30", "rnnsearch-50", "rnnsearch-50-star"],
    "chen2017": ["gru", "fcwm-unknown", "ccwm-all-decoder"],
}
TEXTS = ["dev", "test"]
#: How each of them is translated, as the names of the translations end.
VARIANTS = {"bahdanau2015": ["", ".no-unknown", ".normalised"], "chen2017": [""]}
TABLES = {"bahdanau2015": "table1", "chen2017": "bleu"}
OWN: dict[str, Any] = {
    "pairs": ["en-fr"],
    "seeds": [1],
    "systems": [system for systems in SYSTEMS.values() for system in systems],
    "text": {"vocabulary_size": 130},
    "model": dict.fromkeys(["embedding", "hidden", "alignment", "maxout", "readout_rank"], 8),
    "training": {"max_updates": 4, "validate_every": 4},
    "decoding": {"beams": [2]},
    "experiments": {"bahdanau2015": {"decoding": {"nbest": 2}}},
}
#: The same after an edit that trains all systems anew.
EDITED = OWN | {"model": OWN["model"] | {"hidden": 9}}

Run = Callable[..., subprocess.CompletedProcess[str]]


def paths_of_own_run(folder: Path) -> list[str]:
    return ["-s", f"{ROOT}/Snakefile", "-d", f"{folder}", "--configfile", f"{folder}/own.yaml"]


@pytest.fixture(scope="module")
def results(snakemake: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of both targets, under a configuration of few updates."""
    folder = tmp_path_factory.mktemp("experiments")
    (folder / "own.yaml").write_text(yaml.safe_dump(OWN))
    paths = paths_of_own_run(folder)
    run = snakemake(ROOT, *SYSTEMS, "papers", *paths, "--profile", "local", timeout=900)
    assert run.returncode == 0, run.stdout[-5000:]
    assert run.stdout.count("\nThe report: file://") == len(SYSTEMS)
    assert run.stdout.count("\n") <= 60, run.stdout
    return folder / "results" / "demo"


def test_the_page_of_all_papers_leads_to_theirs(results: Path) -> None:
    page = (results / "report" / "index.html").read_text()
    for experiment in SYSTEMS:
        assert f'<section id="{experiment}">' in page
        assert (results / "report" / experiment / "index.html").exists()
        assert f'href="{experiment}/index.html"' in page


@pytest.mark.parametrize("experiment", SYSTEMS)
def test_every_system_is_trained_as_its_paper_has_it_and_scored(
    results: Path, experiment: str
) -> None:
    for system in SYSTEMS[experiment]:
        made = read_json(results / "train" / "en-fr" / system / "1" / "model.json")
        assert made["model"]["cell"] == "gru"
        assert made["model"]["attention"] == ("encdec" not in system)
        assert bool(made["model"]["smoother"]) == (system[:4] in ("fcwm", "ccwm"))
        assert made["updates"] == 4
        scores = read_json(results / "score" / "en-fr" / system / "1" / "scores.json")
        names = {f"{text}.beam2{variant}" for text in TEXTS for variant in VARIANTS[experiment]}
        assert set(scores) == names
        for name, entry in scores.items():
            size = {"dev": 500, "test": 1000}[name.partition(".")[0]]
            assert entry.get("of", entry["sentences"]) == size


def test_the_columns_all_and_no_unk_stand_beside_the_papers(results: Path) -> None:
    known = read_json(results / "known-lines" / "en-fr" / "word" / "test.json")
    assert known["sentences"] == 1000 and 0 < len(known["lines"]) < 1000
    folder = results / "restore" / "en-fr" / "rnnsearch-50" / "1"
    assert "UNK" not in " ".join(read_lines(folder / "test.beam2.no-unknown.gz")).split()
    table = read_json(results / "report" / "bahdanau2015" / "tables" / "table1.json")
    assert [labels[1:] for labels in table["blocks"][0]["columns"]] == [
        ["All", "test (dev)"],
        ["All", "paper"],
        ["No UNK", "test (dev)"],
        ["No UNK", "paper"],
        ["normalised (extra)", "test (dev)"],
    ]
    assert f"(test: {len(known['lines'])} of 1,000; dev: " in " ".join(table["notes"])


@pytest.mark.parametrize("experiment", SYSTEMS)
def test_every_experiment_has_a_page_and_tables_of_its_own(results: Path, experiment: str) -> None:
    report = results / "report" / experiment
    page = (report / "index.html").read_text()
    for name in [
        "cleaning",
        "selection",
        "length-scores",
        "phenomena",
        "examples",
        "differences",
        TABLES[experiment],
    ]:
        for suffix in ["csv", "json", "md", "tex"]:
            assert (report / "tables" / f"{name}.{suffix}").stat().st_size > 0
    for name in ["gains.en-fr", "curves.en-fr.bleu", "curves.en-fr.loss"]:
        assert (report / "figures" / f"{name}.svg").stat().st_size > 0
    assert len(
        read_json(report / "tables" / f"{TABLES[experiment]}.json")["blocks"][0]["rows"]
    ) >= (len(SYSTEMS[experiment]))
    assert "Symbolization" not in re.findall(r"<h2>([^<]*)</h2>", page)
    assert ("(reconstruction)" in page) == (experiment == "chen2017")
    assert not (report / "tables" / "table2.csv").exists()


@pytest.mark.parametrize("experiment", SYSTEMS)
def test_nothing_is_stale(results: Path, experiment: str) -> None:
    assert 'id="stale"' not in (results / "report" / experiment / "index.html").read_text()


def test_unknown_words_are_replaced_where_there_is_attention(results: Path) -> None:
    rows = read_json(results / "report/bahdanau2015/tables/table1.json")["data"]
    replaced = [row for row in rows if (row["source"], row["text"]) == ("replaced", "test")]
    systems = ["rnnsearch-30", "rnnsearch-50", "rnnsearch-50-star"]
    assert [row["system"] for row in replaced] == systems
    assert all(row["unknown_percent"] > 0 and row["bleu"] is not None for row in replaced)
    for system in systems:
        folder = results / "restore" / "en-fr" / system / "1.replaced"
        for path in folder.glob("*.gz"):
            assert "UNK" not in " ".join(read_lines(path)).split()
        assert (folder / "test.beam2.replaced.gz").exists()


def test_the_start_page_of_snakemakes_own_report_has_the_numbers(
    results: Path, snakemake: Run
) -> None:
    folder = results.parents[1]
    report, start = folder / "report.html", results / "report" / "start.rst"
    call = ["papers", *paths_of_own_run(folder), "--report", str(report)]
    run = snakemake(ROOT, *call)
    assert run.returncode == 0, run.stdout[-3000:]
    assert "RNNsearch-30 over RNNencdec-30" in report.read_text()
    kept = start.read_text()
    start.unlink()  # as where the results are of an older version
    try:
        run = snakemake(ROOT, *call)
        assert run.returncode == 0, run.stdout[-3000:]
        assert "RNNsearch-30 over RNNencdec-30" not in report.read_text()
    finally:
        start.write_text(kept)


def test_sentences_of_the_demo_are_there_and_aligned(results: Path) -> None:
    report = results / "report"
    for experiment in SYSTEMS:
        rows = read_json(report / experiment / "tables" / "examples.json")["data"]
        assert [row for row in rows if row["gap"]] == []
        assert len({row["words"] for row in rows}) == 6  # five, and those that differ
    drawn = sorted(path.name for path in report.glob("*/figures/alignments.*.svg"))
    assert drawn == ["alignments.en-fr.chosen.svg", "alignments.en-fr.random.svg"]
    folder = results / "translate" / "en-fr"
    aligned = {path.parts[-3] for path in folder.glob("*/1/test.beam2.alignments.npz")}
    assert aligned == {
        system for systems in SYSTEMS.values() for system in systems if "encdec" not in system
    }


#: A run that is missing, and what its table calls its system: alignments are drawn of it.
MISSING, LABEL = "rnnsearch-50", "RNNsearch-50"


@pytest.fixture(scope="module")
def gapped(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the finished folder in which one training is amid its way."""
    folder = tmp_path_factory.mktemp("gaps") / "gapped"
    shutil.copytree(results.parents[1], folder)
    made = folder / "results" / "demo"
    for stage in ["train", "translate", "restore", "score"]:
        shutil.rmtree(made / stage / "en-fr" / MISSING)
    state = made / "train" / "en-fr" / MISSING / "1" / "state"
    state.mkdir(parents=True)
    (state / "log.jsonl").write_text(json.dumps({"kind": "train", "update": 1234}) + "\n")
    return folder


def test_with_gaps_the_page_is_made_of_what_is_finished(gapped: Path, snakemake: Run) -> None:
    report = gapped / "results" / "demo" / "report" / "bahdanau2015"
    paths = [*paths_of_own_run(gapped), "--profile", "local"]
    run = snakemake(ROOT, "bahdanau2015", *paths, "--config", "gaps=true", timeout=300)
    assert run.returncode == 0, run.stdout[-5000:]
    assert not re.search(r"^(train|translate|restore|score|all) +\d+$", run.stdout, re.MULTILINE)
    note = f"English → French: {LABEL} (training not finished, at update 1,234)."
    table = read_json(report / "tables" / "table1.json")
    here = {
        row[0]: row[1][0]["text"] != "–"
        for row in table["blocks"][0]["rows"]
        if row[0].startswith("RNN") and "replaced" not in row[0]
    }
    assert [label for label, scored in here.items() if not scored] == [LABEL]
    assert len(here) == len(SYSTEMS["bahdanau2015"])
    assert f"Not finished: {note}" in table["notes"]
    page = (report / "index.html").read_text()
    assert page.count(f">{note}</li>") == 1
    assert "Alignments" not in re.findall(r"<h2>([^<]*)</h2>", page)
    assert "Learning curves" in re.findall(r"<h2>([^<]*)</h2>", page)
    labels = [row[0] for row in table["blocks"][0]["rows"] if "replaced" in row[0]]
    assert labels == [
        f"{name}, unknown words replaced" for name in ("RNNsearch-30", "RNNsearch-50*")
    ]
    plan = snakemake(ROOT, "bahdanau2015", *paths, "-n").stdout
    assert re.search(r"^train +1$", plan, re.MULTILINE)


def test_with_gaps_nothing_finished_is_made_anew(gapped: Path, snakemake: Run) -> None:
    (gapped / "own.yaml").write_text(yaml.safe_dump(EDITED))
    paths = [*paths_of_own_run(gapped), "--profile", "local", "--config", "gaps=true"]
    run = snakemake(ROOT, "chen2017", *paths)
    assert run.returncode == 1
    assert "translations; gaps=true does not remake them" in run.stdout
    assert "Traceback" not in run.stdout
    assert (gapped / "results/demo/train/en-fr/gru/1/model.safetensors").exists()


@pytest.mark.parametrize(("target", "hidden"), [("translations", 9), ("chen2017", 10)])
def test_what_was_accepted_is_marked_as_stale(
    gapped: Path, snakemake: Run, target: str, hidden: int
) -> None:
    """Where the report was accepted too, it is made anew on request, to have the marks."""
    edited = OWN | {"model": OWN["model"] | {"hidden": hidden}}
    (gapped / "own.yaml").write_text(yaml.safe_dump(edited))
    paths = [*paths_of_own_run(gapped), "--profile", "local", "--config", "gaps=true"]
    accepted = snakemake(ROOT, target, "--touch", *paths)
    assert accepted.returncode == 0, accepted.stdout[-3000:]
    whole = target == "chen2017"
    assert ("for a report that marks them as stale" in accepted.stdout) == whole
    forced = ["-R", "chen2017"] if whole else []
    run = snakemake(ROOT, "chen2017", *paths, *forced, timeout=300)
    assert run.returncode == 0, run.stdout[-5000:]
    assert not re.search(r"^(train|translate|all) +\d+$", run.stdout, re.MULTILINE)
    report = gapped / "results" / "demo" / "report" / "chen2017"
    rows = read_json(report / "tables" / "bleu.json")["blocks"][0]["rows"]
    assert [row[0].endswith("(stale)") for row in rows] == [True] * len(SYSTEMS["chen2017"])
    labels = [row[0].removesuffix(" (stale)") for row in rows]
    parts = [*report.glob("tables/*.md"), *report.glob("figures/*.svg")]
    naming = [path for path in parts if any(map(path.read_text().__contains__, labels))]
    assert {"curves", "lengths", "length-scores", "gains"} <= {
        path.name.split(".")[0] for path in naming
    }
    assert [path.name for path in naming if "(stale)" not in path.read_text()] == []
    told = f"English → French: all systems (model.hidden was 8, is {hidden} now)."
    assert told in (report / "index.html").read_text()
    again = snakemake(ROOT, "chen2017", "-n", *paths)
    assert "Nothing to be done" in again.stdout
