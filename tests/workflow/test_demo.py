"""The finished demo: everything is there, and the numbers are those of trained systems."""

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from chromium import CHROMIUM, same_answers
from sacremoses import MosesDetokenizer

from contextnmt.files import count_lines, read_json, read_lines

ROOT = Path(__file__).parents[2]
PAIRS = ["en-fr", "en-de"]
SYSTEMS = [
    "baseline",
    "context",
    "symbol",
    "context-symbol",
    "bpe",
    "bpe-context",
    "bpe-symbol",
    "bpe-context-symbol",
]

TABLES = [
    *("table1", "table2", "table3", "table4", "phenomena", "masks"),
    *("symbols", "symbol-scores", "symbol-errors", "restoration", "symbol-ablation"),
    *("significance", "length-scores", "examples", "differences"),
]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def results(demo: Path) -> Path:
    return demo / "results" / "demo"


def test_every_table_and_figure_is_made(results: Path) -> None:
    report = results / "report" / "choi2017"
    assert "<html" in (report / "index.html").read_text()
    for name in TABLES:
        for suffix in ["csv", "json", "md", "tex"]:
            assert (report / "tables" / f"{name}.{suffix}").stat().st_size > 0
    for pair in PAIRS:
        kinds = ["gains", "lengths", "local-charts", "masks"]
        curves = [f"curves.{pair}.{quantity}" for quantity in ["bleu", "loss"]]
        for name in [*(f"{kind}.{pair}" for kind in kinds), *curves]:
            for suffix in ["svg", "pdf", "png"]:
                assert (report / "figures" / f"{name}.{suffix}").stat().st_size > 0
    # A number as a formula, such as a power of ten, would stand there as Matplotlib writes it.
    for figure in (report / "figures").glob("*.svg"):
        assert "\\math" not in figure.read_text(), figure.name
    assert "Warning" not in (results / "logs/report/choi2017.log").read_text()


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_a_translation_for_each_line(
    results: Path, pair: str, system: str
) -> None:
    target = pair.split("-")[1]
    for text in ["dev", "test"]:
        lines = count_lines(results / "extract" / pair / f"{text}.{target}.gz")
        for beam in [1, 12]:
            file = results / "restore" / pair / system / "1" / f"{text}.beam{beam}.gz"
            assert count_lines(file) == lines > 0


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_learnt(results: Path, pair: str, system: str) -> None:
    scores = read_json(results / "score" / pair / system / "1" / "scores.json")
    assert set(scores) == {f"{text}.beam{beam}" for text in ["dev", "test"] for beam in [1, 12]}
    assert all(20 < entry["bleu"] <= 100 for entry in scores.values())


@pytest.mark.parametrize("pair", PAIRS)
def test_the_best_system_has_learnt_well(results: Path, pair: str) -> None:
    files = (results / "score" / pair / system / "1" / "scores.json" for system in SYSTEMS)
    assert max(read_json(file)["test.beam12"]["bleu"] for file in files) > 60


@pytest.mark.parametrize("system", ["baseline", "bpe-symbol"])
def test_raw_text_is_translated_as_the_stages_do_it(
    demo: Path, results: Path, environment: dict[str, str], system: str
) -> None:
    """With trained models; all views in tests/translation/test_own_text.py."""
    with gzip.open(results / "extract" / "en-fr" / "test.en.gz") as text:
        raw = text.read()
    run = f"results/demo/run/en-fr/{system}/1.json"
    made = subprocess.run(
        [sys.executable, "-m", "contextnmt", "translate", "--run", run, "--beam", "1"],
        cwd=demo,
        env=environment | {"PYTHONPATH": str(demo / "src")},
        input=raw,
        capture_output=True,
        check=True,
    ).stdout.decode()
    words = read_lines(results / "restore" / "en-fr" / system / "1" / "test.beam1.gz")
    moses = MosesDetokenizer(lang="fr")
    expected = [moses.detokenize(line.split(), unescape=False) for line in words]
    assert made == "".join(f"{line}\n" for line in expected)


