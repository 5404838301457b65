"""The numbers on the start page of Snakemake's own report, as reStructuredText."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from contextnmt.report.tables import MARK, Block

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
