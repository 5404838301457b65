"""What each method adds, in BLEU, beside what it adds in the paper: one figure a pair."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextnmt.report.contrasts import Contrast, contrasts
from contextnmt.report.experiment import pair_title, parse_experiment
from contextnmt.report.figures import COLOURS, INK, drawing, save
from contextnmt.report.tables import read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: BLEU that the axis goes beyond the outermost dot.
MARGIN = 0.5


def gains(
    table4: Annotated[Path, typer.Option(help="Table 4, as JSON")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="folder of the figures")],
) -> None:
    """Draw the gain of each method, here and in the paper, as gains.{pair} in SVG, PDF and PNG.

    Example: contextnmt gains --table4 results/demo/report/tables/table4.json --experiment "$JSON"
    --out results/demo/report/figures
    """
    about = parse_experiment(experiment)
    data = read_table(table4).data
    found = {pair: contrasts(about, data, pair) for pair in about.pairs}
    values = [value for items in found.values() for item in items for value in extremes(item)]
    for pair, items in found.items():
        with drawing() as figure:
            axes, text = figure.subplots(), about.test[pair][0]
            draw(axes, items)
            axes.set(title=pair_title(pair), xlabel=f"gain in BLEU on {text}, beam {about.beam}")
            axes.set_xlim(min([0, *values]) - MARGIN, max([0, *values]) + MARGIN)
            figure.legend(loc="outside lower center", ncols=2)
            save(figure, out / f"gains.{pair}")


def extremes(contrast: Contrast) -> list[float]:
    """Both ends of what is drawn of a contrast; all pairs' figures get the same scale by them."""
    spread, paper = contrast.spread or 0, contrast.paper or 0
    return [contrast.gain - spread, contrast.gain + spread, paper]


def draw(axes: "Axes", found: list[Contrast]) -> None:
    """A row a contrast: a filled dot here (a bar for the seeds), an open diamond for the paper."""
    rows = range(len(found))
    axes.axvline(0, color=INK, linewidth=0.8)
    for row, contrast in enumerate(found):
        low, high, _ = extremes(contrast)
        axes.plot([low, high], [row, row], color=COLOURS[4])
    axes.plot([contrast.gain for contrast in found], rows, "o", color=COLOURS[4], label="here")
    printed = [(item.paper, row) for row, item in enumerate(found) if item.paper is not None]
    axes.plot(
        [gain for gain, _ in printed],
        [row for _, row in printed],
        "D",
        color=COLOURS[5],
        markerfacecolor="none",
        label="paper",
    )
    axes.set_yticks(rows, [f"{item.method} on {item.without.label}" for item in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
