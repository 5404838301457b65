"""How each training went: a table with what it cost, and curves of loss and dev BLEU by update."""

import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.experiment import Experiment, Run, by_run
from contextnmt.report.figures import drawing, legend_below, lines_of, save
from contextnmt.report.gaps import gap_notes
from contextnmt.report.provenance import duration, read_models
from contextnmt.report.published import published_trainings
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Table, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: A training's figures: key of `figures` -> heading. The first ones are those of Table 2 of
#: Bahdanau et al. 2015, with their numbers beside where the systems are theirs.
COMPARED = {
    "updates": "updates",
    "epochs": "epochs",
    "seconds": "time",
    "device": "device",
    "train_loss": "training loss",
    "dev_loss": "dev loss",
}


#: The others.
OWN = {
    "parameters": "parameters",
    "sentence_pairs": "sentence pairs",
    "best_update": "best update",
    "dev_bleu": "dev BLEU",
    "last_gain": "gain of the last validation",
    "stopped": "stopped by",
}


#: A line of log.jsonl.
Record = dict[str, Any]


def trainings_table(model: list[Path], log: list[Path], about: Experiment) -> Table:
    """Tabulate updates, epochs, time, device, losses of each training, and how it was stopped."""
    models = read_models(by_run("model", model, about))
    logs = {run: read_log(path) for run, path in by_run("log", log, about).items()}
    settings = differing(models)
    rows = {run: figures(models[run], logs[run], settings) for run in about.runs}
    paper = published_trainings(about.name)
    keys = [*([] if paper else COMPARED), *OWN, *settings]
    alike = same(list(rows.values()), keys)
    own = [key for key in keys if key not in alike]
    blocks = [block(about, pair, rows, paper, own) for pair in about.pairs]
    told = notes(paper, alike) + gap_notes(about) + stale_notes(about)
    return Table(blocks, data(rows, paper), told)


def same(rows: list[Record], keys: list[str]) -> dict[str, Cell]:
    """What all of several trainings have alike, which takes no column."""
    if len(rows) < 2:
        return {}
    first, *others = rows
    return {
        key: shown_value(key, first[key])
        for key in keys
        if first[key] is not None and all(row[key] == first[key] for row in others)
    }


def heading(key: str) -> str:
    """What a figure or setting is called."""
    return (COMPARED | OWN).get(key, key.replace("_", " "))


def differing(models: dict[Run, Record]) -> list[str]:
    """The settings of training that the table tells by run: precision, and those that differ."""
    recipes = [model["training"] for model in models.values()]
    values = {key: {json.dumps(recipe.get(key)) for recipe in recipes} for key in recipes[0]}
    elsewhere = {"precision", "device", "threads"}  # columns of their own, and one of the facts
    return ["precision", *(key for key in values if len(values[key]) > 1 and key not in elsewhere)]


def figures(model: Record, log: list[Record], settings: list[str]) -> Record:
    """What is told of a run; losses are in nats a target token, up to the update that counts."""
    best = model["best"]["update"]
    train = [each for each in log if each["kind"] == "train" and each["update"] <= best]
    dev = [each for each in log if each["kind"] == "dev" and each["update"] == best]
    last = [each["epoch"] for each in log if each["kind"] == "train"]
    on_gpu = model["training"]["device"] != "cpu"
    return {
        "updates": model["updates"],
        "epochs": last[-1] if last else None,
        "seconds": model["seconds"],
        "device": model["environment"]["gpu"] if on_gpu else "CPU",
        "train_loss": train[-1]["loss"] if train else None,
        "dev_loss": dev[-1].get("loss") if dev else None,
        "parameters": model["parameters"],
        "sentence_pairs": model["data"]["pairs"],
        "best_update": best,
        "dev_bleu": model["best"]["dev_bleu"],
        "last_gain": last_gain([each["bleu"] for each in log if each["kind"] == "dev"]),
        "stopped": str(model["stopped"]).replace("_", " "),
        **{key: model["training"].get(key) for key in settings},
    }


def last_gain(bleu: list[float]) -> float | None:
    """What the last validation has over the best one before it, in BLEU; None of fewer than two."""
    return round(bleu[-1] - max(bleu[:-1]), 4) if len(bleu) > 1 else None


