"""BLEU by sentence length, as Figure 2 of Bahdanau et al. 2015: a table, and a figure a pair."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, System, match
from contextnmt.report.figures import RULE, drawing, legend_below, lines_of, save
from contextnmt.report.gaps import dashes, gap_notes
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Keys of the groups of sentences.
BINS, WINDOWS = "bins", "windows"


#: Key of the groups of sentences -> the kind of a row of the data.
KINDS = {BINS: "bin", WINDOWS: "window"}


def length_scores_table(scores: list[Path], about: Experiment) -> Table:
    """Tabulate BLEU by sentence length, with confidence intervals.

    Readers see groups of ten lengths; the CSV file has the running windows of the figure too. The
    pair is the folder of the scores.
    """
    contents = read_length_groups(about, scores)
    blocks = [block(about, pair, content) for pair, content in contents.items()]
    data = [row for pair, content in contents.items() for row in rows_of(about, pair, content)]
    lines = notes(list(contents.values())) + gap_notes(about) + stale_notes(about)
    return Table(blocks, data, lines)


def block(about: Experiment, pair: str, content: dict[str, Any]) -> Block:
    """The table of one language pair: a column a bin, up to the longest sentence."""
    groups = filled(content)
    text, _, beam = content["name"].partition(".beam")
    columns = [(f"{words_of(each)} words", counted(each["sentences"])) for each in groups]
    rows = [(system.label, cells(about, pair, system.id, content)) for system in about.marked(pair)]
    return Block(f"{about.pair_title(pair)}, {text}, beam {beam}", columns, rows)


def counted(sentences: int) -> str:
    """``1,500 sentences``."""
    return f"{sentences:,} sentence{'' if sentences == 1 else 's'}"


def cells(about: Experiment, pair: str, system: str, content: dict[str, Any]) -> list[Cell]:
    """BLEU of a system on each bin, with its interval; dashes where it has none."""
    groups, scores = filled(content), content["systems"][system]
    if about.gap(pair, system):
        return dashes(len(groups))  # a note tells why
    if "gap" in scores:
        return [Cell(NONE, scores["gap"]), *dashes(len(groups) - 1)]
    of_groups = zip(groups, scores[BINS], strict=False)  # not those beyond the longest sentence
    return [cell(group, entry) for group, entry in of_groups]


def cell(group: dict[str, Any], entry: dict[str, Any]) -> Cell:
    """BLEU and its interval, or a dash where too few sentences are in the group."""
    if group["sentences"] < LEAST or entry["bleu"] is None:
        return Cell(NONE)
    low, high = entry["interval"]
    return Cell(f"{entry['bleu']:.2f}", f"({low:.2f} to {high:.2f})")


def rows_of(about: Experiment, pair: str, content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One row for each system and group, bins first; a system without scores has one, its gap."""
    text, _, beam = content["name"].partition(".beam")
    columns = ("from", "to", "sentences", "mean_length")
    for system in about.systems:
        first = {"pair": pair, "text": text, "beam": int(beam), "system": system.id}
        scores = content["systems"][system.id]
        if "gap" in scores:
            empty = dict.fromkeys(("kind", *columns, "bleu", "low", "high"))
            yield {**first, **empty, "gap": scores["gap"]}
            continue
        for key, kind in KINDS.items():
            for group, entry in zip(content[key], scores[key], strict=True):
                low, high = entry["interval"] or (None, None)
                numbers = {"bleu": entry["bleu"], "low": low, "high": high}
                described = {column: group[column] for column in columns}
                yield {**first, "kind": kind, **described, **numbers, "gap": None}


def notes(contents: list[dict[str, Any]]) -> list[str]:
    """What a reader must know to read the table."""
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


#: Markers of the systems in a row, for readers without colour.
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">"]


#: Inches of the figure, and the heights of its two drawings.
SIZE, HEIGHTS = (5.6, 5.4), (3, 2)


#: The part of a bin's width that its systems share.
SHARE = 0.7


#: Markers on a line.
ON_LINE = 4


def length_curves(scores: list[Path], about: Experiment, out: Path) -> None:
    """Draw BLEU by sentence length as lengths.{pair} in SVG, PDF and PNG.

    The pair is the folder of the scores.
    """
    for pair, content in read_length_groups(about, scores).items():
        draw(about, pair, content, out / f"lengths.{pair}")


def draw(about: Experiment, pair: str, content: dict[str, Any], out: Path) -> None:
    """A running window above, with confidence bands, and bins below, with confidence intervals.

    The legend says which systems have none.
    """
    with drawing() as figure:
        figure.set_size_inches(*SIZE)
        above, below = figure.subplots(2, height_ratios=HEIGHTS)
        draw_windows(above, about, content)
        draw_bins(below, about, content)
        text, _, beam = content["name"].partition(".beam")
        seeds = f", mean of {len(content['seeds'])} seeds" if len(content["seeds"]) > 1 else ""
        above.set_title(about.pair_title(pair))
        below.set_xlabel(f"source words (sentences)\nof {text}, beam {beam}{seeds}")
        legend(figure, about, pair, content)
        save(figure, out)


