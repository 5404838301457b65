"""The learning curves: training loss and dev BLEU by update, one figure a pair and quantity."""

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextnmt.report.experiment import Experiment, Run, by_run, parse_experiment
from contextnmt.report.figures import drawing, legend_below, lines_of, save
from contextnmt.report.training_log import read_log

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Quantity:
    """Something a run logs: records of `kind` hold it under `key`."""

    name: str
    kind: str
    key: str
    label: str
    scale: str


QUANTITIES = [
    Quantity("bleu", "dev", "bleu", "dev BLEU, greedy (%)", "linear"),
    # It falls fast at first, and then by shares of what is left.
    Quantity("loss", "train", "loss", "training loss (nats per token)", "log"),
]
#: Where a logarithmic axis has numbers: at these, times powers of ten; at these powers alone if it
#: spans more of them.
TICKS = (1, 2, 3, 5, 7)
POWERS = 2


def curves(log: list[Path], experiment: str, out: Path) -> None:
    """Draw the learning curves as curves.{pair}.{bleu,loss} in SVG, PDF and PNG."""
    about = parse_experiment(experiment)
    records = {run: read_log(path) for run, path in by_run("--log", log, about).items()}
    for pair in about.pairs:
        for quantity in QUANTITIES:
            draw(about, pair, quantity, records, out / f"curves.{pair}.{quantity.name}")


def draw(
    about: Experiment,
    pair: str,
    quantity: Quantity,
    records: dict[Run, list[dict[str, Any]]],
    out: Path,
) -> None:
    """One line a finished system: the mean of its seeds, with their range and best dev BLEU."""
    lines, finished = lines_of(about.systems), about.finished(pair)
    with drawing() as figure:
        axes = figure.subplots()
        for system in finished:
            courses = [
                {
                    record["update"]: record[quantity.key]
                    for record in records[Run(pair, system.id, seed)]
                    if record["kind"] == quantity.kind
                }
                for seed in about.seeds
            ]
            plot(axes, courses, lines[system.id], system.label)
            if quantity.kind == "dev":
                mark_best(axes, courses, lines[system.id]["color"])
        axes.set(title=about.pair_title(pair), xlabel="update", ylabel=quantity.label)
        axes.set_xlim(left=0)
        if quantity.scale == "log":
            scale_by_logarithm(axes)
        legend_below(figure, [system.label for system in finished])
        save(figure, out)


def scale_by_logarithm(axes: "Axes") -> None:
    """A logarithmic y axis whose numbers are written out."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    axes.set_yscale("log", nonpositive="mask")  # nor is a loss of 0 to be drawn
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=TICKS if high <= low * 10**POWERS else (1,)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def plot(axes: "Axes", courses: list[dict[int, float]], style: dict[str, str], label: str) -> None:
    """The mean of the courses of all seeds (update -> value) and their range, while all go on.

    Where only some do, each has a thin line of its own.
    """
    shared = sorted(set.intersection(*map(set, courses)))
    values = [[course[update] for course in courses] for update in shared]
    axes.plot(shared, list(map(statistics.fmean, values)), label=label, **style)  # type: ignore[arg-type]
    low, high = list(map(min, values)), list(map(max, values))
    if len(courses) > 1:
        axes.fill_between(shared, low, high, color=style["color"], alpha=0.15, linewidth=0)
    for course in courses:
        rest = [update for update in course if update >= max(shared, default=0)]
        axes.plot(rest, [course[update] for update in rest], linewidth=0.6, **style)  # type: ignore[arg-type]


def mark_best(axes: "Axes", courses: list[dict[int, float]], colour: str) -> None:
    """A dot at the highest value of each seed."""
    size = 4 if len(courses) == 1 else 2.5
    for course in filter(None, courses):
        best = max(course, key=course.__getitem__)
        axes.plot([best], [course[best]], "o", color=colour, markersize=size)
