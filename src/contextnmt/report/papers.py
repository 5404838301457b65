"""The page of all papers, and its numbers for the start page of Snakemake's own report."""

import csv
import io
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.experiment import Experiment
from contextnmt.report.findings import Findings, findings
from contextnmt.report.gaps import gap_lines
from contextnmt.report.published import headline
from contextnmt.report.rendering import filters, render
from contextnmt.report.stale import stale_lines
from contextnmt.report.tables import MARK, Block, Table, read_table

TEMPLATE = "papers.html.j2"


def papers(
    abouts: list[Experiment],
    table: list[Path],
    page: list[Path],
    out: Path,
    start: Path,
    missing: list[str] | None = None,
) -> None:
    """Write the page of all papers: claims, findings and BLEU of each, and links to their pages.

    Needed are the tables of BLEU and of significance; those of claims, masks and trainings are used
    if given.
    """
    tables = of_experiments("table", table, 3, abouts)
    pages = of_experiments("page", page, 2, abouts)
    content: dict[str, Any] = {
        "preset": abouts[0].preset,
        "corpora": abouts[0].corpora,
        "filters": filters(abouts),
        "missing": missing or [],
        "papers": [
            paper(
                about,
                {path.stem: read_table(path) for path in tables[about.name]},
                [os.path.relpath(path, out.parent) for path in pages[about.name]],
            )
            for about in abouts
        ],
    }
    write_lines(start, start_page(content["papers"]))
    render(TEMPLATE, content, out)


def of_experiments(
    option: str, paths: list[Path], place: int, abouts: list[Experiment]
) -> dict[str, list[Path]]:
    """The files of each experiment, whose name is that part of a path, counted from its end.

    Raises UserError if a file is of none of them.
    """
    found: dict[str, list[Path]] = {about.name: [] for about in abouts}
    for path in paths:
        name = ("", *path.absolute().parts)[-place:][0]
        if name not in found:
            raise UserError(f"{option} {path}: of none of the experiments {', '.join(found)}")
        found[name].append(path)
    return found


def paper(about: Experiment, tables: dict[str, Table], pages: list[str]) -> dict[str, Any]:
    """What the template wants of an experiment, from its tables by name and the link of its page.

    Raises UserError if a table or the page is missing.
    """
    for name in (about.table, "significance"):
        if name not in tables:
            raise UserError(f"table: no {name}.json of {about.name}: the page needs it")
    if len(pages) != 1:
        raise UserError(f"page: give the page of {about.name} once")
    bleu, data = tables[about.table], {name: table.data for name, table in tables.items()}
    return {
        "about": about,
        "headline": headline(about.name),
        "gaps": gap_lines(about),
        "stale": stale_lines(about),
        "claims": tables.get("claims", Table([], [], [])),
        "findings": shortened(findings(about, data)),
        "bleu": [block for block in bleu.blocks if block.title in titles(about)],
        "bleu_notes": bleu.notes,
        "page": pages[0].replace(os.sep, "/"),
    }


def titles(about: Experiment) -> set[str]:
    """The titles of the blocks that hold the paper's own measure: one a language pair."""
    return {about.pair_title(pair) for pair in about.pairs}


def shortened(found: list[Findings]) -> list[Findings]:
    """All but the sentences."""
    return [replace(each, sentences=[]) for each in found]


#: Characters that reStructuredText would take for its own.
MARKUP = re.compile(r"([\\*`|_])")


def start_page(papers: list[dict[str, Any]]) -> list[str]:
    """The lines that tell, of each paper, what is missing, its claims and its BLEU.

    `papers` as `contextnmt.report.papers` gives them to its template.
    """
    lines: list[str] = []
    for paper in papers:
        about = paper["about"]
        lines += heading(f"{about.title}{about.mark}", "-")
        for found in paper["findings"]:
            told = " ".join([found.headline, *found.warnings])
            lines += [f"{escaped(found.title)}: {escaped(told)}", ""]
        for title, told in [("Not finished", paper["gaps"]), ("Stale", paper["stale"])]:
            lines += [line for each in told for line in (f"*{title}:* {escaped(each)}", "")]
        if paper["claims"].blocks:
            lines += heading("What the paper says, and whether it holds here", "~")
            lines += [line for block in paper["claims"].blocks for line in table(block)]
        lines += heading("BLEU of every system", "~")
        lines += [line for block in paper["bleu"] for line in table(block)]
        marks = [note for note in paper["bleu_notes"] if note.startswith(MARK)]
        lines += [line for note in marks for line in (escaped(note), "")]
    return lines


def heading(text: str, underline: str) -> list[str]:
    return [escaped(text), underline * len(escaped(text)), ""]


def table(block: Block) -> Iterator[str]:
    """A block as a table with one row of headings."""
    head = ["", *(" ".join(filter(None, column)) for column in block.columns)]
    rows = [[label, *(cell.plain for cell in cells)] for label, cells in block.rows]
    yield f".. csv-table:: {escaped(block.title)}"
    yield "   :header-rows: 1"
    yield ""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(escaped, row) for row in [head, *rows])
    yield from (f"   {line}" for line in text.getvalue().rstrip("\n").split("\n"))
    yield ""


def escaped(text: str) -> str:
    """A text without markup, on one line."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
