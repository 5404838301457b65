"""Local charts of words, as Choi et al. 2017 describe them: Table 1, and the plane of both axes."""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.report.figures import COLOURS, INK, RULE, Named, freeze
from contextnmt.report.published import published
from contextnmt.report.results import LANGUAGES, Results, read_record
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Row, Table


def local_charts_table(results: Results) -> Table:
    """Tabulate the words along the axes of local charts, the paper's beside them.

    The paper's words are English: beside another source language there is no column for them.
    """
    printed = {
        (row["word"], int(row["axis"])): numbered(row["neighbours"].split(" "))
        for row in published("paper/choi2017_table1.csv")
    }
    blocks: list[Block] = []
    data: list[Row] = []
    for found in read_charts(results):
        source, _, _ = found.pair.partition("-")
        paper = [PAPER] if source == "en" else []
        rows = []
        for word, axis in itertools.product(found.words, (1, 2)):
            along = {name: printed.get((word, axis), []) for name in paper}
            along |= {name: along_axis(found.of[name][word], axis) for name in found.labels}
            rows.append((f"{word}, axis {axis}", [cell(of, word, axis) for of in along.values()]))
            place = {"pair": found.pair, "word": word, "axis": axis}
            data += [{**place, "vectors": name, **row} for name, of in along.items() for row in of]
        title = f"{results.pair_title(found.pair)}: {LANGUAGES.get(source, source)} words"
        columns = [(label,) for label in (*paper, *found.labels.values())]
        blocks.append(Block(title, columns, rows, text_columns=len(columns)))
    notes = [
        "Each row is a principal axis of the 100 words nearest to a word (Euclidean distance, the "
        "word included). It lists the five that lie nearest to the word on this axis, in order; "
        "the word is in brackets. The direction of an axis has no meaning.",
        "The paper charts the CBOW vectors of Hill et al. 2015, of another and much larger text. "
        "Other vectors have other neighbours: compare only whether the two axes separate meanings.",
    ]
    return Table(blocks, data, notes)


class Charts(NamedTuple):
    """The charts of one pair, by vectors and word; `labels` are what a reader calls the vectors.

    The CBOW vectors come first: those are what the paper charts.
    """

    pair: str
    words: list[str]
    labels: dict[str, str]
    of: dict[str, dict[str, Any]]


def read_charts(results: Results) -> Iterator[Charts]:
    """The charts of each pair."""
    for pair, path in results.of_pairs("local-charts", results.pairs).items():
        content = read_record(path)
        charts = content["charts"]
        systems = {name: label for name, label in results.labels(pair).items() if name in charts}
        yield Charts(pair, content["words"], {"cbow": "CBOW", **systems}, charts)


def numbered(words: list[str]) -> list[Row]:
    """Words in their order along an axis."""
    return [{"order": order, "neighbour": word} for order, word in enumerate(words, start=1)]


def along_axis(chart: dict[str, Any], axis: int) -> list[Row]:
    """The words along an axis of a chart, with their positions; a gap is one row."""
    if "gap" in chart:
        return [{"gap": chart["gap"]}]
    neighbours = {each["word"]: each for each in chart["neighbours"]}
    along = chart["axes"][axis - 1]
    return [
        {
            **row,
            "position": neighbours[row["neighbour"]]["position"][axis - 1],
            "squared_distance": neighbours[row["neighbour"]]["squared_distance"],
            "variance_percent": along["variance_percent"],
        }
        for row in numbered(along["words"])
    ]


def cell(rows: list[Row], word: str, axis: int) -> Cell:
    """The words along an axis, `word` in brackets as the paper prints it.

    A gap has its reason on the first axis.
    """
    if rows and "gap" in rows[0]:
        return Cell(NONE, f"({rows[0]['gap']})" if axis == 1 else "")
    words = [row["neighbour"] for row in rows]
    return Cell(" ".join(f"({each})" if each == word else each for each in words) or NONE)


#: Inches of a panel, and of what is above and below all of them.
WIDTH, HEIGHT, MARGIN = 3.0, 2.7, 0.9
#: Colours of the words along the first axis and along the second.
ALONG = (COLOURS[4], COLOURS[5])


def local_charts_figure(results: Results) -> Iterator[Named]:
    """Draw the local charts of each pair as local-charts.{pair}."""
    for found in read_charts(results):
        yield f"local-charts.{found.pair}", draw(results, found)


