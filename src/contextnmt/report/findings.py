"""Sentences and key figures that say what the numbers say, good or bad."""

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from contextnmt.evaluation.seed_variance import seed_variance, widened
from contextnmt.report.certainty import ONE_SEED, direction
from contextnmt.report.gains import Difference, PairScores
from contextnmt.report.gaps import listed_gaps
from contextnmt.report.gates import SIDES, distance
from contextnmt.report.learning_curves import still_gaining
from contextnmt.report.results import Method, Results, System, pair_title
from contextnmt.report.scale import comparison
from contextnmt.report.tables import NONE, Row, as_printed, signed

#: Row of the phenomena table that a method is meant to mend -> (the method, what it is, what
#: choosing blindly gives: each ambiguous word has two senses, one as frequent as the other).
AIMS = {
    "ambiguous": ("C", "ambiguous words", " (50 % by choosing blindly)"),
    "name unseen": ("S", "names unseen in training", ""),
    "number": ("S", "numbers", ""),
    "acronym": ("S", "acronyms", ""),
}
#: Half of all comparisons, in percent: what contexts give that have nothing to do with the sense.
CHANCE = 50.0
#: Percent of the dimensions of masks that vary, below which a mask is next to a constant.
FEW = 5.0
#: Standard errors from chance from which on a separation is called one.
ERRORS = 2.0

TOGETHER = "the masks draw different senses together"
NO_SIGN = "no sign that the masks tell the senses apart"
APART = "the masks tell the senses apart more often than chance"

#: Whether a method is better, None: chance may explain the difference -> what is said of it.
VERBS = {True: "helps", False: "does harm", None: "is undecided"}


@dataclass(frozen=True)
class Figure:
    """A key figure: what it is, its value here, and a remark."""

    name: str
    value: str
    remark: str


@dataclass(frozen=True)
class Findings:
    """The findings of one language pair; `warnings` come first, for whoever reads any of it."""

    title: str
    headline: str
    figures: list[Figure]
    sentences: list[str]
    warnings: list[str] = field(default_factory=list)
    #: Heading of a quantity -> how it is shown, here and in the paper.
    scale: dict[str, tuple[str, str]] = field(default_factory=dict)


def findings(results: Results, tables: Mapping[str, list[Row]]) -> list[Findings]:
    """The findings of each pair, from the data of the tables by their names.

    Needed is that of BLEU; those of significance, phenomena, masks, trainings and scale are used if
    given.
    """
    return [of_pair(results, pair, tables) for pair in results.pairs]


def of_pair(results: Results, pair: str, tables: Mapping[str, list[Row]]) -> Findings:
    """The findings of one pair: what each method adds, and whether it mends its aims."""
    tests, phenomena, masks, trainings = (
        tables.get(name, []) for name in ("significance", "phenomena", "masks", "trainings")
    )
    scores = PairScores(results, pair, tables[results.table], tests)
    figures, sentences = [best_score(scores)], []
    for method in results.methods:
        if found := scores.differences(method.contrasts):
            figures.append(gain_figure(results, pair, found[0]))
            sentences.append(verdict(method, found))
            tagged = [row for row in phenomena if row["pair"] == pair]
            sentences += aimed(method, found[0], tagged)
        sentences += untold(scores, method)
    warnings = [*caveats(results, pair, masks), *still_gaining(trainings, pair)]
    if scores.unscored:
        gaps = listed_gaps(results, scores.unscored)
        warnings.insert(0, f"No score {where(scores)}, and in no comparison: {gaps}.")
    scale = comparison(tables.get("scale", []), pair)
    return Findings(pair_title(pair), headline(scores), figures, sentences, warnings, scale)


def where(scores: PairScores) -> str:
    """The text and the beam of scores."""
    return f"on {scores.text} with beam {scores.results.beam}"


def best_of(scores: PairScores) -> System:
    """The system with the highest BLEU as printed, of equals the first."""
    scored = [system for system in scores.systems.values() if system.id in scores.here]
    return max(scored, key=lambda system: as_printed([scores.here[system.id]["bleu"]]))


