"""Local charts of words, as Choi et al. 2017 describe them: Table 1, and the plane of both axes."""

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import LANGUAGES, Experiment, by_some_pairs
from contextnmt.report.figures import COLOURS, INK, RULE, drawing, save
from contextnmt.report.gaps import gap_notes
from contextnmt.report.published import published
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation


#: Inches of a panel, and of what is above and below all of them.
WIDTH, HEIGHT, MARGIN = 3.0, 2.7, 0.9


#: Where the name of a dot may stand: points from it, degrees from the right; the first is tried
#: first.
DISTANCES, ANGLES = (4, 10, 18, 28, 40), (0, 180, 90, 270, 45, 135, 315, 225)


#: Pixels around a name, and around the middle of a dot, that no other name may cover.
GAP, DOT = 1, 2


class Charts(NamedTuple):
    """The charts of one pair, by vectors and word; `labels` are what a reader calls the vectors.

    The CBOW vectors come first: those are what the paper charts.
    """

    pair: str
    words: list[str]
    of: dict[str, dict[str, Any]]
    labels: dict[str, str]


def read_charts(about: Experiment, charts: list[Path]) -> Iterator[Charts]:
    """The charts of those pairs that have a file. Raises UserError if one is something else."""
    for pair, path in by_some_pairs("charts", charts, about).items():
        labels = {"cbow": "CBOW"} | about.labels(pair)
        content = read_json(path)
        try:
            words, of = content["words"], content["charts"]
            names = sorted(of, key=lambda name: [*labels].index(name))
            complete = all(word in of[name] for name in names for word in words)
        except (KeyError, TypeError, ValueError):
            complete = False
        if not complete:
            raise UserError(
                f"{path}: not local charts of systems of this experiment: make it again"
            )
        yield Charts(pair, words, {n: of[n] for n in names}, {n: labels[n] for n in names})


#: Printed words, by word and axis (from 1), in their order.
Printed = dict[tuple[str, int], list[str]]


AXES = (1, 2)


NOTES = [
    "Of the 100 words nearest to a word (Euclidean, itself included), those five whose positions "
    "on a principal axis of the 100 are nearest to its own, in the order along the axis; the word "
    "in brackets. An axis read from its other end is the same axis.",
    "The paper charts the CBOW vectors of Hill et al. 2015, of another and much larger text. Other "
    "vectors have other neighbours: compare only whether the two axes separate meanings.",
]


def local_charts_table(charts: list[Path], about: Experiment) -> Table:
    """Tabulate the words along the axes of local charts, the paper's beside them."""
    printed: Printed = {
        (row["word"], int(row["axis"])): row["neighbours"].split(" ")
        for row in published("paper/choi2017_table1.csv")
    }
    found = list(read_charts(about, charts))
    blocks = [block(about, each, printed) for each in found]
    data = [row for each in found for row in rows_of(each, printed)]
    return Table(blocks, data, NOTES + gap_notes(about) + stale_notes(about))


def block(about: Experiment, found: Charts, printed: Printed) -> Block:
    """The table of one pair: two rows a word, a column for the paper and for each kind of vectors.

    The paper's words are English: beside another source language there is no column for them.
    """
    source = found.pair.split("-")[0]
    columns: list[tuple[str, ...]] = [(found.labels[name],) for name in found.of]
    if has_paper(found):
        columns.insert(0, (PAPER,))
    rows = []
    for word in found.words:
        for axis in AXES:
            cells = [cell(found.of[name][word], word, axis) for name in found.of]
            if has_paper(found):
                words = printed.get((word, axis))
                cells.insert(0, Cell(bracketed(words, word) if words else NONE))
            rows.append((f"{word}, axis {axis}", cells))
    title = f"{about.pair_title(found.pair)}: {LANGUAGES.get(source, source)} words"
    return Block(title, columns, rows, text_columns=len(columns))


def has_paper(found: Charts) -> bool:
    """Whether the paper charts words of this source language."""
    return found.pair.startswith("en-")


def cell(chart: dict[str, Any], word: str, axis: int) -> Cell:
    """The words along an axis, or, on the first one, why there are none."""
    if "gap" in chart:
        return Cell(NONE, f"({chart['gap']})" if axis == AXES[0] else "")
    return Cell(bracketed(chart["axes"][axis - 1]["words"], word))


def bracketed(words: list[str], word: str) -> str:
    """Words along an axis with the word inspected in brackets, as the paper prints them."""
    return " ".join(f"({each})" if each == word else each for each in words)


def rows_of(found: Charts, printed: Printed) -> list[dict[str, Any]]:
    """One row for each word along each axis, with its position there; a gap is one row."""
    rows = []
    for word in found.words:
        for axis in AXES:
            about = {"pair": found.pair, "word": word, "axis": axis}
            if has_paper(found):
                rows += [
                    {**about, "vectors": PAPER, "order": order, "neighbour": each}
                    for order, each in enumerate(printed.get((word, axis), ()), start=1)
                ]
            for name, charts in found.of.items():
                rows += [{**about, "vectors": name, **row} for row in row_of(charts[word], axis)]
    return rows


