"""Trainings that may have failed: a seed far from its system's others, or a loss that stays high.

They stay in every mean; the report names them, draws them and gives the median beside the mean.
"""

import statistics
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from contextnmt.report.results import Results, Run, pair_title
from contextnmt.report.tables import Row

#: Distance in dev BLEU from which on a seed is far from the others of its system: this much at
#: least, and this many standard deviations of a training of the other systems.
BLEU, DEVIATIONS = 4.0, 5.0
#: Standard deviation of a normal variable over the lower quartile of the distances of two: the
#: estimator Qn of Rousseeuw and Croux (1993), which holds while half of the values are sound.
QN = 2.2219
#: Rise of the training loss beyond noise, in nats per token: half again the perplexity and more.
RISE = 0.5
#: Parts of a training whose median losses are compared.
PARTS = 20


class Failure(NamedTuple):
    """Runs of one system, and the reason why one of them may have failed."""

    runs: list[Run]
    reason: str


def loss_course(log: list[Row]) -> Row:
    """The lowest training loss, its last update, and the final loss, each the median of a part.

    In nats per token. `log` has the records of a training; all three are None without any.
    """
    train = [each for each in log if each["kind"] == "train"]
    size = max(1, len(train) // PARTS)
    # Parts end with the log, so the first records are left out where they fill no part.
    parts = [train[end - size : end] for end in range(len(train), size - 1, -size)][::-1]
    courses = [(statistics.median(each["loss"] for each in p), p[-1]["update"]) for p in parts]
    loss, update = min(courses, default=(None, None))
    final = courses[-1][0] if courses else None
    return {"lowest_loss": loss, "lowest_loss_update": update, "final_loss": final}


def failures(rows: Iterable[Row], pair: str) -> list[Failure]:
    """The failures among the trainings of a language pair.

    `rows` has their runs, best dev BLEU and `loss_course`: the data of the table of trainings.
    """
    of_systems: dict[str, dict[Run, Row]] = {}
    for row in rows:
        if row.get("pair") == pair:
            run = Run(pair, row["system"], row["seed"])
            of_systems.setdefault(run.system, {})[run] = row
    bleu = {
        system: {run: row["dev_bleu"] for run, row in of_system.items()}
        for system, of_system in of_systems.items()
    }
    found: list[Failure] = []
    for system, of_system in of_systems.items():
        others = [list(each.values()) for name, each in bleu.items() if name != system]
        found += far(bleu[system], max(BLEU, DEVIATIONS * deviation(others)))
        found += [Failure([run], reason) for run, row in of_system.items() if (reason := rise(row))]
    return found


def deviation(of_systems: list[list[float]]) -> float:
    """The standard deviation of a score between seeds of the same system, as `QN` estimates it.

    0 if no system has two seeds.
    """
    pairs = (pair for scores in of_systems for pair in combinations(scores, 2))
    distances = sorted(abs(one - other) for one, other in pairs)
    return QN * distances[(len(distances) - 1) // 4] if distances else 0.0


def far(bleu: dict[Run, float], limit: float) -> Iterator[Failure]:
    """The seeds of a system that are farther than `limit` from its median; of two, from each
    other: nothing tells which of them failed."""
    runs, scores = list(bleu), list(bleu.values())
    if len(runs) == 2 and abs(scores[0] - scores[1]) > limit:
        both = " and ".join(f"{score:.2f}" for score in scores)
        yield Failure(runs, f"best dev BLEU {both}, {abs(scores[0] - scores[1]):.2f} apart")
    if len(runs) <= 2:
        return
    median = statistics.median(scores)
    for run, score in bleu.items():
        if abs(score - median) > limit:
            side = "below" if score < median else "above"
            yield Failure(
                [run],
                f"best dev BLEU {score:.2f}, {abs(score - median):.2f} {side} the median of its "
                f"{len(runs)} seeds",
            )


def rise(row: Row) -> str:
    """The rise of the training loss, if it stayed high; an empty string if it did not.

    Tables of earlier versions do not tell.
    """
    lowest, final = row.get("lowest_loss"), row.get("final_loss")
    if lowest is None or final is None or final - lowest <= RISE:
        return ""
    return (
        f"training loss {final:.2f} at the end, after {lowest:.2f} at update "
        f"{row['lowest_loss_update']:,}"
    )


def failure_lines(results: Results, rows: Iterable[Row]) -> list[str]:
    """A line for each failure of an experiment, from the data of its table of trainings."""
    rows = list(rows)
    return [
        f"{pair_title(pair)}: {results.labels(pair)[runs[0].system]}{seeds(results, runs)}: "
        f"{reason}."
        for pair in results.pairs
        for runs, reason in failures(rows, pair)
    ]


def seeds(results: Results, runs: list[Run]) -> str:
    """The seeds of some runs of a system, where it has several: ``, seeds 1 and 2``."""
    if len(results.seeds) == 1:
        return ""
    return f", seed{'s' * (len(runs) > 1)} {' and '.join(str(run.seed) for run in runs)}"
