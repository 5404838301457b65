"""BLEU by sentence length, as Figure 2 of Bahdanau et al. 2015: a table, and a figure a pair."""

from collections.abc import Iterator
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.report.figures import RULE, Named, legend_below, lines_of
from contextnmt.report.results import Record, Results
from contextnmt.report.tables import NONE, Block, Cell, Table

#: Sentences of a bin from which on its scores are shown: fewer tell nothing, nor do their
#: intervals.
LEAST = 20

#: Markers of the systems in a row, for readers without colour, and how many are on a line.
MARKERS, ON_LINE = ["o", "s", "^", "D", "v", "P", "X", "<", ">"], 4

#: The part of a bin's width that its systems share.
SHARE = 0.7

#: System -> its colour, line and marker as matplotlib takes them.
Styles = dict[str, dict[str, Any]]


def length_scores_table(results: Results) -> Table:
    """Tabulate BLEU by sentence length, with confidence intervals.

    Readers see groups of ten lengths; the CSV file has the running windows of the figure too.
    """
    contents = results.read_compared("length-scores", 1)
    blocks = [block(results, *of, content) for of, content in contents.items()]
    data = [row for of, content in contents.items() for row in rows_of(results, *of, content)]
    return Table(blocks, data, notes(list(contents.values())))


def block(results: Results, pair: str, text: str, content: Record) -> Block:
    """The table of one language pair: a column a bin, up to the longest sentence."""
    groups = filled(content)
    counts = ((words_of(group), group["sentences"]) for group in groups)
    columns = [(f"{words} words", f"{n:,} sentence{'s' * (n != 1)}") for words, n in counts]
    rows = []
    for system in results.marked(pair):
        scores = content["systems"][system.id]
        if "gap" in scores:  # a note tells why a system is not finished
            reason = "" if results.gap(pair, system.id) else scores["gap"]
            cells = [Cell(NONE, reason), *[Cell(NONE)] * (len(groups) - 1)]
        else:
            cells = list(map(cell, groups, scores["bins"]))
        rows.append((system.label, cells))
    return Block(f"{results.pair_title(pair)}, {text}, beam {results.beam}", columns, rows)


def cell(group: Record, entry: Record) -> Cell:
    """BLEU and its interval, or a dash where too few sentences are in the group."""
    if group["sentences"] < LEAST:
        return Cell(NONE)
    low, high = entry["interval"]
    return Cell(f"{entry['bleu']:.2f}", f"({low:.2f} to {high:.2f})")


def rows_of(results: Results, pair: str, text: str, content: Record) -> Iterator[dict[str, Any]]:
    """One row for each system and group, bins first; a system without scores has one, its gap."""
    columns = ("kind", "from", "to", "sentences", "mean_length", "bleu", "low", "high", "gap")
    for system in results.systems:
        first = {"pair": pair, "text": text, "beam": results.beam, "system": system.id}
        row, scores = {**first, **dict.fromkeys(columns)}, content["systems"][system.id]
        if "gap" in scores:
            yield row | {"gap": scores["gap"]}
            continue
        for kind in ("bin", "window"):
            for group, entry in zip(content[f"{kind}s"], scores[f"{kind}s"], strict=True):
                low, high = entry["interval"] or (None, None)
                yield row | group | {"kind": kind, "bleu": entry["bleu"], "low": low, "high": high}


def notes(contents: list[Record]) -> list[str]:
    """Notes of the table."""
    first = contents[0]
    unscored = any("gap" in scores for each in contents for scores in each["systems"].values())
    reasons = f"fewer than {LEAST} sentences{', or a system without scores' * unscored}"
    lines = [
        f"BLEU (interval of {first['confidence_percent']} %) of the sentences of each group, by "
        "the words of their source.",
        f"Intervals by the bootstrap (Koehn 2004) over the sentences of a group, "
        f"{first['resamples']:,} draws. They tell what other sentences of these lengths would give "
        "with these models, not what another training would.",
        f"A dash: {reasons}. The CSV file has the scores of few sentences too, and those of the "
        "running windows that the figure draws.",
    ]
    if len(first["seeds"]) > 1:
        lines.append(f"Mean of {len(first['seeds'])} seeds.")
    return lines


def length_curves(results: Results) -> Iterator[Named]:
    """Draw BLEU by sentence length as lengths.{pair}."""
    for (pair, text), content in results.read_compared("length-scores", 1).items():
        yield f"lengths.{pair}", draw(results, pair, text, content)


