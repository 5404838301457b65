"""Alignments of translations with their sources, as Figure 3 of Bahdanau et al. 2015.

Everything is laid out in inches, so that a cell of a map and a word are of one size throughout.
"""

import random
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contextnmt.errors import UserError
from contextnmt.evaluation.translated_lines import GapError, translated_lines
from contextnmt.files import read_pairs
from contextnmt.report.figures import INK, Named, blank
from contextnmt.report.results import Results
from contextnmt.report.sentences import Place, nowhere, place_of, read_sides
from contextnmt.text.counts import read_counts
from contextnmt.text.vocabulary import UNKNOWN, Vocabulary
from contextnmt.translation.alignment_file import Weights, read_alignments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Random sentences that are drawn, the words of their sources, and the seed that draws them.
COUNT, LENGTHS, SEED = 4, range(10, 21), 1

#: The last symbol of a sentence, as the paper shows it.
END = "<end>"

#: Points of a word, and inches of a cell at the most and at the least. A map that would have
#: smaller cells in the whole width of the figure makes it wider.
FONT, CELL, LEAST = 7.0, 0.15, 0.115

#: Inches of the figure, between maps, between a map and its words, and of a line of text.
WIDTH, GAP, PAD, LINE = 7.2, 0.25, 0.06, 0.2


@dataclass(frozen=True)
class Panel:
    """A map [rows, columns] with the words of both sides."""

    title: str
    columns: list[str]
    rows: list[str]
    weights: Weights

    @property
    def left(self) -> float:
        """Inches of the longest word at the left."""
        return PAD + max(map(inches, self.rows))

    @property
    def above(self) -> float:
        """Inches of the longest word above."""
        return PAD + max(map(inches, self.columns))

    @property
    def least_width(self) -> float:
        """Inches of the map with its words and title, if its cells are as small as may be."""
        return max(self.left + LEAST * len(self.columns), inches(self.title))

    def height(self, cell: float) -> float:
        """Inches of the map with its words and title, if its cells have so many."""
        return self.above + cell * len(self.rows) + LINE


@dataclass(frozen=True)
class Aligned:
    """The lines of a text: tokenized source and reference, `sides`; source and translation in the
    view of a system; the weights that its attention gave them.

    `gap` says why there are neither translations nor weights.
    """

    sides: list[tuple[str, str]]
    view: list[list[str]]
    translation: list[list[str]]
    weights: list[Weights]
    gap: str = ""

    def panel(self, place: Place) -> Panel | str:
        """The map of a line, or the reason why there is none."""
        if self.gap:
            return f"{place}: {self.gap}"
        number = place.line - 1
        rows, weights = self.translation[number], self.weights[number]
        if not weights.size:
            return f"{place}: an empty translation"
        ended = [END] * (len(weights) - len(rows))  # none if the length limit cut it off
        return Panel(str(place), [*self.view[number], END], [*rows, *ended], weights)


def alignment_maps(results: Results) -> Iterator[Named]:
    """Draw the alignments of sentences as maps, from 0 (black) to 1 (white).

    alignments.{pair}.chosen has the experiment's `sentences`; alignments.{pair}.random has some of
    the first test text, of 10 to 20 words without unknown ones in source, reference and
    translation. Where a translation or its weights are damaged or of another length than the
    source, the reason stands in place of the maps.
    """
    for pair in results.aligned_pairs:
        texts = {text: read_aligned(results, pair, text) for text in results.texts(pair)}
        label, title = results.labels(pair)[results.aligned], results.pair_title(pair)
        if chosen := results.sentences.get(pair):
            panels = list(chosen_panels(chosen, texts))
            yield f"alignments.{pair}.chosen", draw(f"{label}, chosen sentences: {title}", panels)
        known = [
            set(Vocabulary.most_frequent(read_counts(path), results.vocabulary_size).words)
            for path in results.word_counts(pair)
        ]
        first = results.test[pair][0]
        panels = random_panels(first, texts[first], *known)
        yield f"alignments.{pair}.random", draw(f"{label}, random sentences: {title}", panels)


def read_aligned(results: Results, pair: str, text: str) -> Aligned:
    """A text with its translation and alignments, or with the reason why they are of no use.

    Raises UserError if a file is not there, or if the others do not fit together.
    """
    sides = read_sides(results, pair, text)
    (name,) = (system.view for system in results.systems if system.id == results.aligned)
    view = results.side(pair, text, 0, name)
    reads = [line.split() for line, _ in read_pairs(view, results.side(pair, text, 1))]
    translation = results.translation("translate", pair, results.aligned, text)
    try:
        writes = [line.split() for line in translated_lines(translation, view, len(reads))]
        return Aligned(sides, reads, writes, read_weights(translation, reads, writes))
    except GapError as gap:
        print(f"warning: no alignments: {gap}", file=sys.stderr)
        return Aligned(sides, reads, [], [], str(gap))


