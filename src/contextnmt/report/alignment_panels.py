"""The maps of a figure of alignments: where they stand, and how large they and their words are.

Everything is laid out in inches, so that a cell of a map and a word are of one size throughout.
"""

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from contextnmt.report.figures import INK
from contextnmt.translation.alignment_file import Weights

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Points of a word, and inches of a cell at the most and at the least. A map that would have
#: smaller cells in the whole width of the figure makes it wider.
FONT, CELL, LEAST = 7.0, 0.15, 0.115
#: Inches of the figure, between maps, between a map and its words, and of a line of text.
WIDTH, GAP, PAD, LINE = 7.2, 0.25, 0.06, 0.2


@dataclass(frozen=True)
class Panel:
    """A map [rows, columns] with the words of both sides, or the reason why there is none."""

    title: str
    columns: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    weights: Weights = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def gap(cls, reason: str) -> "Panel":
        """A line of text instead of a map."""
        return cls(reason)

    @property
    def left(self) -> float:
        """Inches of the longest word at the left."""
        return PAD + max(map(inches, self.rows), default=0.0)

    @property
    def above(self) -> float:
        """Inches of the longest word above."""
        return PAD + max(map(inches, self.columns), default=0.0)

    def size(self, cell: float) -> tuple[float, float]:
        """Inches of the map with its words and title, if its cells have so many."""
        height = self.above + cell * len(self.rows) + LINE
        return max(self.left + cell * len(self.columns), inches(self.title)), height


def inches(text: str) -> float:
    """The length of a text as it is set."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="sans-serif", size=FONT)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def draw_panels(figure: "Figure", title: str, panels: list[Panel]) -> None:
    """Fill a figure with maps, as many in a row as fit, and with the reasons of gaps below."""
    maps = [panel for panel in panels if panel.rows]
    widest = max((panel.size(LEAST)[0] for panel in maps), default=0.0)
    width = max(WIDTH, widest + 2 * GAP)
    letters = int((width - 2 * GAP) / inches("0"))
    reasons = [panel.title for panel in panels if not panel.rows]
    gaps = [line for reason in reasons for line in textwrap.wrap(reason, letters)]
    lines = in_rows(maps, width - 2 * GAP)
    heights = [max(panel.size(cell_of(panel, width))[1] for panel in line) for line in lines]
    height = 2 * GAP + LINE + sum(heights) + GAP * len(heights) + LINE * len(gaps)
    figure.set_layout_engine("none")
    figure.set_size_inches(width, height)
    top = height - GAP
    figure.text(GAP / width, top / height, title, fontsize=10, va="top", parse_math=False)
    top -= LINE + GAP
    for line, tallest in zip(lines, heights, strict=True):
        # In columns if there are several maps, so that they stand below each other.
        step = (width - GAP) / max(len(line), 2)
        for number, panel in enumerate(line):
            draw_map(figure, panel, GAP + number * step, top, cell_of(panel, width))
        top -= tallest + GAP
    for text in gaps:
        figure.text(GAP / width, top / height, text, fontsize=FONT, va="top", parse_math=False)
        top -= LINE


def cell_of(panel: Panel, width: float) -> float:
    """Inches of a cell, so that the map fits half of the figure or, if it must, the whole."""
    for room in ((width - GAP) / 2 - GAP, width - 2 * GAP):
        cell = (room - panel.left) / len(panel.columns)
        if cell >= LEAST:
            return min(CELL, cell)
    return LEAST


def in_rows(panels: list[Panel], room: float) -> list[list[Panel]]:
    """The maps in their order: two side by side where both are narrow, else one."""
    lines: list[list[Panel]] = []
    half = (room - GAP) / 2
    for panel in panels:
        narrow = panel.size(LEAST)[0] <= half
        if narrow and lines and len(lines[-1]) == 1 and lines[-1][0].size(LEAST)[0] <= half:
            lines[-1].append(panel)
        else:
            lines.append([panel])
    return lines


def draw_map(figure: "Figure", panel: Panel, left: float, top: float, cell: float) -> None:
    """One map with its words, its upper left corner at so many inches of the figure."""
    width, height = figure.get_size_inches()
    size = (cell * len(panel.columns), cell * len(panel.rows))
    x, y = left + panel.left, top - panel.above - size[1]
    axes = figure.add_axes((x / width, y / height, size[0] / width, size[1] / height))
    # Not interpolated: a pixel a cell, whose colours stay black and white in the page.
    image = axes.imshow(
        panel.weights, cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="none"
    )
    image.set_gid(f"map_{len(figure.axes)}")  # else equal maps have one id in the SVG file
    axes.grid(False)
    axes.spines[:].set(visible=True, color=INK, linewidth=0.4)
    axes.tick_params(length=0, pad=2, labelsize=FONT, top=True, labeltop=True, labelbottom=False)
    axes.set_xticks(range(len(panel.columns)), panel.columns, rotation=90, parse_math=False)
    axes.set_yticks(range(len(panel.rows)), panel.rows, parse_math=False)
    axes.text(
        0, -LINE / 4 / size[1], panel.title, transform=axes.transAxes, fontsize=FONT, va="top"
    )
