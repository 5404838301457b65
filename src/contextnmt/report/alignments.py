"""Alignments of translations with their sources, as Figure 3 of Bahdanau et al. 2015.

Everything is laid out in inches, so that a cell of a map and a word are of one size throughout.
"""

import random
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contextnmt.errors import UserError
from contextnmt.evaluation.translated_lines import GapError, translated_lines
from contextnmt.files import read_lines
from contextnmt.report.experiment import Experiment, match, run_of
from contextnmt.report.figures import INK, drawing, save
from contextnmt.report.sentences import Place, folder_of, nowhere, place_of
from contextnmt.text.counts import read_counts
from contextnmt.text.vocabulary import Vocabulary
from contextnmt.translation.alignment_file import Weights, read_alignments
from contextnmt.translation.unknown_word import UNKNOWN

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Points of a word, and inches of a cell at the most and at the least. A map that would have
#: smaller cells in the whole width of the figure makes it wider.
FONT, CELL, LEAST = 7.0, 0.15, 0.115


#: Inches of the figure, between maps, between a map and its words, and of a line of text.
WIDTH, GAP, PAD, LINE = 7.2, 0.25, 0.06, 0.2


#: Random sentences that are drawn, the words of their sources, and the seed that draws them.
COUNT, LENGTHS, SEED = 4, range(10, 21), 1


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


#: The last symbol of a sentence, as the paper shows it.
END = "<end>"


@dataclass(frozen=True)
class Aligned:
    """The lines of a text: tokenized `source` and `reference`; source and translation in the view
    of a system; the weights that its attention gave them.

    `gap` says why there are neither translations nor weights.
    """

    source: list[str]
    reference: list[str]
    view: list[list[str]]
    translation: list[list[str]]
    weights: list[Weights]
    gap: str = ""

    def panel(self, place: Place) -> Panel:
        """The map of a line."""
        number = place.line - 1
        rows = self.translation[number]
        weights = self.weights[number]
        ended = [END] * (len(weights) - len(rows))  # none if the length limit cut it off
        title = f"{place.text}, line {place.line:,}"
        return Panel(title, [*self.view[number], END], [*rows, *ended], weights)


def alignment_maps(
    translation: list[Path],
    view: list[Path],
    source: list[Path],
    reference: list[Path],
    source_counts: list[Path],
    target_counts: list[Path],
    about: Experiment,
    out: Path,
) -> None:
    """Draw the alignments of sentences as maps, from 0 (black) to 1 (white).

    alignments.{pair}.chosen has the experiment's `sentences`; alignments.{pair}.random has some of
    the first test text, of 10 to 20 words without unknown ones in source, reference and
    translation; both in SVG, PDF and PNG. The pair is told by the folders of a translation; the
    weights lie beside it. Where either is damaged or of another length than the source, the reason
    stands in place of the maps.
    """
    if not len(translation) == len(view) == len(source) == len(reference):
        raise UserError(
            f"{len(translation)} translations, {len(view)} views, {len(source)} sources, "
            f"{len(reference)} references: give one of each for every text"
        )
    there = {run_of(path).pair for path in translation}
    pairs = [pair for pair in about.pairs if pair in there]
    counts = [
        match(option, paths, folder_of, pairs)
        for option, paths in (
            ("source counts", source_counts),
            ("target counts", target_counts),
        )
    ]
    files = list(zip(translation, view, source, reference, strict=True))
    for pair in pairs:
        texts = {
            paths[0].name.split(".")[0]: read_aligned(*paths)
            for paths in files
            if run_of(paths[0]).pair == pair
        }
        first = about.test[pair][0]
        if first not in texts:
            raise UserError(f"translation: no {first} of {pair}: name it too")
        label, title = label_of(about, pair, translation), about.pair_title(pair)
        if about.sentences.get(pair):
            chosen = list(chosen_panels(about.sentences[pair], texts))
            draw(f"{label}, chosen sentences: {title}", chosen, out / f"alignments.{pair}.chosen")
        known = [
            set(Vocabulary.most_frequent(read_counts(of_pair[pair]), about.vocabulary_size).words)
            for of_pair in counts
        ]
        drawn = random_panels(first, texts[first], *known)
        draw(f"{label}, random sentences: {title}", drawn, out / f"alignments.{pair}.random")