def best_score(scores: PairScores) -> Figure:
    """The highest BLEU, here and in the paper."""
    if not scores.here:
        return Figure("highest BLEU", NONE, "")
    best = best_of(scores)
    remark = best.label
    printed = [system for system in scores.results.systems if system.id in scores.paper]
    if printed:
        top = max(printed, key=lambda system: scores.paper[system.id]["bleu"])
        remark += f"; paper {top.label}, {scores.paper[top.id]['bleu']:.2f}"
    return Figure("highest BLEU", f"{scores.here[best.id]['bleu']:.2f}", remark)


def headline(scores: PairScores) -> str:
    """The highest BLEU of the systems with a score, and its lead over the first system.

    The sentence says so where others have no score, and where the lead is no verdict.
    """
    if not scores.here:
        return f"No system has a score {where(scores)}."
    count, scored, finished = (
        len(each) for each in (scores.systems, scores.here, scores.results.finished(scores.pair))
    )
    what = "finished" if scored == finished else "scored"
    base, best = next(iter(scores.systems.values())), best_of(scores)
    bleu = f"{scores.here[best.id]['bleu']:.2f}"
    if scored == 1:
        opening = f"{best.label} has" if count == 1 else f"{best.label} alone is {what}:"
        return f"{opening} {bleu} BLEU {where(scores)}."
    among = f" of the {scored} {what} systems (of {count})" if scored < count else ""
    lead = scores.differences([(best.id, base.id)]) if best != base else []
    over = "".join(f", {signed(each.gain)} over {base.label}{doubt(each)}" for each in lead)
    return f"{best.label} has the highest BLEU{among} {where(scores)}: {bleu}{over}."


def doubt(difference: Difference) -> str:
    """Why a difference is no verdict, in brackets; empty if it is one."""
    if difference.helps is not None:
        return ""
    if not difference.interval:
        return " (not tested)"
    return " (undecided)" if difference.over_both else f" ({ONE_SEED}: no verdict)"


def gain_figure(results: Results, pair: str, contrast: Difference) -> Figure:
    """The gain of a method, with its confidence interval and the paper's."""
    if contrast.paper is not None:
        paper = f"paper {signed(contrast.paper)}"
    elif results.reconstruction:
        paper = "the paper's is not available"
    else:
        paper = f"not in the paper for {pair_title(pair)}"
    interval = contrast.interval
    alone = "" if contrast.over_both else " over sentences alone"
    here = f"95 %{alone}: {signed(interval[0])} to {signed(interval[1])}; " if interval else ""
    return Figure(contrast.label, signed(contrast.gain), here + paper)


def verdict(method: Method, found: list[Difference]) -> str:
    """Whether a method helps, with the numbers of its contrasts, one at least."""
    least, most = (choose(found, key=lambda item: item.gain) for choose in (min, max))
    if least is most:
        gains = f"{signed(most.gain)} BLEU over {most.without.label}"
    else:
        lowest, highest = (f"{signed(item.gain)} BLEU ({item.label})" for item in (least, most))
        gains = f"from {lowest} to {highest}"
    if all(each.helps is None for each in found):
        doubts = ",".join(dict.fromkeys(map(doubt, found)))
        return f"{capitalized(method)}{doubts}: {gains}{in_paper(found)}."
    return f"{capitalized(method)} {verb(found)}: {gains}{in_paper(found)}."


def capitalized(method: Method) -> str:
    """The name of a method at the start of a sentence."""
    return f"{method.name[0].upper()}{method.name[1:]}"


def verb(found: list[Difference]) -> str:
    """The effect of a method, in all of its contrasts or in how many of them."""
    helps = [contrast.helps for contrast in found]
    if set(helps) == {False}:
        return "does harm on this corpus"
    if len(set(helps)) == 1:
        return VERBS[helps[0]]
    counts = [f"{verb} in {helps.count(each)}" for each, verb in VERBS.items() if each in helps]
    counts[0] += f" of {len(helps)} comparisons"
    return ", ".join(counts)


def in_paper(found: list[Difference]) -> str:
    """The paper's gains of the same contrasts, or nothing."""
    gains = {item.label: item.paper for item in found if item.paper is not None}
    if not gains:
        return ""
    least, most = (signed(end(gains.values())) for end in (min, max))
    which = f" ({', '.join(gains)})" if len(gains) < len(found) else ""
    return f"; in the paper {least if least == most else f'from {least} to {most}'}{which}"


