"""The smallest call that trains a model, and how its jobs on a cluster fare."""

import re
import subprocess
from pathlib import Path

from cluster import Cluster, wait_until

MODEL = "results/demo/train/en-fr/baseline/1/model.safetensors"
STATE = "results/demo/train/en-fr/baseline/1/state"
LOG = "results/demo/logs/train/en-fr/baseline/1.log"

#: What Snakemake is called with.
ONE_MODEL = [MODEL, "--configfile", str(Path(__file__).parent / "one_training.yaml")]

#: The comment of its Slurm job.
JOB = "rule_train_wildcards_en-fr_baseline_1"


def training(cluster: Cluster, folder: Path) -> str:
    """The Slurm job of the training, once it runs and has saved a state."""

    def found() -> list[str]:
        fields = ["JobID", "State", "Comment", "WorkDir"]
        jobs = [[*job.values()] for job in cluster.jobs(fields)]
        return [number for number, *job in jobs if job == ["RUNNING", JOB, str(folder)]]

    wait_until(found, 300, "the training runs")
    wait_until(lambda: list((folder / STATE).glob("*.safetensors")), 300, "a state is saved")
    return found()[0]


def records(cluster: Cluster, folder: Path) -> dict[str, list[dict[str, str]]]:
    """Slurm's records of the jobs of a clone, by rule, the first one first."""
    found: dict[str, list[dict[str, str]]] = {}
    jobs = cluster.jobs(["JobID", "Comment", "WorkDir"])
    for job in sorted(jobs, key=lambda job: int(job["JobID"])):
        if job["WorkDir"] == str(folder):
            rule = job["Comment"].removeprefix("rule_").partition("_wildcards")[0]
            found.setdefault(rule, []).append(cluster.job(job["JobID"]))
    return found


def attempts(cluster: Cluster, folder: Path) -> list[dict[str, str]]:
    """The records of the training's jobs."""
    return records(cluster, folder)["train"]


def finish(run: subprocess.Popen[str], folder: Path, trained: Path, seconds: int = 900) -> str:
    """Wait for the end; the model is that of an undisturbed training that has never stopped."""
    said, _ = run.communicate(timeout=seconds)
    assert run.returncode == 0, said[-5000:]
    assert (folder / MODEL).read_bytes() == (trained / MODEL).read_bytes()
    assert not (folder / STATE).exists()
    return said


def updates(words: str, folder: Path) -> list[int]:
    """The updates after which the trainer's log has these words."""
    found = re.findall(rf"{words} after update (\d+)", (folder / LOG).read_text())
    return [int(update) for update in found]


def resumed(folder: Path) -> list[int]:
    return updates("resumed", folder)
