"""How far contexts move ambiguous words, as Choi et al. 2017, section 3.3: a table, and figures."""

import math
import statistics
import textwrap
from collections.abc import Iterable, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from contextnmt.errors import UserError
from contextnmt.evaluation.distances import distances
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, Run, match, run_of
from contextnmt.report.figures import COLOURS, INK, drawing, save
from contextnmt.report.gaps import gap_notes
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Kind of pairs of a file of stage `masks` -> heading; the first two are those of tagged words.
KINDS = {"same": "one sense", "different": "two senses", "unknown": "any two sentences"}
#: What a file of the stage has.
KEYS = {"contextualizer", "words", "all"}
#: Measure -> heading.
MEASURES = {"cosine": "cosine distance", "euclidean": "Euclidean distance"}
OPEN = ("mask above 0.99 (%)", "")
WORDS = ("words", "")
SEPARATION = ("two senses farther (%)", "")

OPENING = (
    "Mask above 0.99: of all values of the masks, those that let a dimension of a word's vector "
    "pass all but unchanged."
)
DISTANCES = (
    "Distances between the source vectors of a word in two sentences, after the context mask: "
    "means over {}. A system without contextualizer gives a word one vector: 0 by construction."
)
#: Kind of pairs -> what the means are over.
MEANS = {
    "same": "the ambiguous words that the test text has in both kinds of pairs",
    "unknown": "all pairs of sentences with a word, where nobody has said what it means in them",
}
FARTHER = (
    "Two senses farther: of all comparisons of a pair of sentences in which the word has two "
    "senses with one in which it has one, the share in which the former are farther by cosine, a "
    "tie being half of one; mean over the words. 50: the masks say nothing of the sense."
)


def masks_table(masks: list[Path], about: Experiment) -> Table:
    """Tabulate the distances of masked vectors of ambiguous words, system by system."""
    found = {run: content["all"] for run, content in read_masks(about, masks).items()}
    pairs = [pair for pair in about.pairs if any(run.pair == pair for run in found)]
    data = [row for run, means in found.items() for row in rows_of(run, means)]
    blocks = [block(about, pair, found) for pair in pairs]
    kinds = {kind for means in found.values() for kind in kinds_of([means])}
    told = notes(kinds) + gap_notes(about) + stale_notes(about)
    return Table(blocks, data, told)


def notes(kinds: Set[str]) -> list[str]:
    """What a reader must know of a table with these kinds of pairs."""
    means = [text for kind, text in MEANS.items() if kind in kinds]
    distances = [DISTANCES.format("; ".join(means))] if means else []
    return [OPENING, *distances, *([FARTHER] if "same" in kinds else [])]


def read_masks(about: Experiment, masks: list[Path]) -> dict[Run, dict[str, Any]]:
    """What stage `masks` wrote of runs, in the experiment's order; all seeds of a system or none.

    Raises UserError if a seed is missing, or a file is something else.
    """
    there = {run_of(path)[:2] for path in masks}
    runs = [run for run in about.runs if run[:2] in there]
    found = {}
    for run, path in match("masks", masks, run_of, runs).items():
        content = read_json(path)
        if not isinstance(content, dict) or not set(content) >= KEYS:
            raise UserError(f"{path}: not context masks: make this file again")
        found[run] = content
    return found


def block(about: Experiment, pair: str, found: dict[Run, dict[str, Any]]) -> Block:
    """The table of one pair: a row for each system that has masks."""
    there = {
        system.label: [means for run, means in found.items() if run[:2] == (pair, system.id)]
        for system in about.marked(pair)
    }
    kinds = kinds_of(means for of_seeds in there.values() for means in of_seeds)
    distances = [(MEASURES[measure], KINDS[kind]) for measure in MEASURES for kind in kinds]
    last = [SEPARATION, WORDS] if "same" in kinds else [WORDS]
    rows = [(label, cells(of_seeds, kinds)) for label, of_seeds in there.items() if of_seeds]
    return Block(about.pair_title(pair), [OPEN, *distances, *last], rows)


