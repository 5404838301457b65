"""The style of the figures, and their files: SVG, PDF and PNG with the same bytes each time.

`INK` and `RULE` are the only neutral colours; the page replaces them by its own, so that a figure
follows the reader's light or dark scheme.
"""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import matplotlib
from fontTools.subset import Options
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from contextnmt.files import atomic
from contextnmt.report.results import System

INK = "#24292f"
RULE = "#d0d4d9"

#: Okabe and Ito's colours, distinguishable with any colour vision; the first is the ink, a
#: gray stands for their yellow, which is next to white.
COLOURS = [INK, "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7", "#8a8f98"]
#: The line of each view, for readers without colour.
LINES = {"word": "-", "sym": "--", "bpe": "-.", "sym-bpe": ":"}

#: Inches of a legend: a line with the gaps around it, a letter, and the height of a row.
LINE_WIDTH, LETTER_WIDTH, LEGEND_ROW = 0.48, 0.062, 0.165

STYLE = {
    "figure.figsize": (4.4, 3.3),
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "text.color": INK,
    "text.parse_math": False,  # a label or word may have dollars
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "savefig.transparent": False,
    "svg.fonttype": "none",  # text stays text: it can be read out, searched, and takes any font
    "svg.hashsalt": "contextnmt",
    "pdf.fonttype": 42,
}

#: Tables of a font that place letters. Matplotlib has placed all before it embeds the font in a PDF
#: file; to subset these tables too would take longer than all else.
PLACING = ("GSUB", "GPOS", "GDEF")

#: Name of a figure in the folder of figures, without suffix, and the figure.
Named = tuple[str, Figure]


def save_all(drawn: Iterable[Named], folder: Path) -> None:
    """Write figures in the report's style, each as it is drawn."""
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        for name, figure in drawn:
            save(figure, folder / name)


def lines_of(systems: list[System]) -> dict[str, dict[str, str]]:
    """Colour and line style of each system by its id, the same in every figure, no two alike.

    Of systems with the same colour, the later ones have another line than that of their view.
    """
    found: dict[str, dict[str, str]] = {}
    for position, system in enumerate(systems):
        choices = [LINES.get(system.view, "-"), *LINES.values()]
        styles = [{"color": COLOURS[position % len(COLOURS)], "linestyle": c} for c in choices]
        found[system.id] = next((s for s in styles if s not in found.values()), styles[0])
    return found


def scale_by_logarithm(axes: Axes, name: Literal["x", "y"] = "y") -> None:
    """Make an axis logarithmic, with its numbers written out: a power of ten would be a formula."""
    x = axes.set_xscale, axes.get_xlim, axes.xaxis
    y = axes.set_yscale, axes.get_ylim, axes.yaxis
    set_scale, get_limits, axis = x if name == "x" else y
    set_scale("log", nonpositive="mask")  # 0 is not to be drawn
    low, high = get_limits()
    # Numbers at these times powers of ten, fewer side by side than above each other; at the powers
    # alone if there are more than two.
    near = (1, 3) if name == "x" else (1, 2, 3, 5, 7)
    subs = near if high <= 100 * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))


def legend_below(figure: Figure, labels: list[str], columns: int = 4) -> None:
    """A legend below the drawing, in as many columns as its labels leave room for.

    The figure grows by its rows, so that the drawing does not shrink.
    """
    widest = LINE_WIDTH + LETTER_WIDTH * max(map(len, labels))
    fitting = max(1, min(columns, int(figure.get_figwidth() / widest)))
    rows = -(-len(labels) // fitting)
    figure.set_figheight(figure.get_figheight() + LEGEND_ROW * max(0, rows - 2))
    of_label = {line.get_label(): line for axes in figure.axes for line in axes.lines}
    # By itself, a legend leaves out labels that begin with an underscore.
    figure.legend(
        [of_label[label] for label in labels],
        labels,
        loc="outside lower center",
        ncols=fitting,
        handlelength=2.4,
        columnspacing=1.2,
    )


def save(figure: Figure, out: Path) -> None:
    """Write `figure` as `out` + ``.svg``, ``.pdf`` and ``.png``, without dates inside."""
    metadata: dict[str, dict[str, None]] = {
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
        "png": {"Software": None},
    }
    dropped = getattr(Options, "_drop_tables_default", [])  # private: it may go
    Options._drop_tables_default = list(dict.fromkeys([*dropped, *PLACING]))
    for suffix, entries in metadata.items():
        image = io.BytesIO()
        figure.savefig(image, format=suffix, metadata=entries, dpi=200)
        freeze(figure)  # the same places in all three, and found once
        with atomic(out.with_name(f"{out.name}.{suffix}"), "wb") as stream:
            stream.write(image.getvalue())


def freeze(figure: Figure) -> None:
    """Leave everything in a figure where it was drawn last."""
    # With the layout engine "none", a figure would be drawn twice each time.
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
