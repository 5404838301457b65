"""What each method adds, in BLEU, beside what it adds in the paper; differences between systems."""

import itertools
import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextnmt.report.experiment import Experiment, Method, System
from contextnmt.report.figures import COLOURS, INK, drawing, save
from contextnmt.report.significance_table import significant
from contextnmt.report.tables import PAPER, read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: How far the axis goes beyond the outermost dots: BLEU, or a share of their distance if more.
MARGIN, SHARE = 0.5, 0.03


#: Height in inches of a line of a label, of the gap below it, of the name of a method, and of all
#: that is above and below the rows.
LINE, GAP, HEADING, FRAME = 0.13, 0.1, 0.3, 1.35


#: BLEU that repeats of a system by Choi, Cho and Bengio differ by at most (A41).
REPEATS = 0.3


@dataclass(frozen=True)
class Difference:
    """The BLEU by which a system is better than the one `without`, on the first test text.

    `spread` is the standard deviation of the difference of two single runs, None of one seed;
    `paper` is the paper's difference on its own test text, None if it prints no such systems.
    `interval` is the confidence interval over test sentences, None if it was not tested whether
    chance explains the gain (a translation is missing); `significant` is the outcome.
    """

    present: System
    without: System
    gain: float
    spread: float | None
    paper: float | None
    interval: tuple[float, float] | None = None
    significant: bool = True

    @property
    def label(self) -> str:
        """``+BPE+C over +BPE``."""
        return f"{self.present.label} over {self.without.label}"

    @property
    def helps(self) -> bool | None:
        """Whether the first system is better; see `beyond_chance`."""
        return beyond_chance(self.gain, self.spread, self.significant)


def beyond_chance(gain: float, spread: float | None, significant: bool) -> bool | None:
    """Whether a gain in BLEU is one, False: a loss; None if, as printed, it may be chance.

    That is a gain within the variation between seeds, or, of one seed, within `REPEATS`: of the
    training; or one that the test sentences may have made.
    """
    chance = REPEATS if spread is None else spread
    beyond = round(abs(gain), 2) > chance and significant
    return gain > 0 if beyond else None


@dataclass(frozen=True, kw_only=True)
class Contrast(Difference):
    """What `method` adds: all that the two systems differ in."""

    method: Method


def contrasts(
    about: Experiment, data: list[dict[str, Any]], tests: list[dict[str, Any]], pair: str
) -> list[Contrast]:
    """All contrasts of the methods whose systems are there; as `differences` otherwise."""
    return [
        Contrast(**vars(each), method=method)
        for method in about.methods
        for each in differences(about, data, tests, pair, method.contrasts)
    ]


def differences(
    about: Experiment,
    data: list[dict[str, Any]],
    tests: list[dict[str, Any]],
    pair: str,
    compared: Iterable[tuple[str, str]],
) -> list[Difference]:
    """Those of the pairs of systems `compared` that both have a score, widest beam.

    `data` is that of the BLEU table, `tests` that of the table of significance.
    """
    test = [row for row in data if (row["pair"], row["split"]) == (pair, "test")]
    paper = {row["system"]: row for row in test if is_headline(about, row)}
    here = {
        row["system"]: row
        for row in test
        if (row["source"], row["text"], row["beam"]) == ("here", about.test[pair][0], about.beam)
        and row["bleu"] is not None
    }
    systems = {system.id: system for system in about.marked(pair)}
    tested = {
        (row["system"], row["baseline"]): row
        for row in tests
        if (row["pair"], row["text"]) == (pair, about.test[pair][0])
        and row["baseline"]
        and not row["gap"]
    }
    return [
        Difference(
            systems[present],
            systems[without],
            here[present]["bleu"] - here[without]["bleu"],
            spread(here[present]["bleu_deviation"], here[without]["bleu_deviation"]),
            paper[present]["bleu"] - paper[without]["bleu"]
            if {present, without} <= set(paper)
            else None,
            *outcome(tested.get((present, without))),
        )
        for present, without in compared
        if {present, without} <= set(here)
    ]


def outcome(row: dict[str, Any] | None) -> tuple[tuple[float, float] | None, bool]:
    """Interval and significance of a difference, from its row of the table of significance."""
    if row is None:
        return None, True
    return (row["low"], row["high"]), significant([row["p_bootstrap"], row["p_randomization"]])


def is_headline(about: Experiment, row: dict[str, Any]) -> bool:
    """Whether a row of `data` is the paper's, at the widest beam or one that it does not tell."""
    return row["source"] == PAPER and row["beam"] in (about.beam, None)


