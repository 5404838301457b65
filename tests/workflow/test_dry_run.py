"""Plans: every target, both profiles, every preset; and what the linters say."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAGES = ["download", "texts", "models", "translations", "scores"]
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
    runs, texts = 2 * 7, 2
    assert planned["train"] == planned["score"] == planned["phenomena"] == runs
    assert planned["translate"] == planned["restore"] == runs * texts
    assert planned["download_file"] == planned["choi2017"] == 1


@pytest.mark.parametrize(
    ("target", "last", "never"),
    [
        ("download", "download_file", "extract"),
        ("texts", "binarize", "train"),
        ("models", "train", "translate"),
        ("translations", "restore", "score"),
        ("scores", "score", "choi2017_table4"),
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


def test_multi30k_is_planned_without_fetching_anything(snakemake: Run, fresh: list[str]) -> None:
    run = snakemake(ROOT, *fresh, "--config", "preset=multi30k")
    assert run.returncode == 0, run.stdout
    planned = jobs(run.stdout)
    assert planned["train"] == 3
    assert planned["translate"] == 3 * 4
    assert "choi2017_phenomena" not in planned


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
