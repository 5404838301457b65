"""How a table or figure was made: the workflow's rule, how long it took, how to make it anew."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from contextnmt.report.experiment import Experiment
from contextnmt.report.provenance import measured

#: Tables and kinds of figures that a rule of another name makes -> that name.
MAKERS = {"symbol-errors": "symbol-scores"}
FIGURE_MAKERS = {"masks": "masks-figure", "selection": "selection-figures"}


class Making(NamedTuple):
    """The rule of a part of the report, the call of Snakemake that makes it anew, and the seconds
    that it took, if they are known."""

    rule: str
    call: str
    seconds: float | None


def makings(about: Experiment, benchmarks: list[Path]) -> Callable[[str], Making]:
    """How the part ran that a rule of some name makes; a benchmark file is called after it.

    Raises UserError if a file is no benchmark.
    """
    jobs = {path.stem: measured(path) for path in benchmarks}
    took = {maker: ran[-1].seconds for maker, ran in jobs.items() if ran}

    def making(maker: str) -> Making:
        rule = f"{about.name}_{maker.replace('-', '_')}"
        call = f"snakemake --profile local {about.name} -R {rule} --config preset={about.preset}"
        if about.gaps:
            call += " gaps=true"  # else what is missing would be trained
        return Making(rule, call, took.get(maker))

    return making
