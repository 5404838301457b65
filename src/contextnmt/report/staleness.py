"""What a report says of numbers that are stale: a mark, and what has changed since."""

import dataclasses
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, pair_title


def with_stale(about: Experiment, path: Path | None) -> Experiment:
    """The experiment with what stage `stale` found; without a file as it is.

    Raises UserError if it is no such file.
    """
    if path is None:
        return about
    found = read_json(path)
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise UserError(f"--stale {path}: not what stage stale writes: make it again")
    return dataclasses.replace(about, stale=found)


def stale_lines(about: Experiment) -> list[str]:
    """Which systems are stale and why, a line a language pair."""
    lines = []
    for pair in about.pairs:
        found = about.stale.get(pair, {})
        told = "; ".join(f"{s.label} ({found[s.id]})" for s in about.systems if s.id in found)
        if told:
            lines.append(f"{pair_title(pair)}: {told}.")
    return lines


def stale_notes(about: Experiment) -> list[str]:
    """The same as the notes of a table."""
    return [
        f"Stale, trained with other settings than there are now: {x}" for x in stale_lines(about)
    ]
