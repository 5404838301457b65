"""What became of the symbols that the systems wrote, as a table: the counts of stage *restore*."""

from collections import Counter
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_run, parse_experiment
from contextnmt.report.gaps import dashes, gap_notes
from contextnmt.report.staleness import stale_notes
from contextnmt.report.tables import Block, Cell, Table, write_table
from contextnmt.text.restore import OUTCOMES

#: Pair and system -> its symbols by what became of them, of all seeds together.
Counts = dict[tuple[str, str], Counter[str]]


def restoration_table(restored: list[Path], experiment: str, out: Path) -> None:
    """Tabulate what became of the symbols in the translations: replaced, dropped, missing.

    Those of the first test text at the widest beam, of each system whose text has symbols.
    """
    about = parse_experiment(experiment)
    symbolic = [system.id for system in about.systems if "sym" in system.view]
    counts: Counts = {}
    for run, path in by_run("--restored", restored, about).items():
        if run.system in symbolic:
            name = f"{about.test[run.pair][0]}.beam{about.beam}"
            counts.setdefault((run.pair, run.system), Counter()).update(outcomes(path, name))
    blocks = [block(about, pair, symbolic, counts) for pair in about.pairs if symbolic]
    write_table(out, Table(blocks, data(counts), notes(about)))


def outcomes(path: Path, name: str) -> dict[str, int]:
    """The symbols of the translation `name` (``test.beam12``), by what became of them."""
    try:
        counts = read_json(path)[name]
        return {outcome: counts[outcome] for outcome in OUTCOMES}
    except (KeyError, TypeError):
        raise UserError(f"{path}: no symbols of {name} counted: restore this run again") from None


def block(about: Experiment, pair: str, symbolic: list[str], counts: Counts) -> Block:
    """The table of one language pair; a system that is not finished has dashes."""
    labels = about.labels(pair)
    rows = [
        (
            labels[name],
            dashes(len(OUTCOMES))
            if about.gap(pair, name)
            else [Cell(f"{counts[pair, name][outcome]:,}") for outcome in OUTCOMES],
        )
        for name in symbolic
    ]
    return Block(about.pair_title(pair), [(outcome,) for outcome in OUTCOMES], rows)


def data(counts: Counts) -> list[dict[str, Any]]:
    """One row for each pair, system and outcome."""
    return [
        {"pair": pair, "system": system, "outcome": outcome, "symbols": found[outcome]}
        for (pair, system), found in counts.items()
        for outcome in OUTCOMES
    ]


def notes(about: Experiment) -> list[str]:
    """What a reader must know to read the table."""
    lines = [
        "Rule: replaced by what the training text has for it, where that is no copy of the source; "
        "copy: replaced by a copy; dropped: the source sentence has no such symbol; missing: the "
        "translation left it out.",
        "A symbol counts as often as a translation has it.",
    ]
    if len(about.seeds) > 1:
        lines.append(f"Of {len(about.seeds)} seeds together.")
    return lines + gap_notes(about) + stale_notes(about)