def draw_windows(axes: "Axes", about: Experiment, content: dict[str, Any]) -> None:
    """A line a system over the mean length of the sentences in a window, with its band."""
    lines = lines_of(about.systems)
    lengths = [window["mean_length"] for window in content["windows"]]
    order = [system.id for system in about.systems]
    step = max(1, len(lengths) // ON_LINE)
    for system, scores in scored(about, content):
        style = lines[system.id]
        first = order.index(system.id) * step // len(order)  # no two markers at one length
        bleu = [window["bleu"] for window in scores["windows"]]
        low, high = ([window["interval"][end] for window in scores["windows"]] for end in (0, 1))
        axes.fill_between(lengths, low, high, color=style["color"], alpha=0.12, linewidth=0)
        marker = marker_of(order, system.id)
        axes.plot(lengths, bleu, marker=marker, markevery=(first, step), **style)  # type: ignore[arg-type]
    axes.set(xlabel="source words, mean of a window", ylabel="BLEU (%)")
    if not lengths:
        note = f"fewer than {content['window']} sentences: no running window"
        axes.text(0.5, 0.5, note, ha="center", transform=axes.transAxes)
        axes.set(xticks=[], yticks=[])


def draw_bins(axes: "Axes", about: Experiment, content: dict[str, Any]) -> None:
    """A group of dots a bin, one a system, with bars for the intervals.

    Bins beyond the longest sentence are left out; those of too few sentences say so.
    """
    groups = filled(content)
    shown = scored(about, content)
    lines = lines_of(about.systems)
    order = [system.id for system in about.systems]
    for system, scores in shown:
        shift = SHARE * ((order.index(system.id) + 0.5) / len(order) - 0.5)
        colour = lines[system.id]["color"]
        for place, entry in enumerate(scores["bins"][: len(groups)]):
            enough = groups[place]["sentences"] >= LEAST
            if enough and entry["bleu"] is not None:
                at, (low, high) = place + shift, entry["interval"]
                axes.plot([at, at], [low, high], color=colour, lw=0.8, solid_capstyle="butt")
                axes.plot([at], [entry["bleu"]], marker_of(order, system.id), color=colour, ms=3.5)
    for place, group in enumerate(groups):
        if group["sentences"] < LEAST:
            where = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "center"}
            axes.text(place, 0.5, "too few", fontsize=7, **where)  # type: ignore[arg-type]
    for border in range(1, len(groups)):
        axes.axvline(border - 0.5, color=RULE, linewidth=0.5)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_xticks(range(len(groups)), list(map(label_of, groups)))
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("BLEU (%)")


def marker_of(order: list[str], system: str) -> str:
    """The marker of a system by its place among all of them."""
    return MARKERS[order.index(system) % len(MARKERS)]


def label_of(group: dict[str, Any]) -> str:
    """The lengths of a bin, and how many sentences it has."""
    return f"{words_of(group)}\n({group['sentences']:,})"


def legend(figure: "Figure", about: Experiment, pair: str, content: dict[str, Any]) -> None:
    """A line and a marker for each system, below both drawings."""
    lines, order = lines_of(about.systems), [system.id for system in about.systems]
    labels = []
    there = {system.id for system, _ in scored(about, content)}
    for system in about.marked(pair):
        labels.append(system.label + ("" if system.id in there else " (no scores)"))
        marker = marker_of(order, system.id)
        figure.axes[0].plot([], [], marker=marker, label=labels[-1], **lines[system.id])  # type: ignore[arg-type]
    legend_below(figure, labels)


#: Keys of what is said of all of them.
STATED = {"name", "seeds", "window", "resamples", "confidence_percent", BINS, WINDOWS}


#: Sentences of a bin from which on its scores are shown: fewer tell nothing, nor do their
#: intervals.
LEAST = 20


def read_length_groups(about: Experiment, scores: list[Path]) -> dict[str, dict[str, Any]]:
    """What the stage wrote of each language pair, the folder of the file, with the gaps of systems
    that are not finished.

    Raises UserError unless there is one file a pair, each with all systems of the experiment.
    """
    files = match("scores", scores, lambda path: path.absolute().parent.name, about.pairs)
    return {pair: content_of(about, pair, path) for pair, path in files.items()}


def content_of(about: Experiment, pair: str, path: Path) -> dict[str, Any]:
    """The content of a file, with the gaps. Raises UserError if a system or a part is missing."""
    content = read_json(path)
    try:
        unfinished = {name: {"gap": gap} for name, gap in about.gaps.get(pair, {}).items()}
        systems = {**content["systems"], **unfinished}
        whole = all(complete(content, systems[system.id]) for system in about.systems)
        if whole and content.keys() >= STATED:
            return {**content, "systems": systems}
    except (KeyError, TypeError, AttributeError):
        pass
    raise UserError(f"{path}: no scores by length of all systems: make this file again")


def complete(content: dict[str, Any], scores: dict[str, Any]) -> bool:
    """Whether a system has a score of each group, or is a gap."""
    groups = ((kind, len(content[kind])) for kind in (BINS, WINDOWS))
    return "gap" in scores or all(len(scores[kind]) == count for kind, count in groups)


def scored(about: Experiment, content: dict[str, Any]) -> list[tuple[System, dict[str, Any]]]:
    """The systems that have scores, and these."""
    systems = [(system, content["systems"][system.id]) for system in about.systems]
    return [(system, scores) for system, scores in systems if "gap" not in scores]


def filled(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The bins up to that of the longest sentence; the first one if there is no sentence."""
    places = [place for place, group in enumerate(content[BINS]) if group["sentences"]]
    bins: list[dict[str, Any]] = content[BINS]
    return bins[: max(places, default=0) + 1]


def words_of(group: dict[str, Any]) -> str:
    """The lengths of a bin: ``up to 10``, ``11–20``, ``over 50``."""
    low, high = group["from"], group["to"]
    return f"over {low - 1}" if high is None else f"up to {high}" if low == 0 else f"{low}–{high}"