def draw(results: Results, pair: str, text: str, content: Record) -> Figure:
    """A running window above, with confidence bands, and bins below, with confidence intervals.

    The legend says which systems have none.
    """
    styles = {
        system: {**line, "marker": MARKERS[place % len(MARKERS)]}
        for place, (system, line) in enumerate(lines_of(results.systems).items())
    }
    labels = [
        system.label + " (no scores)" * ("gap" in content["systems"][system.id])
        for system in results.marked(pair)
    ]
    seeds = f", mean of {len(content['seeds'])} seeds" if len(content["seeds"]) > 1 else ""
    figure = Figure()
    figure.set_size_inches(5.6, 5.4)
    above, below = figure.subplots(2, height_ratios=(3, 2))
    draw_windows(above, content, styles)
    draw_bins(below, content, styles)
    above.set_title(results.pair_title(pair))
    below.set_xlabel(f"source words (sentences)\nof {text}, beam {results.beam}{seeds}")
    for label, style in zip(labels, styles.values(), strict=True):
        above.plot([], [], label=label, **style)
    legend_below(figure, labels)
    return figure


def draw_windows(axes: Axes, content: Record, styles: Styles) -> None:
    """A line per system over the mean length of the sentences in a window, with its band."""
    lengths = [window["mean_length"] for window in content["windows"]]
    step = max(1, len(lengths) // ON_LINE)
    for place, style, scores in scored(content, styles):
        bleu = [window["bleu"] for window in scores["windows"]]
        low, high = ([window["interval"][end] for window in scores["windows"]] for end in (0, 1))
        axes.fill_between(lengths, low, high, color=style["color"], alpha=0.12, linewidth=0)
        first = place * step // len(styles)  # no two markers at one length
        axes.plot(lengths, bleu, markevery=(first, step), **style)
    axes.set(xlabel="source words, mean of a window", ylabel="BLEU (%)")
    if not lengths:
        note = f"fewer than {content['window']} sentences: no running window"
        axes.text(0.5, 0.5, note, ha="center", transform=axes.transAxes)
        axes.set(xticks=[], yticks=[])


def draw_bins(axes: Axes, content: Record, styles: Styles) -> None:
    """A group of dots per bin, one per system, with bars for the intervals.

    Bins beyond the longest sentence are left out; those of too few sentences say so.
    """
    groups = filled(content)
    for place, style, scores in scored(content, styles):
        shift = SHARE * ((place + 0.5) / len(styles) - 0.5)
        colour = style["color"]
        for bin_place, (group, entry) in enumerate(zip(groups, scores["bins"], strict=False)):
            if group["sentences"] >= LEAST:
                at = bin_place + shift
                axes.plot([at, at], entry["interval"], color=colour, lw=0.8, solid_capstyle="butt")
                axes.plot([at], [entry["bleu"]], style["marker"], color=colour, ms=3.5)
    where = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "center"}
    for place, group in enumerate(groups):
        if group["sentences"] < LEAST:
            axes.text(place, 0.5, "too few", fontsize=7, **where)  # type: ignore[arg-type]
        if place:
            axes.axvline(place - 0.5, color=RULE, linewidth=0.5)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.5, len(groups) - 0.5)
    ticks = [f"{words_of(group)}\n({group['sentences']:,})" for group in groups]
    axes.set_xticks(range(len(groups)), ticks)
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("BLEU (%)")


def scored(content: Record, styles: Styles) -> Iterator[tuple[int, dict[str, Any], Record]]:
    """The place among all systems, the style and the scores of each system that has some."""
    for place, (system, style) in enumerate(styles.items()):
        if "gap" not in content["systems"][system]:
            yield place, style, content["systems"][system]


def filled(content: Record) -> list[Record]:
    """The bins up to that of the longest sentence; the first one if there is no sentence."""
    places = [place for place, group in enumerate(content["bins"]) if group["sentences"]]
    return [*content["bins"][: max(places, default=0) + 1]]


def words_of(group: Record) -> str:
    """The lengths of a bin: ``up to 10``, ``11–20``, ``over 50``."""
    low, high = group["from"], group["to"]
    return f"over {low - 1}" if high is None else f"up to {high}" if low == 0 else f"{low}–{high}"