def read_weights(
    translation: Path, reads: Sequence[list[str]], writes: Sequence[list[str]]
) -> list[Weights]:
    """The weights beside a translation, from the words of its view that it `reads` and `writes`.

    Raises GapError if they are damaged or do not fit these, and another UserError if there are
    none.
    """
    path = translation.with_name(f"{translation.name.removesuffix('.gz')}.alignments.npz")
    try:
        found = read_alignments(path)
    except UserError as damage:
        raise GapError(str(damage)) if path.is_file() else damage from None
    if len(found) != len(reads):
        raise GapError(f"{path} has {len(found)} sentences and {translation} has {len(reads)}")
    for number, (read, rows, matrix) in enumerate(zip(reads, writes, found, strict=True), start=1):
        ended = len(matrix) - len(rows)
        if (matrix.size or rows) and (ended not in (0, 1) or matrix.shape[1] != len(read) + 1):
            raise GapError(
                f"{path}, sentence {number}: {matrix.shape[0]} x {matrix.shape[1]} weights for "
                f"{len(rows)} and {len(read)} symbols: translate this text again"
            )
    return found


def chosen_panels(chosen: list[str], texts: dict[str, Aligned]) -> Iterator[Panel | str]:
    """The maps of sentences by words in them, or the reasons why there are none."""
    sources = {text: [source for source, _ in aligned.sides] for text, aligned in texts.items()}
    for words in chosen:
        place = place_of(words, sources)
        yield texts[place.text].panel(place) if place else nowhere(words, sources)


def random_panels(
    text: str, aligned: Aligned, known_source: set[str], known_target: set[str]
) -> list[Panel | str]:
    """The maps of some lines of `LENGTHS` words without unknown ones, in their order; or a gap."""
    if aligned.gap:
        return [f"{text}: {aligned.gap}"]
    lines = zip(aligned.sides, aligned.translation, strict=True)
    fitting = [
        number
        for number, ((source, reference), translation) in enumerate(lines, start=1)
        if len(source.split()) in LENGTHS
        and known_source.issuperset(source.split())
        and known_target.issuperset(reference.split())
        and translation
        and UNKNOWN not in translation
    ]
    if not fitting:
        words = f"{LENGTHS[0]} to {LENGTHS[-1]} words"
        return [f"no sentence of {text} has {words} and no unknown one"]
    drawn = sorted(random.Random(SEED).sample(fitting, min(COUNT, len(fitting))))
    return [aligned.panel(Place(text, number)) for number in drawn]


def draw(title: str, panels: Sequence[Panel | str]) -> "Figure":
    """A figure of maps, as many in a row as fit, and the reasons of gaps below."""
    maps = [panel for panel in panels if isinstance(panel, Panel)]
    width = max([WIDTH, *(panel.least_width + 2 * GAP for panel in maps)])
    letters = int((width - 2 * GAP) / inches("0"))
    reasons = [panel for panel in panels if isinstance(panel, str)]
    gaps = [line for reason in reasons for line in textwrap.wrap(reason, letters)]
    lines = in_rows(maps, width - 2 * GAP)
    heights = [max(panel.height(cell_of(panel, width)) for panel in line) for line in lines]
    height = 2 * GAP + LINE + sum(heights) + GAP * len(heights) + LINE * len(gaps)
    figure = blank()
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
    return figure


def in_rows(panels: list[Panel], room: float) -> list[list[Panel]]:
    """The maps in their order: two side by side where both are narrow, else one."""
    lines: list[list[Panel]] = []
    half = (room - GAP) / 2
    for panel in panels:
        line = [*(lines[-1] if lines else []), panel]
        if len(line) == 2 and all(each.least_width <= half for each in line):
            lines[-1] = line
        else:
            lines.append([panel])
    return lines


def cell_of(panel: Panel, width: float) -> float:
    """Inches of a cell, so that the map fits half of the figure or, if it must, the whole."""
    for room in ((width - GAP) / 2 - GAP, width - 2 * GAP):
        cell = (room - panel.left) / len(panel.columns)
        if cell >= LEAST:
            return min(CELL, cell)
    return LEAST


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


def inches(text: str) -> float:
    """The length of a text as it is set."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="sans-serif", size=FONT)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72
