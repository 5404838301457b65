"""The table of claims: what the paper says, and whether it holds here."""

import math
from collections.abc import Iterator

from contextnmt.report.certainty import LEVEL, TESTS, significant, span
from contextnmt.report.gains import REPEATS, PairScores, beyond_chance, judged
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
from contextnmt.report.tables import NONE, Block, Cell, Row, Table, signed

#: Whether the first system is better, None: the difference may be chance -> the verdict.
VERDICTS = {True: "yes", False: "no, the opposite", None: "not shown"}
#: Whether a difference is in another claimed range -> the verdict.
IN_RANGE = VERDICTS | {False: "no"}
#: Kinds of differences, as keys of claims; longer: the growth of a contrast with length.
CONTRAST, LONGER, QUOTED = "contrasts", "longer", "quoted"
LONG, COVERAGE = "long_sentences", "coverage"
#: Columns of the data besides the claim and the verdict: names of a difference, and its numbers.
NAMES = ["measure", "system", "baseline", "words", "language"]
NUMBERS = ["difference", "paper", "low", "high", *TESTS, "spread", "long", "short"]
#: Kind of difference -> note of a table that has some.
NOTES = {
    LONGER: "Whether length matters: the difference on source sentences longer than the median, "
    "less that on the others, both in points of BLEU; tested by the paired bootstrap alone.",
    LONG: "Long sentences of one system: the mean BLEU of their groups in the table by sentence "
    f"length, less that of the others. Groups of fewer than {LEAST} sentences are left out; each "
    "counts by its sentences. The interval is made of theirs.",
    QUOTED: "Beside a quoted system: BLEU on sentences without unknown words, on the paper's test "
    "text alone. The interval is estimated: that of the system's BLEU on the whole text, wider by "
    "the square root of how many times fewer these sentences are. The quoted score has none.",
    COVERAGE: "Coverage: percentage points of the words of the training text that the vocabulary "
    "covers, with symbols less without, in the language that gains most. It is counted, so there "
    "is no interval.",
}


def verdict(
    claimed: Range,
    difference: float,
    interval: tuple[float, float],
    spread: float | None,
    p_values: list[float],
) -> str:
    """The verdict on a claim; that one system is better than another needs its tests, too."""
    if claimed == BETTER:
        return VERDICTS[beyond_chance(difference, spread, significant(p_values))]
    return IN_RANGE[judged(claimed, difference, interval, spread)]


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
            yield {**keys, **said, **dict.fromkeys(NAMES + NUMBERS), **found}


def in_words(claimed: Range) -> str:
    """``> 0``, ``≥ 2`` or ``±0.5``."""
    least, most = claimed
    if claimed == BETTER:
        return "> 0"
    return f"≥ {least:g}".replace("-", "−") if math.isinf(most) else f"±{most:g}"


def measured(scores: PairScores, claim: Claim, claimed: Range, tested: Row) -> Iterator[Row]:
    """Each difference of a claim whose systems are there: its names, numbers and verdict."""
    there = scores.systems.keys()
    contrasts = tested["contrasts"]
    growths = {(each["system"], each["baseline"]): each.get("growth") for each in contrasts}
    for system, baseline in claim.contrasts:
        if {system, baseline} <= there:
            names = {"measure": LONGER if claim.longer else CONTRAST}
            names |= {"system": system, "baseline": baseline}
            growth = growths.get((system, baseline))
            yield names | outcome(scores, claim, claimed, (system, baseline), growth)
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
    """The verdict where one of these systems has no number."""
    unfinished = any(scores.results.gap(scores.pair, system) for system in systems)
    return {"verdict": "not finished" if unfinished else "no score"}


def outcome(
    scores: PairScores,
    claim: Claim,
    claimed: Range,
    contrast: tuple[str, str],
    growth: Row | None,
) -> Row:
    """The numbers and the verdict on a pair of systems; `growth` of the difference with length."""
    found = scores.differences([contrast])
    if not found:
        return missing(scores, *contrast)
    if claim.longer:
        return grown(growth) if growth else {"verdict": "not tested"}
    (gain,) = found
    numbers = {"difference": gain.gain, "paper": gain.paper, "spread": gain.spread}
    if not gain.test or not gain.interval:
        return {**numbers, "verdict": "not tested"}
    tests = {test: gain.test[test] for test in TESTS}
    low, high = gain.interval
    judgement = verdict(claimed, gain.gain, gain.interval, gain.spread, [*tests.values()])
    return {**numbers, **tests, "low": low, "high": high, "verdict": judgement}


def grown(growth: Row) -> Row:
    """The numbers and the verdict on a claim about the growth of a difference with length."""
    low, high = growth["interval"]
    keys = ("difference", "spread", "p_bootstrap")
    tested = growth["difference"], (low, high), growth["spread"], [growth["p_bootstrap"]]
    return {
        **{key: growth[key] for key in keys},
        **{half: growth[half][0] - growth[half][1] for half in ("long", "short")},
        **{"words": growth["median"], "low": low, "high": high},
        "verdict": verdict(BETTER, *tested),
    }


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
        return {"verdict": "another text"}
    if ours is None or moses is None:
        return missing(scores, system)
    difference, spread = ours - moses, here["bleu_no_unknown_deviation"]
    numbers = {
        "difference": difference,
        "paper": None if printed is None else printed - moses,
        "spread": spread,
    }
    whole, count = tested["systems"].get(system, {}), here.get("no_unknown_sentences")
    if not count or "interval" not in whole:
        return {**numbers, "verdict": "not tested"}
    # A standard error falls with the square root of the sentences.
    wider = math.sqrt(tested["sentences"] / count)
    low, high = (difference + wider * (end - whole["bleu"]) for end in whole["interval"])
    judgement = verdict(claimed, difference, (low, high), spread, [])
    return {**numbers, "low": low, "high": high, "verdict": judgement}


