"""The table of claims: what the paper says, and whether it holds here."""

import math
import operator
from collections.abc import Iterable, Iterator

from contextnmt.evaluation.seed_variance import (
    POWER,
    Interval,
    SeedVariance,
    seed_variance,
    widened,
)
from contextnmt.report.certainty import ONE_SEED, span
from contextnmt.report.gains import PairScores
from contextnmt.report.gaps import score_gap_notes
from contextnmt.report.lengths import LEAST
from contextnmt.report.published import published_bleu, published_in
from contextnmt.report.results import (
    BETTER,
    LANGUAGES,
    Claim,
    Range,
    Results,
    read_record,
)
from contextnmt.report.tables import (
    NONE,
    Block,
    Cell,
    Row,
    Table,
    mean_and_deviation,
    signed,
)

#: Verdicts. Opposite: to a claim that one system is better. Fails: one of another range does.
HOLDS, OPPOSITE, FAILS, UNDECIDED = "holds", "opposite", "fails", "undecided"
#: Kinds of differences, as keys of claims; longer: the growth of a contrast with length.
CONTRAST, LONGER, QUOTED = "contrasts", "longer", "quoted"
LONG, COVERAGE = "long_sentences", "coverage"
#: Columns of the data besides the claim and the verdict: names of a difference, and its numbers.
NAMES = ["measure", "system", "baseline", "words", "language"]
NUMBERS = ["difference", "paper", "low", "high", "long", "short"]
#: Kind of difference -> note of a table that has some.
NOTES = {
    LONGER: "Whether length matters: the difference on source sentences longer than the median, "
    "minus that on the others, both in points of BLEU.",
    LONG: "Long sentences of one system: mean BLEU of their groups in the table by sentence length "
    "minus that of the others, weighted by sentences. Groups of fewer than "
    f"{LEAST} sentences are left out. The interval combines those of the groups.",
    QUOTED: "Beside a quoted system: BLEU on sentences without unknown words, on the paper's test "
    "text alone. The interval is estimated: that of the system's BLEU on the whole text, widened "
    "by √(all sentences / sentences scored). The quoted score has no interval.",
    COVERAGE: "Coverage: percentage points of the words of the training text that the vocabulary "
    "covers, with symbols minus without. Ours and the paper's are for the language that gains "
    "most; the two languages may differ. It is counted, so there is no interval.",
}


def verdict(claimed: Range, interval: Interval) -> str:
    """Return the verdict on a difference, by its interval over test sentences and seeds."""
    low, high = interval
    if claimed[0] <= low and high <= claimed[1]:
        return HOLDS
    if claimed == BETTER and high < 0:
        return OPPOSITE
    return FAILS if high < claimed[0] or claimed[1] < low else UNDECIDED


def undecided(reason: str) -> Row:
    """No verdict, and why not."""
    return {"verdict": UNDECIDED, "reason": reason}


def judged(
    claimed: Range,
    numbers: Row,
    over_sentences: Interval,
    over_both: Interval | None,
    variance: SeedVariance | None = None,
    *systems: str,
) -> Row:
    """The `numbers` of a difference, its interval, and the verdict with its reason.

    With one seed the interval is over sentences alone, and there is no verdict. `variance` is that
    of training in such a score of these `systems`: without it, no seeds are said to be needed.
    """
    low, high = over_both or over_sentences
    found = {**numbers, "low": low, "high": high}
    if over_both is None:
        return {**found, **undecided(ONE_SEED)}
    said = verdict(claimed, over_both)
    if said != UNDECIDED:
        return {**found, "verdict": said}
    reason, effect = "the interval is too wide", numbers.get("paper")
    if variance and effect is not None and math.isinf(claimed[1]) and effect > claimed[0]:
        # What the paper has beyond what is claimed has to show.
        needed = variance.needed(effect - claimed[0], over_sentences, *systems)
        reason += f"; a true {signed(effect)}, as in the paper, "
        reason += f"needs {needed}" if needed else "would probably show with these seeds"
    return {**found, **undecided(reason)}


