"""How long the workflow of preset wmt14 takes to plan, its memory and jobs: a Markdown table.

All three papers, both language pairs, three seeds, every job to be done. Texts are cut by their
size, or into many parts. Nothing is downloaded or run.

Example: python benchmarks/planning.py --out benchmarks/published/planning.md
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
import yaml
from pages import made_by, publish, table

ROOT = Path(__file__).parents[1]

#: The training texts of both language pairs: name of the corpus and of its text.
TEXTS = ("europarl-v7", "commoncrawl", "un", "news-commentary-v9", "giga-fren")

#: Into how many parts: of which texts.
CUTS = {
    "by their size": {},
    "giga-fren in 64 parts": {"giga-fren": 64},
    "all in 64 parts": dict.fromkeys(TEXTS, 64),
}

NOTES = """
Each row is one call of contextnmt plan, which has Snakemake find the jobs and adds up what they
cost; memory is the most that the call, or Snakemake in it, had at a time.
"""


def own_configuration(parts: dict[str, int]) -> str:
    """Three seeds, and into how many parts texts are cut."""
    corpora = {name: {"texts": {name: {"shards": count}}} for name, count in parts.items()}
    return yaml.safe_dump({"seeds": [1, 2, 3], "corpora": corpora})


def jobs(said: str) -> int:
    """How many jobs a plan has. Raises ValueError if it says none."""
    found = re.search(r"^total +([\d,]+)", said, re.MULTILINE)
    if not found:
        raise ValueError(f"no line of all jobs:\n{said}")
    return int(found[1].replace(",", ""))


def plan(parts: dict[str, int]) -> tuple[int, float, float]:
    """Jobs, seconds and megabytes of one plan."""
    with tempfile.TemporaryDirectory() as folder:
        own, said = Path(folder, "own.yaml"), Path(folder, "said")
        own.write_text(own_configuration(parts), encoding="utf-8")
        call = [sys.executable, "-m", "contextnmt", "plan", "--profile", "slurm", "--forceall"]
        call += ["--configfile", str(own), "--config", "preset=wmt14"]
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        with said.open("w", encoding="utf-8") as out:
            began = time.monotonic()
            run = subprocess.Popen(call, cwd=ROOT, env={**os.environ, "PATH": path}, stdout=out)
            _, status, used = os.wait4(run.pid, 0)
            took = time.monotonic() - began
        if status:
            raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), call)
        return jobs(said.read_text(encoding="utf-8")), took, used.ru_maxrss / 1024


def main(
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Plan the workflow, cut in several ways."""
    rows = []
    for name, parts in CUTS.items():
        count, took, memory = plan(parts)
        rows.append([name, f"{count:,}", f"{took:.1f}", f"{memory:,.0f}"])
    lines = [
        *("# How long the papers' experiments take to plan", ""),
        *made_by("python benchmarks/planning.py", "snakemake"),
        *("", " ".join(NOTES.split()), ""),
        *table(["training texts", "jobs", "seconds", "memory (MB)"], rows, words=1),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