def spread(left: float | None, right: float | None) -> float | None:
    """Standard deviation of a difference, from those of its two sides."""
    return None if left is None or right is None else math.hypot(left, right)


#: Letters of a label in one line.
LETTERS = 31


def gains(bleu_table: Path, significance_table: Path, about: Experiment, out: Path) -> None:
    """Draw the gain of each method, here and in the paper, as gains.{pair} in SVG, PDF and PNG."""
    data, tests = (read_table(path).data for path in (bleu_table, significance_table))
    found = {pair: contrasts(about, data, tests, pair) for pair in about.pairs}
    values = [value for items in found.values() for item in items for value in extremes(item)]
    low, high = min([0, *values]), max([0, *values])
    margin = max(MARGIN, SHARE * (high - low))
    limits = (low - margin, high + margin)
    for pair, items in found.items():
        draw(about, pair, items, limits, out / f"gains.{pair}")


def extremes(contrast: Contrast) -> list[float]:
    """Both ends of what is drawn of a contrast; all pairs' figures get the same scale by them."""
    low, high = contrast.interval or (contrast.gain, contrast.gain)
    return [low, high, contrast.paper or 0]


def draw(
    about: Experiment, pair: str, found: list[Contrast], limits: tuple[float, float], out: Path
) -> None:
    """The figure of one pair; without two systems to compare, it says so."""
    with drawing() as figure:
        axes = figure.subplots()
        height = draw_rows(axes, found)
        figure.set_figheight(FRAME + height)
        figure.suptitle(about.pair_title(pair), x=0, ha="left", fontsize=10)
        axes.set_ylim(height, 0)
        axes.set_xlim(*limits)
        axes.set_xlabel(f"gain in BLEU\non {about.test[pair][0]}, beam {about.beam}")
        if found:
            figure.legend(loc="outside lower center", ncols=2)
        else:
            axes.set_yticks([])
            axes.text(0, height / 2, "no two systems to compare", ha="center")
        save(figure, out)


def draw_rows(axes: "Axes", found: list[Contrast]) -> float:
    """A row a contrast, below the name of its method; returns their height, the unit of y: inches.

    A filled dot here (a bar for the confidence interval), an open diamond for the paper.
    """
    height, labels = 0.0, {}
    for _, group in itertools.groupby(found, key=lambda item: item.method):
        contrasts = list(group)
        heading, names = texts_of(contrasts)
        axes.annotate(
            heading,
            (0, height + HEADING / 2),
            xycoords=("figure fraction", "data"),
            va="center",
            weight="bold",
            in_layout=False,  # it may reach into the drawing, where this row is empty
        )
        height = top = height + HEADING
        for contrast, name in zip(contrasts, names, strict=True):
            row_height = GAP + LINE * (1 + name.count("\n"))
            row = height + row_height / 2
            height, labels[row] = height + row_height, name
            draw_contrast(axes, row, contrast)
        axes.plot([0, 0], [top, height], color=INK, linewidth=0.8, zorder=1)
    axes.spines["left"].set_visible(False)
    axes.set_yticks(list(labels), list(labels.values()))
    return height or HEADING


def texts_of(contrasts: list[Contrast]) -> tuple[str, list[str]]:
    """The heading of a method and the labels of its rows, which name what it is added to.

    If that is the same system in all of them, the heading names it instead.
    """
    first, *others = contrasts
    name = first.method.name
    if others and all(item.without == first.without for item in others):
        heading, labels = f"{name} over {first.without.label}", [c.present.label for c in contrasts]
    else:
        heading, labels = name, [item.label for item in contrasts]
    return heading, [textwrap.fill(label, LETTERS) for label in labels]


def draw_contrast(axes: "Axes", row: float, contrast: Contrast) -> None:
    """The dots of one contrast; the first of each kind is the legend's."""
    low, high, _ = extremes(contrast)
    axes.plot([low, high], [row, row], color=COLOURS[4], solid_capstyle="butt")
    dots = [("here", contrast.gain, "o", COLOURS[4], COLOURS[4])]
    if contrast.paper is not None:
        dots.append(("paper", contrast.paper, "D", COLOURS[5], "none"))
    known = axes.get_legend_handles_labels()[1]
    for label, gain, marker, colour, fill in dots:
        style = {"marker": marker, "color": colour, "markerfacecolor": fill, "linestyle": "none"}
        axes.plot([gain], [row], label=None if label in known else label, **style)  # type: ignore[arg-type]
