"""How each training went: a table with what it cost, and curves of loss and dev BLEU by update."""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contextnmt.files import read_lines
from contextnmt.report.failures import Failure, failures, loss_course
from contextnmt.report.figures import Named, legend_below, lines_of, scale_by_logarithm
from contextnmt.report.provenance import duration, read_models
from contextnmt.report.published import published_in
from contextnmt.report.results import Results, Run, parse
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Row, Table, signed

#: Figure of a training -> its heading. These are the columns of Table 2 of Bahdanau
#: et al. 2015, with their numbers beside where the systems are theirs.
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

#: Line of a single seed beside the mean of all.
OWN_LINE: dict[str, Any] = {"marker": "x", "markersize": 3.5, "markevery": 0.1, "linewidth": 0.8}

#: The paper's figures of each system.
Paper = dict[str, dict[str, str]]

#: Name of a figure of curves -> the kind of the records that have this key, and its axis.
QUANTITIES = {
    "bleu": ("dev", "dev BLEU, greedy (%)"),
    "loss": ("train", "training loss (nats per token)"),
}


def trainings_table(results: Results) -> Table:
    """Tabulate updates, epochs, time, device, losses of each training, and how it was stopped."""
    models = read_models(results)
    settings = differing(models)
    rows = {
        run: row_of(models[run], read_log(path), settings) for run, path in results.logs().items()
    }
    paper = {row["system"]: row for row in published_in(results.name, "trainings")}
    keys = [*([] if paper else COMPARED), *OWN, *settings]
    alike = same(list(rows.values()), keys)
    own = [key for key in keys if key not in alike]
    blocks = [block(results, pair, rows, paper, own) for pair in results.pairs]
    return Table(blocks, data(rows, paper), notes(paper, alike, own))


def differing(models: dict[Run, Row]) -> list[str]:
    """The settings of training that the table tells by run: precision, and those that differ."""
    recipes = [model["training"] for model in models.values()]
    values = {key: {json.dumps(recipe.get(key)) for recipe in recipes} for key in recipes[0]}
    # Columns of their own, one of the facts, and one that follows from the system.
    elsewhere = {"precision", "device", "threads", "validation"}
    return ["precision", *(key for key in values if len(values[key]) > 1 and key not in elsewhere)]


def row_of(model: Row, log: list[Row], settings: list[str]) -> Row:
    """The facts of a run; losses are in nats per target token, up to the update that counts."""
    best = model["best"]["update"]
    train, dev = ([each for each in log if each["kind"] == kind] for kind in ("train", "dev"))
    losses = [each["loss"] for each in train if each["update"] <= best]
    bleu = [each["bleu"] for each in dev]
    on_gpu = model["training"]["device"] != "cpu"
    return {
        "updates": model["updates"],
        "epochs": train[-1]["epoch"] if train else None,
        "seconds": model["seconds"],
        "device": model["environment"]["gpu"] if on_gpu else "CPU",
        "train_loss": losses[-1] if losses else None,
        "dev_loss": {each["update"]: each.get("loss") for each in dev}.get(best),
        "parameters": model["parameters"],
        "sentence_pairs": model["data"]["pairs"],
        "best_update": best,
        "dev_bleu": model["best"]["dev_bleu"],
        "last_gain": round(bleu[-1] - max(bleu[:-1]), 4) if len(bleu) > 1 else None,
        "stopped": str(model["stopped"]).replace("_", " "),
        **loss_course(log),
        **{key: model["training"].get(key) for key in settings},
    }


def same(rows: list[Row], keys: list[str]) -> dict[str, Cell]:
    """The facts that all of several trainings share, which take no column."""
    if len(rows) < 2:
        return {}
    first, *others = rows
    return {
        key: shown_value(key, first[key])
        for key in keys
        if first[key] is not None and all(row[key] == first[key] for row in others)
    }


def block(results: Results, pair: str, rows: dict[Run, Row], paper: Paper, own: list[str]) -> Block:
    """One row per run of a language pair; where the paper tells its figures, those of its system.

    `own` are the figures of here alone. A system that is not finished has one row, without any.
    """
    columns = [(key, place) for key in (COMPARED if paper else ()) for place in ("here", PAPER)]
    columns += [(key, "") for key in own]
    shown_rows = []
    for system in results.marked(pair):
        printed: Row = {**paper.get(system.id, {})}
        if printed:
            printed |= {"seconds": f"{printed['hours']} h", "updates": int(printed["updates"])}
        of_system = {run.seed: row for run, row in rows.items() if run[:2] == (pair, system.id)}
        for seed, row in (of_system or {0: {}}).items():
            ending = f", seed {seed}" if len(results.seeds) > 1 and of_system else ""
            cells = [
                shown_value(key, (printed if place == PAPER else row).get(key))
                for key, place in columns
            ]
            shown_rows.append((system.label + ending, cells))
    headings = [(heading(key), place)[: 2 if paper else 1] for key, place in columns]
    return Block(results.pair_title(pair), headings, shown_rows)


def heading(key: str) -> str:
    """The heading of a figure or setting."""
    return (COMPARED | OWN).get(key, key.replace("_", " "))


def shown_value(key: str, value: Any) -> Cell:
    """A figure as its column shows it: numbers with separators, a dash for none."""
    if value is None or isinstance(value, str):
        return Cell(value or NONE)
    if key == "seconds":
        return Cell(duration(value))
    if key == "last_gain":
        return Cell(signed(value))
    if isinstance(value, float):
        return Cell(f"{value:,.2f}" if value >= 0.01 else f"{value:g}")
    return Cell(f"{value:,}" if isinstance(value, int) else str(value))