def still_gaining(rows: list[Record], pair: str) -> list[str]:
    """How many trainings of a language pair ended at their highest dev BLEU, and so maybe too
    early, in a list; none if none did. `rows` is the data of the table."""
    gains = [
        row["last_gain"]
        for row in rows
        if row.get("pair") == pair and row.get("last_gain") is not None
    ]
    grown = [gain for gain in gains if round(gain, 2) > 0]  # as printed
    if not grown:
        return []
    return [
        f"{len(grown)} of {len(gains)} trainings had the highest dev BLEU at the last "
        f"validation, {signed(statistics.median(grown))} over the best before it"
        f"{' in the median' if len(grown) > 1 else ''}: more updates might have gained more, and "
        "some of the differences may be those of learning speed."
    ]


def block(
    about: Experiment,
    pair: str,
    rows: dict[Run, Record],
    paper: dict[str, dict[str, str]],
    own: list[str],
) -> Block:
    """One row a run of a language pair; where the paper tells its figures, those of its system.

    `own` are the figures of here alone. A system that is not finished has one row, without any.
    """
    compared = [*COMPARED] if paper else []
    columns: list[tuple[str, ...]] = [
        (heading(key), place) for key in compared for place in ("here", PAPER)
    ]
    columns += [(heading(key), "") if paper else (heading(key),) for key in own]
    shown_rows = []
    for system in about.marked(pair):
        of_seeds = {
            f", seed {run.seed}" if len(about.seeds) > 1 else "": row
            for run, row in rows.items()
            if run[:2] == (pair, system.id)
        } or {"": dict.fromkeys([*compared, *own])}
        for seed, row in of_seeds.items():
            cells = [
                cell
                for key in compared
                for cell in (shown_value(key, row[key]), printed(key, paper.get(system.id, {})))
            ]
            cells += [shown_value(key, row[key]) for key in own]
            shown_rows.append((system.label + seed, cells))
    return Block(about.pair_title(pair), columns, shown_rows)


def shown_value(key: str, value: Any) -> Cell:
    """A figure as its column shows it: numbers with separators, a dash for none."""
    if value is None:
        return Cell(NONE)
    if key == "seconds":
        return Cell(duration(value))
    if key == "last_gain":
        return Cell(signed(value))
    if isinstance(value, float):
        return Cell(f"{value:,.2f}" if value >= 0.01 else f"{value:g}")
    return Cell(f"{value:,}" if isinstance(value, int) else str(value))


def printed(key: str, row: dict[str, str]) -> Cell:
    """A figure of the paper."""
    if not row:
        return Cell(NONE)
    if key == "seconds":
        return Cell(f"{row['hours']} h")
    return Cell(f"{int(row[key]):,}" if key == "updates" else row[key])


def data(rows: dict[Run, Record], paper: dict[str, dict[str, str]]) -> list[Record]:
    """One row a run, and one for each system that the paper tells of."""
    here = [{"source": "here", **run._asdict(), **row} for run, row in rows.items()]
    return here + [
        {
            "source": PAPER,
            "system": system,
            "device": row["device"],
            "seconds": 3600 * float(row["hours"]),
            **{key: float(row[key]) for key in ("updates", "epochs", "train_loss", "dev_loss")},
        }
        for system, row in paper.items()
    ]


def notes(paper: dict[str, dict[str, str]], alike: dict[str, Cell]) -> list[str]:
    """What a reader must know to read the table; `alike`: what is no column of it."""
    told = "; ".join(f"{heading(key)} {cell.text}" for key, cell in alike.items())
    lines = [f"All trainings have alike: {told}."] if told else []
    lines += [
        "Losses: negative log-likelihood of a target token in nats, with the weights that count "
        "(best update); that of the training text is the mean of the last updates before it.",
        "Time: of all sittings of a training, validations included.",
        "Gain of the last validation: its dev BLEU over the highest one before it.",
    ]
    if paper:
        lines.append(
            "The paper's losses are of an unknown unit, so they are not to be compared, and its "
            "epochs are all of about 10.5 million pairs: compare updates (A40 in "
            "docs/decisions.md)."
        )
    return lines


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


def curves(log: list[Path], about: Experiment, out: Path) -> None:
    """Draw the learning curves as curves.{pair}.{bleu,loss} in SVG, PDF and PNG."""
    records = {run: read_log(path) for run, path in by_run("log", log, about).items()}
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


def read_log(path: Path) -> list[dict[str, Any]]:
    """The records of a training log. Raises UserError, naming the line, if one is not JSON."""
    records = []
    for line_number, line in enumerate(read_lines(path), start=1):
        try:
            records.append(json.loads(line))
        except ValueError:
            raise UserError(f"{path}, line {line_number}: not JSON: train this run again") from None
    return records
