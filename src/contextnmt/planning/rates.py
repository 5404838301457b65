"""What a job of each rule takes, measured: the table rates.tsv, and what it makes of a job.

``benchmarks/rates.py`` writes the table from a finished run.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.planning.jobs import Job

TABLE = Path(__file__).with_name("rates.tsv")

MILLION = 1_000_000


@dataclass(frozen=True)
class Rate:
    """A row of the table: seconds of one core, and the bytes of all files that the rule writes.

    `pairs` is the size of the largest job that was measured: how far the figures can be trusted.
    """

    rule: str
    seconds_a_job: float
    seconds_a_million_pairs: float
    bytes_a_pair: float
    pairs: int

    def seconds(self, pairs: float) -> float:
        """How long a job that reads so many pairs takes."""
        return self.seconds_a_job + self.seconds_a_million_pairs * pairs / MILLION


COLUMNS = [field.name for field in fields(Rate)]


def read_rates(path: Path = TABLE) -> dict[str, Rate]:
    """The rates by rule. Raises UserError, naming the line, if the table is damaged."""
    rates = {}
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("#") or line == "\t".join(COLUMNS):
            continue
        try:
            rule, *figures, pairs = line.split("\t")
            job, million, size = map(float, figures)
            rates[rule] = Rate(rule, job, million, size, int(pairs))
        except ValueError:
            raise UserError(f"{path}, line {number}: not a row of {', '.join(COLUMNS)}") from None
    return rates


def rate_of(job: Job, rates: dict[str, Rate]) -> Rate | None:
    """The rate of a job's rule or, in a report, of the rule that does the same for choi2017."""
    if job.rule in rates or job.stage != "report" or job.rule == "papers":
        return rates.get(job.rule)
    _, mark, part = job.rule.partition("_")
    return rates.get(f"choi2017{mark}{part}")


def provenance(path: Path = TABLE) -> list[str]:
    """How the rates were measured: the comment of the table."""
    return [line.removeprefix("# ") for line in read_lines(path) if line.startswith("#")]


def table(rates: Iterable[Rate]) -> list[str]:
    """The lines of the table, but for the comment on its first lines."""
    return ["\t".join(COLUMNS), *("\t".join(map(figure, astuple(rate))) for rate in rates)]


def figure(value: str | float) -> str:
    """A cell: three digits tell more than the next run will agree with."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