def beside_shorter(scores: PairScores, claimed: Range, system: str, words: int) -> Row:
    """The numbers and the verdict on a system's long sentences, more than `words`, beside others.

    By the groups of ten lengths that have `LEAST` sentences. The interval of the difference of both
    means is made of those of the groups, which are independent (Zou and Donner 2008).
    """
    content = scores.results.read_compared("length-scores", 1)[scores.pair, scores.text]
    of_system = content["systems"][system]
    if "gap" in of_system:
        return {"words": words, **missing(scores, system)}
    groups = [
        {**group, **entry}
        for group, entry in zip(content["bins"], of_system["bins"], strict=True)
        if group["sentences"] >= LEAST
    ]
    halves = [[each for each in groups if (each["from"] > words) is long] for long in (True, False)]
    if not all(halves):
        return {"words": words, "verdict": "too few sentences"}
    (long, below_long, above_long), (short, below_short, above_short) = map(mean_of, halves)
    difference = long - short
    low = difference - math.hypot(below_long, above_short)
    high = difference + math.hypot(above_long, below_short)
    return {
        **{"words": words, "long": long, "short": short},
        **{"difference": difference, "low": low, "high": high},
        "verdict": verdict(claimed, difference, (low, high), 0.0, []),
    }


def mean_of(groups: list[Row]) -> tuple[float, float, float]:
    """Mean BLEU of groups, weighted by their sentences, and how far its interval reaches down and
    up."""
    total = sum(group["sentences"] for group in groups)
    shares = [group["sentences"] / total for group in groups]
    bleu = [group["bleu"] for group in groups]
    ends = [[group["interval"][end] for group in groups] for end in (0, 1)]
    below, above = (
        math.hypot(*(s * (b - e) for s, b, e in zip(shares, bleu, of, strict=True))) for of in ends
    )
    return sum(s * b for s, b in zip(shares, bleu, strict=True)), below, above


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
        "verdict": verdict(claimed, gain, (gain, gain), 0.0, []),
    }


def block(scores: PairScores, data: list[Row]) -> Block:
    """The claims as a reader sees them."""
    results = scores.results
    rows = [(f"{row['claim']} ({compared(scores, row)})", cells(row)) for row in data]
    seeds = "one seed" if len(results.seeds) == 1 else f"{len(results.seeds)} seeds"
    title = f"{results.pair_title(scores.pair)}, {scores.text}, beam {results.beam}, {seeds}"
    columns = [("holds here",), ("claimed",), ("paper",), ("here",), ("95 % interval",)]
    return Block(title, columns, rows, text_columns=2)


def compared(scores: PairScores, row: Row) -> str:
    """The two sides of a difference in words."""
    quoted = published_bleu(scores.results.name)
    labels = scores.results.labels(scores.pair)
    labels |= {each["system"]: each["label"] for each in quoted if each["label"]}
    if row["measure"] == COVERAGE:
        return str(LANGUAGES.get(row["language"], row["language"]))
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
        Cell(row["verdict"], best=row["verdict"] == VERDICTS[True]),
        Cell(row["claimed"], section),
        Cell(paper),
        Cell(here, halves),
        Cell(NONE) if row["low"] is None else span([row["low"], row["high"]], signed),
    ]


def notes(results: Results, data: list[Row]) -> list[str]:
    """Notes of the table, on the claims that are in its `data`."""
    one = len(results.seeds) == 1
    repeats = f"{REPEATS} BLEU, by which repeats of one system may differ"
    training = repeats if one else "the standard deviation between seeds"
    measures = {row["measure"] for row in data}
    ranges = {row["claimed"] for row in data}
    found = [
        "Differences in BLEU, taken before rounding; the paper's are those of its own test text."
    ]
    if in_words(BETTER) in ranges:
        found.append(
            "A claim of more (> 0) holds, or its opposite does, if both tests of the difference "
            f"have p < {LEVEL}, and it is greater than {training}. Not shown: anything else."
        )
    if ranges - {in_words(BETTER)}:
        found.append(
            "A claim of at least so much (≥), or of about as good (±), is of a range. Where the "
            "paper gives a gain in points, half of it is asked for. Yes: the whole interval lies "
            "in the range; no: none of it does; not shown: anything else. To either side of a "
            f"difference of two systems the interval reaches at least {training}."
        )
    found.append(
        "Intervals and tests tell what other test sentences would give with these models"
        + (", not what other trainings would: there is one seed." if one else ".")
        + " They are not corrected for how many claims there are."
    )
    return found + [note for measure, note in NOTES.items() if measure in measures]
