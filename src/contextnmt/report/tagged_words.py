"""How often each system translates what is tagged in the test text: names, numbers and so on."""

import statistics
from typing import Any

from contextnmt.report.gaps import listed_gaps
from contextnmt.report.results import Record, Results, pair_title, read_record
from contextnmt.report.tables import NONE, Block, Cell, Table, mean_and_deviation, rounded

#: Phenomenon -> where its counts stand in a phenomena file, and its headings in the table.
PHENOMENA = {
    "ambiguous": ("kinds", "ambiguous", "ambiguous words", "all"),
    "ambiguous 1-3": ("ambiguous_by_distance", "1-3", "ambiguous words", "1–3"),
    "ambiguous 4-6": ("ambiguous_by_distance", "4-6", "ambiguous words", "4–6"),
    "ambiguous 7-12": ("ambiguous_by_distance", "7-12", "ambiguous words", "7–12"),
    "ambiguous seen": ("ambiguous_by_cue", "seen", "ambiguous words", "seen"),
    "ambiguous unseen": ("ambiguous_by_cue", "unseen", "ambiguous words", "unseen"),
    "name seen": ("names_by_seen", "seen", "names", "seen"),
    "name unseen": ("names_by_seen", "unseen", "names", "unseen"),
    "number": ("kinds", "number", "numbers", ""),
    "acronym": ("kinds", "acronym", "acronyms", ""),
}

#: Phenomenon -> tags rendered right and tags in all, in one translation.
Counts = dict[str, tuple[int, int]]


def phenomena_table(results: Results) -> Table:
    """Tabulate the share of tagged words that each system translates rightly, with counts."""
    found: dict[tuple[str, str], list[Record]] = {}
    for run, path in results.phenomena().items():
        found.setdefault(run[:2], []).append(read_record(path)[f"{path.stem}.beam{results.beam}"])
    of_seeds = {of: [each["gap"] for each in seeds if "gap" in each] for of, seeds in found.items()}
    gaps = {of: "; ".join(reasons) for of, reasons in of_seeds.items() if reasons}
    # A mean is one of all seeds.
    counts = {of: list(map(counts_in, seeds)) for of, seeds in found.items() if of not in gaps}
    blocks = [
        block(results, pair, of_pair)
        for pair in results.pairs
        if (of_pair := {system: seeds for (of, system), seeds in counts.items() if of == pair})
    ]
    return Table(blocks, data(counts), notes(results, gaps))


def counts_in(content: dict[str, Any]) -> Counts:
    """The counts of each phenomenon that a text has, in one translation."""
    return {
        phenomenon: (entry["right"], entry["total"])
        for phenomenon, (table, row, *_) in PHENOMENA.items()
        if (entry := content.get(table, {}).get(row)) and entry["total"]
    }


def block(results: Results, pair: str, of_systems: dict[str, list[Counts]]) -> Block:
    """The table of one language pair: a column for each phenomenon that is tagged in its text."""
    present = next(iter(of_systems.values()))[0]
    columns = [column(of_systems, phenomenon) for phenomenon in present]
    rows = [
        (system.label, [cells.get(system.id, Cell(NONE)) for cells in columns])
        for system in results.marked(pair)
    ]
    headings = [PHENOMENA[phenomenon][2:] for phenomenon in present]
    return Block(results.pair_title(pair), headings, rows)


def column(of_systems: dict[str, list[Counts]], phenomenon: str) -> dict[str, Cell]:
    """The share of each system, the best marked if they differ; with counts where there is only
    one seed."""
    shares = {
        system: [100 * right / total for right, total in (seed[phenomenon] for seed in seeds)]
        for system, seeds in of_systems.items()
    }
    means = {system: statistics.fmean(values) for system, values in shares.items()}
    best = max(means.values()) if len(set(means.values())) > 1 else None
    cells = {}
    for system, values in shares.items():
        right, total = of_systems[system][0][phenomenon]
        text, spread = rounded(values, digits=1)
        remark = f"{spread} of {total:,}" if spread else f"({right:,}/{total:,})"
        cells[system] = Cell(text, remark, means[system] == best)
    return cells


def data(counts: dict[tuple[str, str], list[Counts]]) -> list[dict[str, Any]]:
    """One row for each pair, system and phenomenon, the counts added up over the seeds."""
    rows = []
    for (pair, system), seeds in counts.items():
        for phenomenon in seeds[0]:
            of_seeds = [seed[phenomenon] for seed in seeds]
            right, total = map(sum, zip(*of_seeds, strict=True))
            shares = [100 * right / total for right, total in of_seeds]
            row: dict[str, Any] = {"pair": pair, "system": system, "phenomenon": phenomenon}
            row |= {"right": right, "total": total, "seeds": len(seeds)}
            _, deviation = mean_and_deviation(shares)
            rows.append(
                row | {"right_percent": 100 * right / total, "right_percent_deviation": deviation}
            )
    return rows


def notes(results: Results, gaps: dict[tuple[str, str], str]) -> list[str]:
    """Notes of the table."""
    lines = [
        f"Percent rendered as in the reference, and counts; beam {results.beam}; bold: highest "
        "of a column.",
        "1–3, 4–6, 7–12: words from the ambiguous word to the nearest that settles its meaning.",
        "Seen: the training text has the name, or has the ambiguous word together with the word "
        "that settles its meaning here.",
    ]
    if len(results.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(results.seeds)} seeds.")
    for pair in results.pairs:
        if of_pair := {system: reasons for (of, system), reasons in gaps.items() if of == pair}:
            lines.append(f"No counts: {pair_title(pair)}: {listed_gaps(results, of_pair)}.")
    return lines
