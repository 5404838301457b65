"""Differences between systems, here and in the paper; what the paper claims; what methods add."""

import math
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.report.certainty import LEVEL, TESTS, significant, span
from contextnmt.report.figures import COLOURS, INK, Named
from contextnmt.report.gaps import score_gap_notes, score_gaps
from contextnmt.report.lengths import LEAST
from contextnmt.report.published import published_bleu, published_in
from contextnmt.report.results import (
    BETTER,
    LANGUAGES,
    Claim,
    Range,
    Results,
    System,
    read_record,
)
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Row, Table, signed

#: BLEU that repeats of a system by Choi, Cho and Bengio differ by at most (A41).
REPEATS = 0.3
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
#: Height in inches of a line of a label, of the gap below it, of the name of a method, and of all
#: that is above and below the rows.
LINE, GAP, HEADING, FRAME = 0.13, 0.1, 0.3, 1.35


@dataclass(frozen=True)
class Difference:
    """The BLEU by which a system is better than the one `without`, on the first test text.

    `spread` is the standard deviation of the difference of two single runs, None of one seed;
    `paper` is the paper's difference on its own test text, None if it prints no such systems.
    `test` is the row of the table of significance, None if it was not tested whether chance
    explains the gain (a translation is missing).
    """

    present: System
    without: System
    gain: float
    spread: float | None
    paper: float | None
    test: Row | None

    @property
    def label(self) -> str:
        """``+BPE+C over +BPE``."""
        return f"{self.present.label} over {self.without.label}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval over test sentences."""
        return (self.test["low"], self.test["high"]) if self.test else None

    @property
    def helps(self) -> bool | None:
        """Whether the first system is better; see `beyond_chance`."""
        sure = self.test is None or significant([self.test[test] for test in TESTS])
        return beyond_chance(self.gain, self.spread, sure)


#: The name of a method, and its gains: one at least.
Gains = tuple[str, list[Difference]]


def beyond_chance(gain: float, spread: float | None, significant: bool) -> bool | None:
    """Whether a gain in BLEU is one, False: a loss; None if, as printed, it may be chance.

    That is a gain within the variation between seeds, or, of one seed, within `REPEATS`: of the
    training; or one that the test sentences may have made.
    """
    beyond = significant and judged(BETTER, abs(gain), (abs(gain), abs(gain)), spread)
    return gain > 0 if beyond else None


def judged(
    claimed: Range, difference: float, interval: tuple[float, float], spread: float | None
) -> bool | None:
    """Whether a difference lies in the claimed range, False: outside of it; None: either may be.

    It may be anything in its interval over test sentences. By `spread`, of one seed by `REPEATS`,
    another training may change the difference as printed.
    """
    chance = REPEATS if spread is None else spread
    low = min(interval[0], round(difference, 2) - chance)
    high = max(interval[1], round(difference, 2) + chance)
    if claimed[0] <= low and high <= claimed[1]:
        return True
    return False if high < claimed[0] or claimed[1] < low else None


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


def spread(left: float | None, right: float | None) -> float | None:
    """Standard deviation of a difference, from those of its two sides."""
    return None if left is None or right is None else math.hypot(left, right)


class PairScores:
    """The scores of a language pair on its first test text, at the widest beam.

    `here` and `paper`: system -> its row of the BLEU table, if it has a score; the paper's is that
    of its own test text, at the widest beam or one that it does not tell. `tests`: a system and
    the one it is compared with -> their row of the table of significance, if they were tested.
    `unscored`: system -> why it is finished and has no score.
    """

    def __init__(self, results: Results, pair: str, bleu: list[Row], tests: list[Row]) -> None:
        """`bleu` and `tests` are the data of the two tables."""
        self.results, self.pair, self.text = results, pair, results.test[pair][0]
        self.unscored = score_gaps(results, bleu, pair, self.text)
        self.systems = {system.id: system for system in results.marked(pair)}
        self.here: dict[str, Row] = {}
        self.paper: dict[str, Row] = {}
        for row in bleu:
            if (row["pair"], row["split"]) == (pair, "test") and row["bleu"] is not None:
                if row["source"] == PAPER and row["beam"] in (results.beam, None):
                    self.paper[row["system"]] = row
                key = (row["source"], row["text"], row["beam"])
                if key == ("here", self.text, results.beam):
                    self.here[row["system"]] = row
        self.tests = {
            (row["system"], row["baseline"]): row
            for row in tests
            if (row["pair"], row["text"]) == (pair, self.text)
            and row["baseline"]
            and not row["gap"]
        }

    def gains(self) -> list[Gains]:
        """Each method's name, and its gains over the systems with scores with and without it."""
        of_each = ((each.name, self.differences(each.contrasts)) for each in self.results.methods)
        return [(name, found) for name, found in of_each if found]

    def differences(self, compared: Iterable[tuple[str, str]]) -> list[Difference]:
        """The `compared` pairs of systems of which both have a score."""
        return [self._difference(*both) for both in compared if set(both) <= self.here.keys()]

    def _difference(self, present: str, without: str) -> Difference:
        here = [self.here[each] for each in (present, without)]
        paper = [self.paper[each]["bleu"] for each in (present, without) if each in self.paper]
        return Difference(
            self.systems[present],
            self.systems[without],
            here[0]["bleu"] - here[1]["bleu"],
            spread(*(row["bleu_deviation"] for row in here)),
            paper[0] - paper[1] if len(paper) == 2 else None,
            self.tests.get((present, without)),
        )


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


