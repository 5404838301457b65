"""What became of the symbols that the systems wrote: the counts of the stage *restore*."""

from collections import Counter
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_run, pair_title
from contextnmt.report.gaps import dashes
from contextnmt.report.tables import Block, Cell
from contextnmt.text.restore import OUTCOMES


def restoration(about: Experiment, files: list[Path]) -> list[Block]:
    """Symbols by what became of them, on the first test text at the widest beam.

    `files` are ``…/{pair}/{system}/{seed}/restored.json``. One block a pair, one row a system whose
    text has symbols, added up over the seeds; none if no system's has, or if there are no files.
    A system that is not finished has dashes. Raises UserError if another run has no file, or a file
    no such counts.
    """
    symbolic = [system.id for system in about.systems if "sym" in system.view]
    if not files or not symbolic:
        return []
    counts: dict[tuple[str, str], Counter[str]] = {}
    for run, path in by_run("--restored", files, about).items():
        if run.system in symbolic:
            name = f"{about.test[run.pair][0]}.beam{about.beam}"
            counts.setdefault((run.pair, run.system), Counter()).update(outcomes(path, name))
    blocks = []
    for pair in about.pairs:
        rows = [
            (
                about.labels(pair)[name],
                dashes(len(OUTCOMES))
                if about.gap(pair, name)
                else [Cell(f"{counts[pair, name][outcome]:,}") for outcome in OUTCOMES],
            )
            for name in symbolic
        ]
        blocks.append(Block(pair_title(pair), [(outcome,) for outcome in OUTCOMES], rows))
    return blocks


def outcomes(path: Path, name: str) -> dict[str, int]:
    """The symbols of the translation `name` (``test.beam12``), by what became of them."""
    try:
        counts = read_json(path)[name]
        return {outcome: counts[outcome] for outcome in OUTCOMES}
    except (KeyError, TypeError):
        raise UserError(f"{path}: no symbols of {name} counted: restore this run again") from None
