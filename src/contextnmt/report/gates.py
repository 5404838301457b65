"""How open context masks are, and how far they move ambiguous words (Choi et al. 2017, 3.3)."""

import itertools
import statistics
import textwrap
from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.evaluation.distances import distances
from contextnmt.report.figures import COLOURS, INK, Named
from contextnmt.report.learning_curves import read_log
from contextnmt.report.results import Results, Run, read_record
from contextnmt.report.tables import NONE, Block, Cell, Table, rounded

#: Statistic of a gate in log.jsonl -> heading, what one is multiplied by, digits after the point.
STATISTICS = {
    "mean": ("mean", 1, 3),
    "open": ("above 0.95 (%)", 100, 1),
    "closed": ("below 0.05 (%)", 100, 1),
    "deviation": ("deviation", 1, 4),
}
SIDES = ("source", "target")


def gates_table(results: Results) -> Table:
    """Tabulate the statistics of the contextualizer's gates on both sides, system by system."""
    logs = results.logs()
    found = {
        run: gates(read_log(logs[run]), read_record(path)["best"]["update"])
        for run, path in results.models().items()
        if run[:2] in results.contextualized
    }
    columns = [(f"{side} gate", name) for side in SIDES for name, _, _ in STATISTICS.values()]
    blocks = [
        Block(title, columns, [(label, gate_cells(runs)) for label, runs in of_systems.items()])
        for title, of_systems in by_system(results, found)
    ]
    data = [
        {**run._asdict(), "side": side, **of_side}
        for run, of_sides in found.items()
        for side, of_side in of_sides.items()
    ]
    notes = [
        f"{run.pair} {run.system}, seed {run.seed}: trained before gates were logged."
        for run, of_sides in found.items()
        if not of_sides
    ]
    notes += [
        "A gate, or context mask, multiplies the vectors of a sentence, dimension by dimension. "
        "The values are those of all dimensions in all dev sentences, with the weights of the "
        "model.",
        "Deviation: the standard deviation of a dimension over the sentences, averaged over the "
        "dimensions. Near 0 all sentences have nearly the same gate, so the context tells nothing.",
    ]
    return Table(blocks, data, notes)


def gates(log: list[dict[str, Any]], update: int) -> dict[str, dict[str, float]]:
    """Return the statistics of each side at the validation after `update`.

    The log of an earlier version has none.
    """
    dev = next((each for each in log if (each["kind"], each["update"]) == ("dev", update)), {})
    return {
        side: {name: dev[f"{side}_gate_{name}"] for name in STATISTICS}
        for side in SIDES
        if f"{side}_gate_mean" in dev
    }


def gate_cells(of_seeds: list[dict[str, Any]]) -> list[Cell]:
    """Means over the seeds; dashes if one has no statistics."""
    return [
        Cell(*rounded([factor * each[side][name] for each in of_seeds], digits))
        if all(of_seeds)
        else Cell(NONE)
        for side in SIDES
        for name, (_, factor, digits) in STATISTICS.items()
    ]


def by_system(
    results: Results, found: dict[Run, dict[str, Any]]
) -> Iterator[tuple[str, dict[str, list[dict[str, Any]]]]]:
    """The title of each language pair, and what was found of each system (label) and seed."""
    for pair, runs in itertools.groupby(found, key=lambda run: run.pair):
        labels, of_systems = results.labels(pair), dict[str, list[dict[str, Any]]]()
        for run in runs:
            of_systems.setdefault(labels[run.system], []).append(found[run])
        yield results.pair_title(pair), of_systems


#: Kind of pairs of a file of stage `masks` -> heading; the first two are those of tagged words.
KINDS = {"same": "one sense", "different": "two senses", "unknown": "any two sentences"}
#: Measure -> heading.
MEASURES = {"cosine": "cosine distance", "euclidean": "Euclidean distance"}


def masks_table(results: Results) -> Table:
    """Tabulate the distances of masked vectors of ambiguous words, system by system."""
    found = {run: read_record(path)["all"] for run, path in results.masks().items()}
    blocks = [block(*of_pair) for of_pair in by_system(results, found)]
    data = [
        {
            **run._asdict(),
            "senses": kind,
            "words": means["words"],
            **means.get(kind, {}),
            "open_percent": means["open_percent"],
            "separation": means.get("separation"),
            "separation_error": means.get("separation_error"),
        }
        for run, means in found.items()
        for kind in kinds_of([means])
    ]
    return Table(blocks, data, notes({row["senses"] for row in data}))


def kinds_of(of_runs: Iterable[dict[str, Any]]) -> list[str]:
    """The kinds of pairs that a text has: by sense where its words are tagged, else all alike."""
    return ["unknown"] if any("unknown" in means for means in of_runs) else ["same", "different"]


