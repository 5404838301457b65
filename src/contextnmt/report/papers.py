"""The page of all papers, and its numbers for the start page of Snakemake's own report."""

import csv
import io
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

from contextnmt.files import write_lines
from contextnmt.report.contents import parts
from contextnmt.report.failures import failure_lines
from contextnmt.report.findings import findings
from contextnmt.report.gaps import reason_lines
from contextnmt.report.published import headline
from contextnmt.report.rendering import filters, render
from contextnmt.report.results import Results
from contextnmt.report.tables import MARK, Block, Table

#: Tables that the page uses besides BLEU.
USED = ["significance", "claims", "masks", "trainings", "scale"]

#: Characters that reStructuredText may take for its own, here or at the start of a line: text of a
#: configuration may say `.. include::`, or the address of a picture.
MARKUP = re.compile(r"([^\w\s]|_)")


def papers(folder: Path, reported: list[Results], missing: list[str]) -> None:
    """Write the page of all papers: claims, findings and BLEU of each, and links to their pages.

    `missing` are the reasons for having no report of other experiments.
    """
    content: dict[str, Any] = {
        "preset": reported[0].preset,
        "corpora": reported[0].corpora,
        "filters": filters(reported),
        "missing": missing,
        "papers": list(map(paper, reported)),
    }
    write_lines(folder / "report/start.rst", start_page(content["papers"]))
    render("papers.html.j2", content, folder / "report/index.html")


def paper(results: Results) -> dict[str, Any]:
    """The facts of an experiment that the template shows."""
    wanted = {part.table for part in parts(results)} & {results.table, *USED}
    tables = {name: results.read_table(name) for name in wanted}
    bleu, data = tables[results.table], {name: table.data for name, table in tables.items()}
    titles = [results.pair_title(pair) for pair in results.pairs]
    return {
        "results": results,
        "headline": headline(results.name),
        "gaps": reason_lines(results, results.gaps),
        "stale": reason_lines(results, results.stale),
        "pretrained": reason_lines(results, results.pretrained),
        "failed": failure_lines(results, data["trainings"]),
        "claims": tables.get("claims", Table([], [], [])),
        "findings": [replace(each, sentences=[]) for each in findings(results, data)],
        # The blocks of the paper's own measure: one per language pair.
        "bleu": [block for block in bleu.blocks if block.title in titles],
        "bleu_notes": bleu.notes,
        "page": f"{results.name}/index.html",
    }


def start_page(papers: list[dict[str, Any]]) -> list[str]:
    """The lines that tell, of each paper, what is missing, its claims and its BLEU.

    `papers` as `contextnmt.report.papers` gives them to its template.
    """
    paragraphs: list[str] = []
    for paper in papers:
        results = paper["results"]
        paragraphs.append(heading(f"{results.title}{results.mark}", "-"))
        for found in paper["findings"]:
            text = " ".join([found.headline, *found.warnings])
            paragraphs.append(f"{escaped(found.title)}: {escaped(text)}")
        paragraphs += [f"*Not finished:* {escaped(each)}" for each in paper["gaps"]]
        paragraphs += [f"*Stale:* {escaped(each)}" for each in paper["stale"]]
        paragraphs += [f"*Pretrained:* {escaped(each)}" for each in paper["pretrained"]]
        paragraphs += [f"*May have failed:* {escaped(each)}" for each in paper["failed"]]
        if paper["claims"].blocks:
            paragraphs.append(heading("What the paper says, and whether it holds here", "~"))
            paragraphs += map(table, paper["claims"].blocks)
        paragraphs += [heading("BLEU of every system", "~"), *map(table, paper["bleu"])]
        paragraphs += [escaped(note) for note in paper["bleu_notes"] if note.startswith(MARK)]
    return [*"\n\n".join(paragraphs).split("\n"), ""]


def heading(text: str, underline: str) -> str:
    """A heading with its line."""
    return f"{escaped(text)}\n{underline * len(escaped(text))}"


def table(block: Block) -> str:
    """A block as a table with one row of headings."""
    head = ["", *(" ".join(filter(None, column)) for column in block.columns)]
    rows = [[label, *(cell.plain for cell in cells)] for label, cells in block.rows]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(escaped, row) for row in [head, *rows])
    directive = f".. csv-table:: {escaped(block.title)}\n   :header-rows: 1\n\n"
    return directive + textwrap.indent(text.getvalue().rstrip("\n"), "   ", lambda _: True)


def escaped(text: str) -> str:
    """A text without markup, on one line."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
