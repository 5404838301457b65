"""The report of a results folder: tables, figures and page of an experiment, or of all papers."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from contextnmt.errors import UserError
from contextnmt.progress import say
from contextnmt.report.alignments import alignment_maps
from contextnmt.report.certainty import significance_table
from contextnmt.report.charts import local_charts_figure, local_charts_table
from contextnmt.report.claims import claims_table
from contextnmt.report.contents import CORPORA, SYSTEMS, Part, files, outputs, parts
from contextnmt.report.differences import differences
from contextnmt.report.experiment import results_of
from contextnmt.report.figures import save_all
from contextnmt.report.gains import gains
from contextnmt.report.gaps import pretrained_systems, stale_systems, system_notes
from contextnmt.report.gates import gates_table, masks_figure, masks_table
from contextnmt.report.learning_curves import curves, trainings_table
from contextnmt.report.lengths import length_curves, length_scores_table
from contextnmt.report.literature import literature_table
from contextnmt.report.page import page
from contextnmt.report.papers import paper, papers
from contextnmt.report.results import Results, misfits_told, read_record
from contextnmt.report.scale import scale_table
from contextnmt.report.scores import bleu_table
from contextnmt.report.sentences import examples
from contextnmt.report.source_symbols import (
    ablation_table,
    restoration_table,
    symbol_errors_table,
    symbol_scores_table,
)
from contextnmt.report.symbolization import symbols_table, table2, table3
from contextnmt.report.tables import Table, write_table
from contextnmt.report.tagged_words import phenomena_table
from contextnmt.report.training_text import (
    cleaning_table,
    overlap_table,
    selection_figures,
    selection_table,
)

#: Caption of a part -> the function that makes it.
MAKERS: dict[str, Callable[[Results], Any]] = {
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
    "overlap": overlap_table,
    "phenomena": phenomena_table,
    "restoration": restoration_table,
    "scale": scale_table,
    "selection": selection_table,
    "selection-figures": selection_figures,
    "significance": significance_table,
    "symbol-ablation": ablation_table,
    "symbol-errors": symbol_errors_table,
    "symbol-scores": symbol_scores_table,
    "symbols": symbols_table,
    "table1": local_charts_table,
    "table2": table2,
    "table3": table3,
    "trainings": trainings_table,
}

About = Literal["corpora", "systems"]


@misfits_told()
def report(
    folder: Annotated[Path, typer.Argument(help="results folder, such as results/demo")],
    experiment: Annotated[
        str | None, typer.Argument(help="such as choi2017; by default, the page of all papers")
    ] = None,
    only: Annotated[
        About | None, typer.Option(help="make only what is about the corpora or the systems")
    ] = None,
) -> None:
    """Make the tables, figures and page of an experiment, or the page of all papers.

    The folder needs configuration.json, which Snakemake writes. With --only corpora, no training
    has to be finished; --only systems makes all else, and the page.

    Example: contextnmt report results/demo choi2017
    """
    found = read_results(folder)
    if experiment is None and only:
        raise UserError("--only: name an experiment too, such as choi2017")
    if experiment is None:
        report_papers(folder, list(found.values()))
    elif experiment in found:
        report_experiment(found[experiment], only)
    else:
        raise UserError(f"{experiment}: {folder} has no such experiment, but {', '.join(found)}")


def read_results(folder: Path) -> dict[str, Results]:
    """The results of each experiment in a results folder, by its configuration.json.

    Keys of that file: `configuration`, resolved; `gaps`, language pair -> system -> reason;
    `papers`, experiment -> `digest` of its configuration and `deviations` from its paper. Raises
    UserError if the file is missing or lacks a key.
    """
    path = folder / "configuration.json"
    if not path.is_file():
        raise UserError(
            f"{path}: no such file. If {folder} is a results folder, `snakemake --profile local "
            "configuration` writes the file; add the --config and --configfile of that run"
        )
    content = read_record(path)
    return {
        name: results_of(folder, content["configuration"], name, content["gaps"], **paper)
        for name, paper in content["papers"].items()
    }


def report_experiment(results: Results, only: str | None) -> None:
    """Write tables, figures and page of an experiment, or those `only` about corpora or systems.

    Raises UserError if nothing of it is finished, or if files are missing that it is made of.
    """
    check(results, only)
    if only != CORPORA:
        results = with_marks(results)
    for part in parts(results, only):
        make(results, part)
    if only != CORPORA:
        page(results)
        tell(results)


def with_marks(results: Results) -> Results:
    """The results with their systems that are stale or pretrained."""
    stale, pretrained = stale_systems(results), pretrained_systems(results)
    return replace(results, stale=stale, pretrained=pretrained)


def tell(results: Results) -> None:
    """Write to stderr what the page says first, and where it is."""
    content = paper(results)
    for found in content["findings"]:
        say(f"{found.title}: {found.headline}")
    if verdicts := Counter(row["verdict"] for row in content["claims"].data):
        counts = ", ".join(f"{count} × {verdict}" for verdict, count in verdicts.items())
        say(f"Verdicts on what the paper claims: {counts}.")
    say(f"The report: {(results.report / 'index.html').absolute().as_uri()}")


def check(results: Results, only: str | None) -> None:
    """Raises UserError if an input of the report is missing."""
    if only != CORPORA and not results.pairs:
        raise UserError(results.unfinished())
    wanted = files(results, only)
    for part in parts(results, CORPORA) if only == SYSTEMS else []:  # the page shows these too
        wanted += outputs(results, part, "json", "svg")
    missing = [path for path in wanted if not path.is_file()]
    if missing:
        others = f" and {len(missing) - 1} more files" if len(missing) > 1 else ""
        raise UserError(
            f"{missing[0]}{others}: not there yet; the report of {results.name} needs them. "
            "`snakemake --profile local` makes what is missing; add --config gaps=true to report "
            "only finished systems."
        )


@misfits_told()
def make(results: Results, part: Part) -> None:
    """Make the table or the figures of a part.

    A table about systems says in its notes which of them are not finished, stale or pretrained.
    """
    function = MAKERS[part.caption]
    if not part.table:
        save_all(function(results), results.report / "figures")
        return
    table: Table = function(results)
    if part.about == SYSTEMS:
        table = replace(table, notes=table.notes + system_notes(results))
    write_table(results.report / "tables" / part.table, table)


def report_papers(folder: Path, found: list[Results]) -> None:
    """Write the page of all papers and the start page of `snakemake --report`.

    Raises UserError if no system is finished or a paper's report is missing.
    """
    reported = [results for results in found if results.pairs]
    unfinished = [each.unfinished() for each in found if not each.pairs and each.gaps]
    if not reported:
        raise UserError(". ".join(unfinished) or f"{folder}: no experiment in its configuration")
    for results in reported:
        page = results.report / "index.html"
        if not page.is_file():
            raise UserError(
                f"{page}: not there yet: `contextnmt report {folder} {results.name}` makes it"
            )
    papers(folder, list(map(with_marks, reported)), unfinished)
