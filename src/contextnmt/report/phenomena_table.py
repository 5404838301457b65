"""How often each system translates what is tagged in the test text: names, numbers and so on."""

from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_run, parse_experiment
from contextnmt.report.gaps import dashes, gap_notes
from contextnmt.report.staleness import stale_notes, with_stale
from contextnmt.report.tables import (
    Block,
    Cell,
    Table,
    mean_and_deviation,
    rounded,
    write_table,
)

#: Phenomenon -> where its counts stand in a phenomena file, and its headings in the table.
PHENOMENA = {
    "ambiguous": ("kinds", "ambiguous", "ambiguous words", "all"),
    "ambiguous 1-3": ("ambiguous_by_distance", "1-3", "ambiguous words", "1–3"),
    "ambiguous 4-6": ("ambiguous_by_distance", "4-6", "ambiguous words", "4–6"),
    "ambiguous 7-12": ("ambiguous_by_distance", "7-12", "ambiguous words", "7–12"),
    "name seen": ("names_by_seen", "seen", "names", "seen"),
    "name unseen": ("names_by_seen", "unseen", "names", "unseen"),
    "number": ("kinds", "number", "numbers", ""),
    "acronym": ("kinds", "acronym", "acronyms", ""),
}

#: Tags rendered right and tags in all, of one phenomenon in one translation.
Count = tuple[int, int]


def phenomena_table(
    phenomena: Annotated[list[Path], typer.Option(help="phenomena of a run; repeatable")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="path of the table, without its suffix")],
    stale: Annotated[Path | None, typer.Option(help="what stage stale found")] = None,
) -> None:
    """Tabulate the share of tagged words that each system translates rightly, with counts.

    Example: contextnmt phenomena-table
    --phenomena results/demo/phenomena/en-fr/baseline/1/test.json
    --stale results/demo/stale/choi2017.json --experiment "$JSON"
    --out results/demo/report/choi2017/tables/phenomena
    """
    about = with_stale(parse_experiment(experiment), stale)
    counts: dict[tuple[str, str], list[dict[str, Count]]] = {}
    for run, path in by_run("--phenomena", phenomena, about).items():
        counts.setdefault((run.pair, run.system), []).append(counts_of(path, about.beam))
    blocks = [block(about, pair, counts) for pair in about.pairs]
    write_table(out, Table(blocks, data(counts), notes(about)))


def counts_of(path: Path, beam: int) -> dict[str, Count]:
    """The counts of each phenomenon in the text that `path` is named after, at a beam width.

    A phenomenon that the text does not have is left out. Raises UserError if the file lacks the
    translation.
    """
    name = f"{path.stem}.beam{beam}"
    try:
        content: dict[str, Any] = read_json(path)[name]
        return {
            phenomenon: (entry["right"], entry["total"])
            for phenomenon, (table, row, *_) in PHENOMENA.items()
            if (entry := content[table].get(row)) and entry["total"]
        }
    except (KeyError, TypeError):
        raise UserError(f"{path}: no counts for {name}: count this translation too") from None


def block(
    about: Experiment, pair: str, counts: dict[tuple[str, str], list[dict[str, Count]]]
) -> Block:
    """The table of one language pair: a column for each phenomenon that is tagged in its text."""
    finished = [system.id for system in about.finished(pair)]
    first = counts[pair, finished[0]][0]
    present = [phenomenon for phenomenon in PHENOMENA if phenomenon in first]
    columns = [PHENOMENA[phenomenon][2:] for phenomenon in present]
    cells = [
        column([counts[pair, system] for system in finished], phenomenon) for phenomenon in present
    ]
    of_systems = dict(zip(finished, zip(*cells, strict=True), strict=False))
    rows = [
        (system.label, list(of_systems.get(system.id, dashes(len(present)))))
        for system in about.marked(pair)
    ]
    return Block(about.pair_title(pair), columns, rows)


def column(of_systems: list[list[dict[str, Count]]], phenomenon: str) -> list[Cell]:
    """The shares of all systems, the best marked if they differ; with counts where there is only
    one seed."""
    shares = [[percent(run[phenomenon]) for run in runs] for runs in of_systems]
    means = [mean_and_deviation(values)[0] for values in shares]
    best = max(means) if len(set(means)) > 1 else None
    cells = []
    for runs, values, mean in zip(of_systems, shares, means, strict=True):
        right, total = runs[0][phenomenon]
        text, spread = rounded(values, digits=1)
        remark = f"{spread} of {total}" if spread else f"({right}/{total})"
        cells.append(Cell(text, remark, mean == best))
    return cells


def data(counts: dict[tuple[str, str], list[dict[str, Count]]]) -> list[dict[str, Any]]:
    """One row for each pair, system and phenomenon, the counts added up over the seeds."""
    return [
        {
            "pair": pair,
            "system": system,
            "phenomenon": phenomenon,
            "right": (right := sum(run[phenomenon][0] for run in runs)),
            "total": (total := sum(run[phenomenon][1] for run in runs)),
            "right_percent": percent((right, total)),
            "seeds": len(runs),
        }
        for (pair, system), runs in counts.items()
        for phenomenon in runs[0]
    ]


def percent(count: Count) -> float:
    """The share of what is right."""
    right, total = count
    return 100 * right / total


def notes(about: Experiment) -> list[str]:
    """What a reader must know to read the table."""
    lines = [
        f"Percent rendered as in the reference, and counts; beam {about.beam}; bold: best of a "
        "column.",
        "1–3, 4–6, 7–12: words from the ambiguous one to the one that settles its meaning.",
        "Seen: the name occurs in the training text.",
    ]
    if len(about.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(about.seeds)} seeds.")
    return lines + gap_notes(about) + stale_notes(about)