def block(title: str, of_systems: dict[str, list[dict[str, Any]]]) -> Block:
    """The table of one pair: a row for each system that has masks."""
    kinds = kinds_of(itertools.chain(*of_systems.values()))
    columns = [
        ("mask above 0.99 (%)", ""),
        *itertools.product(MEASURES.values(), [KINDS[kind] for kind in kinds]),
        *([("two senses farther (%)", "")] if "same" in kinds else []),
        ("words", ""),
    ]
    return Block(title, columns, [(label, cells(of, kinds)) for label, of in of_systems.items()])


def cells(of_seeds: list[dict[str, Any]], kinds: list[str]) -> list[Cell]:
    """Means over the seeds; dashes, and in the last cell the reason, where nothing is compared."""
    opened = [means["open_percent"] for means in of_seeds]
    shown = [Cell(NONE if None in opened else f"{statistics.fmean(opened):.1f}")]
    if not all(kind in means for means in of_seeds for kind in kinds):
        dashes = len(kinds) * len(MEASURES) + ("same" in kinds)
        return [*shown, *[Cell(NONE)] * dashes, Cell("0", "(no word has the pairs)")]
    for measure, kind in itertools.product(MEASURES, kinds):
        mean = statistics.fmean(means[kind][measure] for means in of_seeds)
        shown.append(Cell(distance(mean)))
    if "same" in kinds:
        shown.append(Cell(*rounded([100 * means["separation"] for means in of_seeds], 1)))
    return [*shown, Cell(str(of_seeds[0][kinds[0]]["words"]))]


def distance(value: float) -> str:
    """A distance with two digits."""
    return f"{value:.1e}" if 0 < value < 0.001 else f"{value:.2g}"


def notes(kinds: Set[str]) -> list[str]:
    """Notes of a table with these kinds of pairs."""
    means = {
        "same": "the ambiguous words that the test text has in both kinds of pairs",
        "unknown": "all pairs of sentences with a word, where nobody has said what it means in "
        "them",
    }
    found = [
        "Mask above 0.99: of all values of the masks, those that let a dimension of a word's "
        "vector pass all but unchanged.",
        "Distances between the source vectors of a word in two sentences, after the context mask: "
        f"means over {'; '.join(means[kind] for kind in means if kind in kinds)}. A system without "
        "contextualizer gives a word one vector: 0 by construction.",
        "Two senses farther: of all comparisons of a pair of sentences in which the word has two "
        "senses with one in which it has one, the share in which the former are farther by cosine, "
        "a tie being half of one; mean over the words. 50: the masks say nothing of the sense.",
    ]
    return found if "same" in kinds else found[:2]


#: Colours of pairs of sentences, in which the word has one sense or two.
SAME, DIFFERENT = COLOURS[4], COLOURS[5]
#: Letters of a line of a sentence, which has two.
LETTERS = 94


def masks_figure(results: Results) -> Iterator[Named]:
    """Draw the masks of an ambiguous word in two sentences as masks.{pair}.

    The system is the experiment's first one with masks. A word that the text does not have in two
    senses is replaced by the one with the most pairs of sentences; where nobody has said what words
    mean in it, in two sentences that are far apart.
    """
    for pair, runs in itertools.groupby(results.masks().items(), key=lambda item: item[0].pair):
        run, path = next(runs)
        yield f"masks.{pair}", draw(results, run, read_record(path))


def draw(results: Results, run: Run, content: dict[str, Any]) -> Figure:
    """The figure of one pair: masks above; below, distances of the word, and of all words.

    The latter are of words in two senses: without any, the former have all the room. Without a word
    in two contexts, the figure says so.
    """
    figure = Figure((6.6, 6.0))
    title, word = results.pair_title(run.pair), choose_word(content, results.word)
    if word is None:
        figure.text(0.5, 0.5, "no word in two contexts", ha="center")
        figure.suptitle(title, x=0, ha="left", fontsize=10)
        return figure
    occurrences = content["words"][word]["occurrences"]
    masks = numpy.array([each["mask"] for each in occurrences])  # [contexts, m]
    cosine, _ = distances(numpy.array(content["words"][word]["vector"]) * masks)
    senses = [each["sense"] for each in occurrences]
    chosen = typical(cosine, senses) if any(senses) else apart(cosine)
    contexts = [occurrences[number] for number in chosen]
    lines = [f"{title}, {results.labels(run.pair)[run.system]}: “{word}” in two contexts"]
    for each in contexts:
        text = f"{named(each)}: {each['sentence']}"
        lines += textwrap.wrap(textwrap.shorten(text, 2 * LETTERS, placeholder=" …"), LETTERS)
    # A sentence may have dollars, which would set what is between them as a formula.
    figure.suptitle("\n".join(lines), x=0, ha="left", fontsize=9, parse_math=False)
    others = "words" if any(senses) else "word"
    panels = figure.subplot_mosaic(
        [["masks", "masks"], ["difference", "difference"], ["word", others]],
        height_ratios=[0.8, 0.4, 1.3],
        width_ratios=[1.25, 1],
    )
    draw_masks(panels["masks"], panels["difference"], contexts)
    draw_pairs(panels["word"], word, cosine, senses)
    if any(senses):
        draw_words(panels["words"], content)
    return figure