def kinds_of(of_runs: Iterable[dict[str, Any]]) -> list[str]:
    """The kinds of pairs that a text has: by sense where its words are tagged, else all alike."""
    return ["unknown"] if any("unknown" in means for means in of_runs) else ["same", "different"]


def cells(of_seeds: list[dict[str, Any]], kinds: list[str]) -> list[Cell]:
    """Means over the seeds; dashes, and in the last cell the reason, where nothing is compared."""
    opened = [means["open_percent"] for means in of_seeds]
    shown = [Cell(NONE if None in opened else f"{statistics.fmean(opened):.1f}")]
    if not all(kind in means for means in of_seeds for kind in kinds):
        dashes = len(kinds) * len(MEASURES) + ("same" in kinds)
        return [*shown, *[Cell(NONE)] * dashes, Cell("0", "(no word has the pairs)")]
    for measure in MEASURES:
        for kind in kinds:
            mean = statistics.fmean(means[kind][measure] for means in of_seeds)
            shown.append(Cell(distance(mean)))
    if "same" in kinds:
        shown.append(Cell(*rounded([100 * means["separation"] for means in of_seeds], 1)))
    return [*shown, Cell(str(of_seeds[0][kinds[0]]["words"]))]


def distance(value: float) -> str:
    """A distance with two digits."""
    return f"{value:.1e}" if 0 < value < 0.001 else f"{value:.2g}"


