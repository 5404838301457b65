"""Gains in BLEU of one system over another, here and in the paper; the figure of all methods."""

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.evaluation.seed_variance import Interval
from contextnmt.report.certainty import direction
from contextnmt.report.figures import COLOURS, INK, Named
from contextnmt.report.gaps import score_gaps
from contextnmt.report.results import Results, System
from contextnmt.report.tables import PAPER, Row

#: Height in inches of a line of a label, of the gap below it, of the name of a method, and of all
#: that is above and below the rows.
LINE, GAP, HEADING, FRAME = 0.13, 0.1, 0.3, 1.35


@dataclass(frozen=True)
class Difference:
    """The BLEU by which a system is better than the one `without`, on the first test text.

    `paper` is the paper's difference on its own test text, None if it prints no such systems.
    `over_sentences` and `over_both` are intervals over test sentences, and over these and
    trainings: None of one seed, or if it was not tested (a translation is missing).
    """

    present: System
    without: System
    gain: float
    paper: float | None
    over_sentences: Interval | None
    over_both: Interval | None

    @property
    def label(self) -> str:
        """``+BPE+C over +BPE``."""
        return f"{self.present.label} over {self.without.label}"

    @property
    def interval(self) -> Interval | None:
        """The wider of the intervals that there are."""
        return self.over_both or self.over_sentences

    @property
    def helps(self) -> bool | None:
        """Whether the first system is better, False: worse; None if chance may explain it."""
        return direction(self.over_both)


#: The name of a method, and its gains: one at least.
Gains = tuple[str, list[Difference]]


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
        paper = [self.paper[each]["bleu"] for each in (present, without) if each in self.paper]
        test = self.tests.get((present, without), {})
        return Difference(
            self.systems[present],
            self.systems[without],
            self.here[present]["bleu"] - self.here[without]["bleu"],
            paper[0] - paper[1] if len(paper) == 2 else None,
            interval_of(test, "low", "high"),
            interval_of(test, "low_with_seeds", "high_with_seeds"),
        )


def interval_of(row: Row, low: str, high: str) -> Interval | None:
    """An interval of a row of a table, None if it has none."""
    return None if row.get(low) is None else (row[low], row[high])


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
        where = f"on {results.test[pair][0]}, beam {results.beam}"
        chance = "95 % over sentences alone: one seed"
        if len(results.seeds) > 1:
            chance = f"95 % over sentences and seeds, {len(results.seeds)} seeds"
        axes.set_xlabel(f"gain in BLEU {where}\n{chance}")
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