def test_the_tutorial_translates_sentences_of_ones_own(
    demo: Path, results: Path, environment: dict[str, str]
) -> None:
    section = (
        (ROOT / "docs/tutorial.md").read_text().partition("## Translating sentences of your own")[2]
    )
    commands = section.partition("```sh\n")[2].partition("```")[0]
    shell = 'contextnmt() { python -m contextnmt "$@"; }; set -e\n' + commands
    run = subprocess.run(
        ["bash", "-c", shell],
        cwd=demo,
        env=environment | {"PYTHONPATH": str(demo / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    lines = list(read_lines(demo / "sentences.fr"))
    assert [bool(line) for line in lines] == [True, True, True]
    lists = [json.loads(line) for line in read_lines(demo / "sentences.jsonl")]
    assert [found[0]["text"] if found else "" for found in lists] == lines
    assert len(lists[0]) > 1
    for name in ("sentences.en", "sentences.fr", "sentences.jsonl"):
        (demo / name).unlink()


def test_no_symbol_and_no_subword_is_left_in_a_translation(results: Path) -> None:
    for file in results.glob("restore/*/*/1/*.gz"):
        for line in read_lines(file):
            assert not line.endswith("@@") and "@@ " not in line, file
            assert not any(f"<{kind}>_" in line for kind in "NSC"), file


def test_a_run_says_how_it_was_made(results: Path) -> None:
    model = read_json(results / "train" / "en-fr" / "context-symbol" / "1" / "model.json")
    assert model["model"]["contextualizer"] is not None
    assert model["seed"] == 1
    assert model["stopped"] in ("patience", "max_updates")
    assert model["training"]["threads"] >= 1
    assert {"python", "torch", "processor", "commit"} <= set(model["environment"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_dev_bleu_of_a_training_is_that_of_its_greedy_translations(
    results: Path, system: str
) -> None:
    """Also of systems with symbols, whose validations restore words."""
    best = read_json(results / "train" / "en-fr" / system / "1" / "model.json")["best"]
    scores = read_json(results / "score" / "en-fr" / system / "1" / "scores.json")
    # The two searches round differently, so a word may differ.
    assert best["dev_bleu"] == pytest.approx(scores["dev.beam1"]["bleu"], abs=0.1)


def test_every_job_has_a_log_and_a_benchmark(results: Path) -> None:
    for folder, suffix in [("logs", "log"), ("benchmarks", "tsv")]:
        stages = {path.name for path in (results / folder).iterdir()}
        assert {"tokenize", "clean", "binarize", "train", "translate", "score"} <= {
            Path(name).stem for name in stages
        }
        for system in SYSTEMS:
            assert (results / folder / "train" / "en-de" / system / f"1.{suffix}").is_file()


def test_nothing_temporary_is_left(results: Path) -> None:
    assert not list(results.rglob("*.part"))
    assert not list(results.glob("train/*/*/*/state"))


def test_nothing_is_stale(results: Path) -> None:
    assert 'id="stale"' not in (results / "report/choi2017/index.html").read_text()


@pytest.mark.skipif(not CHROMIUM, reason="no chromium: apt-get install chromium")
@pytest.mark.parametrize("system", ["baseline", "context-symbol"])
def test_the_page_translates_as_the_workflow_does(
    results: Path, tmp_path: Path, system: str
) -> None:
    run, model = (
        results / stage / "en-fr" / system / "1.json" for stage in ("run", "browser-model")
    )
    page = results / "report" / "choi2017" / "index.html"
    assert page.stat().st_size < 10_000_000
    number = ["baseline", "context-symbol"].index(system)
    same = same_answers(page, number, run, model, 4, tmp_path)
    assert len(same) == 200 and sum(same) >= 198
    compared = read_json(model)["compared"]
    exact, rounded = compared["bleu"]
    assert abs(exact - rounded) <= 0.3
    assert compared["equal"] >= 180


def test_there_is_nothing_left_to_do(demo: Path, snakemake: Run) -> None:
    run = snakemake(demo, "choi2017", "-n")
    assert "Nothing to be done" in run.stdout, run.stdout[-3000:]


def test_symbols_are_used(results: Path) -> None:
    """Else the systems with symbols would be the others under another name."""
    for pair in PAIRS:
        coverage = read_json(results / "coverage" / f"{pair}.json")
        assert all(side["after"]["symbol_percent"]["N"] > 0 for side in coverage.values())
        assert all(side["before"]["symbol_percent"]["N"] == 0 for side in coverage.values())


def test_the_papers_examples_come_out_as_printed(results: Path) -> None:
    rows = read_json(results / "report" / "choi2017" / "tables" / "table2.json")["data"]
    assert rows
    assert {row["difference"] for row in rows} == {""}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("text", ["dev", "test"])
def test_symbols_are_found_without_the_target(results: Path, pair: str, text: str) -> None:
    scores = read_json(results / "symbol-scores" / f"{pair}.json")["texts"][text]["types"]["all"]
    assert scores["both_sides"] > 100
    assert scores["precision_percent"] > 90
    assert scores["recall_percent"] > 90


@pytest.mark.parametrize("pair", PAIRS)
def test_words_are_charted_and_their_masks_compared(results: Path, pair: str) -> None:
    charts = read_json(results / "local-charts" / f"{pair}.json")["charts"]
    assert set(charts) == {"cbow", "baseline", "context"}
    assert all("gap" not in chart for found in charts.values() for chart in found.values())
    masks = read_json(results / "masks" / pair / "context" / "1" / "test.json")
    assert masks["contextualizer"]
    for of_side in (masks["all"], masks["all"]["target"]):
        assert of_side["words"] >= 12
        assert of_side["different"]["euclidean"] > 0


def test_pairs_are_kept(results: Path) -> None:
    for pair in PAIRS:
        counts = read_json(results / "pairs" / f"{pair}.json")
        for when in counts.values():
            assert 0 < when["kept"] <= when["read"]
            assert when["kept"] + sum(when["dropped"].values()) == when["read"]
        # What symbols stand for is known more often (A14).
        assert counts["before"]["kept"] < counts["after"]["kept_by_all"] <= counts["after"]["kept"]


def test_a_report_made_by_hand_is_the_one_of_the_workflow(
    results: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    shutil.copytree(results, tmp_path / "results/demo")
    report = tmp_path / "results/demo/report/choi2017"
    shutil.rmtree(report)
    command = [sys.executable, "-m", "contextnmt", "report", "results/demo", "choi2017"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    made = [path.relative_to(tmp_path) for path in report.rglob("*") if path.is_file()]
    assert len(made) > 100
    assert [
        name
        for name in made
        if (tmp_path / name).read_bytes() != (results.parents[1] / name).read_bytes()
    ] == []


def test_snakemakes_own_report_has_the_captions(demo: Path, snakemake: Run, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    run = snakemake(demo, "choi2017", "--report", str(report))
    assert run.returncode == 0, run.stdout[-3000:]
    shown = report.read_text()
    captions = {path.stem: path for path in (demo / "workflow" / "report").glob("*.rst")}
    del captions["papers"]  # about all of them: see test_experiments
    del captions["selection-figures"]  # the demo trains on all pairs
    for name, caption in captions.items():
        assert caption.read_text()[:40] in shown, name
