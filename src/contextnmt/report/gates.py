"""How open context masks are, and how far they move ambiguous words (Choi et al. 2017, 3.3)."""

import itertools
import statistics
import textwrap
from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.evaluation.distances import Vectors, masked_distances
from contextnmt.report.figures import COLOURS, INK, Named, scale_by_logarithm
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
        "The values are those of all dimensions in all dev sentences, with the weights used (best "
        "update).",
        "Deviation: the standard deviation of a dimension over the sentences, averaged over the "
        "dimensions. Near 0 all sentences have nearly the same gate, so the context tells nothing.",
        *spread(results),
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


#: Side -> key of its masks in a file of stage `masks`.
MASKS = {"source": "mask", "target": "target_mask"}
#: Share of a side -> heading.
SHARES = {
    "open_percent": "mask above 0.99 (%)",
    "between_percent": "mask 0.05 to 0.95 (%)",
    "varying_percent": "dimensions that vary (%)",
}


def masks_table(results: Results) -> Table:
    """Tabulate how open masks are and the distances of masked vectors, by system and side."""
    found = {run: read_record(path)["all"] for run, path in results.masks().items()}
    blocks = [block(*of_pair) for of_pair in by_system(results, found)]
    data = [
        {
            **run._asdict(),
            "side": side,
            "senses": kind,
            "words": means["words"],
            **means.get(kind, {}),
            **{share: means.get(share) for share in SHARES},
            "separation": means.get("separation"),
            "separation_error": means.get("separation_error"),
        }
        for run, of_run in found.items()
        for side in SIDES
        if (means := of_side(of_run, side))
        for kind in kinds_of([of_run])
    ]
    earlier = [
        f"{run.pair} {run.system}, seed {run.seed}: its file of masks is of an earlier version, "
        "without the target side."
        for run, of_run in found.items()
        if not of_side(of_run, "target")
    ]
    kinds = {row["senses"] for row in data}
    return Table(blocks, data, [*earlier, *notes(kinds), *spread(results)])


def spread(results: Results) -> list[str]:
    """A note on what stands behind ±; none with one seed."""
    seeds = len(results.seeds)
    return [f"Mean ± standard deviation of {seeds} seeds."] if seeds > 1 else []


def of_side(found: dict[str, Any], side: str) -> dict[str, Any]:
    """The figures of one side, of a word or of all; empty in a file without the target side."""
    return found if side == "source" else found.get(side, {})


def kinds_of(of_runs: Iterable[dict[str, Any]]) -> list[str]:
    """The kinds of pairs that a text has: by sense where its words are tagged, else all alike."""
    return ["unknown"] if any("unknown" in means for means in of_runs) else ["same", "different"]


def block(title: str, of_systems: dict[str, list[dict[str, Any]]]) -> Block:
    """The table of one pair: a row for each side of each system that has masks."""
    kinds = kinds_of(itertools.chain(*of_systems.values()))
    columns = [
        *((heading, "") for heading in SHARES.values()),
        *itertools.product(MEASURES.values(), [KINDS[kind] for kind in kinds]),
        *([("two senses farther (%)", "")] if "same" in kinds else []),
        ("words", ""),
    ]
    rows = [
        (f"{label}, {side}", cells([of_side(each, side) for each in of_seeds], kinds))
        for label, of_seeds in of_systems.items()
        for side in SIDES
    ]
    return Block(title, columns, rows)