def label_of(about: Experiment, pair: str, translations: list[Path]) -> str:
    """The label of the system that they are of. Raises UserError if that is none or not one."""
    systems = {run_of(path).system for path in translations if run_of(path).pair == pair}
    labels = [label for system, label in about.labels(pair).items() if system in systems]
    if len(labels) != 1 or len(systems) != 1:
        raise UserError(
            f"--translation: {', '.join(sorted(systems))}: give those of one system of {about.name}"
        )
    return labels[0]


def read_aligned(translation: Path, view: Path, source: Path, reference: Path) -> Aligned:
    """A text with its translation and alignments, or with the reason why they are of no use.

    Raises UserError if a file is not there, or if the others do not fit together.
    """
    sources, references = (list(read_lines(file)) for file in (source, reference))
    reads = [line.split() for line in read_lines(view)]
    if not len(sources) == len(references) == len(reads):
        files = ", ".join(map(str, (source, reference, view)))
        raise UserError(f"{files}: not of one length: make them again from one text")
    try:
        writes = [line.split() for line in translated_lines(translation, view, len(reads))]
        weights = read_weights(translation, reads, writes)
    except GapError as gap:
        print(f"warning: no alignments: {gap}", file=sys.stderr)
        return Aligned(sources, references, reads, [], [], str(gap))
    return Aligned(sources, references, reads, writes, weights)


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
        if matrix.size and (ended not in (0, 1) or matrix.shape[1] != len(read) + 1):
            raise GapError(
                f"{path}, sentence {number}: {matrix.shape[0]} x {matrix.shape[1]} weights for "
                f"{len(rows)} and {len(read)} symbols: translate this text again"
            )
    return found


def chosen_panels(sentences: list[str], texts: dict[str, Aligned]) -> Iterator[Panel]:
    """The maps of sentences that are named by words in them; a gap where there is no such one."""
    sources = {text: aligned.source for text, aligned in texts.items()}
    for words in sentences:
        place = place_of(words, sources)
        if place is None:
            yield Panel.gap(nowhere(words, sources))
        elif texts[place.text].gap:
            yield Panel.gap(f"{place.text}, line {place.line:,}: {texts[place.text].gap}")
        elif not texts[place.text].weights[place.line - 1].size:
            yield Panel.gap(f"{place.text}, line {place.line:,}: an empty translation")
        else:
            yield texts[place.text].panel(place)


def random_panels(
    text: str, aligned: Aligned, known_source: set[str], known_target: set[str]
) -> list[Panel]:
    """The maps of some lines of `LENGTHS` words without unknown ones, in their order; or a gap."""
    if aligned.gap:
        return [Panel.gap(f"{text}: {aligned.gap}")]
    lines = zip(aligned.source, aligned.reference, aligned.translation, strict=True)
    fitting = [
        number
        for number, (source, reference, translation) in enumerate(lines, start=1)
        if len(source.split()) in LENGTHS
        and known_source.issuperset(source.split())
        and known_target.issuperset(reference.split())
        and translation
        and UNKNOWN not in translation
    ]
    drawn = sorted(random.Random(SEED).sample(fitting, min(COUNT, len(fitting))))
    if not drawn:
        return [
            Panel.gap(
                f"no sentence of {text} has {LENGTHS[0]} to {LENGTHS[-1]} words and no unknown one"
            )
        ]
    return [aligned.panel(Place(text, number)) for number in drawn]


def draw(title: str, panels: list[Panel], out: Path) -> None:
    """Write a figure of some maps."""
    with drawing() as figure:
        draw_panels(figure, title, panels)
        save(figure, out)
