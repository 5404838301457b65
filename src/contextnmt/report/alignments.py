"""Alignments of translations with their sources, as Figure 3 of Bahdanau et al. 2015.

Everything is laid out in inches, so that words are of one size throughout.
"""

import random
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from contextnmt.corpus.counts import read_counts
from contextnmt.errors import UserError
from contextnmt.evaluation.outputs import GapError, translated_lines
from contextnmt.files import read_pairs
from contextnmt.progress import say
from contextnmt.report.figures import INK, Named, freeze
from contextnmt.report.results import Results
from contextnmt.report.sentences import Place, place_of, read_sides
from contextnmt.text.vocabulary import UNKNOWN, Vocabulary
from contextnmt.translation.alignment_file import Weights, read_alignments

#: Random sentences that are drawn, the words of their sources, and the seed that draws them.
COUNT, LENGTHS, SEED = 4, range(10, 21), 1

#: The last symbol of a sentence, as the paper shows it.
END = "<end>"

#: Points of a word, and inches between a map and its words, and of a line of text.
FONT, PAD, LINE = 7.0, 0.03, 0.2

#: Inches of the smallest and of the largest cell.
SMALL, LARGE = 0.115, 0.15

#: Inches of the figure, which a long sentence makes wider, and between maps.
WIDTH, GAP = 7.2, 0.25


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
        return 2 * PAD + max(map(inches, self.rows))

    @property
    def above(self) -> float:
        """Inches of the longest word above."""
        return 2 * PAD + max(map(inches, self.columns))

    @property
    def cell(self) -> float:
        """Inches of a cell: as large as half of the figure allows, or all of it."""
        for room in ((WIDTH - 3 * GAP) / 2, WIDTH - 2 * GAP):
            if (size := (room - self.left) / len(self.columns)) >= SMALL:
                return min(size, LARGE)
        return SMALL

    @property
    def width(self) -> float:
        """Inches of the map with its words and title."""
        return max(self.left + self.cell * len(self.columns), inches(self.title))

    @property
    def height(self) -> float:
        """Inches of the map with its words and title."""
        return self.above + self.cell * len(self.rows) + LINE


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
        say(f"warning: no alignments: {gap}")
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
                f"{len(rows)} and {len(read)} tokens: translate this text again"
            )
    return found


def chosen_panels(chosen: list[str], texts: dict[str, Aligned]) -> Iterator[Panel | str]:
    """The maps of sentences by words in them, or the reasons why there are none."""
    sources = {text: [source for source, _ in aligned.sides] for text, aligned in texts.items()}
    for words in chosen:
        place = place_of(words, sources)
        yield texts[place.text].panel(place) if isinstance(place, Place) else place


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


def draw(title: str, panels: Sequence[Panel | str]) -> Figure:
    """A figure of maps, and the reasons of gaps below."""
    maps = [panel for panel in panels if isinstance(panel, Panel)]
    width = max([WIDTH, *(panel.width + 2 * GAP for panel in maps)])
    letters = int((width - 2 * GAP) / inches("0"))
    reasons = [panel for panel in panels if isinstance(panel, str)]
    gaps = [line for reason in reasons for line in textwrap.wrap(reason, letters)]
    places, below = places_of(maps, width)
    height = below + GAP + LINE * len(gaps)
    figure = Figure((width, height))
    freeze(figure)  # nothing is to be moved
    texts = [(title, 10.0, GAP), *((line, FONT, below + LINE * n) for n, line in enumerate(gaps))]
    for text, size, top in texts:
        at = (GAP / width, 1 - top / height)
        figure.text(*at, text, fontsize=size, va="top")
    for panel, place in zip(maps, places, strict=True):
        draw_map(figure, panel, *place)
    return figure


def places_of(maps: list[Panel], width: float) -> tuple[list[tuple[float, float]], float]:
    """Left and upper edges of the maps in inches, and the upper edge of what is below them.

    Two stand side by side where both fit half of the figure.
    """
    half = (width - 3 * GAP) / 2
    top = below = 2 * GAP + LINE
    places, right_is_free = [], False
    for panel in maps:
        beside = right_is_free and panel.width <= half
        right_is_free = not beside and panel.width <= half
        top = top if beside else below
        places.append((2 * GAP + half if beside else GAP, top))
        below = max(below, top + panel.height + GAP)
    return places, below


def draw_map(figure: Figure, panel: Panel, left: float, top: float) -> None:
    """One map with its words, its upper left corner at so many inches of the figure."""
    width, height = figure.get_size_inches()
    rows, columns = panel.weights.shape
    cell = panel.cell
    x, y = left + panel.left, height - top - panel.above - cell * rows
    axes = figure.add_axes((x / width, y / height, cell * columns / width, cell * rows / height))
    # Not interpolated: a pixel a cell, whose colours stay black and white in the page.
    image = axes.imshow(
        panel.weights, cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="none"
    )
    image.set_gid(f"map_{len(figure.axes)}")  # else equal maps have one id in the SVG file
    axes.spines[:].set(visible=True, color=INK, linewidth=0.4)
    axes.set(xticks=[], yticks=[])  # words as ticks would take several times as long to draw
    edge = -0.5 - PAD / cell
    style: dict[str, Any] = {"fontsize": FONT}
    for column, word in enumerate(panel.columns):
        axes.text(column, edge, word, rotation=90, ha="center", va="bottom", **style)
    for row, word in enumerate(panel.rows):
        axes.text(edge, row, word, ha="right", va="center_baseline", **style)
    axes.text(-0.5, rows - 0.5 + PAD / cell, panel.title, va="top", **style)


@cache
def inches(text: str) -> float:
    """The length of a text as it is set."""
    font = FontProperties(family="sans-serif", size=FONT)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72