def claims_table(results: Results) -> Table:
    """Hold the claims of the paper against the numbers: differences, intervals, verdicts.

    On the first test text of each language pair, at the widest beam. Claims whose systems are not
    part of the run are left out.
    """
    bleu, tests = (results.read_table(name).data for name in (results.table, "significance"))
    blocks, data = [], []
    for (pair, _), content in results.read_compared("significance", 1).items():
        scores = PairScores(results, pair, bleu, tests)
        rows = list(held(scores, content))
        blocks += [block(scores, rows)] if rows else []
        data += rows
    return Table(blocks, data, notes(results, data) + score_gap_notes(results, bleu, texts=1))


def held(scores: PairScores, tested: Row) -> Iterator[Row]:
    """One row for each difference that a claim is about; `tested` is the file of significance."""
    keys = {"pair": scores.pair, "text": scores.text, "beam": scores.results.beam}
    for claim in scores.results.claims:
        if (claimed := claim.claimed(scores.pair)) is None:
            continue
        said = {"claim": claim.says, "section": claim.section, "claimed": in_words(claimed)}
        for found in measured(scores, claim, claimed, tested):
            yield {**keys, **said, **dict.fromkeys(NAMES + NUMBERS), "reason": "", **found}


def in_words(claimed: Range) -> str:
    """``> 0``, ``≥ 2`` or ``±0.5``."""
    least, most = claimed
    if claimed == BETTER:
        return "> 0"
    return f"≥ {least:g}".replace("-", "−") if math.isinf(most) else f"±{most:g}"


def measured(scores: PairScores, claim: Claim, claimed: Range, tested: Row) -> Iterator[Row]:
    """Each difference of a claim whose systems are there: its names, numbers and verdict."""
    there = scores.systems.keys()
    entries = {(each["system"], each["baseline"]): each for each in tested["contrasts"]}
    for contrast in claim.contrasts:
        if {*contrast} <= there:
            names: Row = {"measure": LONGER if claim.longer else CONTRAST}
            names |= dict(zip(("system", "baseline"), contrast, strict=True))
            entry = entries.get(contrast, {})
            if claim.longer:
                yield names | grown(scores, contrast, entry.get("growth"))
            else:
                yield names | outcome(scores, claimed, contrast, tested["seed_variance"])
    for system, quoted in claim.quoted:
        if system in there:
            names = {"measure": QUOTED, "system": system, "baseline": quoted}
            yield names | beside_quoted(scores, claimed, system, quoted, tested)
    for system, words in claim.long_sentences.items():
        if system in there:
            names = {"measure": LONG, "system": system}
            yield names | beside_shorter(scores, claimed, system, words)
    if claim.coverage:
        yield {"measure": COVERAGE, **covered(scores, claimed)}


def missing(scores: PairScores, *systems: str) -> Row:
    """No verdict, where one of these systems has no number."""
    unfinished = any(scores.results.gap(scores.pair, system) for system in systems)
    return undecided("not finished" if unfinished else "no score")


def outcome(
    scores: PairScores, claimed: Range, contrast: tuple[str, str], trained: Row | None
) -> Row:
    """The numbers and the verdict on a pair of systems; `trained`: the variance of their seeds."""
    found = scores.differences([contrast])
    if not found:
        return missing(scores, *contrast)
    (gain,) = found
    numbers = {"difference": gain.gain, "paper": gain.paper}
    if not gain.over_sentences:
        return {**numbers, **undecided("not tested")}
    variance = SeedVariance(**trained) if trained else None
    return judged(claimed, numbers, gain.over_sentences, gain.over_both, variance, *contrast)


def grown(scores: PairScores, contrast: tuple[str, str], growth: Row | None) -> Row:
    """The numbers and the verdict on a claim about the growth of a difference with length."""
    if not scores.differences([contrast]):
        return missing(scores, *contrast)
    if not growth:
        return undecided("not tested")
    numbers = {
        "difference": growth["difference"],
        **{half: growth[half][0] - growth[half][1] for half in ("long", "short")},
        "words": growth["median"],
    }
    return judged(BETTER, numbers, growth["interval"], growth["interval_with_seeds"])


