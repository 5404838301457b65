"""The files of stage `local-charts`, read for the table and the figure."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_some_pairs


class Charts(NamedTuple):
    """The charts of one pair, by vectors and word; `labels` are what a reader calls the vectors.

    The CBOW vectors come first: those are what the paper charts.
    """

    pair: str
    words: list[str]
    of: dict[str, dict[str, Any]]
    labels: dict[str, str]


def read_charts(about: Experiment, charts: list[Path]) -> Iterator[Charts]:
    """The charts of those pairs that have a file. Raises UserError if one is something else."""
    for pair, path in by_some_pairs("--charts", charts, about).items():
        labels = {"cbow": "CBOW"} | about.labels(pair)
        content = read_json(path)
        try:
            words, of = content["words"], content["charts"]
            names = sorted(of, key=lambda name: [*labels].index(name))
            complete = all(word in of[name] for name in names for word in words)
        except (KeyError, TypeError, ValueError):
            complete = False
        if not complete:
            raise UserError(
                f"{path}: not local charts of systems of this experiment: make it again"
            )
        yield Charts(pair, words, {n: of[n] for n in names}, {n: labels[n] for n in names})
