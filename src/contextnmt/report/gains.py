"""Gains in BLEU of one system over another, here and in the paper; the figure of all methods."""

import math
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.report.certainty import TESTS, significant
from contextnmt.report.figures import COLOURS, INK, Named
from contextnmt.report.gaps import score_gaps
from contextnmt.report.results import BETTER, Range, Results, System
from contextnmt.report.tables import PAPER, Row

#: BLEU that repeats of a system by Choi, Cho and Bengio differ by at most (A41).
REPEATS = 0.3
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