def aimed(method: Method, contrast: Difference, phenomena: list[Row]) -> Iterator[str]:
    """Sentences on what a method is meant to mend, as far as the test text is tagged with it."""
    for aim, (of, name, blindly) in AIMS.items():
        rows = {row["system"]: row for row in phenomena if row["phenomenon"] == aim}
        present, without = contrast.present, contrast.without
        if of == method.id and {present.id, without.id} <= rows.keys():
            before, after = rows[without.id], rows[present.id]
            shares = f"{after['right_percent']:.1f} %", f"{before['right_percent']:.1f} %{blindly}"
            found = more(rows, contrast) if after["seeds"] > 1 else None
            if found is None:
                said = ": undecided" if after["seeds"] > 1 else ", with one seed"
                yield (
                    f"{present.label} gets {shares[0]} of the {name} right, "
                    f"{without.label} {shares[1]}{said}."
                )
            else:
                yield (
                    f"{present.label} gets {'more' if found else 'fewer'} {name} right than "
                    f"{without.label}: {' and '.join(shares)}."
                )


def more(rows: Mapping[str, Row], contrast: Difference) -> bool | None:
    """Whether a system gets a greater share right, False: a smaller one; None: chance may be it.

    Chance of the words by two standard errors of the difference of two binomial shares (all seeds
    see the same words), that of trainings as with BLEU. `rows`: of all systems, one phenomenon.
    """
    present, without = contrast.present.id, contrast.without.id
    after, before = rows[present], rows[without]
    gain = after["right_percent"] - before["right_percent"]
    share = (before["right"] + after["right"]) / (before["total"] + after["total"])
    words = min(row["total"] / row["seeds"] for row in (before, after))
    error = 100 * math.sqrt(2 * share * (1 - share) / words)
    deviations = {system: row["right_percent_deviation"] for system, row in rows.items()}
    variance = seed_variance(deviations, after["seeds"])
    over_words = (gain - ERRORS * error, gain + ERRORS * error)
    margin = variance.margin(present, without) if variance else math.inf
    return direction(widened(over_words, gain, margin))


def untold(scores: PairScores, method: Method) -> Iterator[str]:
    """A sentence on the contrasts of a method whose systems are not finished or have no score."""
    labels = {system.id: system.label for system in scores.results.systems}
    reasons = scores.results.gaps.get(scores.pair, {}) | scores.unscored
    missing = [
        contrast
        for contrast in method.contrasts
        if set(contrast) <= labels.keys() and not reasons.keys().isdisjoint(contrast)
    ]
    if missing:
        contrasts = ", ".join(f"{labels[one]} over {labels[other]}" for one, other in missing)
        systems = dict.fromkeys(system for contrast in missing for system in contrast)
        why = "; ".join(f"{labels[each]}: {reasons[each]}" for each in systems if each in reasons)
        yield f"{capitalized(method)}: no verdict on {contrasts} yet ({why})."


def observations(results: Results, data: list[Row]) -> list[str]:
    """Sentences for each pair and system in the `data` of the table of masks.

    The first says whether the contextualizer does anything at all; one more for each side has the
    numbers. Systems without masks, for want of a word to look at, are left out, and so are files
    without the target side.
    """
    lines = []
    for pair in results.pairs:
        for label, sides in masks_by_system(results, pair, data):
            of = f"{results.pair_title(pair)}, {label}"
            lines.append(f"{of}: {effect(sides)}")
            lines += [
                f"{of}, {side} side: {opening(rows)} {senses(rows)[0]}".rstrip()
                for side, rows in sides.items()
            ]
    return lines


def effect(sides: Mapping[str, list[Row]]) -> str:
    """A sentence on which sides' masks change with the sentence."""
    varying = changing(sides)
    if not varying:
        return "the contextualizer does next to nothing: its masks hardly vary over the sentences."
    if varying == [*sides]:
        return "the masks of both sides change with the sentence."
    still = next(side for side in sides if side not in varying)
    return f"the masks of the {varying[0]} side change with the sentence, the {still} ones hardly."


