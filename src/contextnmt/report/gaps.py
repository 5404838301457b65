"""What a report says of systems that are not finished or have no score: a gap with its reason."""

from collections.abc import Mapping
from typing import Any

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


def score_gaps(
    about: Experiment, bleu: list[dict[str, Any]], pair: str, text: str = ""
) -> dict[str, str]:
    """System -> why it is finished and yet has no BLEU on a text, the first test text if not told,
    at the widest beam. `bleu` is the data of the BLEU table."""
    key = ("here", pair, text or about.test[pair][0], about.beam)
    return {
        row["system"]: row["gap"]
        for row in bleu
        if row.get("gap") and (row["source"], row["pair"], row["text"], row["beam"]) == key
    }


def score_gap_notes(
    about: Experiment, bleu: list[dict[str, Any]], texts: int | None = None
) -> list[str]:
    """The same of all systems and test texts, or of the first so many `texts` of each language
    pair, as the notes of a table."""
    return [
        f"No score: {pair_title(pair)}, {text}, beam {about.beam}: {listed}."
        for pair in about.pairs
        for text in about.test[pair][:texts]
        if (listed := listed_gaps(about, score_gaps(about, bleu, pair, text)))
    ]


def listed_gaps(about: Experiment, gaps: Mapping[str, str]) -> str:
    """Systems by their labels, in the order of the experiment, each with its reason."""
    return "; ".join(
        f"{system.label} ({gaps[system.id]})" for system in about.systems if system.id in gaps
    )


def untold(about: Experiment, pair: str, method: Method, unscored: Mapping[str, str]) -> list[str]:
    """A sentence on the contrasts of a method that are not to be had, in a list; or none.

    `unscored`: system -> why it has no score though it is finished.
    """
    reason_of = {each.id: about.gap(pair, each.id) for each in about.systems} | {**unscored}
    labels = {system.id: system.label for system in about.systems}
    missing = [
        contrast
        for contrast in method.contrasts
        if set(contrast) <= set(labels) and any(reason_of[each] for each in contrast)
    ]
    if not missing:
        return []
    contrasts = ", ".join(
        f"{labels[present]} over {labels[without]}" for present, without in missing
    )
    reasons = {
        labels[each]: reason_of[each]
        for contrast in missing
        for each in contrast
        if reason_of[each]
    }
    why = "; ".join(f"{label}: {reason}" for label, reason in reasons.items())
    name = f"{method.name[0].upper()}{method.name[1:]}"
    return [f"{name}: no verdict on {contrasts} yet ({why})."]