def row_of(chart: dict[str, Any], axis: int) -> list[dict[str, Any]]:
    """What a chart says of one axis."""
    if "gap" in chart:
        return [{"gap": chart["gap"]}]
    neighbours = {each["word"]: each for each in chart["neighbours"]}
    along = chart["axes"][axis - 1]
    return [
        {
            "order": order,
            "neighbour": word,
            "position": neighbours[word]["position"][axis - 1],
            "squared_distance": neighbours[word]["squared_distance"],
            "variance_percent": along["variance_percent"],
        }
        for order, word in enumerate(along["words"], start=1)
    ]


#: Colours of the words along the first axis and along the second.
ALONG = (COLOURS[4], COLOURS[5])


#: Left, lower, right and upper edge, in pixels.
Box = Sequence[float]


def local_charts_figure(charts: list[Path], about: Experiment, out: Path) -> None:
    """Draw the local charts of each pair as local-charts.{pair} in SVG, PDF and PNG."""
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
        drawn = []
        for row, word in zip(panels, words, strict=False):
            for axes, (name, charts) in zip(row, found.of.items(), strict=True):
                title = f"{word}, {found.labels[name]}"
                axes.set_title(title, fontsize=9, parse_math=False)  # a word may have a dollar
                if "gap" in charts[word]:
                    axes.text(0, 0.9, charts[word]["gap"], fontsize=8, wrap=True)
                else:
                    draw_chart(axes, charts[word])
                    drawn.append((axes, charts[word]))
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
        name_all(figure, drawn)
        save(figure, out)


def draw_chart(axes: "Axes", chart: dict[str, Any]) -> None:
    """The words of a neighbourhood as dots, those of the table in the colours of their axes."""
    places = {each["word"]: each["position"] for each in chart["neighbours"]}
    axes.axis("on")
    axes.axhline(0, color=RULE, linewidth=0.8)
    axes.axvline(0, color=RULE, linewidth=0.8)
    axes.grid(False)
    across, up = zip(*places.values(), strict=True)
    axes.scatter(across, up, s=5, color=COLOURS[2], linewidths=0)
    for axis, (along, colour) in enumerate(zip(chart["axes"], ALONG, strict=True)):
        for other in along["words"]:
            axes.scatter([places[other][0]], [places[other][1]], s=14, color=colour, linewidths=0)
        share = f"axis {axis + 1} ({along['variance_percent']:.0f} % of the variance)"
        (axes.set_ylabel if axis else axes.set_xlabel)(share, fontsize=8)
    axes.scatter(0, 0, s=22, color=INK, zorder=4)
    axes.tick_params(labelsize=7)
    axes.margins(0.15)


def name_all(figure: "Figure", drawn: list[tuple["Axes", dict[str, Any]]]) -> None:
    """Name the words of the table in all panels, each with its chart.

    What a name covers is known only of a figure that is laid out; names move nothing in it.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes, chart in drawn:
        name_words(axes, chart, renderer)


def name_words(axes: "Axes", chart: dict[str, Any], renderer: "RendererBase") -> None:
    """Words beside their dots, no name over another or over one of these dots.

    A name that has to go farther away has a line to its dot; where no place is free, it has the
    one that covers least.
    """
    places = {each["word"]: each["position"] for each in chart["neighbours"]}
    word = chart["neighbours"][0]["word"]
    colours = {
        other: colour
        for along, colour in zip(chart["axes"], ALONG, strict=True)
        for other in along["words"]
        if other != word
    }
    dots = axes.transData.transform([places[each] for each in (word, *colours)])
    taken: list[Box] = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in dots]
    for other, colour in colours.items():
        covered = {}
        for spot in itertools.product(DISTANCES, ANGLES):
            text = beside(axes, other, places[other], *spot, colour)
            box = name_box(text, renderer)
            covered[spot] = outside(box, axes.bbox.extents)
            covered[spot] += sum(shared(box, each) for each in taken)
            if not covered[spot]:
                break
            text.remove()
        else:
            best = min(covered, key=lambda spot: covered[spot])
            text = beside(axes, other, places[other], *best, colour)
            box = name_box(text, renderer)
        taken.append(box)


def name_box(name: "Annotation", renderer: "RendererBase") -> Box:
    """The place of a name with a gap around it, without that of the line to its dot."""
    from matplotlib.text import Text

    name.get_window_extent(renderer)  # finds its place
    box: Box = Text.get_window_extent(name, renderer).padded(GAP).extents
    return box


def shared(a: Box, b: Box) -> float:
    """The area that two boxes have in common."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, width) * max(0.0, height)


def outside(box: Box, within: Box) -> float:
    """The area of a box that is not within another."""
    return (box[2] - box[0]) * (box[3] - box[1]) - shared(box, within)


def beside(
    axes: "Axes", text: str, place: tuple[float, float], distance: float, angle: int, colour: str
) -> "Annotation":
    """A word `distance` points from its dot, in the direction of `angle` degrees."""
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    far = distance > DISTANCES[0]
    return axes.annotate(
        text,
        place,
        (distance * across, distance * up),
        textcoords="offset points",
        ha="center" if abs(across) < 0.1 else "left" if across > 0 else "right",
        va="center" if abs(up) < 0.1 else "bottom" if up > 0 else "top",
        arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.4} if far else None,
        fontsize=7,
        color=INK,  # of the axis are the dot and the line: small letters want more contrast
        annotation_clip=False,
        parse_math=False,
    )
