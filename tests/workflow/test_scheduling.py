"""When Snakemake looks for jobs to start: only when one has ended."""

import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
TINY = ROOT / ".test" / "config" / "config.yaml"

Run = Callable[..., subprocess.CompletedProcess[str]]


def watched(snakemake: Run, folder: Path, target: str, *arguments: str) -> str:
    """The output of Snakemake and its scheduler while it makes a target job after job."""
    of_workflow = ["-s", f"{ROOT}/Snakefile", "--configfile", f"{TINY}", "--cores", "1"]
    done = snakemake(folder, f"results/demo/{target}", *of_workflow, "--verbose", *arguments)
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout


def test_jobs_are_chosen_once_for_each_that_ends(snakemake: Run, tmp_path: Path) -> None:
    said = watched(snakemake, tmp_path, "symbolize/en-fr/train.en.gz")
    assert said.count("Finished jobid") > 4
    assert said.count("Resources before job selection") == said.count("Finished jobid")


def test_a_limit_that_was_asked_for_holds(snakemake: Run, tmp_path: Path) -> None:
    """Two jobs, the first of which takes less than the ten seconds in which one may start."""
    watched(snakemake, tmp_path, "generate/embedded/embedded.tar.gz")
    limit = ["--max-jobs-per-timespan", "1/10s"]
    said = watched(snakemake, tmp_path, "tokenize/en-fr/test.en.gz", *limit)
    assert said.count("Finished jobid") > 1
    assert "Job rate limit reached" in said