def gains(results: Results) -> Iterator[Named]:
    """Draw the gain of each method, here and in the paper, as gains.{pair}."""
    bleu, tests = (results.read_table(name).data for name in (results.table, "significance"))
    found = {pair: PairScores(results, pair, bleu, tests).gains() for pair in results.pairs}
    drawn = [each for of_pair in found.values() for _, gains in of_pair for each in gains]
    ends = [0, *(end for each in drawn for end in (*bar(each), each.paper or 0))]
    low, high = min(ends), max(ends)
    margin = max(0.5, 0.03 * (high - low))
    for pair, of_pair in found.items():
        figure = Figure()
        axes = figure.subplots()
        height = draw_rows(axes, of_pair)
        figure.set_figheight(FRAME + height)
        figure.suptitle(results.pair_title(pair), x=0, ha="left", fontsize=10)
        axes.set_ylim(height, 0)
        axes.set_xlim(low - margin, high + margin)  # the same in all figures
        axes.set_xlabel(f"gain in BLEU\non {results.test[pair][0]}, beam {results.beam}")
        if of_pair:
            figure.legend(loc="outside lower center", ncols=2)
        else:
            axes.set_yticks([])
            axes.text(0, height / 2, "no two systems to compare", ha="center")
        yield f"gains.{pair}", figure


def bar(gain: Difference) -> tuple[float, float]:
    """Both ends of the confidence interval; the gain itself where there is none."""
    return gain.interval or (gain.gain, gain.gain)


def draw_rows(axes: Axes, found: list[Gains]) -> float:
    """A row a gain, below the name of its method; returns their height, the unit of y: inches.

    A filled dot here (a bar for the confidence interval), an open diamond for the paper.
    """
    height, labels = 0.0, {}
    for method, of_method in found:
        heading, names = heading_and_labels(method, of_method)
        axes.annotate(
            heading,
            (0, height + HEADING / 2),
            xycoords=("figure fraction", "data"),
            va="center",
            weight="bold",
            in_layout=False,  # it may reach into the drawing, where this row is empty
        )
        height = top = height + HEADING
        for gain, name in zip(of_method, names, strict=True):
            row_height = GAP + LINE * (1 + name.count("\n"))
            row = height + row_height / 2
            height, labels[row] = height + row_height, name
            draw_gain(axes, row, gain)
        axes.plot([0, 0], [top, height], color=INK, linewidth=0.8, zorder=1)
    axes.spines["left"].set_visible(False)
    axes.set_yticks(list(labels), list(labels.values()))
    return height or HEADING


def heading_and_labels(method: str, found: list[Difference]) -> tuple[str, list[str]]:
    """The heading of a method and the labels of its rows, which name what it is added to.

    If that is the same system in all of them, the heading names it instead.
    """
    first, *others = found
    heading, labels = method, [gain.label for gain in found]
    if others and all(gain.without == first.without for gain in others):
        heading += f" over {first.without.label}"
        labels = [gain.present.label for gain in found]
    return heading, [textwrap.fill(label, width=31) for label in labels]


def draw_gain(axes: Axes, row: float, gain: Difference) -> None:
    """The dots of one gain; the first of each kind is the legend's."""
    axes.plot(bar(gain), [row, row], color=COLOURS[4], solid_capstyle="butt")
    dots = [("here", gain.gain, "o", COLOURS[4], COLOURS[4])]
    if gain.paper is not None:
        dots.append(("paper", gain.paper, "D", COLOURS[5], "none"))
    known = axes.get_legend_handles_labels()[1]
    for label, bleu, marker, colour, fill in dots:
        style = {"marker": marker, "color": colour, "markerfacecolor": fill, "linestyle": "none"}
        axes.plot([bleu], [row], label=None if label in known else label, **style)  # type: ignore[arg-type]
