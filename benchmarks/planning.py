"""How long the workflow of preset wmt14 takes to plan, its memory and jobs: a Markdown table.

All three papers, both language pairs, three seeds, every job to be done. Texts are cut by their
size, or into many parts. Nothing is downloaded or run.

Example: python benchmarks/planning.py --out benchmarks/published/planning.md
"""

import re
import tempfile
from pathlib import Path

import typer
import yaml
from calls import contextnmt
from pages import Out, made_by, publish, table

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
        own = Path(folder, "own.yaml")
        own.write_text(own_configuration(parts), encoding="utf-8")
        words = ["--profile", "slurm", "--forceall", "--configfile", own]
        said, cost = contextnmt("plan", *words, "--config", "preset=wmt14")
        return jobs(said), cost.wall, cost.megabytes


def main(
    out: Out = None,
) -> None:
    """Plan the workflow, cut in several ways."""
    rows = []
    for name, parts in CUTS.items():
        count, took, memory = plan(parts)
        rows.append([name, f"{count:,}", f"{took:.1f}", f"{memory:,.0f}"])
    publish(
        out,
        "# How long the papers' experiments take to plan",
        made_by("snakemake"),
        NOTES,
        table(["training texts", "jobs", "seconds", "memory (MB)"], rows, words=1),
    )


if __name__ == "__main__":
    typer.run(main)