def changing(sides: Mapping[str, list[Row]]) -> list[str]:
    """The sides that have more than a few dimensions that vary."""
    return [side for side, rows in sides.items() if mean(rows, "varying_percent") >= FEW]


def caveats(results: Results, pair: str, data: list[Row]) -> list[str]:
    """A sentence for each system of a pair whose masks hardly vary on either side, or show no sign
    of telling the senses of words apart on any."""
    lines = []
    for label, sides in masks_by_system(results, pair, data):
        verdicts = {side: told for side, rows in sides.items() if (told := senses(rows)[1])}
        if not changing(sides):
            shares = " and ".join(
                f"{mean(rows, 'varying_percent'):.1f} % of the dimensions of its {side} masks"
                for side, rows in sides.items()
            )
            lines.append(
                f"{label} hardly contextualizes: {shares} vary by more than 0.05 over the "
                "sentences looked at."
            )
        elif verdicts and APART not in verdicts.values():
            masks = "context" if verdicts.keys() == sides.keys() else next(iter(verdicts))
            lines.append(
                f"The {masks} masks of {label} show no sign of telling the senses of ambiguous "
                "words apart."
            )
    return lines


def masks_by_system(
    results: Results, pair: str, data: list[Row]
) -> Iterator[tuple[str, dict[str, list[Row]]]]:
    """Label of each system of a pair that has masks, and its rows by side."""
    known = [row for row in data if row["pair"] == pair and row["varying_percent"] is not None]
    for system in results.marked(pair):
        of_sides: dict[str, list[Row]] = {side: [] for side in SIDES}
        for row in known:
            if row["system"] == system.id:
                of_sides[row["side"]].append(row)
        if all(of_sides.values()):
            yield system.label, of_sides


def mean(rows: list[Row], key: str) -> float:
    """The mean over rows of seeds and kinds of pairs."""
    return statistics.fmean(row[key] for row in rows)


def opening(rows: list[Row]) -> str:
    """How much the masks of a side vary, how far they are open, and how far they move a vector."""
    varying, between, opened = (
        f"{mean(rows, f'{share}_percent'):.1f} %" for share in ("varying", "between", "open")
    )
    told = (
        f"{varying} of the dimensions vary by more than 0.05 over the sentences looked at; "
        f"{between} of the values of the masks are between 0.05 and 0.95, {opened} above 0.99."
    )
    apart = {
        kind: distance(mean(of_kind, "cosine"))
        for kind in ("unknown", "same", "different")
        if (of_kind := [row for row in rows if row["senses"] == kind and "cosine" in row])
    }
    if "unknown" in apart:
        told += (
            f" The vectors of a word in two sentences have a cosine distance of {apart['unknown']}."
        )
    elif apart:
        told += (
            " The vectors of a word in two sentences have a mean cosine distance of "
            f"{apart['same']} where it has one sense, of {apart['different']} where it has two."
        )
    return told


def senses(rows: list[Row]) -> tuple[str, str]:
    """A sentence on whether the masks tell the senses of words apart, and the verdict in it.

    Both are empty where senses are not known; a single word has no error, and so no verdict.
    """
    different = [row for row in rows if row["senses"] == "different"]
    of_seeds = [row for row in different if row["separation"] is not None]
    if not of_seeds:
        return "", ""
    share = 100 * mean(of_seeds, "separation")
    compared = (
        f"In {share:.1f} % of comparisons a word's vectors are farther apart in two sentences with "
        "two senses than in two with one (chance: 50 %"
    )
    if any(row["separation_error"] is None for row in of_seeds):
        return f"{compared}).", ""
    # The seeds see the same words, so their mean is no surer than one of them.
    error = 100 * mean(of_seeds, "separation_error")
    if abs(share - CHANCE) <= ERRORS * error:
        verdict = NO_SIGN
    else:
        verdict = APART if share > CHANCE else TOGETHER
    words = of_seeds[0]["words"]
    over = f"standard error over {words} words, for these models: {error:.1f}"
    return f"{compared}, {over}): {verdict}.", verdict