def cells(of_seeds: list[dict[str, Any]], kinds: list[str]) -> list[Cell]:
    """Means over the seeds; dashes, and in the last cell the reason, where nothing is compared."""
    shares: list[list[Any]] = [[means.get(share) for means in of_seeds] for share in SHARES]
    shown = [Cell(NONE if None in of else f"{statistics.fmean(of):.1f}") for of in shares]
    if not all(kind in means for means in of_seeds for kind in kinds):
        dashes = len(kinds) * len(MEASURES) + ("same" in kinds)
        words = Cell("0", "(no word has the pairs)") if all(of_seeds) else Cell(NONE)
        return [*shown, *[Cell(NONE)] * dashes, words]
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
        "same": "ambiguous words with a pair of sentences of one sense and a pair of two senses",
        "unknown": "all pairs of sentences that share a word, whose senses are not known",
    }
    found = [
        "Mask above 0.99: the share of such values in the masks. They let a dimension of a word's "
        "vector pass all but unchanged; values from 0.05 to 0.95 weaken it.",
        "Dimensions that vary: those whose greatest value in the sentences looked at is more than "
        "0.05 above their smallest one. In the others, vectors hardly change with the sentence.",
        "Distances: between the vectors of a word in two sentences, after the context mask; means "
        f"over {'; '.join(means[kind] for kind in means if kind in kinds)}. Without a "
        "contextualizer a word has one vector, so the distance is 0.",
        "Source: the vector of the word itself. Target: the vectors of its renderings, listed "
        "in the text's table of tagged words, each masked in turn by every sentence that has the "
        "word. The distance is the mean over the renderings; without such a table there "
        "is none. The masks depend on the source sentence alone.",
        "Two senses farther: how often a word's vectors are farther apart by cosine in two "
        "sentences with different senses than in two with the same sense (a tie counts half). All "
        "such pairs of a word are compared; the share is the mean over the words. 50: the masks "
        "say nothing about the sense.",
    ]
    return found if "same" in kinds else found[:-1]


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
    """The figure of one pair, a column for each side: masks, distances of the word, of all words.

    The latter are of words in two senses, where there are any. A file without the target side has
    one column. Without a word in two contexts, the figure says so.
    """
    figure = Figure((6.6, 6.0))
    title, word = results.pair_title(run.pair), choose_word(content, results.word)
    if word is None:
        figure.text(0.5, 0.5, "no word in two contexts", ha="center")
        figure.suptitle(title, x=0, ha="left", fontsize=10)
        return figure
    found = content["words"][word]
    occurrences = found["occurrences"]
    sides = [side for side in SIDES if MASKS[side] in occurrences[0]]
    cosines = {side: cosine_distances(found, side) for side in sides}
    compared = [side for side in sides if len(cosines[side])]
    senses = [each["sense"] for each in occurrences]
    cosine = cosines["source"]
    chosen = typical(cosine, senses) if any(senses) else apart(cosine)
    contexts = [occurrences[number] for number in chosen]
    first_line = f"{title}, {results.labels(run.pair)[run.system]}: “{word}” in two contexts"
    lines = [first_line, *itertools.chain.from_iterable(map(wrapped, contexts))]
    figure.suptitle("\n".join(lines), x=0, ha="left", fontsize=9)
    rows = {"masks": 0.8, "difference": 0.4, "word": 1.3} | ({"words": 1.3} if any(senses) else {})
    drawn = {"masks": sides, "difference": sides, "word": compared, "words": compared}
    figure.set_figheight(7.2 if any(senses) else 5.2)
    panels = figure.subplot_mosaic(
        [[f"{row} {side}" if side in drawn[row] else "." for side in sides] for row in rows],
        height_ratios=[*rows.values()],
    )
    above, below = ([panels[f"{row} {side}"] for side in sides] for row in ("masks", "difference"))
    draw_masks(above, below, contexts, sides)
    for side in compared:
        name = f"“{word}”" if side == "source" else f"renderings of “{word}”"
        draw_pairs(panels[f"word {side}"], name, cosines[side], senses)
        if any(senses):
            draw_words(panels[f"words {side}"], content, side)
    for name, axes in panels.items():  # labels of the rows stand on the left
        axes.tick_params(labelleft=name.startswith("words") or name.endswith(sides[0]))
    return figure


def wrapped(context: dict[str, Any]) -> list[str]:
    """A context in lines, at most two."""
    text = f"{named(context)}: {context['sentence']}"
    return textwrap.wrap(textwrap.shorten(text, 2 * LETTERS, placeholder=" …"), LETTERS)


