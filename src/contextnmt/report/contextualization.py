"""What the contextualizer does: in sentences, no more than the numbers say, and its open gates."""

import statistics
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.report.experiment import Experiment, Run, match, run_of
from contextnmt.report.gaps import gap_notes
from contextnmt.report.masks import distance
from contextnmt.report.provenance import read_models
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, rounded
from contextnmt.report.trainings import read_log

#: Half of all comparisons, in percent: what contexts give that have nothing to do with the sense.
CHANCE = 50.0
#: Percent of the values of masks above 0.99 from which on a mask is next to none.
OPEN = 95.0
#: Standard errors from chance from which on a separation is called one.
ERRORS = 2.0

#: `Separation.direction` -> what is said of it.
VERDICTS = {
    -1: "the masks draw different senses together",
    0: "no sign that the masks tell the senses apart",
    1: "the masks tell the senses apart more often than chance",
}

Rows = list[dict[str, Any]]


def observations(about: Experiment, data: Rows) -> list[str]:
    """A sentence or two for each pair and system in the `data` of the table of masks.

    Systems whose masks there are none of (no contextualizer, no word to look at) are left out.
    """
    return [
        f"{about.pair_title(pair)}, {system.label}: {' '.join([opening(rows), *senses(rows)])}"
        for pair in about.pairs
        for system in about.marked(pair)
        if (rows := rows_of(data, pair, system.id))
    ]


def caveats(about: Experiment, pair: str, data: Rows) -> list[str]:
    """A sentence for each system of a pair whose masks let nearly everything pass, or show no sign
    of telling the senses of words apart."""
    lines = []
    for system in about.marked(pair):
        rows = rows_of(data, pair, system.id)
        share = statistics.fmean(row["open_percent"] for row in rows) if rows else 0.0
        if share > OPEN:
            lines.append(
                f"{system.label} hardly contextualizes: {share:.1f} % of the values of its context "
                "masks, in the sentences looked at, are above 0.99, which leaves source vectors as "
                "they are."
            )
        elif blind(rows):
            lines.append(
                f"The context masks of {system.label} show no sign of telling the senses of "
                "ambiguous words apart."
            )
    return lines


def rows_of(data: Rows, pair: str, system: str) -> Rows:
    """The rows of a system that has masks."""
    return [
        row
        for row in data
        if (row["pair"], row["system"]) == (pair, system) and row["open_percent"] is not None
    ]


class Separation(NamedTuple):
    """In how many percent of comparisons two senses are farther apart than one, the standard error
    of that in points if it is known, and of how many words both are."""

    share: float
    error: float | None
    words: int

    @property
    def direction(self) -> int:
        """1 beyond chance, -1 below it, 0 where the error covers the difference or is not known."""
        beyond = self.share - CHANCE
        if self.error is None or abs(beyond) <= ERRORS * self.error:
            return 0
        return 1 if beyond > 0 else -1


def separation(rows: Rows) -> Separation | None:
    """That of all seeds together; None where senses are not known."""
    of_seeds = [
        row for row in rows if row["senses"] == "different" and row["separation"] is not None
    ]
    if not of_seeds:
        return None
    share = 100 * statistics.fmean(row["separation"] for row in of_seeds)
    errors = [row["separation_error"] for row in of_seeds]
    # The seeds see the same words, so their mean is no surer than one of them.
    error = None if None in errors else 100 * statistics.fmean(errors)
    return Separation(share, error, of_seeds[0]["words"])


def blind(rows: Rows) -> bool:
    """Whether senses are known, and how surely they are told apart, but they are not."""
    found = separation(rows)
    return found is not None and found.error is not None and found.direction <= 0


def opening(rows: Rows) -> str:
    """How far the masks are open, and so how much they change a vector."""
    share = statistics.fmean(row["open_percent"] for row in rows)
    found = f"{share:.1f} % of the values of the masks are above 0.99"
    distances = [row["cosine"] for row in rows if row.get("cosine") is not None]
    if distances:
        found += (
            f", and the vectors of a word in two sentences have a cosine distance of "
            f"{distance(statistics.fmean(distances))}, the mean over kinds of pairs"
        )
    return f"{found}{': most of a vector passes as it is' if share > CHANCE else ''}."


def senses(rows: Rows) -> list[str]:
    """Whether the masks tell the senses of words apart; nothing where senses are not known."""
    separated = separation(rows)
    if separated is None:
        return []
    share, error, words = separated
    told = (
        f"In {share:.1f} % of comparisons two sentences in which a word has two senses are farther "
        "apart than two in which it has one"
    )
    if error is None:
        return [f"{told} (chance: 50 %)."]
    return [
        f"{told} (chance: 50 %, standard error over {words} words: {error:.1f}): "
        f"{VERDICTS[separated.direction]}."
    ]


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


def gates_table(model: list[Path], log: list[Path], about: Experiment) -> Table:
    """Tabulate the statistics of the contextualizer's gates on both sides, system by system."""
    there = {run_of(path)[:2] for path in model}
    runs = [run for run in about.runs if run[:2] in there]
    models = read_models(match("model", model, run_of, runs))
    logs = match("log", log, run_of, runs)
    found = {run: gates(read_log(logs[run]), models[run]["best"]["update"]) for run in runs}
    blocks = [block(about, pair, found) for pair in about.pairs]
    told = [UNLOGGED.format(run=run) for run, of_sides in found.items() if not of_sides]
    data = [
        {**run._asdict(), "side": side, **statistics}
        for run, of_sides in found.items()
        for side, statistics in of_sides.items()
    ]
    told += NOTES + gap_notes(about) + stale_notes(about)
    return Table([each for each in blocks if each.rows], data, told)


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
