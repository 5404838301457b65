"""How long the workflow of preset wmt14 takes to plan, its memory and jobs: a Markdown table.

All three papers, both language pairs, three seeds, every job to be done. Texts are cut by their
size, or into many parts. Nothing is downloaded or run.

Example: python benchmarks/planning.py --out benchmarks/published/planning.md
"""

import json
import re
from tempfile import NamedTemporaryFile

import typer
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
    """Three seeds, and into how many parts texts are cut; JSON, which is YAML too."""
    corpora = {name: {"texts": {name: {"shards": count}}} for name, count in parts.items()}
    return json.dumps({"seeds": [1, 2, 3], "corpora": corpora})


def jobs(said: str) -> int:
    """How many jobs a plan has. Raises ValueError if it says none."""
    found = re.search(r"^total +([\d,]+)", said, re.MULTILINE)
    if not found:
        raise ValueError(f"no line of all jobs:\n{said}")
    return int(found[1].replace(",", ""))


def row(name: str, parts: dict[str, int]) -> list[str]:
    """Jobs, seconds and megabytes of one plan."""
    with NamedTemporaryFile("w", suffix=".yaml") as own:
        own.write(own_configuration(parts))
        own.flush()
        words = ["--profile", "slurm", "--forceall", "--configfile", own.name]
        said, cost = contextnmt("plan", *words, "--config", "preset=wmt14")
    return [name, f"{jobs(said):,}", f"{cost.wall:.1f}", f"{cost.megabytes:,.0f}"]


def main(out: Out = None) -> None:
    """Plan the workflow, cut in several ways."""
    rows = [row(name, parts) for name, parts in CUTS.items()]
    title = "# How long the papers' experiments take to plan"
    head = ["training texts", "jobs", "seconds", "memory (MB)"]
    publish(out, title, made_by("snakemake"), NOTES, table(head, rows, words=1))


if __name__ == "__main__":
    typer.run(main)