def choose_word(content: dict[str, Any], wanted: str) -> str | None:
    """`wanted`, if it has pairs of all kinds of sentences; else the word with the most pairs.

    Of equals, it is the first one by name.
    """
    kinds = kinds_of([content["all"]])
    pairs = {
        word: min(found[kind]["pairs"] for kind in kinds)
        for word, found in content["words"].items()
        if "gap" not in found
    }
    if pairs.get(wanted):
        return wanted
    return min(filter(pairs.get, pairs), key=lambda word: (-pairs[word], word), default=None)


def typical(cosine: numpy.ndarray, senses: list[str]) -> list[int]:
    """One context for each of the two most frequent senses, neither the most nor the least apart.

    It is the one that is nearest, by cosine, to all others of its sense together.
    """
    names = sorted(set(senses), key=lambda sense: (-senses.count(sense), sense))[:2]
    members = [[n for n, sense in enumerate(senses) if sense == name] for name in names]
    return [min(group, key=lambda n: float(cosine[n, group].sum())) for group in members]


def apart(cosine: numpy.ndarray) -> list[int]:
    """The two contexts that are farthest apart; of equals, the first ones."""
    first, second = numpy.triu_indices(len(cosine), 1)
    farthest = cosine[first, second].argmax()
    return [int(first[farthest]), int(second[farthest])]


def named(context: dict[str, Any]) -> str:
    """A context by its sense, if that is known, and its line."""
    line = f"line {context['line']}"
    return f"{context['sense']} ({line})" if context["sense"] else line


def draw_masks(axes: Axes, below: Axes, contexts: list[dict[str, Any]]) -> None:
    """Two masks, a row each, and their difference below; its dimensions in the order of that."""
    masks = numpy.array([context["mask"] for context in contexts])  # [2, m]
    difference = masks[1] - masks[0]
    order = numpy.argsort(difference, kind="stable")
    bound = float(numpy.abs(difference).max()) or 1.0
    draw_rows(axes, masks[:, order], "cividis", (0, 1), "mask")
    draw_rows(below, difference[None, order], "PuOr", (-bound, bound))
    axes.set_yticks([0, 1], [each["sense"] or named(each) for each in contexts], parse_math=False)
    below.set_yticks([0], ["lower minus upper"])
    dimensions = f"the {len(order)} dimensions of source vectors, by the difference"
    below.set_xlabel(dimensions, fontsize=8)


def draw_rows(
    axes: Axes, values: numpy.ndarray, colours: str, ends: tuple[float, float], name: str = ""
) -> None:
    """Rows of numbers as colours, with their scale."""
    low, high = ends
    image = axes.imshow(
        values, colours, aspect="auto", interpolation="nearest", vmin=low, vmax=high
    )
    bar = axes.figure.colorbar(image, ax=axes, pad=0.01, aspect=8 * len(values))
    bar.set_ticks([low, (low + high) / 2, high])
    bar.ax.tick_params(labelsize=7)
    bar.set_label(name, fontsize=8)
    bar.ax.yaxis.set_major_formatter("{x:.2g}")
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(left=False, bottom=False, labelbottom=False)


def draw_pairs(axes: Axes, word: str, cosine: numpy.ndarray, senses: list[str]) -> None:
    """A dot for each pair of sentences with the word, by the distance of its two vectors."""
    first, second = numpy.triu_indices(len(senses), 1)
    of_pairs = cosine[first, second]
    names = numpy.array(senses)
    same = names[first] == names[second]
    rows = {"same": (of_pairs[same], SAME), "different": (of_pairs[~same], DIFFERENT)}
    if not any(senses):
        rows = {"unknown": (of_pairs, SAME)}
    for row, (values, colour) in enumerate(rows.values()):
        heights = row + numpy.linspace(-0.22, 0.22, len(values))
        axes.scatter(values, heights, s=12, color=colour, linewidths=0, clip_on=False)
        mean = float(values.mean())
        axes.plot([mean, mean], [row - 0.35, row + 0.35], color=colour)
    axes.plot([0], [len(rows)], marker="D", color=INK, clip_on=False, zorder=4)
    axes.set(xlim=(0, None), ylim=(len(rows) + 0.6, -0.6))
    headings = [*(KINDS[kind] for kind in rows), "without\ncontextualizer"]
    axes.set_yticks(range(len(headings)), headings)
    axes.set_xlabel("cosine distance")
    axes.ticklabel_format(axis="x", scilimits=(-2, 3), useMathText=True)
    title = f"“{word}”: {len(of_pairs)} pairs of sentences\n(line: mean)"
    axes.set_title(title, fontsize=8, parse_math=False)


def draw_words(axes: Axes, content: dict[str, Any]) -> None:
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
    title = f"{len(found)} words;\ntwo senses farther: {share:.1f} % of comparisons"
    axes.set_title(title, fontsize=8)