def draw(results: Results, found: Charts) -> Figure:
    """A row of panels per word, a panel for each kind of vectors; a gap says why it is one.

    Words that all vectors lack are named below the title.
    """
    words = [
        word
        for word in found.words
        if any("gap" not in found.of[name][word] for name in found.labels)
    ]
    title = results.pair_title(found.pair)
    if lacking := [word for word in found.words if word not in words]:
        title += f"\nWithout a chart: {', '.join(lacking)}."
    figure = Figure((WIDTH * len(found.labels), MARGIN + HEIGHT * max(1, len(words))))
    panels = figure.subplots(max(1, len(words)), len(found.labels), squeeze=False)
    for axes in panels.flat:
        axes.axis("off")
    drawn = []
    for row, word in zip(panels, words, strict=False):
        for axes, (name, label) in zip(row, found.labels.items(), strict=True):
            chart = found.of[name][word]
            axes.set_title(f"{word}, {label}", fontsize=9)
            if "gap" in chart:
                axes.text(0, 0.9, chart["gap"], fontsize=8, wrap=True)
            else:
                draw_chart(axes, chart)
                drawn.append((axes, chart))
    figure.suptitle(title, x=0, ha="left", fontsize=10)
    handles = [axes.scatter([], [], s=22, color=INK, label="the word")]
    for number, colour in enumerate(ALONG, start=1):
        label = f"near the word on axis {number}"
        handles.append(axes.scatter([], [], s=14, color=colour, label=label))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    # Only a figure that is laid out tells the extent of a name; names move nothing in it.
    figure.draw_without_rendering()
    freeze(figure)
    for axes, chart in drawn:
        name_words(axes, chart)
    return figure


def draw_chart(axes: Axes, chart: dict[str, Any]) -> None:
    """The words of a neighbourhood as dots, those of the table in the colours of their axes."""
    places = {each["word"]: each["position"] for each in chart["neighbours"]}
    axes.axis("on")
    axes.axhline(0, color=RULE, linewidth=0.8)
    axes.axvline(0, color=RULE, linewidth=0.8)
    axes.grid(False)
    across, up = zip(*places.values(), strict=True)
    axes.scatter(across, up, s=5, color=COLOURS[2], linewidths=0)
    for axis, (along, colour) in enumerate(zip(chart["axes"], ALONG, strict=True)):
        across, up = zip(*map(places.__getitem__, along["words"]), strict=True)
        axes.scatter(across, up, s=14, color=colour, linewidths=0)
        share = f"axis {axis + 1} ({along['variance_percent']:.0f} % of the variance)"
        (axes.set_ylabel if axis else axes.set_xlabel)(share, fontsize=8)
    axes.scatter(0, 0, s=22, color=INK, zorder=4)
    axes.tick_params(labelsize=7)
    axes.margins(0.15)


#: Sides of a dot where its name may stand, and ways there in points; the first are tried first.
SIDES = numpy.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)] * 5)
WAYS = (numpy.repeat([4, 10, 18, 28, 40], 8) / numpy.hypot(*SIDES.T))[:, None] * SIDES
#: Side of a dot -> alignment of a name there.
ACROSS, UP = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
#: Pixels around a name, and around the middle of a dot, that no other name may cover.
GAP, DOT = 1, 2


def name_words(axes: Axes, chart: dict[str, Any]) -> None:
    """Words beside their dots, no name over another or over one of these dots.

    A name that has to go farther away has a line to its dot; where no place is free, it has the
    one that covers least.
    """
    inspected, *others = chart["neighbours"]
    places = {each["word"]: each["position"] for each in others}
    colours = {
        word: colour
        for along, colour in zip(chart["axes"], ALONG, strict=True)
        for word in along["words"]
        if word in places
    }
    dots = axes.transData.transform([inspected["position"], *(places[word] for word in colours)])
    panel = numpy.array([axes.bbox.extents])
    taken = numpy.hstack([dots - DOT, dots + DOT])
    for (word, colour), dot in zip(colours.items(), dots[1:], strict=True):
        boxes = boxes_of(axes, word, dot)
        areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
        outside = areas - shared(boxes, panel).sum(1)
        best = (outside + shared(boxes, taken).sum(1)).argmin()
        taken = numpy.vstack([taken, boxes[best]])
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.4}
        axes.annotate(
            word,
            places[word],
            WAYS[best],
            textcoords="offset points",
            ha=ACROSS[SIDES[best, 0]],
            va=UP[SIDES[best, 1]],
            arrowprops=line if best >= 8 else None,  # the first 8 ways are the shortest
            fontsize=7,
            color=INK,  # of the axis are the dot and the line: small letters want more contrast
            annotation_clip=False,
        )


def boxes_of(axes: Axes, word: str, dot: numpy.ndarray) -> numpy.ndarray:
    """Left, lower, right and upper edge, in pixels, of a name at each of `SIDES` of its dot."""
    text = axes.text(0, 0, word, fontsize=7)
    size = numpy.array(text.get_window_extent().size)
    text.remove()
    corners = dot + WAYS * axes.figure.dpi / 72 - size * (1 - SIDES) / 2
    return numpy.hstack([corners - GAP, corners + size + GAP])


def shared(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    """The areas [n, k] that boxes `a` [n, 4] and `b` [k, 4] have in common."""
    low = numpy.maximum(a[:, None, :2], b[:, :2])
    high = numpy.minimum(a[:, None, 2:], b[:, 2:])
    areas: numpy.ndarray = (high - low).clip(0).prod(2)
    return areas
