"""What a job costs on a Slurm cluster besides its command: a Markdown table.

Cuts the embedded corpus into many parts, tokenizes them in as many jobs, and asks Slurm when each
was queued, started and done. Run it on a login node, with the variables of the profile set; the
folder has to be seen by the nodes.

Example: python benchmarks/slurm_jobs.py --jobs 40 --folder /shared/me/jobs
"""

import csv
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from pages import made_by, publish, table

ROOT = Path(__file__).parents[1]
PARTS = "rule_tokenize_wildcards_en_fr_train."
FIELDS = ["Comment", "WorkDir", "SubmitTime", "StartTime", "EndTime", "State"]
WIDTH = 256

NOTES = """
Queued: from sbatch to the start on a node. In the job: from its start to its end, for Slurm, which
counts whole seconds; of that the command itself, and what is left: Snakemake, started twice. Wall
clock: of the whole call, with what comes before the first of these jobs, over their number.
"""


class Job(NamedTuple):
    """Seconds that a job waited and took."""

    queued: float
    taken: float


def own_configuration(jobs: int) -> str:
    """The training text of one pair, in so many parts."""
    return f"pairs: [en-fr]\ncorpora: {{embedded: {{texts: {{train: {{shards: {jobs}}}}}}}}}\n"


def run(folder: Path, jobs: int, words: list[str]) -> float:
    """Tokenize the parts in `folder`; the seconds that it took."""
    folder.mkdir(parents=True)
    configuration = folder / "jobs.yaml"
    configuration.write_text(own_configuration(jobs), encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    call = ["-m", "snakemake", "tokenized", "--profile", "slurm", "--directory", str(folder)]
    started = time.monotonic()
    subprocess.run(
        [sys.executable, *call, "--configfile", str(configuration), *words],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        check=True,
    )
    return time.monotonic() - started


def remembered(text: str, folder: Path) -> Iterator[Job]:
    """The finished tokenizing jobs of `folder`, of what ``squeue -O`` prints."""
    for line in text.split("\n"):
        cells = [line[at : at + WIDTH].strip() for at in range(0, WIDTH * len(FIELDS), WIDTH)]
        comment, where, *times, state = cells
        if (comment.startswith(PARTS), where, state) == (True, str(folder), "COMPLETED"):
            submitted, started, ended = map(datetime.fromisoformat, times)
            yield Job((started - submitted).total_seconds(), (ended - started).total_seconds())


def commands(folder: Path) -> list[float]:
    """Seconds that the commands of these jobs took, without Slurm and Snakemake."""
    found = []
    for path in sorted((folder / "results/demo/benchmarks/tokenize").rglob("train*.tsv")):
        with path.open(encoding="utf-8", newline="") as stream:
            found += [float(row["s"]) for row in csv.DictReader(stream, delimiter="\t")]
    return found


def main(
    folder: Annotated[Path, typer.Option(help="new folder that login node and nodes see")],
    jobs: Annotated[int, typer.Option(min=2, max=64)] = 40,
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
    words: Annotated[list[str] | None, typer.Argument(help="more words for snakemake")] = None,
) -> None:
    """Measure what a job costs."""
    folder = folder.absolute()
    wall = run(folder, jobs, words or [])
    asked = ["squeue", "--noheader", "--states=all", "--me"]
    asked += ["-O", ",".join(f"{field}:{WIDTH}" for field in FIELDS)]
    shown = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    found, took = list(remembered(shown, folder)), commands(folder)
    taken = statistics.mean(job.taken for job in found)
    command = statistics.mean(took)
    row = [
        str(len(found)),
        *(f"{statistics.mean(job.queued for job in found):.1f}", f"{taken:.1f}"),
        *(f"{command:.1f}", f"{taken - command:.1f}", f"{wall / len(found):.1f}"),
    ]
    head = ["jobs", "queued (s)", "in the job (s)", "command (s)", "besides (s)", "wall clock (s)"]
    about = made_by(
        "python benchmarks/slurm_jobs.py", "snakemake", "snakemake-executor-plugin-slurm"
    )
    lines = [*about, "", " ".join(NOTES.split()), "", *table(head, [row], words=0)]
    publish(["# What a job costs on Slurm", "", *lines], out)


if __name__ == "__main__":
    typer.run(main)
