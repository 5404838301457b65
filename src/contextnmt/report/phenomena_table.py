"""How often each system translates what is tagged in the test text: names, numbers and so on."""

from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_run, pair_title
from contextnmt.report.gaps import dashes, gap_notes, listed_gaps
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import (
    Block,
    Cell,
    Table,
    mean_and_deviation,
    rounded,
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
#: Language pair and system -> the counts of each seed, or why one has none.
Counts = dict[tuple[str, str], list[dict[str, Count]]]
Gaps = dict[tuple[str, str], list[str]]


def phenomena_table(phenomena: list[Path], about: Experiment) -> Table:
    """Tabulate the share of tagged words that each system translates rightly, with counts."""
    counts: Counts = {}
    gaps: Gaps = {}
    for run, path in by_run("phenomena", phenomena, about).items():
        found = counts_of(path, about.beam)
        if isinstance(found, str):
            gaps.setdefault((run.pair, run.system), []).append(found)
        else:
            counts.setdefault((run.pair, run.system), []).append(found)
    counts = {key: runs for key, runs in counts.items() if key not in gaps}  # a mean is one of all
    counted = {pair for pair, _ in counts}
    blocks = [block(about, pair, counts) for pair in about.pairs if pair in counted]
    return Table(blocks, data(counts), notes(about, gaps))


def counts_of(path: Path, beam: int) -> dict[str, Count] | str:
    """The counts of each phenomenon in the text that `path` is named after, at a beam width; of a
    translation that has none, the reason.

    A phenomenon that the text does not have is left out. Raises UserError if the file lacks the
    translation.
    """
    name = f"{path.stem}.beam{beam}"
    try:
        content: dict[str, Any] = read_json(path)[name]
        if "gap" in content:
            return str(content["gap"])
        return {
            phenomenon: (entry["right"], entry["total"])
            for phenomenon, (table, row, *_) in PHENOMENA.items()
            if (entry := content[table].get(row)) and entry["total"]
        }
    except (KeyError, TypeError):
        raise UserError(f"{path}: no counts for {name}: count this translation too") from None


def block(about: Experiment, pair: str, counts: Counts) -> Block:
    """The table of one language pair: a column for each phenomenon that is tagged in its text."""
    counted = [system.id for system in about.systems if (pair, system.id) in counts]
    first = counts[pair, counted[0]][0]
    present = [phenomenon for phenomenon in PHENOMENA if phenomenon in first]
    columns = [PHENOMENA[phenomenon][2:] for phenomenon in present]
    cells = [
        column([counts[pair, system] for system in counted], phenomenon) for phenomenon in present
    ]
    of_systems = dict(zip(counted, zip(*cells, strict=True), strict=False))
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


def data(counts: Counts) -> list[dict[str, Any]]:
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


def notes(about: Experiment, gaps: Gaps) -> list[str]:
    """What a reader must know to read the table."""
    lines = [
        f"Percent rendered as in the reference, and counts; beam {about.beam}; bold: best of a "
        "column.",
        "1–3, 4–6, 7–12: words from the ambiguous one to the one that settles its meaning.",
        "Seen: the name occurs in the training text.",
    ]
    if len(about.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(about.seeds)} seeds.")
    lines += gap_notes(about)
    for pair in about.pairs:
        of_pair = {system: "; ".join(told) for (of, system), told in gaps.items() if of == pair}
        if of_pair:
            lines.append(f"No counts: {pair_title(pair)}: {listed_gaps(about, of_pair)}.")
    return lines + stale_notes(about)
