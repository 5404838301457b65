"""Sentences and key figures that say what the numbers say, good or bad."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from contextnmt.report.contextualization import caveats
from contextnmt.report.experiment import Experiment, System, pair_title
from contextnmt.report.gains import Contrast, contrasts, differences, is_headline
from contextnmt.report.gaps import listed_gaps, score_gaps, untold
from contextnmt.report.tables import NONE, as_printed, signed
from contextnmt.report.trainings import still_gaining

#: The data of a table.
Rows = list[dict[str, Any]]

#: Row of the phenomena table that a method is meant to mend -> (the method, what it is, what
#: choosing blindly gives: each ambiguous word has two senses, one as frequent as the other).
AIMS = {
    "ambiguous": ("C", "ambiguous words", " (50 % by choosing blindly)"),
    "name unseen": ("S", "names unseen in training", ""),
    "number": ("S", "numbers", ""),
    "acronym": ("S", "acronyms", ""),
}


@dataclass(frozen=True)
class Figure:
    """A key figure: what it is, its value here, and a remark."""

    name: str
    value: str
    remark: str


@dataclass(frozen=True)
class Findings:
    """What is found for one language pair; `warnings` say what a reader of any of it must know."""

    title: str
    headline: str
    figures: list[Figure]
    sentences: list[str]
    warnings: list[str] = field(default_factory=list)


def findings(about: Experiment, tables: Mapping[str, Rows]) -> list[Findings]:
    """The findings of each pair, from the data of the tables by their names.

    Needed is that of BLEU; those of significance, phenomena, masks and trainings are used if given.
    """
    bleu = tables[about.table]
    tests, phenomena, masks, trainings = (
        tables.get(name, []) for name in ("significance", "phenomena", "masks", "trainings")
    )
    return [
        replace(
            of_pair(about, pair, bleu, tests, [row for row in phenomena if row["pair"] == pair]),
            warnings=without_score(about, bleu, pair)
            + caveats(about, pair, masks)
            + still_gaining(trainings, pair),
        )
        for pair in about.pairs
    ]


def of_pair(about: Experiment, pair: str, bleu: Rows, tests: Rows, phenomena: Rows) -> Findings:
    """The findings of one pair: what each method adds, and whether it mends its aims."""
    found = contrasts(about, bleu, tests, pair)
    headline, best = best_system(about, pair, bleu, tests)
    figures, sentences = [best], []
    unscored = score_gaps(about, bleu, pair)
    for method in about.methods:
        of_method = [contrast for contrast in found if contrast.method == method]
        if of_method:
            figures.append(gain_figure(about, pair, of_method[0]))
            sentences.append(verdict(of_method))
            for aim, (mending, _, _) in AIMS.items():
                if mending == method.id:
                    sentences.extend(aimed(of_method[0], aim, phenomena))
        sentences.extend(untold(about, pair, method, unscored))
    return Findings(pair_title(pair), headline, figures, sentences)


def without_score(about: Experiment, bleu: Rows, pair: str) -> list[str]:
    """A sentence on the systems that are finished and have no score, in a list; or none."""
    gaps = listed_gaps(about, score_gaps(about, bleu, pair))
    where = f"on {about.test[pair][0]} with beam {about.beam}"
    return [f"No score {where}, and in no comparison: {gaps}."] if gaps else []


def best_system(about: Experiment, pair: str, bleu: Rows, tests: Rows) -> tuple[str, Figure]:
    """The system with the highest test BLEU at the widest beam, and its lead over the first.

    Of those that are finished and have a score: the sentence says so where some do not, and where
    chance may give the lead.
    """
    text = about.test[pair][0]
    key = ("here", pair, text, about.beam)
    scores = {
        row["system"]: row["bleu"]
        for row in bleu
        if (row["source"], row["pair"], row["text"], row["beam"]) == key and row["bleu"] is not None
    }
    systems = about.marked(pair)
    scored = [system for system in systems if system.id in scores]
    on_text = f"on {text} with beam {about.beam}"
    if not scored:
        return f"No system has a score {on_text}.", Figure("best BLEU", NONE, "")
    best = max(scored, key=lambda system: as_printed([scores[system.id]]))
    score = f"{scores[best.id]:.2f}"
    reached = f"{score} BLEU {on_text}"
    found = differences(about, bleu, tests, pair, [(best.id, systems[0].id)])
    sure = best == systems[0] or all(each.helps for each in found)
    what = "finished" if len(scored) == len(about.finished(pair)) else "scored"
    sentence = standing(systems, scored, what, best, reached, scores, sure)
    remark = best.label
    labels = {system.id: system.label for system in about.systems}
    paper = [
        row
        for row in bleu
        if is_headline(about, row)
        and (row["pair"], row["split"]) == (pair, "test")
        and row["system"] in labels
    ]
    if paper:
        top = max(paper, key=lambda row: row["bleu"])
        remark += f"; paper {labels[top['system']]}, {top['bleu']:.2f}"
    return sentence, Figure("best BLEU", score, remark)


def standing(
    systems: list[System],
    compared: list[System],
    what: str,
    best: System,
    reached: str,
    scores: dict[str, float],
    sure: bool,
) -> str:
    """The best of the systems `compared`, what it has `reached`, and how it stands to the first.

    `what` they are, ``finished`` or ``scored``, where others are not; `sure`: by more than chance
    gives.
    """
    base, others = systems[0], len(systems) - len(compared)
    lead = signed(scores[best.id] - scores[base.id]) if base in compared else ""
    if len(compared) == 1:
        opening = f"{best.label} alone is {what}:" if others else f"{best.label} has"
    elif others:
        rank = "best" if sure else "highest, within chance,"
        opening = (
            f"{best.label} is {rank} of the {len(compared)} {what} systems (of {len(systems)}):"
        )
    elif best == base:
        opening = f"No system beats {base.label}:"
    else:
        opening = f"{best.label} is {'best' if sure else 'highest, within chance'}:"
    return f"{opening} {reached}{f', {lead} over {base.label}' if lead and best != base else ''}."


def gain_figure(about: Experiment, pair: str, contrast: Contrast) -> Figure:
    """The gain of a method, with its confidence interval and the paper's."""
    if contrast.paper is not None:
        paper = f"paper {signed(contrast.paper)}"
    else:
        lacking = f"the paper has none of {pair_title(pair)}"
        paper = "the paper's is not at hand" if about.reconstruction else lacking
    interval = contrast.interval
    here = f"95 %: {signed(interval[0])} to {signed(interval[1])}; " if interval else ""
    return Figure(contrast.label, signed(contrast.gain), here + paper)


