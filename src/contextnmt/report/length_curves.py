"""BLEU by sentence length, as Figure 2 of Bahdanau et al. 2015, one figure a pair."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextnmt.report.experiment import Experiment, parse_experiment
from contextnmt.report.figures import RULE, drawing, legend_below, lines_of, save
from contextnmt.report.length_groups import LEAST, filled, read_length_groups, scored, words_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Markers of the systems in a row, for readers without colour.
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">"]
#: Inches of the figure, and the heights of its two drawings.
SIZE, HEIGHTS = (5.6, 5.4), (3, 2)
#: The part of a bin's width that its systems share.
SHARE = 0.7
#: Markers on a line.
ON_LINE = 4


def length_curves(scores: list[Path], experiment: str, out: Path) -> None:
    """Draw BLEU by sentence length as lengths.{pair} in SVG, PDF and PNG.

    The pair is the folder of the scores.
    """
    about = parse_experiment(experiment)
    for pair, content in read_length_groups(about, scores).items():
        draw(about, pair, content, out / f"lengths.{pair}")


def draw(about: Experiment, pair: str, content: dict[str, Any], out: Path) -> None:
    """A running window above, with confidence bands, and bins below, with confidence intervals.

    The legend says which systems have none.
    """
    with drawing() as figure:
        figure.set_size_inches(*SIZE)
        above, below = figure.subplots(2, height_ratios=HEIGHTS)
        draw_windows(above, about, content)
        draw_bins(below, about, content)
        text, _, beam = content["name"].partition(".beam")
        seeds = f", mean of {len(content['seeds'])} seeds" if len(content["seeds"]) > 1 else ""
        above.set_title(about.pair_title(pair))
        below.set_xlabel(f"source words (sentences)\nof {text}, beam {beam}{seeds}")
        legend(figure, about, pair, content)
        save(figure, out)


def draw_windows(axes: "Axes", about: Experiment, content: dict[str, Any]) -> None:
    """A line a system over the mean length of the sentences in a window, with its band."""
    lines = lines_of(about.systems)
    lengths = [window["mean_length"] for window in content["windows"]]
    order = [system.id for system in about.systems]
    step = max(1, len(lengths) // ON_LINE)
    for system, scores in scored(about, content):
        style = lines[system.id]
        first = order.index(system.id) * step // len(order)  # no two markers at one length
        bleu = [window["bleu"] for window in scores["windows"]]
        low, high = ([window["interval"][end] for window in scores["windows"]] for end in (0, 1))
        axes.fill_between(lengths, low, high, color=style["color"], alpha=0.12, linewidth=0)
        marker = marker_of(order, system.id)
        axes.plot(lengths, bleu, marker=marker, markevery=(first, step), **style)  # type: ignore[arg-type]
    axes.set(xlabel="source words, mean of a window", ylabel="BLEU (%)")
    if not lengths:
        note = f"fewer than {content['window']} sentences: no running window"
        axes.text(0.5, 0.5, note, ha="center", transform=axes.transAxes)
        axes.set(xticks=[], yticks=[])


def draw_bins(axes: "Axes", about: Experiment, content: dict[str, Any]) -> None:
    """A group of dots a bin, one a system, with bars for the intervals.

    Bins beyond the longest sentence are left out; those of too few sentences say so.
    """
    groups = filled(content)
    shown = scored(about, content)
    lines = lines_of(about.systems)
    order = [system.id for system in about.systems]
    for system, scores in shown:
        shift = SHARE * ((order.index(system.id) + 0.5) / len(order) - 0.5)
        colour = lines[system.id]["color"]
        for place, entry in enumerate(scores["bins"][: len(groups)]):
            enough = groups[place]["sentences"] >= LEAST
            if enough and entry["bleu"] is not None:
                at, (low, high) = place + shift, entry["interval"]
                axes.plot([at, at], [low, high], color=colour, lw=0.8, solid_capstyle="butt")
                axes.plot([at], [entry["bleu"]], marker_of(order, system.id), color=colour, ms=3.5)
    for place, group in enumerate(groups):
        if group["sentences"] < LEAST:
            where = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "center"}
            axes.text(place, 0.5, "too few", fontsize=7, **where)  # type: ignore[arg-type]
    for border in range(1, len(groups)):
        axes.axvline(border - 0.5, color=RULE, linewidth=0.5)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_xticks(range(len(groups)), list(map(label_of, groups)))
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("BLEU (%)")


def marker_of(order: list[str], system: str) -> str:
    """The marker of a system by its place among all of them."""
    return MARKERS[order.index(system) % len(MARKERS)]


def label_of(group: dict[str, Any]) -> str:
    """The lengths of a bin, and how many sentences it has."""
    return f"{words_of(group)}\n({group['sentences']:,})"


def legend(figure: "Figure", about: Experiment, pair: str, content: dict[str, Any]) -> None:
    """A line and a marker for each system, below both drawings."""
    lines, order = lines_of(about.systems), [system.id for system in about.systems]
    labels = []
    there = {system.id for system, _ in scored(about, content)}
    for system in about.marked(pair):
        labels.append(system.label + ("" if system.id in there else " (no scores)"))
        marker = marker_of(order, system.id)
        figure.axes[0].plot([], [], marker=marker, label=labels[-1], **lines[system.id])  # type: ignore[arg-type]
    legend_below(figure, labels)