def beside_quoted(scores: PairScores, claimed: Range, system: str, quoted: str, tested: Row) -> Row:
    """The numbers and the verdict on a system beside a row that the paper quotes.

    On sentences of known words. There is no verdict on another text.
    """
    here, paper, theirs = (
        of.get(each, {})
        for of, each in ((scores.here, system), (scores.paper, system), (scores.paper, quoted))
    )
    ours, printed, moses = (each.get("bleu_no_unknown") for each in (here, paper, theirs))
    if scores.results.gap(scores.pair, system):
        return missing(scores, system)
    if theirs.get("text") != scores.text:
        return undecided("another text")
    if ours is None or moses is None:
        return missing(scores, system)
    difference = ours - moses
    numbers = {
        "difference": difference,
        "paper": None if printed is None else printed - moses,
    }
    whole, count = tested["systems"].get(system, {}), here.get("no_unknown_sentences")
    if not count or "interval" not in whole:
        return {**numbers, **undecided("not tested")}
    # A standard error falls with the square root of the sentences.
    wider = math.sqrt(tested["sentences"] / count)
    low, high = (difference + wider * (end - whole["bleu"]) for end in whole["interval"])
    deviations = {each: row["bleu_no_unknown_deviation"] for each, row in scores.here.items()}
    variance = seed_variance(deviations, here["seeds"])
    return beside_number(claimed, numbers, (low, high), variance, system)


def beside_number(
    claimed: Range,
    numbers: Row,
    over_sentences: Interval,
    variance: SeedVariance | None,
    system: str,
) -> Row:
    """The numbers and the verdict on a number of one system; `variance` of its seeds."""
    if variance is None:
        return judged(claimed, numbers, over_sentences, None)
    both = widened(over_sentences, numbers["difference"], variance.margin(system))
    return judged(claimed, numbers, over_sentences, both, variance, system)


def beside_shorter(scores: PairScores, claimed: Range, system: str, words: int) -> Row:
    """The numbers and the verdict on a system's long sentences, more than `words`, beside others.

    By the groups of ten lengths that have `LEAST` sentences. The interval of the difference of both
    means is made of those of the groups, which are independent (Zou and Donner 2008).
    """
    content = scores.results.read_compared("length-scores", 1)[scores.pair, scores.text]
    if "gap" in content["systems"][system]:
        return {"words": words, **missing(scores, system)}
    places = [at for at, of in enumerate(content["bins"]) if of["sentences"] >= LEAST]
    halves = [
        [at for at in places if (content["bins"][at]["from"] > words) is long]
        for long in (True, False)
    ]
    if not all(halves):
        return {"words": words, **undecided("too few sentences")}

    def falls(entry: Row) -> tuple[Row, Interval, list[float]]:
        """Of a system: both means, the interval of their difference, and that of each seed."""
        groups = [[{**content["bins"][at], **entry["bins"][at]} for at in half] for half in halves]
        (long, below_long, above_long), (short, below_short, above_short) = map(mean_of, groups)
        low = long - short - math.hypot(below_long, above_short)
        high = long - short + math.hypot(above_long, below_short)
        of_halves = (
            [weighted(group, bleu) for bleu in zip(*of_group, strict=True)]
            for group, of_group in zip(
                groups,
                ([entry["bins"][at]["bleu_of_seeds"] for at in half] for half in halves),
                strict=True,
            )
        )
        of_seeds = list(map(operator.sub, *of_halves))
        return {"long": long, "short": short}, (low, high), of_seeds

    of_all = {each: falls(of) for each, of in content["systems"].items() if "gap" not in of}
    means, interval, _ = of_all[system]
    numbers = {"words": words, **means, "difference": means["long"] - means["short"]}
    deviations = {each: mean_and_deviation(seeds)[1] for each, (*_, seeds) in of_all.items()}
    variance = seed_variance(deviations, len(content["seeds"]))
    return beside_number(claimed, numbers, interval, variance, system)


def mean_of(groups: list[Row]) -> tuple[float, float, float]:
    """Mean BLEU of groups, weighted by their sentences, and how far its interval reaches down and
    up."""
    bleu = [group["bleu"] for group in groups]
    ends = [[group["interval"][end] for group in groups] for end in (0, 1)]
    mean = weighted(groups, bleu)
    total = sum(group["sentences"] for group in groups)
    below, above = (
        math.hypot(
            *(
                group["sentences"] / total * (at - end)
                for group, at, end in zip(groups, bleu, of, strict=True)
            )
        )
        for of in ends
    )
    return mean, below, above


def weighted(groups: list[Row], values: Iterable[float]) -> float:
    """The mean of a value of each group, weighted by their sentences."""
    sizes = [group["sentences"] for group in groups]
    return float(sum(map(operator.mul, sizes, values)) / sum(sizes))


