"""What a call of Snakemake will cost, told before anything starts."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from contextnmt.planning import costs as reasons
from contextnmt.planning.costs import Cost, Row, costs, rows, summed
from contextnmt.planning.jobs import Job, planned
from contextnmt.planning.rates import provenance, read_rates
from contextnmt.planning.sizes import WORDS_A_PAIR, Sizes
from contextnmt.planning.trainings import longest

HEAD = ["stage", "jobs", "core-hours", "longest job", "GPU-hours", "disk", "memory", "cores"]

#: For a figure that nobody knows; behind one that has not all jobs in it.
UNKNOWN, PARTLY = "?", "+?"

#: Beyond so many times the largest job that was measured, a rate is worth a word.
FAR = 50

#: Of the lines below the table.
WIDTH = 100


def plan(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="options and targets, as after `snakemake`", metavar="WORDS"),
    ] = None,
) -> None:
    """Say what a call of Snakemake will cost, by stage: jobs, core-hours, disk, memory.

    The words are those of the call: `contextnmt plan --profile slurm --config preset=wmt14` is
    about `snakemake --profile slurm --config preset=wmt14`, in the same folder. The jobs are those
    that Snakemake would start, so what is there already costs nothing; with --forceall it is all
    of them. Nothing is run.

    Core-hours are processor time of all jobs, longest job is the hours of the longest one, memory
    and cores are what the most demanding job asks for, disk is what all outputs take. The rates
    were measured on law texts; other texts may take half or twice as long.

    Example: contextnmt plan --profile slurm --config preset=wmt14

    Raises UserError with what Snakemake says of a mistake.
    """
    call = planned(words or [])
    print("\n".join(report(call.jobs, call.configuration)))


def report(jobs: list[Job], configuration: dict[str, Any]) -> list[str]:
    """The lines that tell what the jobs cost: the table, and what is not in it."""
    sizes = Sizes(configuration)
    found = list(costs(jobs, sizes, read_rates()))
    if not found:
        return ["Nothing to be done."]
    stages = rows(found)
    cells = [HEAD, *map(cells_of, stages), cells_of(summed(stages))]
    return [*aligned(cells), "", *notes(found, sizes)]


def cells_of(row: Row) -> list[str]:
    """A row of the table as text."""
    known = row.jobs - row.without_seconds
    return [
        row.stage,
        f"{row.jobs:,}",
        partly(hours(row.core_seconds), row.jobs, row.without_seconds),
        hours(row.longest) if known else UNKNOWN,
        reasons.NOT_MEASURED if row.gpu_jobs else "",
        partly(size(row.bytes), row.jobs, row.without_bytes),
        size(row.memory * 1e6) if row.memory else "",
        f"{row.threads}",
    ]


def partly(figure: str, jobs: int, missing: int) -> str:
    """A figure, marked if `missing` of its `jobs` are not in it."""
    return UNKNOWN if jobs == missing else f"{figure}{PARTLY if missing else ''}"


def hours(seconds: float) -> str:
    """Hours; a finer figure than a hundredth would promise too much."""
    if 0 < seconds < 18:
        return "<0.01"
    return f"{seconds / 3600:,.2f}" if seconds < 36_000 else f"{seconds / 3600:,.0f}"


def size(count: float) -> str:
    """Bytes with a decimal unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def aligned(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table: a rule under its head and above its totals, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        ).rstrip()
        for row in cells
    ]
    rule = "  ".join("-" * width for width in widths)
    yield from (lines[0], rule, *lines[1:-1], rule, lines[-1])


def notes(found: list[Cost], sizes: Sizes) -> Iterator[str]:
    """What the figures rest on, and what is not in them."""
    yield "Core-hours are processor time, at the rates of one machine:"
    for line in provenance():
        yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="  ")
    for line in assumptions(found, sizes):
        yield from textwrap.wrap(line, WIDTH, subsequent_indent="  ")
    missing = list(absent(found, sizes))
    if missing:
        yield f"Not in the figures, where {UNKNOWN} stands:"
        for line in missing:
            yield from textwrap.wrap(f"- {line}", WIDTH, subsequent_indent="  ")


def assumptions(found: list[Cost], sizes: Sizes) -> Iterator[str]:
    """What was supposed about sizes and rates."""
    far = {cost.job.rule for cost in found if cost.beyond > FAR}
    if far:
        yield (
            f"Jobs more than {FAR} times as large as any that was measured: "
            f"{', '.join(sorted(far))}."
        )
    if any(cost.job.stage == "clean" and cost.seconds is not None for cost in found):
        yield "Cleaning is taken to drop nothing."
    for pair in sorted({cost.job.pair or "" for cost in found if cost.job.stage == "select"}):
        selection, pairs = sizes.configuration["select"].get(pair), sizes.training(pair)
        if selection and selection.get("target_words") and pairs is not None:
            words = selection["target_words"]
            yield (
                f"{pair}: {words:,} target words are taken for {pairs:,.0f} pairs, "
                f"{WORDS_A_PAIR} words a pair."
            )


def absent(found: list[Cost], sizes: Sizes) -> Iterator[str]:
    """What is not in the figures, and why."""
    for why in (reasons.UNKNOWN_SIZE, reasons.NOT_MEASURED):
        stages = Counter(cost.job.stage for cost in found if cost.missing == why)
        if stages:
            yield f"{why}: {', '.join(f'{name} ({n})' for name, n in stages.items())}"
    texts = sorted(unstated(found, sizes))
    if texts:
        yield f"texts without `lines`: {', '.join(texts)}"
    fetched = [cost for cost in found if cost.missing == reasons.NETWORK]
    if fetched:
        files = [cost.job.wildcards["file"] for cost in fetched if cost.bytes is None]
        rest = f"; size not stated: {', '.join(files)}" if files else ""
        yield f"download: how long it takes {reasons.NETWORK}{rest}"
    trainings = [cost.job for cost in found if cost.job.stage == "train"]
    if trainings:
        each = [longest(job, sizes.configuration) for job in trainings]
        updates, pairs = sum(n for n, _ in each), sum(n * size for n, size in each)
        yield (
            f"train: {len(each)} trainings of at most {updates:,} updates together, in which "
            f"{pairs:,} pairs are read"
        )
    using = [cost.job for cost in found if cost.job.gpus]
    limit = sum(job.gpus * job.minutes for job in using) / 60
    if limit:
        yield (
            f"GPU-hours: {len(using)} jobs; by their time limits at most {limit:,.0f}, "
            "at one try each"
        )


def unstated(found: list[Cost], sizes: Sizes) -> set[str]:
    """The texts whose unknown sizes keep jobs out of the figures."""
    files = [
        (*cost.job.inputs, *cost.job.outputs)
        for cost in found
        if cost.missing == reasons.UNKNOWN_SIZE
    ]
    parts = {part for paths in files for part in sizes.named(paths)}
    return {f"{p.text} ({p.pair})" for p in parts if sizes.stated(p.pair, p.text) is None}