def rows_of(run: Run, means: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each run and kind of pairs."""
    return [
        {
            **run._asdict(),
            "senses": kind,
            "words": means["words"],
            **means.get(kind, {}),
            "open_percent": means["open_percent"],
            "separation": means.get("separation") if kind != "unknown" else None,
            "separation_error": means.get("separation_error") if kind != "unknown" else None,
        }
        for kind in kinds_of([means])
    ]


#: The word that is drawn if it has two senses in the text: the paper's own example.
WORD = "notebook"

#: Colours and markers of pairs of sentences, in which the word has one sense or two.
SAME, DIFFERENT = COLOURS[4], COLOURS[5]
#: Inches of the whole figure, and letters of a line of a sentence, which has two.
SIZE, LETTERS = (6.6, 6.0), 94


def masks_figure(masks: list[Path], about: Experiment, out: Path, word: str = WORD) -> None:
    """Draw the masks of an ambiguous word in two sentences as masks.{pair} in SVG, PDF and PNG.

    The system is the experiment's first one with contextualizer among those given. A word that
    the text does not have in two senses is replaced by the one with the most pairs of sentences;
    where nobody has said what words mean in it, in two sentences that are far apart.
    """
    found = read_masks(about, masks)
    for pair in dict.fromkeys(run.pair for run in found):
        chosen = next(
            (run for run in found if run.pair == pair and found[run]["contextualizer"]), None
        )
        draw(about, pair, chosen, found[chosen] if chosen else {}, word, out / f"masks.{pair}")


def draw(
    about: Experiment,
    pair: str,
    run: Run | None,
    content: dict[str, Any],
    word: str,
    out: Path,
) -> None:
    """The figure of one pair; without masks of a word in two contexts, it says so."""
    with drawing() as figure:
        figure.set_size_inches(*SIZE)
        chosen = choose_word(content.get("words", {}), word)
        if run is None or chosen is None:
            reason = "no system with contextualizer" if run is None else "no word in two contexts"
            figure.text(0.5, 0.5, reason, ha="center")
            figure.suptitle(about.pair_title(pair), x=0, ha="left", fontsize=10)
        else:
            label = about.labels(pair)[run.system]
            title = f"{about.pair_title(pair)}, {label}: “{chosen}” in two contexts"
            draw_word(figure, title, chosen, content)
        save(figure, out)


def choose_word(words: dict[str, dict[str, Any]], wanted: str) -> str | None:
    """`wanted`, or the word with the most pairs of both kinds, the first of equals by name.

    If no word has both, it is one in sentences of unknown sense, by the same rule.
    """
    pairs = {
        word: min(found["same"]["pairs"], found["different"]["pairs"])
        for word, found in words.items()
        if found.get("separation") is not None
    } or {
        word: found["unknown"]["pairs"]
        for word, found in words.items()
        if found.get("unknown", {}).get("pairs")
    }
    if wanted in pairs:
        return wanted
    return min(pairs, key=lambda word: (-pairs[word], word), default=None)


def draw_word(figure: "Figure", title: str, word: str, content: dict[str, Any]) -> None:
    """Masks above; below, distances between the contexts of the word, and of all words.

    The latter are of words in two senses: without any, the former have all the room.
    """
    tagged = content["words"][word]["separation"] is not None
    panels = figure.subplot_mosaic(
        [["masks", "masks"], ["difference", "difference"], ["word", "words" if tagged else "word"]],
        height_ratios=[0.8, 0.4, 1.3],
        width_ratios=[1.25, 1],
    )
    found = content["words"][word]
    vectors, senses = masked(found)
    chosen = typical(vectors, senses) if tagged else apart(vectors)
    contexts = [found["occurrences"][number] for number in chosen]
    lines = [title]
    for each in contexts:
        text = f"{named(each)}: {each['sentence']}"
        lines += textwrap.wrap(textwrap.shorten(text, 2 * LETTERS, placeholder=" …"), LETTERS)
    # A sentence may have dollars, which would set what is between them as a formula.
    figure.suptitle("\n".join(lines), x=0, ha="left", fontsize=9, parse_math=False)
    draw_masks(figure, panels["masks"], panels["difference"], contexts)
    draw_pairs(panels["word"], word, vectors, senses)
    if tagged:
        draw_words(panels["words"], content)


def named(context: dict[str, Any]) -> str:
    """A context by its sense, if that is known, and its line."""
    line = f"line {context['line']}"
    return f"{context['sense']} ({line})" if context["sense"] else line


def masked(found: dict[str, Any]) -> tuple["numpy.ndarray", list[str]]:
    """The masked vectors [contexts, m] of a word, and what it means in each context."""
    gates = numpy.array([each["mask"] for each in found["occurrences"]])
    return numpy.array(found["vector"]) * gates, [each["sense"] for each in found["occurrences"]]


def typical(vectors: "numpy.ndarray", senses: list[str]) -> list[int]:
    """One context for each of the two most frequent senses, neither the most nor the least apart.

    It is the one that is nearest, by cosine, to all others of its sense together.
    """
    names = sorted(set(senses), key=lambda sense: (-senses.count(sense), sense))[:2]
    cosine, _ = distances(vectors)
    members = [[n for n, sense in enumerate(senses) if sense == name] for name in names]
    return [min(group, key=lambda n: float(cosine[n, group].sum())) for group in members]


def apart(vectors: "numpy.ndarray") -> list[int]:
    """The two contexts that are farthest apart by cosine; of equals, the first ones."""
    cosine, _ = distances(vectors)
    first, second = numpy.triu_indices(len(vectors), 1)
    farthest = int(cosine[first, second].argmax())
    return [int(first[farthest]), int(second[farthest])]


def draw_masks(
    figure: "Figure", axes: "Axes", below: "Axes", contexts: list[dict[str, Any]]
) -> None:
    """Two masks, a row each, and their difference below; its dimensions in the order of that."""
    masks = numpy.array([context["mask"] for context in contexts])  # [2, m]
    difference = masks[1] - masks[0]
    order = numpy.argsort(difference, kind="stable")
    bound = float(numpy.abs(difference).max()) or 1.0
    rows = [
        (axes, masks[:, order], {"cmap": "cividis", "vmin": 0, "vmax": 1}, "mask"),
        (below, difference[None, order], {"cmap": "PuOr", "vmin": -bound, "vmax": bound}, ""),
    ]
    for panel, values, scale, label in rows:
        image = panel.imshow(values, aspect="auto", interpolation="nearest", **scale)  # type: ignore[arg-type]
        bar = figure.colorbar(image, ax=panel, pad=0.01, aspect=8 * len(values))
        bar.set_ticks([scale["vmin"], (scale["vmin"] + scale["vmax"]) / 2, scale["vmax"]])  # type: ignore[list-item, operator]
        bar.ax.tick_params(labelsize=7)
        bar.set_label(label, fontsize=8)
        bar.ax.yaxis.set_major_formatter("{x:.2g}")
        panel.grid(False)
        panel.spines[:].set_visible(False)
        panel.tick_params(left=False, bottom=False, labelbottom=False)
    axes.set_yticks([0, 1], [each["sense"] or named(each) for each in contexts], parse_math=False)
    below.set_yticks([0], ["lower minus upper"])
    below.set_xlabel(
        f"the {len(order)} dimensions of source vectors, by the difference", fontsize=8
    )


def draw_pairs(axes: "Axes", word: str, vectors: "numpy.ndarray", senses: list[str]) -> None:
    """A dot for each pair of sentences with the word, by the distance of its two vectors."""
    cosine, _ = distances(vectors)
    first, second = numpy.triu_indices(len(senses), 1)
    same = numpy.array([senses[i] == senses[j] for i, j in zip(first, second, strict=True)])
    of_pairs = cosine[first, second]
    power = power_of(of_pairs.max())
    rows = [("one sense", of_pairs[same], SAME), ("two senses", of_pairs[~same], DIFFERENT)]
    if not any(senses):
        rows = [("any two sentences", of_pairs, SAME)]
    for row, (_, values, colour) in enumerate(rows):
        values = values / 10.0**power
        heights = row + numpy.linspace(-0.22, 0.22, len(values))
        axes.scatter(values, heights, s=12, color=colour, linewidths=0, clip_on=False)
        mean = float(values.mean())
        axes.plot([mean, mean], [row - 0.35, row + 0.35], color=colour)
    axes.plot([0], [len(rows)], marker="D", color=INK, clip_on=False, zorder=4)
    axes.set_ylim(len(rows) + 0.6, -0.6)
    axes.set_xlim(left=0)
    axes.set_yticks(
        range(len(rows) + 1), [*(name for name, _, _ in rows), "without\ncontextualizer"]
    )
    axes.set_xlabel("cosine distance" + (f" (10$^{{{power}}}$)" if power else ""))
    title = f"“{word}”: {len(of_pairs)} pairs of sentences\n(line: mean)"
    axes.set_title(title, fontsize=8, parse_math=False)


def power_of(largest: float) -> int:
    """The power of ten that is the unit of an axis to `largest`; 0 where numbers are readable."""
    power = math.floor(math.log10(largest)) if largest > 0 else 0
    return 0 if -2 < power < 3 else power


def draw_words(axes: "Axes", content: dict[str, Any]) -> None:
    """A dot a word: above the line, its vectors are farther apart in two senses than in one."""
    found = [each for each in content["words"].values() if each.get("separation") is not None]
    points = numpy.array(
        [[each[kind]["cosine"] for kind in ("same", "different")] for each in found]
    )
    points = points[(points > 0).all(1)]  # the axes are logarithmic
    axes.scatter(points[:, 0], points[:, 1], s=12, color=DIFFERENT, linewidths=0)
    if len(points):
        limits = (points.min() / 1.5, points.max() * 1.5)
        axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits)
        axes.plot(limits, limits, color=INK, linewidth=0.8)
    axes.set(xlabel="mean cosine distance, one sense", ylabel="two senses")
    share = 100 * content["all"]["separation"]
    axes.set_title(
        f"{len(found)} words;\ntwo senses farther: {share:.1f} % of comparisons", fontsize=8
    )