def cosine_distances(word: dict[str, Any], side: str) -> Vectors:
    """The cosine distances [n, n] of a word's contexts; empty if the side compares no vectors."""
    found = of_side(word, side)
    vectors = [found["vector"]] if side == "source" else [*found.get("vectors", {}).values()]
    masks = numpy.array([each[MASKS[side]] for each in word["occurrences"]])  # [n, m]
    return masked_distances(numpy.array(vectors), masks)[0] if vectors else numpy.empty((0, 0))


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


def draw_masks(
    above: list[Axes], below: list[Axes], contexts: list[dict[str, Any]], sides: list[str]
) -> None:
    """Two masks of each side, a row each, and their difference below; all sides on one scale.

    The dimensions of a side are in the order of its difference.
    """
    masks = [numpy.array([context[MASKS[side]] for context in contexts]) for side in sides]
    differences = [of_side[1] - of_side[0] for of_side in masks]  # [m] each
    bound = float(numpy.abs(differences).max()) or 1.0
    for number, side in enumerate(sides):
        order = numpy.argsort(differences[number], kind="stable")
        draw_rows(above[number], masks[number][:, order], "cividis", (0, 1))
        draw_rows(below[number], differences[number][None, order], "PuOr", (-bound, bound))
        above[number].set_title(f"{side} vectors", fontsize=8)
        senses = [each["sense"] or named(each) for each in contexts]
        above[number].set_yticks([0, 1], senses)
        below[number].set_yticks([0], ["lower\nminus upper"])
        below[number].set_xlabel(f"the {len(order)} dimensions, by the difference", fontsize=8)
    draw_scale(above, 2, "mask")
    draw_scale(below, 1)


def draw_rows(axes: Axes, values: numpy.ndarray, colours: str, ends: tuple[float, float]) -> None:
    """Rows of numbers as colours."""
    low, high = ends
    image = axes.imshow(
        values, colours, aspect="auto", interpolation="nearest", vmin=low, vmax=high
    )
    # Matplotlib's own id in SVG is the digest of the image, and those of two sides may be equal.
    image.set_gid(str(axes.get_label()).replace(" ", "-"))
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(left=False, bottom=False, labelbottom=False)


def draw_scale(panels: list[Axes], rows: int, name: str = "") -> None:
    """The scale of panels with the same colours and this many rows."""
    image = panels[0].images[0]
    low, high = image.get_clim()
    bar = panels[0].figure.colorbar(image, ax=panels, pad=0.01, aspect=8 * rows)
    bar.set_ticks([low, (low + high) / 2, high])
    bar.ax.tick_params(labelsize=7)
    bar.set_label(name, fontsize=8)
    bar.ax.yaxis.set_major_formatter("{x:.2g}")


def draw_pairs(axes: Axes, name: str, cosine: numpy.ndarray, senses: list[str]) -> None:
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
    axes.set_xlabel("cosine distance", loc="left")  # on the right is the power of ten
    axes.ticklabel_format(axis="x", scilimits=(-2, 3))
    title = f"{name}\n{len(of_pairs)} pairs of sentences (line: mean)"
    axes.set_title(title, fontsize=8)


def draw_words(axes: Axes, content: dict[str, Any], side: str) -> None:
    """A dot per word: above the line, its vectors are farther apart in two senses than in one."""
    of_words = [of_side(each, side) for each in content["words"].values()]
    found = [each for each in of_words if each.get("separation") is not None]
    points = numpy.array(
        [[each[kind]["cosine"] for kind in ("same", "different")] for each in found]
    )
    points = points[(points > 0).all(1)]  # the axes are logarithmic
    axes.scatter(points[:, 0], points[:, 1], s=12, color=DIFFERENT, linewidths=0)
    if len(points):
        limits = (points.min() / 1.5, points.max() * 1.5)
        axes.set(xlim=limits, ylim=limits)
        scale_by_logarithm(axes, "x")
        scale_by_logarithm(axes, "y")
        axes.plot(limits, limits, color=INK, linewidth=0.8)
    axes.set(xlabel="mean cosine distance, one sense", ylabel="two senses")
    share = 100 * of_side(content["all"], side)["separation"]
    title = f"{len(found)} words; two senses farther:\n{share:.1f} % of comparisons"
    axes.set_title(title, fontsize=8)
