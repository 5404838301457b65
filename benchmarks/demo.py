"""How long the demo takes from nothing, stage by stage: a Markdown table.

Example: python benchmarks/demo.py --out benchmarks/published/demo.md
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from pages import made_by, publish, table

from contextnmt.cli import STAGES

HEAD = ["stage", "jobs", "seconds", "share", "largest memory (MB)"]

ROOT = Path(__file__).parents[1]
COMMAND = ["-m", "snakemake", "choi2017", "--profile", "local"]
COMMAND += ["--config", "preset=demo", "--directory"]


class Job(NamedTuple):
    """One line of Snakemake's benchmark files."""

    stage: str
    seconds: float
    megabytes: float  # largest resident set; 0 for a job too short to be measured


def run_demo(folder: Path) -> float:
    """Run the demo in `folder` and return the seconds it took."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    started = time.monotonic()
    subprocess.run(
        [sys.executable, *COMMAND, str(folder)],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        check=True,
    )
    return time.monotonic() - started


def read_jobs(benchmarks: Path) -> Iterator[Job]:
    """The jobs that left a file under `benchmarks`/STAGE/."""
    for path in sorted(benchmarks.rglob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                memory = row["max_rss"]
                megabytes = 0.0 if memory in ("-", "NA") else float(memory)
                yield Job(path.relative_to(benchmarks).parts[0], float(row["s"]), megabytes)


def rows(jobs: list[Job], wall: float) -> Iterator[list[str]]:
    """A row of the table for each stage, in the order of the data, one for each other folder of
    jobs, and the sums."""
    stages: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        stages[job.stage].append(job)
    total = sum(job.seconds for job in jobs)
    for stage in sorted(stages, key=[*STAGES, *sorted(stages)].index):
        these = stages[stage]
        seconds = sum(job.seconds for job in these)
        memory = max(job.megabytes for job in these)
        share = f"{seconds / total:.0%}"
        yield [stage, f"{len(these)}", f"{seconds:.1f}", share, f"{memory:.0f}"]
    yield ["all jobs, added up", f"{len(jobs)}", f"{total:.1f}", "100%", ""]
    yield ["**wall clock**", "", f"**{wall:.1f}**", "", ""]


def main(
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="new folder to run in, kept afterwards for scores.py")
    ] = None,
) -> None:
    """Time the demo, from an empty folder to the report."""
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=folder is None)
        wall = run_demo(place)
        jobs = list(read_jobs(place / "results" / "demo" / "benchmarks"))
    about = made_by("python benchmarks/demo.py", "torch")
    lines = table(HEAD, rows(jobs, wall), words=1)
    publish(["# The demo, from an empty folder to the report", "", *about, "", *lines], out)


if __name__ == "__main__":
    typer.run(main)