def data(rows: dict[Run, Row], paper: Paper) -> list[Row]:
    """One row per run, then one per system for which the paper gives figures."""
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


def notes(paper: Paper, alike: dict[str, Cell], own: list[str]) -> list[str]:
    """Notes of the table; `alike`: facts that are no column of it; `own`: those that are."""
    shared = "; ".join(f"{heading(key)} {cell.text}" for key, cell in alike.items())
    lines = [f"Same in all trainings: {shared}."] if shared else []
    lines += [
        "Losses: negative log-likelihood per target token in nats, with the weights used (best "
        "update); training loss is the mean of the last updates before it.",
        "Time: all sessions of a training, validations included.",
        "Gain of the last validation: its dev BLEU over the highest one before it.",
    ]
    if "unknown_limit" in own:
        lines.append(
            "Unknown limit: share of unknown words allowed in the system's own text; 1.00: any. "
            "If training.filters is symbolized, word systems have 1.00 here, but the limit applies "
            "to their symbolized text (A14 in docs/decisions.md)."
        )
    if paper:
        lines.append(
            "The paper's losses are of an unknown unit, so they are not to be compared, and its "
            "epochs are all of about 10.5 million pairs: compare updates (A40 in "
            "docs/decisions.md)."
        )
    return lines


def still_gaining(rows: list[Row], pair: str) -> list[str]:
    """How many trainings of a language pair ended at their highest dev BLEU, and so maybe too
    early, in a list; empty if no training tells. `rows` is the data of the table."""
    of_pair = [row["last_gain"] for row in rows if row.get("pair") == pair]
    gains = [gain for gain in of_pair if gain is not None]
    grown = [gain for gain in gains if round(gain, 2) > 0]  # as printed
    if not gains:
        return []
    if not grown:
        return ["No training had its highest dev BLEU at the last validation."]
    return [
        f"In {len(grown)} of {len(gains)} trainings the last validation raised the best dev BLEU, "
        f"by {'a median of ' if len(grown) > 1 else ''}{statistics.median(grown):.2f}: more "
        "updates might gain more, and some differences may only be of learning speed."
    ]


def failures_of(results: Results) -> list[Failure]:
    """The failures among all trainings, by their models and logs."""
    logs = results.logs()
    rows = [
        {**run._asdict(), "dev_bleu": model["best"]["dev_bleu"], **loss_course(read_log(logs[run]))}
        for run, model in read_models(results).items()
    ]
    return [failure for pair in results.pairs for failure in failures(rows, pair)]


def curves(results: Results) -> Iterator[Named]:
    """Draw the learning curves as curves.{pair}.{bleu,loss}."""
    logs = {run: read_log(path) for run, path in results.logs().items()}
    failed = {run for each in failures_of(results) for run in each.runs}
    for pair in results.pairs:
        for quantity in QUANTITIES:
            yield f"curves.{pair}.{quantity}", draw(results, pair, quantity, logs, failed)


def draw(
    results: Results, pair: str, quantity: str, logs: dict[Run, list[Row]], failed: set[Run]
) -> Figure:
    """One line a finished system: the mean of its seeds, with their range and best dev BLEU.

    Of several seeds, those that `failed` have lines of their own besides.
    """
    kind, label = QUANTITIES[quantity]
    lines, finished = lines_of(results.systems), results.finished(pair)
    figure = Figure()
    axes = figure.subplots()
    names = []
    for system in finished:
        runs = [Run(pair, system.id, seed) for seed in results.seeds]
        courses = [
            {each["update"]: each[quantity] for each in logs[run] if each["kind"] == kind}
            for run in runs
        ]
        plot(axes, courses, lines[system.id], system.label)
        names.append(system.label)
        for run, course in zip(runs, courses, strict=True):
            if run in failed and len(runs) > 1:
                names.append(f"{system.label}, seed {run.seed}")
                style: dict[str, Any] = lines[system.id] | OWN_LINE
                axes.plot([*course], [*course.values()], label=names[-1], **style)
        if quantity == "bleu":
            mark_best(axes, courses, lines[system.id]["color"])
    axes.set(title=results.pair_title(pair), xlabel="update", ylabel=label)
    axes.set_xlim(left=0)
    if quantity == "loss":  # it falls fast at first, and then by shares of what is left
        scale_by_logarithm(axes)
    legend_below(figure, names)
    return figure


def plot(axes: Axes, courses: list[dict[int, float]], style: dict[str, Any], label: str) -> None:
    """The mean of the courses of all seeds (update -> value) and their range, while all go on.

    Where only some do, each has a thin line of its own.
    """
    shared = sorted(set.intersection(*map(set, courses)))
    values = [[course[update] for course in courses] for update in shared]
    axes.plot(shared, list(map(statistics.fmean, values)), label=label, **style)
    if len(courses) > 1:
        low, high = list(map(min, values)), list(map(max, values))
        axes.fill_between(shared, low, high, color=style["color"], alpha=0.15, linewidth=0)
    for course in courses:
        rest = [update for update in course if update >= max(shared, default=0)]
        axes.plot(rest, [course[update] for update in rest], linewidth=0.6, **style)


def mark_best(axes: Axes, courses: list[dict[int, float]], colour: str) -> None:
    """A dot at the highest value of each seed."""
    size = 4 if len(courses) == 1 else 2.5
    for course in filter(None, courses):
        best = max(course, key=course.__getitem__)
        axes.plot([best], [course[best]], "o", color=colour, markersize=size)


def read_log(path: Path) -> list[Row]:
    """The records of a training log, which name their line where a key is missing."""
    lines = enumerate(read_lines(path), start=1)
    return [parse(line, f"{path}, line {number}") for number, line in lines]
