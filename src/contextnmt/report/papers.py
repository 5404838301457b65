"""The page of all papers: what each says, what is measured, and where the rest is."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.experiment import Experiment, parse_experiment
from contextnmt.report.findings import Findings, findings
from contextnmt.report.gaps import gap_lines
from contextnmt.report.published import headline
from contextnmt.report.rendering import filters, render
from contextnmt.report.staleness import stale_lines
from contextnmt.report.start_page import start_page
from contextnmt.report.tables import Table, read_table

TEMPLATE = "papers.html.j2"


def papers(
    experiment: list[str],
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
    abouts = [parse_experiment(each) for each in experiment]
    tables = of_experiments("--table", table, 3, abouts)
    pages = of_experiments("--page", page, 2, abouts)
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
            raise UserError(f"--table: no {name}.json of {about.name}: the page needs it")
    if len(pages) != 1:
        raise UserError(f"--page: give the page of {about.name} once")
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
