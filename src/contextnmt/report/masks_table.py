"""How far masked vectors of ambiguous words are apart, in contexts of one sense and of two."""

import statistics
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, Run, match, parse_experiment, run_of
from contextnmt.report.tables import NONE, Block, Cell, Table, mean_and_deviation, write_table

#: Measure and kind of pairs of a file of stage `masks` -> headings.
COLUMNS = {
    ("cosine", "same"): ("cosine distance", "one sense"),
    ("cosine", "different"): ("cosine distance", "two senses"),
    ("euclidean", "same"): ("Euclidean distance", "one sense"),
    ("euclidean", "different"): ("Euclidean distance", "two senses"),
}
SEPARATION = ("two senses farther (%)", "")

NOTES = [
    "Distances between the source vectors of an ambiguous word in two sentences, after the context "
    "mask: means over the words that the test text has in both kinds of pairs. A system without "
    "contextualizer gives a word one vector: 0 by construction.",
    "Two senses farther: of all comparisons of a pair of sentences in which the word has two "
    "senses with one in which it has one, the share in which the former are farther by cosine, a "
    "tie being half of one. 50: the masks say nothing of the sense.",
]


def masks_table(
    masks: Annotated[list[Path], typer.Option(help="masks of a run; repeatable")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="path of the table, without its suffix")],
) -> None:
    """Tabulate the distances of masked vectors of ambiguous words, system by system.

    Example: contextnmt masks-table --masks results/demo/masks/en-fr/context/1/test.json
    --experiment "$JSON" --out results/demo/report/choi2017/tables/masks
    """
    about = parse_experiment(experiment)
    found = {run: content["all"] for run, content in read_masks(about, masks).items()}
    pairs = [pair for pair in about.pairs if any(run.pair == pair for run in found)]
    data = [row for run, means in found.items() for row in rows_of(run, means)]
    write_table(out, Table([block(about, pair, found) for pair in pairs], data, NOTES))


def read_masks(about: Experiment, masks: list[Path]) -> dict[Run, dict[str, Any]]:
    """What stage `masks` wrote of runs, in the experiment's order; all seeds of a system or none.

    Raises UserError if a seed is missing, or a file is something else.
    """
    there = {run_of(path)[:2] for path in masks}
    runs = [run for run in about.runs if run[:2] in there]
    found = {}
    for run, path in match("--masks", masks, run_of, runs).items():
        content = read_json(path)
        if not isinstance(content, dict) or not {"contextualizer", "words", "all"} <= set(content):
            raise UserError(f"{path}: not context masks: make this file again")
        found[run] = content
    return found


def block(about: Experiment, pair: str, found: dict[Run, dict[str, Any]]) -> Block:
    """The table of one pair: a row for each system that has masks."""
    rows = []
    for system in about.systems:
        of_seeds = [means for run, means in found.items() if run[:2] == (pair, system.id)]
        if of_seeds:
            rows.append((system.label, cells(of_seeds)))
    return Block(about.pair_title(pair), [*COLUMNS.values(), SEPARATION], rows)


def cells(of_seeds: list[dict[str, Any]]) -> list[Cell]:
    """Means over the seeds; dashes and the reason, where no word has both kinds of pairs."""
    if not all(means["words"] for means in of_seeds):
        return [*[Cell(NONE)] * len(COLUMNS), Cell(NONE, "(no word has both kinds of pairs)")]
    shown = [
        Cell(f"{statistics.fmean(means[kind][measure] for means in of_seeds):.2g}")
        for measure, kind in COLUMNS
    ]
    mean, deviation = mean_and_deviation([100 * means["separation"] for means in of_seeds])
    remark = "" if deviation is None else f"± {deviation:.1f}"
    return [*shown, Cell(f"{mean:.1f}", f"{remark} ({of_seeds[0]['words']} words)".lstrip())]


def rows_of(run: Run, means: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each run and kind of pairs."""
    return [
        {
            **run._asdict(),
            "senses": kind,
            "words": means["words"],
            **means.get(kind, {}),
            "separation": means.get("separation"),
        }
        for kind in ("same", "different")
    ]
