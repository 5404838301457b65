"""How far masked vectors of ambiguous words are apart, in contexts of one sense and of two."""

import statistics
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, Run, match, parse_experiment, run_of
from contextnmt.report.gaps import gap_notes
from contextnmt.report.staleness import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, rounded, write_table

#: Kind of pairs of a file of stage `masks` -> heading; the first two are those of tagged words.
KINDS = {"same": "one sense", "different": "two senses", "unknown": "any two sentences"}
#: What a file of the stage has.
KEYS = {"contextualizer", "words", "all"}
#: Measure -> heading.
MEASURES = {"cosine": "cosine distance", "euclidean": "Euclidean distance"}
OPEN = ("mask above 0.99 (%)", "")
WORDS = ("words", "")
SEPARATION = ("two senses farther (%)", "")

OPENING = (
    "Mask above 0.99: of all values of the masks, those that let a dimension of a word's vector "
    "pass all but unchanged."
)
DISTANCES = (
    "Distances between the source vectors of a word in two sentences, after the context mask: "
    "means over {}. A system without contextualizer gives a word one vector: 0 by construction."
)
#: Kind of pairs -> what the means are over.
MEANS = {
    "same": "the ambiguous words that the test text has in both kinds of pairs",
    "unknown": "all pairs of sentences with a word, where nobody has said what it means in them",
}
FARTHER = (
    "Two senses farther: of all comparisons of a pair of sentences in which the word has two "
    "senses with one in which it has one, the share in which the former are farther by cosine, a "
    "tie being half of one; mean over the words. 50: the masks say nothing of the sense."
)


def masks_table(masks: list[Path], experiment: str, out: Path) -> None:
    """Tabulate the distances of masked vectors of ambiguous words, system by system."""
    about = parse_experiment(experiment)
    found = {run: content["all"] for run, content in read_masks(about, masks).items()}
    pairs = [pair for pair in about.pairs if any(run.pair == pair for run in found)]
    data = [row for run, means in found.items() for row in rows_of(run, means)]
    blocks = [block(about, pair, found) for pair in pairs]
    kinds = {kind for means in found.values() for kind in kinds_of([means])}
    told = notes(kinds) + gap_notes(about) + stale_notes(about)
    write_table(out, Table(blocks, data, told))


def notes(kinds: Set[str]) -> list[str]:
    """What a reader must know of a table with these kinds of pairs."""
    means = [text for kind, text in MEANS.items() if kind in kinds]
    distances = [DISTANCES.format("; ".join(means))] if means else []
    return [OPENING, *distances, *([FARTHER] if "same" in kinds else [])]


def read_masks(about: Experiment, masks: list[Path]) -> dict[Run, dict[str, Any]]:
    """What stage `masks` wrote of runs, in the experiment's order; all seeds of a system or none.

    Raises UserError if a seed is missing, or a file is something else.
    """
    there = {run_of(path)[:2] for path in masks}
    runs = [run for run in about.runs if run[:2] in there]
    found = {}
    for run, path in match("--masks", masks, run_of, runs).items():
        content = read_json(path)
        if not isinstance(content, dict) or not set(content) >= KEYS:
            raise UserError(f"{path}: not context masks: make this file again")
        found[run] = content
    return found


def block(about: Experiment, pair: str, found: dict[Run, dict[str, Any]]) -> Block:
    """The table of one pair: a row for each system that has masks."""
    there = {
        system.label: [means for run, means in found.items() if run[:2] == (pair, system.id)]
        for system in about.marked(pair)
    }
    kinds = kinds_of(means for of_seeds in there.values() for means in of_seeds)
    distances = [(MEASURES[measure], KINDS[kind]) for measure in MEASURES for kind in kinds]
    last = [SEPARATION, WORDS] if "same" in kinds else [WORDS]
    rows = [(label, cells(of_seeds, kinds)) for label, of_seeds in there.items() if of_seeds]
    return Block(about.pair_title(pair), [OPEN, *distances, *last], rows)


def kinds_of(of_runs: Iterable[dict[str, Any]]) -> list[str]:
    """The kinds of pairs that a text has: by sense where its words are tagged, else all alike."""
    return ["unknown"] if any("unknown" in means for means in of_runs) else ["same", "different"]


def cells(of_seeds: list[dict[str, Any]], kinds: list[str]) -> list[Cell]:
    """Means over the seeds; dashes, and in the last cell the reason, where nothing is compared."""
    opened = [means["open_percent"] for means in of_seeds]
    shown = [Cell(NONE if None in opened else f"{statistics.fmean(opened):.1f}")]
    if not all(kind in means for means in of_seeds for kind in kinds):
        dashes = len(kinds) * len(MEASURES) + ("same" in kinds)
        return [*shown, *[Cell(NONE)] * dashes, Cell("0", "(no word has the pairs)")]
    for measure in MEASURES:
        for kind in kinds:
            mean = statistics.fmean(means[kind][measure] for means in of_seeds)
            shown.append(Cell(distance(mean)))
    if "same" in kinds:
        shown.append(Cell(*rounded([100 * means["separation"] for means in of_seeds], 1)))
    return [*shown, Cell(str(of_seeds[0][kinds[0]]["words"]))]


def distance(value: float) -> str:
    """A distance with two digits."""
    return f"{value:.1e}" if 0 < value < 0.001 else f"{value:.2g}"


def rows_of(run: Run, means: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each run and kind of pairs."""
    return [
        {
            **run._asdict(),
            "senses": kind,
            "words": means["words"],
            **means.get(kind, {}),
            "open_percent": means["open_percent"],
            "separation": means.get("separation") if kind != "unknown" else None,
            "separation_error": means.get("separation_error") if kind != "unknown" else None,
        }
        for kind in kinds_of([means])
    ]
