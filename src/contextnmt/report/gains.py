"""What each method adds, in BLEU, beside what it adds in the paper: one figure a pair."""

import itertools
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from contextnmt.report.contrasts import Contrast, contrasts
from contextnmt.report.experiment import Experiment, parse_experiment
from contextnmt.report.figures import COLOURS, INK, drawing, save
from contextnmt.report.tables import read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: How far the axis goes beyond the outermost dots: BLEU, or a share of their distance if more.
MARGIN, SHARE = 0.5, 0.03
#: Letters of a label in one line.
LETTERS = 31
#: Height in inches of a line of a label, of the gap below it, of the name of a method, and of all
#: that is above and below the rows.
LINE, GAP, HEADING, FRAME = 0.13, 0.1, 0.3, 1.35


def gains(bleu_table: Path, significance_table: Path, experiment: str, out: Path) -> None:
    """Draw the gain of each method, here and in the paper, as gains.{pair} in SVG, PDF and PNG."""
    about = parse_experiment(experiment)
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
