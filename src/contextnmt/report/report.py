"""The report of a results folder: tables, figures and page of an experiment, or of all papers."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from contextnmt.closure import ROOT
from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.alignments import alignment_maps
from contextnmt.report.benchmarks import benchmarks
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.claims_table import claims_table
from contextnmt.report.cleaning import cleaning_table
from contextnmt.report.contents import CORPORA, SYSTEMS, Contents, Part
from contextnmt.report.contextualization import gates_table
from contextnmt.report.differences import differences
from contextnmt.report.experiment import Experiment, experiment_of
from contextnmt.report.gains import gains
from contextnmt.report.lengths import length_curves, length_scores_table
from contextnmt.report.literature_table import literature_table
from contextnmt.report.local_charts import local_charts_figure, local_charts_table
from contextnmt.report.masks import masks_figure, masks_table
from contextnmt.report.page import page
from contextnmt.report.papers import papers
from contextnmt.report.phenomena_table import phenomena_table
from contextnmt.report.selection import selection_figures, selection_table
from contextnmt.report.sentences import examples
from contextnmt.report.significance_table import significance_table
from contextnmt.report.stale import stale_systems
from contextnmt.report.symbolization import table2, table3
from contextnmt.report.symbols import (
    restoration_table,
    symbol_errors_table,
    symbol_scores_table,
    symbols_table,
)
from contextnmt.report.tables import Table, write_table
from contextnmt.report.trainings import curves, trainings_table
from contextnmt.report.unknown_words_table import unknown_words_table

#: Caption of a part -> the function that makes it.
MAKERS: dict[str, Callable[..., Table | None]] = {
    "alignments": alignment_maps,
    "bleu-table": bleu_table,
    "claims": claims_table,
    "cleaning": cleaning_table,
    "curves": curves,
    "differences": differences,
    "examples": examples,
    "gains": gains,
    "gates": gates_table,
    "length-scores": length_scores_table,
    "lengths": length_curves,
    "literature": literature_table,
    "local-charts": local_charts_figure,
    "masks": masks_table,
    "masks-figure": masks_figure,
    "phenomena": phenomena_table,
    "restoration": restoration_table,
    "selection": selection_table,
    "selection-figures": selection_figures,
    "significance": significance_table,
    "symbol-errors": symbol_errors_table,
    "symbol-scores": symbol_scores_table,
    "symbols": symbols_table,
    "table1": local_charts_table,
    "table2": table2,
    "table3": table3,
    "trainings": trainings_table,
    "unknown-words": unknown_words_table,
}

#: Keys of configuration.json.
KEYS = {"configuration", "gaps", "papers"}

#: Tables on the page of all papers, besides BLEU.
ON_PAGE_OF_PAPERS = ["significance", "claims", "masks", "trainings"]

About = Literal["corpora", "systems"]

CAPTIONS = ROOT / "workflow/report"


def report(
    folder: Annotated[Path, typer.Argument(help="results folder, such as results/demo")],
    experiment: Annotated[
        str | None, typer.Argument(help="such as choi2017; by default, the page of all papers")
    ] = None,
    only: Annotated[
        About | None, typer.Option(help="make only the tables and figures about these")
    ] = None,
) -> None:
    """Make the tables, figures and page of an experiment, or the page of all papers.

    The folder needs configuration.json, which Snakemake writes. With --only corpora, no training
    has to be finished; --only systems also makes the page.

    Example: contextnmt report results/demo choi2017
    """
    told = configuration(folder)
    found = {
        name: Contents(str(folder), told["configuration"], name, told["gaps"])
        for name in told["papers"]
    }
    if experiment is None and only:
        raise UserError("--only: name an experiment too, such as choi2017")
    if experiment is None:
        report_papers(folder, found, told["papers"])
    elif experiment in found:
        report_experiment(found[experiment], told["papers"][experiment], only)
    else:
        raise UserError(f"{experiment}: {folder} has no such experiment, but {', '.join(found)}")


def configuration(folder: Path) -> dict[str, Any]:
    """Read the configuration.json of a results folder.

    Its keys: `configuration`, resolved; `gaps`, language pair -> system -> reason; `papers`,
    experiment -> `digest` of its configuration and `deviations` from its paper. Raises UserError if
    the file is missing or lacks a key.
    """
    path = folder / "configuration.json"
    if not path.is_file():
        raise UserError(
            f"{path}: no such file: is {folder} a results folder? If so, "
            "`snakemake --profile local configuration` writes it, with the first --config"
        )
    told = read_json(path)
    if not isinstance(told, dict) or KEYS - told.keys():
        raise UserError(f"{path}: not written by this version: delete it and run Snakemake again")
    return told


def report_experiment(contents: Contents, paper: dict[str, Any], only: str | None) -> None:
    """Write tables, figures and page of an experiment, or those `only` about corpora or systems.

    Raises UserError if nothing of it is finished, or if files are missing that it is made of.
    """
    check(contents, only)
    for part in contents.parts(CORPORA) if only != SYSTEMS else []:
        make(contents, part, experiment_of(contents.described(CORPORA, **paper)))
    if only == CORPORA:
        return
    about = described(contents, paper)
    for part in contents.parts(SYSTEMS):
        make(contents, part, about)
    tables, figures = (
        paths([path for part in contents.parts() for path in contents.outputs(part, suffix)])
        for suffix in ("json", "svg")
    )
    page(
        table=tables,
        figure=figures,
        caption=sorted(CAPTIONS.glob("*.rst")),
        model=paths(contents.runs("train/{pair}/{system}/{seed}/model.json")),
        benchmark=benchmarks(contents),
        about=about,
        out=Path(contents.folder, "index.html"),
    )


def check(contents: Contents, only: str | None) -> None:
    """Raises UserError if an input of the report is missing."""
    if only != CORPORA and not contents.pairs:
        raise UserError(contents.unfinished())
    files = contents.files(only)
    if only == SYSTEMS:  # the page shows these too
        parts = contents.parts(CORPORA)
        files += [path for part in parts for path in contents.outputs(part, "json", "svg")]
    missing = [path for path in files if not Path(path).is_file()]
    if missing:
        others = f" and {len(missing) - 1} more files" if len(missing) > 1 else ""
        raise UserError(
            f"{missing[0]}{others}: not there yet; the report of {contents.name} needs them. "
            "`snakemake --profile local` makes what is missing; add --config gaps=true to report "
            "only finished systems."
        )


def described(contents: Contents, paper: dict[str, Any]) -> Experiment:
    """The experiment as tables about systems need it, with its stale systems."""
    return replace(experiment_of(contents.described(**paper)), stale=stale_systems(contents))


def make(contents: Contents, part: Part, about: Experiment) -> None:
    """Make the tables and figures of a part."""
    function = MAKERS[part.caption]
    wanted = inspect.signature(function).parameters
    figures = Path(contents.folder, "figures")
    given: dict[str, Any] = {"about": about, "out": figures, **part.options}
    for name, files in part.files.items():
        one = wanted[name].annotation is Path
        given[name] = Path(files[0]) if one else paths(files)
    figures.mkdir(parents=True, exist_ok=True)
    table = function(**{name: value for name, value in given.items() if name in wanted})
    if table:
        write_table(Path(contents.folder, "tables", part.tables[0]), table)


def report_papers(
    folder: Path, found: dict[str, Contents], about: dict[str, dict[str, Any]]
) -> None:
    """Write the page of all papers and the start page of `snakemake --report`.

    Raises UserError if no system is finished or a paper's report is missing.
    """
    reported = [contents for contents in found.values() if contents.pairs]
    unfinished = [
        each.unfinished() for each in found.values() if not each.pairs and each.own_gaps()
    ]
    if not reported:
        raise UserError(". ".join(unfinished) or f"{folder}: no experiment in its configuration")
    tables = [
        Path(contents.folder, "tables", f"{name}.json")
        for contents in reported
        for part in contents.parts()
        for name in part.tables
        if name in [contents.entry["table"], *ON_PAGE_OF_PAPERS]
    ]
    pages = [Path(contents.folder, "index.html") for contents in reported]
    for contents, made in zip(reported, pages, strict=True):
        if not made.is_file():
            raise UserError(
                f"{made}: not there yet: `contextnmt report {folder} {contents.name}` makes it"
            )
    papers(
        [described(contents, about[contents.name]) for contents in reported],
        tables,
        pages,
        folder / "report/index.html",
        folder / "report/start.rst",
        unfinished,
    )


def paths(names: list[str]) -> list[Path]:
    """Files by their names."""
    return [Path(name) for name in names]
