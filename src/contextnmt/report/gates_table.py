"""How far the contextualizer's gates are open, and how much they vary from sentence to sentence."""

from pathlib import Path
from typing import Any

from contextnmt.report.experiment import Experiment, Run, match, parse_experiment, run_of
from contextnmt.report.gaps import gap_notes
from contextnmt.report.provenance import read_models
from contextnmt.report.staleness import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, rounded, write_table
from contextnmt.report.training_log import read_log

SIDES = ("source", "target")
#: Statistic of a gate in log.jsonl -> heading, what one is multiplied by, digits after the point.
STATISTICS = {
    "mean": ("mean", 1, 3),
    "open": ("above 0.95 (%)", 100, 1),
    "closed": ("below 0.05 (%)", 100, 1),
    "deviation": ("deviation", 1, 4),
}

NOTES = [
    "A gate, or context mask, multiplies the vectors of a sentence, dimension by dimension. The "
    "values are those of all dimensions in all dev sentences, with the weights of the model.",
    "Deviation: the standard deviation of a dimension over the sentences, averaged over the "
    "dimensions. Near 0 all sentences have nearly the same gate, so the context tells nothing.",
]


UNLOGGED = "{run.pair} {run.system}, seed {run.seed}: trained before gates were logged."


def gates_table(model: list[Path], log: list[Path], experiment: str, out: Path) -> None:
    """Tabulate the statistics of the contextualizer's gates on both sides, system by system."""
    about = parse_experiment(experiment)
    there = {run_of(path)[:2] for path in model}
    runs = [run for run in about.runs if run[:2] in there]
    models = read_models(match("--model", model, run_of, runs))
    logs = match("--log", log, run_of, runs)
    found = {run: gates(read_log(logs[run]), models[run]["best"]["update"]) for run in runs}
    blocks = [block(about, pair, found) for pair in about.pairs]
    told = [UNLOGGED.format(run=run) for run, of_sides in found.items() if not of_sides]
    data = [
        {**run._asdict(), "side": side, **statistics}
        for run, of_sides in found.items()
        for side, statistics in of_sides.items()
    ]
    told += NOTES + gap_notes(about) + stale_notes(about)
    write_table(out, Table([each for each in blocks if each.rows], data, told))


def gates(log: list[dict[str, Any]], update: int) -> dict[str, dict[str, float]]:
    """Return the statistics of each side at the validation after `update`; none if the log of an
    earlier version does not have them."""
    dev = next((each for each in log if (each["kind"], each["update"]) == ("dev", update)), {})
    return {
        side: {name: dev[f"{side}_gate_{name}"] for name in STATISTICS}
        for side in SIDES
        if f"{side}_gate_mean" in dev
    }


def block(about: Experiment, pair: str, found: dict[Run, dict[str, dict[str, float]]]) -> Block:
    """The table of one pair: a row for each system, means over its seeds."""
    columns = [(f"{side} gate", name) for side in SIDES for name, _, _ in STATISTICS.values()]
    rows = []
    for system in about.marked(pair):
        of_seeds = [each for run, each in found.items() if run[:2] == (pair, system.id)]
        cells = [
            Cell(*rounded([factor * each[side][name] for each in of_seeds], digits))
            if of_seeds and all(of_seeds)
            else Cell(NONE)
            for side in SIDES
            for name, (_, factor, digits) in STATISTICS.items()
        ]
        if of_seeds:
            rows.append((system.label, cells))
    return Block(about.pair_title(pair), columns, rows)