def covered(scores: PairScores, claimed: Range) -> Row:
    """The numbers and the verdict on the coverage that symbols add, in the language that gains
    most; with one decimal, as the paper prints it."""
    (path,) = scores.results.of_pairs("coverage", [scores.pair]).values()
    content = read_record(path)
    gains = {
        language: content[language]["after"]["coverage_percent"]
        - content[language]["before"]["coverage_percent"]
        for language in scores.pair.split("-")
    }
    language = max(gains, key=gains.__getitem__)
    gain = round(gains[language], 1)
    printed = [
        float(row["after"]) - float(row["before"])
        for row in published_in(scores.results.name, "words")
        if (row["pair"], row["quantity"]) == (scores.pair, "coverage_percent")
    ]
    return {
        **{"language": language, "difference": gain, "paper": max(printed, default=None)},
        "verdict": verdict(claimed, (gain, gain)),
    }


def block(scores: PairScores, data: list[Row]) -> Block:
    """The claims as a reader sees them."""
    results = scores.results
    rows = [(f"{row['claim']} ({compared(scores, row)})", cells(row)) for row in data]
    seeds = ONE_SEED if len(results.seeds) == 1 else f"{len(results.seeds)} seeds"
    title = f"{results.pair_title(scores.pair)}, {scores.text}, beam {results.beam}, {seeds}"
    interval = "95 %, sentences alone" if seeds == ONE_SEED else "95 %"
    columns = [("verdict",), ("claimed",), ("paper",), ("here",), (interval,)]
    return Block(title, columns, rows, text_columns=2)


def compared(scores: PairScores, row: Row) -> str:
    """The two sides of a difference in words."""
    quoted = published_bleu(scores.results.name)
    labels = scores.results.labels(scores.pair)
    labels |= {each["system"]: each["label"] for each in quoted if each["label"]}
    if row["measure"] == COVERAGE:
        return f"here {LANGUAGES.get(row['language'], row['language'])}"
    if row["measure"] == LONG:
        return f"{labels[row['system']]}, over {row['words']} words"
    return f"{labels[row['system']]} over {labels.get(row['baseline'], row['baseline'])}"


def cells(row: Row) -> list[Cell]:
    """The cells of one row."""
    paper, here = (NONE if row[x] is None else signed(row[x]) for x in ("paper", "difference"))
    halves = ""
    if row["long"] is not None:
        form = signed if row["measure"] == LONGER else "{:.2f}".format
        halves = f"{form(row['long'])} over {row['words']:g} words, "
        halves += f"{form(row['short'])} up to that"
    where = "sec. " if row["section"][:1].isdigit() else ""
    section = f"({where}{row['section']})" if row["section"] else ""
    return [
        Cell(row["verdict"], row["reason"], best=row["verdict"] != UNDECIDED),
        Cell(row["claimed"], section),
        Cell(paper),
        Cell(here, halves),
        Cell(NONE) if row["low"] is None else span([row["low"], row["high"]], signed),
    ]


def notes(results: Results, data: list[Row]) -> list[str]:
    """Notes of the table, on the claims that are in its `data`."""
    measures = {row["measure"] for row in data}
    ranges = {row["claimed"] for row in data}
    found = [
        "Differences in BLEU, taken before rounding; the paper's are those of its own test text."
    ]
    if len(results.seeds) == 1:
        found.append(
            "Intervals tell what other test sentences would give with these models. With one seed "
            "there is no verdict: another training may give another difference. Set the key seeds "
            "to train more."
        )
    else:
        found.append(
            f"Intervals tell what other test sentences and other trainings, {len(results.seeds)} "
            "seeds each, would give; they are not corrected for the number of claims. A claim that "
            "one system is better (> 0) “holds” if the interval is above zero, is “opposite” if it "
            "is below, and “undecided” otherwise. If the true difference is the paper's, the "
            f"number of seeds that a verdict states is enough in {100 * POWER:.0f} % of cases. "
            "Where it names more test sentences, no number of seeds is enough: seeds do not narrow "
            "the interval over sentences."
        )
    if ranges - {in_words(BETTER)}:
        found.append(
            "A claim of “at least” (≥) or “about as good” (±) names a range; for a gain in points, "
            "the range starts at half of it. The claim holds if the whole interval lies in the "
            "range, and fails if none of it does."
        )
    return found + [note for measure, note in NOTES.items() if measure in measures]
