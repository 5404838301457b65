"""Time and memory of the jobs of a finished run, by rule: the table behind `contextnmt plan`.

The words are those of the call of Snakemake that made the run; give them in the same folder. The
jobs come from Snakemake, their processor seconds from its benchmark files, sizes from the files
themselves. Trainings and translations are left out: their time depends on model and device.

Example: python benchmarks/rates.py --config preset=wmt14 > src/contextnmt/planning/rates.tsv
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from math import isnan, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pages import made_by

from contextnmt.configuration import places
from contextnmt.errors import UserError
from contextnmt.files import count_lines
from contextnmt.planning.jobs import Job, Part, Sizes, planned
from contextnmt.planning.plan import Rate

LEFT_OUT = {"download", "train", "translate"}

#: Rules that start no Python.
OF_SHELL = {"train_identity", "run_file"}

#: Sizes of jobs this many times apart tell the time of starting from the time of working.
APART = 5


#: Lines of a file; every text is in many jobs.
lines = cache(count_lines)


class Measured(NamedTuple):
    """A job that has run: pairs read and written, processor seconds, bytes of its outputs."""

    rule: str
    read: float
    pairs: float
    seconds: float
    bytes: int


class Counted(Sizes):
    """Numbers of pairs, counted in the files of a run below a folder."""

    def __init__(self, configuration: dict[str, Any], folder: Path) -> None:
        super().__init__(configuration)
        self.results = folder / "results" / configuration["preset"]

    def size(self, part: Part) -> float:
        stages = ["select", "extract"] if part.selected else ["extract"]
        name = f"{part.pair}/{part.name}.{part.pair.partition('-')[0]}.gz"
        path = next(filter(Path.exists, (self.results / stage / name for stage in stages)), None)
        return lines(path) if path else self.stated(part.pair, part.text) / part.parts

    def stated(self, pair: str, text: str) -> float:
        folder, language = self.results / "extract" / pair, pair.partition("-")[0]
        count = places.shards(self.texts[text])
        part = f"{text}.{language}.gz" if count == 1 else f"{text}.*of{count}.{language}.gz"
        found = [*folder.glob(part)]
        return sum(map(lines, found)) if found else nan


def measured(jobs: Iterable[Job], sizes: Counted, folder: Path) -> Iterator[Measured]:
    """The jobs that left a benchmark file below `folder`."""
    for job in jobs:
        path = folder / job.benchmark if job.benchmark else None
        if job.stage in LEFT_OUT or path is None or not path.exists():
            continue
        read, pairs = sizes.pairs_read(job), sizes.pairs(job)
        if not isnan(read + pairs):
            size = sum(map(bytes_of, (folder / output for output in job.outputs)))
            yield Measured(job.rule, read, pairs, seconds(path), size)


def last_row(benchmark: Path) -> dict[str, str]:
    """The last run of a job, in its benchmark file."""
    with benchmark.open(encoding="utf-8", newline="") as stream:
        *_, row = csv.DictReader(stream, delimiter="\t")
    return row


def seconds(benchmark: Path) -> float:
    """Processor seconds of a job; by the clock, if it was too short for Snakemake to see them."""
    row = last_row(benchmark)
    used = row["cpu_time"]
    return float(used) if used not in ("NA", "-", "0.00") else float(row["s"])


def bytes_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def rate(rule: str, jobs: list[Measured], start: float) -> Rate:
    """The rate of a rule; `start` are the seconds of a job that does next to nothing."""
    pairs = np.array([job.read for job in jobs])
    taken = np.array([job.seconds for job in jobs])
    if not pairs.any():  # a job on tables and figures, whose time no text tells
        constant, slope = taken.mean(), 0.0
    elif pairs.max() > APART * pairs.min():
        # Relative errors: otherwise the largest job alone would decide.
        terms = np.stack([np.ones_like(pairs), pairs], axis=1) / taken[:, None]
        constant, slope = np.linalg.lstsq(terms, np.ones_like(pairs), rcond=None)[0]
    else:
        constant, slope = start, (taken.mean() - start) / max(pairs.mean(), 1.0)
    if slope < 0:  # the texts differ in more than size: better too much than too little
        largest = max(jobs, key=lambda job: job.read)
        constant, slope = start, max(0.0, largest.seconds - start) / max(1.0, largest.read)
    elif constant < 0:
        constant, slope = 0.0, taken.sum() / pairs.sum()
    size = sum(job.bytes for job in jobs) / max(1.0, sum(job.pairs for job in jobs))
    return Rate(rule, float(constant), float(slope * 1e6), size)


def table(rates: Iterable[Rate]) -> list[str]:
    """Return the lines of the table; three digits tell more than the next run will agree with."""
    rows = ([rule, *(f"{figure:.3g}" for figure in figures)] for rule, *figures in rates)
    return ["\t".join(row) for row in [Rate._fields, *rows]]


def main() -> None:
    """Print the table of the run that the command line names."""
    words = sys.argv[1:]
    try:
        jobs, configuration, folder = planned(["--forceall", "--rerun-incomplete", *words])
    except UserError as error:
        sys.exit(str(error))
    rules: dict[str, list[Measured]] = defaultdict(list)
    for job in measured(jobs, Counted(configuration, folder), folder):
        rules[job.rule].append(job)
    start = min(job.seconds for rule in rules.keys() - OF_SHELL for job in rules[rule])
    found = [rate(rule, jobs, start) for rule, jobs in rules.items()]
    print("\n".join([*(f"# {line}" for line in made_by()), *table(found)]))


if __name__ == "__main__":
    main()
