"""What a report says of systems that are not finished: a gap with its reason."""

from contextnmt.report.experiment import Experiment, Method, pair_title
from contextnmt.report.tables import NONE, Cell


def dashes(count: int) -> list[Cell]:
    """The cells of a row that is a gap."""
    return [Cell(NONE)] * count


def gap_lines(about: Experiment) -> list[str]:
    """Which systems are gaps and why, a line a language pair; those of a pair of which nothing is
    finished come last."""
    others = [pair for pair in about.gaps if pair not in about.pairs]
    return [
        f"{pair_title(pair)}: {gaps}."
        for pair in [*about.pairs, *others]
        if (gaps := gaps_in(about, pair))
    ]


def gaps_in(about: Experiment, pair: str) -> str:
    """The systems that are gaps in a pair, each with its reason; of all with one reason once."""
    gaps = [(system.label, about.gap(pair, system.id)) for system in about.systems]
    reasons = {reason for _, reason in gaps}
    if len(gaps) > 1 and len(reasons) == 1 and all(reasons):
        return f"all systems ({gaps[0][1]})"
    return "; ".join(f"{label} ({reason})" for label, reason in gaps if reason)


def gap_notes(about: Experiment) -> list[str]:
    """The same as the notes of a table."""
    return [f"Not finished: {line}" for line in gap_lines(about)]


def untold(about: Experiment, pair: str, method: Method) -> list[str]:
    """A sentence on the contrasts of a method that are not to be had, in a list; or none."""
    labels = {system.id: system.label for system in about.systems}
    missing = [
        contrast
        for contrast in method.contrasts
        if set(contrast) <= set(labels) and any(about.gap(pair, each) for each in contrast)
    ]
    if not missing:
        return []
    contrasts = ", ".join(
        f"{labels[present]} over {labels[without]}" for present, without in missing
    )
    reasons = {
        labels[each]: about.gap(pair, each)
        for contrast in missing
        for each in contrast
        if about.gap(pair, each)
    }
    why = "; ".join(f"{label}: {reason}" for label, reason in reasons.items())
    name = f"{method.name[0].upper()}{method.name[1:]}"
    return [f"{name}: no verdict on {contrasts} yet ({why})."]
