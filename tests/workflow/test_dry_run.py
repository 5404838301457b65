"""Plans: every target, both profiles, every preset; and what the linters say."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
STAGES = [
    *("download", "extracted", "tokenized", "cleaned", "selected", "symbolized", "subwords"),
    *("binarized", "models", "translations", "restored", "scores", "coverages", "counts"),
]
MODEL = "results/demo/train/en-fr/baseline/1/model.json"
TABLES_AND_FIGURES = ["table3", "table4", "phenomena", "curves", "gains"]
TARGETS = ["all", *STAGES, "choi2017", *(f"choi2017_{name}" for name in TABLES_AND_FIGURES)]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def fresh(tmp_path: Path) -> list[str]:
    """Arguments for a plan in an empty folder."""
    return ["-n", "--quiet", "host", "rules", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]


def jobs(plan: str) -> dict[str, int]:
    """How many jobs of each rule a plan counts."""
    return {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", plan, re.MULTILINE)}


def test_the_targets_are_those_of_the_manual(snakemake: Run) -> None:
    run = snakemake(ROOT, "--list-target-rules")
    named = {line.strip() for line in run.stdout.split("\n") if re.fullmatch(r"\w+", line.strip())}
    assert named == set(TARGETS)


def test_the_demo_makes_every_run_of_every_stage(snakemake: Run, fresh: list[str]) -> None:
    run = snakemake(ROOT, *fresh)
    assert run.returncode == 0, run.stdout
    planned = jobs(run.stdout)
    for stage in ["train", "translate", "restore", "score", "phenomena"]:
        assert planned[stage] == 2 * 7
    assert planned["generate"] == planned["choi2017"] == 1
    assert "download_file" not in planned


@pytest.mark.parametrize(
    ("target", "last", "never"),
    [
        ("download", "generate", "extract"),
        ("extracted", "extract", "tokenize"),
        ("tokenized", "tokenize", "clean"),
        ("cleaned", "clean", "select"),
        ("selected", "select", "symbolize"),
        ("symbolized", "symbolize_source", "bpe"),
        ("subwords", "bpe", "binarize"),
        ("binarized", "binarize", "train"),
        ("models", "train", "translate"),
        ("translations", "translate", "restore"),
        ("restored", "restore", "score"),
        ("scores", "score", "choi2017_table4"),
        ("coverages", "coverage", "train"),
        ("counts", "phenomena", "score"),
        ("choi2017_table3", "coverage", "train"),
        ("choi2017_table4", "score", "phenomena"),
        ("choi2017_phenomena", "phenomena", "score"),
        ("choi2017_curves", "train", "translate"),
    ],
)
def test_a_target_goes_up_to_its_stage(
    snakemake: Run, fresh: list[str], target: str, last: str, never: str
) -> None:
    run = snakemake(ROOT, target, *fresh)
    assert run.returncode == 0, run.stdout
    assert last in jobs(run.stdout)
    assert never not in jobs(run.stdout)


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_both_profiles_plan_the_run(
    snakemake: Run, fresh: list[str], profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = snakemake(ROOT, "--profile", profile, *fresh)
    assert run.returncode == 0, run.stdout
    assert jobs(run.stdout)["train"] == 14


def test_account_and_partitions_come_from_the_environment(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """In the resources of a job, as a plan without messages of its own would show them."""
    settings = {
        "CONTEXTNMT_SLURM_ACCOUNT": "group",
        "CONTEXTNMT_SLURM_PARTITION": "day",
        "CONTEXTNMT_SLURM_GPU_PARTITION": "gpus",
    }
    program = (
        "import sys; from snakemake.profiles import ProfileConfigFileParser as Parser;"
        "print(Parser().parse(open('slurm/config.yaml')))"
    )
    for variables in (settings, {}):
        shown = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=environment | variables,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert ("slurm_account=group" in shown) == bool(variables)
        assert ("slurm_partition=day" in shown) == bool(variables)
        assert shown.count("slurm_partition=gpus") == (2 if variables else 0)


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_trainings_ask_for_a_gpu_where_the_device_is_one(
    snakemake: Run, clone: Callable[[], Path], profile: str
) -> None:
    folder = clone()
    rules = folder / "workflow" / "rules" / "train.smk"
    text = rules.read_text()
    message = re.search(r"    message:\n .*\n", text)
    assert message  # shown instead of a job's resources
    rules.write_text(text.replace(message[0], ""))
    for device, gpus in (("cpu", 0), ("cuda", 1)):
        run = snakemake(folder, MODEL, "-n", "--profile", profile, "--config", f"device={device}")
        assert run.returncode == 0, run.stdout
        (resources,) = re.findall(r"rule train:.*?resources: ([^\n]*)", run.stdout, re.DOTALL)
        assert f"gpu={gpus}" in resources.split(", ")


def test_multi30k_is_planned_without_fetching_anything(snakemake: Run, fresh: list[str]) -> None:
    run = snakemake(ROOT, *fresh, "--config", "preset=multi30k")
    assert run.returncode == 0, run.stdout
    planned = jobs(run.stdout)
    assert planned["train"] == 3
    assert planned["translate"] == planned["restore"] == 3
    assert planned["download_file"] == 10
    assert "generate" not in planned
    assert "choi2017_phenomena" not in planned


def test_another_order_of_texts_is_another_command(snakemake: Run, tmp_path: Path) -> None:
    """Snakemake compares inputs as a set: without it, the new order would re-run nothing."""
    text = {"file": "embedded.tar.gz", "member": "dev.{lang}"}
    file = tmp_path / "own.yaml"
    target = "results/demo/binarize/en-fr/word/manifest.json"
    commands: dict[str, set[str]] = {"select": set(), "binarize": set()}
    for turn in (1, -1):
        texts = {"train": ["train", "more"][::turn], "dev": ["dev", "more"][::turn]}
        corpora = {"embedded": {"texts": {"more": text}}}
        experiments = {"choi2017": {"texts": {"en-fr": texts}}}
        file.write_text(yaml.safe_dump({"corpora": corpora, "experiments": experiments}))
        arguments = ["-n", "-p", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]
        plan = snakemake(ROOT, target, *arguments, "--configfile", f"{file}").stdout
        for stage, found in commands.items():
            found |= {line for line in plan.split("\n") if f"contextnmt {stage} " in line}
    assert {stage: len(found) for stage, found in commands.items()} == {"select": 2, "binarize": 2}


def test_a_mirror_changes_nothing_in_the_plan(snakemake: Run, fresh: list[str]) -> None:
    plain = snakemake(ROOT, *fresh)
    mirrored = snakemake(ROOT, *fresh, "--config", "mirror=/data/mirror")
    assert jobs(plain.stdout) == jobs(mirrored.stdout)


def test_the_linters_have_nothing_to_say(snakemake: Run, environment: dict[str, str]) -> None:
    lint = snakemake(ROOT, "--lint")
    assert lint.returncode == 0, lint.stdout
    form = subprocess.run(
        ["snakefmt", "--check", "Snakefile", "workflow"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert form.returncode == 0, form.stderr
