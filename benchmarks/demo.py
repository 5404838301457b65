"""How long the demo takes from nothing, stage by stage: a Markdown table.

Example: python benchmarks/demo.py --out benchmarks/published/demo.md
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from calls import Cost, costs, snakemake
from pages import Out, made_by, publish, table

from contextnmt.cli import STAGES

HEAD = ["stage", "jobs", "seconds", "share", "largest memory (MB)"]


def rows(jobs: list[Cost], wall: float) -> Iterator[list[str]]:
    """A row of the table for each stage, in the order of the data, and the sums."""
    total = sum(cost.wall for cost in jobs)
    for stage in STAGES:
        these = [cost for cost in jobs if cost.command == stage]
        if these:
            seconds, memory = sum(cost.wall for cost in these), max(c.megabytes for c in these)
            share = f"{seconds / total:.0%}"
            yield [stage, f"{len(these)}", f"{seconds:.1f}", share, f"{memory:.0f}"]
    yield ["all jobs, added up", f"{len(jobs)}", f"{total:.1f}", "100%", ""]
    yield ["**wall clock**", "", f"**{wall:.1f}**", "", ""]


def main(
    out: Out = None,
    folder: Annotated[Path | None, typer.Option(help="new folder to run in; kept")] = None,
) -> None:
    """Time the demo, from an empty folder to the report."""
    with tempfile.TemporaryDirectory() as temporary:
        place, measured = folder or Path(temporary), Path(temporary)
        place.mkdir(parents=True, exist_ok=folder is None)
        words = ["choi2017", "--profile", "local", "--config", "preset=demo"]
        started = time.monotonic()
        snakemake(*words, "--directory", str(place.resolve()), measured=measured)
        wall = time.monotonic() - started
        shown = table(HEAD, rows(costs(measured), wall), words=1)
    note = "Jobs that start no command of the package are in the wall clock alone."
    publish(out, "# The demo, from an empty folder to the report", made_by("torch"), note, shown)


if __name__ == "__main__":
    typer.run(main)