def verdict(found: list[Contrast]) -> str:
    """Whether a method helps, with the numbers of its contrasts, one at least."""
    name = found[0].method.name
    least, most = (choose(found, key=lambda item: item.gain) for choose in (min, max))
    if least is most:
        gains = f"{signed(most.gain)} BLEU over {most.without.label}"
    else:
        lowest, highest = (f"{signed(item.gain)} BLEU ({item.label})" for item in (least, most))
        gains = f"from {lowest} to {highest}"
    return f"{name[0].upper()}{name[1:]} {verb(found)}: {gains}{in_paper(found)}."


def verb(found: list[Contrast]) -> str:
    """What a method does, in all of its contrasts or in how many of them."""
    helps = [contrast.helps for contrast in found]
    if len(set(helps)) == 1:
        return {
            True: "helps",
            False: "does harm on this corpus",
            None: "makes no difference beyond chance",
        }[helps[0]]
    counts = {
        "helps": helps.count(True),
        "does harm": helps.count(False),
        "makes no difference beyond chance": helps.count(None),
    }
    return ", ".join(
        f"{what} in {count}{'' if number else f' of {len(helps)} comparisons'}"
        for number, (what, count) in enumerate((w, c) for w, c in counts.items() if c)
    )


def in_paper(found: list[Contrast]) -> str:
    """The paper's gains of the same contrasts, or nothing."""
    gains = {item.label: item.paper for item in found if item.paper is not None}
    if not gains:
        return ""
    least, most = (signed(end(gains.values())) for end in (min, max))
    which = f" ({', '.join(gains)})" if len(gains) < len(found) else ""
    return f"; in the paper {least if least == most else f'from {least} to {most}'}{which}"


def aimed(contrast: Contrast, aim: str, phenomena: Rows) -> list[str]:
    """A sentence on what a method is meant to mend, if the test text is tagged with it."""
    _, name, blindly = AIMS[aim]
    rows = {row["system"]: row for row in phenomena if row["phenomenon"] == aim}
    if not {contrast.present.id, contrast.without.id} <= set(rows):
        return []
    before, after = rows[contrast.without.id], rows[contrast.present.id]
    if abs(after["right_percent"] - before["right_percent"]) <= chance(before, after):
        compared = f"about as many {name} right as"
    elif after["right"] > before["right"]:
        compared = f"more {name} right than"
    else:
        compared = f"fewer {name} right than"
    return [
        f"{contrast.present.label} gets {compared} {contrast.without.label}: "
        f"{after['right_percent']:.1f} % against {before['right_percent']:.1f} %{blindly}."
    ]


def chance(before: dict[str, Any], after: dict[str, Any]) -> float:
    """The difference of two shares of as many items, in percent, that chance alone may well make.

    Two standard errors of the difference of two binomial shares.
    """
    total = min(before["total"], after["total"])
    share = (before["right"] + after["right"]) / (before["total"] + after["total"])
    return 200.0 * float((2 * share * (1 - share) / total) ** 0.5)
