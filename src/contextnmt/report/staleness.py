"""What a report says of numbers that are stale: a mark, and what has changed since."""

from contextnmt.report.experiment import Experiment, pair_title


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
