"""What jobs cost, one by one and by stage; what is not known is counted, not guessed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Any

from contextnmt.planning.jobs import Job
from contextnmt.planning.rates import Rate, rate_of
from contextnmt.planning.sizes import Sizes
from contextnmt.planning.trainings import weights

#: Why a job is not in the figures.
UNKNOWN_SIZE = "size of the text not stated"
NOT_MEASURED = "not measured"
NETWORK = "depends on the network"


@dataclass(frozen=True)
class Cost:
    """Seconds of one core and bytes written by a job, None where `missing` says why.

    `beyond` is how many times the pairs that it reads are those of the largest job measured.
    """

    job: Job
    seconds: float | None
    bytes: float | None
    missing: str | None = None
    beyond: float = 0.0


@dataclass
class Row:
    """The sums of a stage: of its jobs that have a figure, and how many have none and why."""

    stage: str
    jobs: int = 0
    core_seconds: float = 0.0
    longest: float = 0.0  # seconds of one job
    bytes: float = 0.0
    threads: int = 0
    memory: int = 0  # megabytes
    gpu_jobs: int = 0
    without_seconds: int = 0
    without_bytes: int = 0
    missing: dict[str, int] = field(default_factory=dict)

    def add(self, cost: Cost) -> None:
        """Count a job in."""
        job = cost.job
        self.jobs += 1
        self.threads = max(self.threads, job.threads)
        self.memory = max(self.memory, job.memory)
        self.gpu_jobs += job.gpus > 0
        if cost.missing:
            self.missing[cost.missing] = self.missing.get(cost.missing, 0) + 1
        if cost.seconds is None:
            self.without_seconds += 1
        else:
            self.core_seconds += cost.seconds * job.threads
            self.longest = max(self.longest, cost.seconds)
        if cost.bytes is None:
            self.without_bytes += 1
        else:
            self.bytes += cost.bytes


def costs(jobs: Iterable[Job], sizes: Sizes, rates: dict[str, Rate]) -> Iterator[Cost]:
    """The cost of each job that does something."""
    for job in jobs:
        if job.stage == "download":
            size = download(job, sizes.configuration)
            yield Cost(job, None, size, NETWORK)
        elif job.stage == "train":
            yield Cost(job, None, weights(job, sizes.configuration), NOT_MEASURED)
        elif job.stage is not None:
            yield text_cost(job, sizes, rate_of(job, rates))


def download(job: Job, configuration: dict[str, Any]) -> float | None:
    """The stated bytes of a file to fetch."""
    corpus, file = job.wildcards["corpus"], job.wildcards["file"]
    stated = configuration["corpora"][corpus]["files"][file].get("bytes")
    return None if stated is None else float(stated)


def text_cost(job: Job, sizes: Sizes, rate: Rate | None) -> Cost:
    """The cost of a job by the pairs that it reads and writes."""
    if rate is None:
        return Cost(job, None, None, NOT_MEASURED)
    read, written = sizes.read(job), sizes.written(job)
    if read is None or written is None:
        return Cost(job, None, None, UNKNOWN_SIZE)
    beyond = read / max(1, rate.pairs)
    return Cost(job, rate.seconds(read), rate.bytes_a_pair * written, beyond=beyond)


def rows(found: list[Cost]) -> list[Row]:
    """A row for each stage, in the order in which the data pass through them."""
    order = depths([cost.job for cost in found])
    stages: dict[str, Row] = {}
    for cost in sorted(found, key=lambda cost: order[cost.job.rule]):
        assert cost.job.stage is not None
        stages.setdefault(cost.job.stage, Row(cost.job.stage)).add(cost)
    # What is about corpora needs no more than the first stages.
    return sorted(stages.values(), key=lambda row: row.stage == "report")


def depths(jobs: list[Job]) -> dict[str, int]:
    """How many rules, one after another, come before each rule.

    Not the stages, of which symbolize and rules read from each other.
    """
    makers = {path: job.rule for job in jobs for path in job.outputs}
    sources: dict[str, set[str]] = {}
    for job in jobs:
        made = {makers[path] for path in job.inputs if path in makers}
        sources.setdefault(job.rule, set()).update(made - {job.rule})
    found: dict[str, int] = {}
    for rule in TopologicalSorter(sources).static_order():
        found[rule] = max((1 + found[source] for source in sources[rule]), default=0)
    return found


def summed(parts: Iterable[Row]) -> Row:
    """The row of the totals."""
    whole = Row("total")
    for row in parts:
        whole.jobs += row.jobs
        whole.core_seconds += row.core_seconds
        whole.bytes += row.bytes
        whole.gpu_jobs += row.gpu_jobs
        whole.without_seconds += row.without_seconds
        whole.without_bytes += row.without_bytes
        for name in ("longest", "threads", "memory"):
            setattr(whole, name, max(getattr(whole, name), getattr(row, name)))
    return whole
