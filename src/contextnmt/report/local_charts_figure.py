"""Local charts as Choi et al. 2017, section 3.2, describe them: the plane of both axes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextnmt.report.charts import Charts, read_charts
from contextnmt.report.experiment import Experiment, parse_experiment
from contextnmt.report.figures import COLOURS, INK, RULE, drawing, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours of the words along the first axis and along the second.
ALONG = (COLOURS[4], COLOURS[5])
#: Inches of a panel, and of what is above and below all of them.
WIDTH, HEIGHT, MARGIN = 3.0, 2.7, 0.9


def local_charts_figure(
    charts: Annotated[list[Path], typer.Option(help="charts of a pair; repeatable")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="folder of the figures")],
) -> None:
    """Draw the local charts of each pair as local-charts.{pair} in SVG, PDF and PNG.

    Example: contextnmt local-charts-figure --charts results/demo/local-charts/en-fr.json
    --experiment "$JSON" --out results/demo/report/choi2017/figures
    """
    about = parse_experiment(experiment)
    for found in read_charts(about, charts):
        draw(about, found, out / f"local-charts.{found.pair}")


def draw(about: Experiment, found: Charts, out: Path) -> None:
    """A row of panels a word, a panel for each kind of vectors; a gap says why it is one.

    A word that all vectors lack is named in a line of its own.
    """
    words = [
        word
        for word in found.words
        if any("gap" not in charts[word] for charts in found.of.values())
    ]
    lacking = ", ".join(word for word in found.words if word not in words)
    with drawing() as figure:
        figure.set_size_inches(WIDTH * len(found.of), MARGIN + HEIGHT * max(1, len(words)))
        panels = figure.subplots(max(1, len(words)), len(found.of), squeeze=False)
        for axes in panels.flat:
            axes.axis("off")
        for row, word in zip(panels, words, strict=False):
            for axes, (name, charts) in zip(row, found.of.items(), strict=True):
                title = f"{word}, {found.labels[name]}"
                axes.set_title(title, fontsize=9, parse_math=False)  # a word may have a dollar
                if "gap" in charts[word]:
                    axes.text(0, 0.9, charts[word]["gap"], fontsize=8, wrap=True)
                else:
                    draw_chart(axes, charts[word])
        figure.suptitle(about.pair_title(found.pair), x=0, ha="left", fontsize=10)
        handles = [
            axes.scatter([], [], s=14, color=colour, label=f"near the word on axis {number}")
            for number, colour in enumerate(ALONG, start=1)
        ]
        handles.insert(0, axes.scatter([], [], s=22, color=INK, label="the word"))
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        if lacking:
            text = f"Without a chart: {lacking}."
            figure.supxlabel(text, x=0, ha="left", fontsize=8, parse_math=False)
        save(figure, out)


def draw_chart(axes: "Axes", chart: dict[str, Any]) -> None:
    """The words of a neighbourhood as dots, those of the table with their names."""
    places = {each["word"]: each["position"] for each in chart["neighbours"]}
    word = chart["neighbours"][0]["word"]
    axes.axis("on")
    axes.axhline(0, color=RULE, linewidth=0.8)
    axes.axvline(0, color=RULE, linewidth=0.8)
    axes.grid(False)
    across, up = zip(*places.values(), strict=True)
    axes.scatter(across, up, s=5, color=COLOURS[2], linewidths=0)
    for axis, (along, colour) in enumerate(zip(chart["axes"], ALONG, strict=True)):
        # Words near the word on one axis are one above or one beside the other.
        others = sorted((w for w in along["words"] if w != word), key=lambda w: places[w][1 - axis])
        for order, other in enumerate(others):
            axes.scatter([places[other][0]], [places[other][1]], s=14, color=colour, linewidths=0)
            label(axes, other, places[other], order % 2 == 0, slanted=axis == 1, color=colour)
        share = f"axis {axis + 1} ({along['variance_percent']:.0f} % of the variance)"
        (axes.set_ylabel if axis else axes.set_xlabel)(share, fontsize=8)
    axes.scatter(0, 0, s=22, color=INK, zorder=4)
    axes.tick_params(labelsize=7)
    axes.margins(0.15)


def label(
    axes: "Axes", text: str, place: tuple[float, float], before: bool, slanted: bool, color: str
) -> None:
    """A word beside its dot, on one side or the other; slanted, where others are in its line."""
    axes.annotate(
        text,
        place,
        (-3, -3 if slanted else 0) if before else (3, 3 if slanted else 0),
        textcoords="offset points",
        ha="right" if before else "left",
        va=("top" if before else "bottom") if slanted else "center",
        rotation=50 if slanted else 0,
        rotation_mode="default",
        fontsize=7,
        color=color,
        annotation_clip=False,
        parse_math=False,
    )
