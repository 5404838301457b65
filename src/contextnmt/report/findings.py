"""Sentences and key figures that say what the numbers say, good or bad."""

from dataclasses import dataclass
from typing import Any

from contextnmt.report.contrasts import REPEATS, Contrast, contrasts
from contextnmt.report.experiment import Experiment, pair_title
from contextnmt.report.tables import PAPER, signed

METHOD_NAMES = {"C": "contextualization (C)", "S": "symbolization (S)"}

#: Row of the phenomena table that a method is meant to mend -> (the method, what it is).
AIMS = {
    "ambiguous": ("C", "ambiguous words"),
    "name unseen": ("S", "names unseen in training"),
    "number": ("S", "numbers"),
    "acronym": ("S", "acronyms"),
}


@dataclass(frozen=True)
class Figure:
    """A key figure: what it is, its value here, and a remark."""

    name: str
    value: str
    remark: str


@dataclass(frozen=True)
class Findings:
    """What is found for one language pair."""

    title: str
    headline: str
    figures: list[Figure]
    sentences: list[str]


def findings(
    about: Experiment, bleu: list[dict[str, Any]], phenomena: list[dict[str, Any]]
) -> list[Findings]:
    """The findings of each pair, from the data of Table 4 and of the phenomena table (or none)."""
    return [
        of_pair(about, pair, bleu, [row for row in phenomena if row["pair"] == pair])
        for pair in about.pairs
    ]


def of_pair(
    about: Experiment, pair: str, bleu: list[dict[str, Any]], phenomena: list[dict[str, Any]]
) -> Findings:
    """The findings of one pair: the first contrast of C and of S, and what they are meant for."""
    found = contrasts(about, bleu, pair)
    first = [next((c for c in found if c.method == method), None) for method in METHOD_NAMES]
    headline, best = best_system(about, pair, bleu)
    figures, sentences = [best], []
    for contrast in filter(None, first):
        figures.append(gain_figure(contrast))
        sentences.append(verdict(contrast))
        for aim, (method, name) in AIMS.items():
            if method == contrast.method:
                sentences.extend(aimed(contrast, aim, name, phenomena))
    return Findings(pair_title(pair), headline, figures, sentences)


def best_system(about: Experiment, pair: str, bleu: list[dict[str, Any]]) -> tuple[str, Figure]:
    """The system with the highest test BLEU at the widest beam, and its lead over the first."""
    text = about.test[pair][0]
    key = (pair, text, about.beam)
    scores = {
        row["system"]: row["bleu"]
        for row in bleu
        if row["source"] != PAPER and (row["pair"], row["text"], row["beam"]) == key
    }
    base, *_ = about.systems
    best = max(about.systems, key=lambda system: scores[system.id])
    score, lead = scores[best.id], scores[best.id] - scores[base.id]
    where = f"on {text} with beam {about.beam}"
    headline = (
        f"No system beats {base.label}: {score:.2f} BLEU {where}."
        if best == base
        else f"{best.label} is best: {score:.2f} BLEU {where}, {signed(lead)} over {base.label}."
    )
    remark = best.label
    paper = [
        row
        for row in bleu
        if (row["source"], row["pair"], row["split"], row["beam"])
        == (PAPER, pair, "test", about.beam)
    ]
    if paper:
        top = max(paper, key=lambda row: row["bleu"])
        label = next(system.label for system in about.systems if system.id == top["system"])
        remark += f"; paper {label}, {top['bleu']:.2f}"
    return headline, Figure("best BLEU", f"{score:.2f}", remark)


def gain_figure(contrast: Contrast) -> Figure:
    """The gain of a method, with the paper's."""
    paper = "not in the paper" if contrast.paper is None else f"paper {signed(contrast.paper)}"
    name = f"{contrast.method} on {contrast.without.label}"
    return Figure(name, signed(contrast.gain), paper)


def verdict(contrast: Contrast) -> str:
    """Whether a method helps, with the numbers."""
    repeats = f"the authors' own repeats ({REPEATS} BLEU)" if contrast.spread is None else "seeds"
    verb = {
        True: "helps",
        False: "does not help on this corpus",
        None: f"makes no difference beyond that between {repeats}",
    }[contrast.helps]
    name = METHOD_NAMES[contrast.method]
    paper = "" if contrast.paper is None else f" (in the paper {signed(contrast.paper)})"
    return (
        f"{name[0].upper()}{name[1:]} {verb}: {signed(contrast.gain)} BLEU over "
        f"{contrast.without.label}{paper}."
    )


def aimed(contrast: Contrast, aim: str, name: str, phenomena: list[dict[str, Any]]) -> list[str]:
    """A sentence on what a method is meant to mend, if the test text is tagged with it."""
    rows = {row["system"]: row for row in phenomena if row["phenomenon"] == aim}
    if not {contrast.present.id, contrast.without.id} <= set(rows):
        return []
    before, after = rows[contrast.without.id], rows[contrast.present.id]
    shares = f"{after['right_percent']:.1f} %, against {before['right_percent']:.1f} % without"
    if abs(after["right_percent"] - before["right_percent"]) <= chance(before, after):
        return [f"With {contrast.method} it gets about as many {name} right: {shares}."]
    change = "more" if after["right"] > before["right"] else "fewer"
    return [f"With {contrast.method} it gets {change} {name} right: {shares}."]


def chance(before: dict[str, Any], after: dict[str, Any]) -> float:
    """The difference of two shares of as many items, in percent, that chance alone may well make.

    Two standard errors of the difference of two binomial shares.
    """
    total = min(before["total"], after["total"])
    share = (before["right"] + after["right"]) / (before["total"] + after["total"])
    return 200.0 * float((2 * share * (1 - share) / total) ** 0.5)
