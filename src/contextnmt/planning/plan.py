"""The costs of a call of Snakemake, before anything starts."""

import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from graphlib import TopologicalSorter
from math import isnan, nan
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import torch
import typer

from contextnmt.configuration.model import model_settings
from contextnmt.configuration.recipes import recipe
from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.model.translator import Translator
from contextnmt.planning.jobs import Job, Sizes, planned
from contextnmt.progress import size

#: Time, memory and disk of a job of each rule; `benchmarks/rates.py` measured them in a run.
RATES = Path(__file__).with_name("rates.tsv")

HEAD = ["stage", "jobs", "core-hours", "longest job", "disk", "memory", "cores"]

#: For a figure that nobody knows; behind one that has not all jobs in it.
UNKNOWN, PARTLY = "?", "+?"

#: Why a job is not in the figures.
UNKNOWN_SIZE = "size of the text not stated"
NOT_MEASURED = "not measured"
NETWORK = "depends on the network"

#: Padding, the end of a sentence and the unknown word have ids too (text/vocabulary.py).
SPECIAL = 3


class Rate(NamedTuple):
    """A row of the table of rates: seconds of one core, and bytes of all files of a rule."""

    rule: str
    seconds_a_job: float
    seconds_a_million_pairs: float
    bytes_a_pair: float


class Cost(NamedTuple):
    """Seconds of one core and bytes written by a job, NaN where `missing` says why."""

    job: Job
    seconds: float = nan
    bytes: float = nan
    missing: str = ""


def plan(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="options and targets, as after `snakemake`", metavar="WORDS"),
    ] = None,
) -> None:
    """Say what a call of Snakemake will cost, by stage: jobs, core-hours, disk, memory.

    Give the words of the call: `contextnmt plan --profile slurm --config preset=wmt14` is
    about `snakemake --profile slurm --config preset=wmt14`, in the same folder. The jobs are those
    that Snakemake would start, so what is there already costs nothing; with --forceall, all jobs
    count. Nothing is run.

    Core-hours (processor time) and longest job (hours) leave out downloads, trainings and
    translations; memory and cores are what the most demanding job asks for; disk is what all
    outputs take. The rates were measured on law texts on one machine; other texts may take half or
    twice as long. It is assumed that cleaning drops nothing and that selected pairs are as long as
    the paper's.

    Example: contextnmt plan --profile slurm --config preset=wmt14

    If the call has a mistake, prints what Snakemake says.
    """
    call = planned(words or [])
    print("\n".join(report(call.jobs, call.configuration)))


def report(jobs: Sequence[Job], configuration: dict[str, Any]) -> list[str]:
    """Return the lines that tell what the jobs cost: the table, and what is not in it."""
    sizes, rates = Sizes(configuration), read_rates()
    by_stage: dict[str, list[Cost]] = {stage: [] for stage in stages(jobs)}
    for job in jobs:
        if job.stage:
            by_stage[job.stage].append(cost(job, sizes, rates))
    found = [each for costs in by_stage.values() for each in costs]
    if not found:
        return ["Nothing to be done."]
    rows = [HEAD, *(row(*each) for each in by_stage.items()), row("total", found)]
    notes = [
        f"Core-hours are processor time, at the rates of one machine (planning/{RATES.name}).",
        "Snakemake also counts jobs that write no results, such as `all` and `configuration`.",
    ]
    if missing := [f"- {line}" for line in absent(found, sizes)]:
        notes += [f"Not in the figures, where {UNKNOWN} stands:", *missing]
    wrapped = [line for note in notes for line in textwrap.wrap(note, 100, subsequent_indent="  ")]
    return [*aligned(rows), "", *wrapped]


def read_rates() -> dict[str, Rate]:
    """Return the measured rates by rule. Raises UserError if the table is none."""
    lines = [(number, line) for number, line in enumerate(read_lines(RATES), 1) if line[:1] != "#"]
    rates = {}
    for number, line in lines[1:] or [(1, "")]:
        rule, *figures = line.split("\t")
        try:
            rates[rule] = Rate(rule, *map(float, figures))
        except (TypeError, ValueError):
            raise UserError(
                f"{RATES}, line {number}: no row of a table of rates: make it anew by "
                "benchmarks/rates.py"
            ) from None
    return rates


def cost(job: Job, sizes: Sizes, rates: dict[str, Rate]) -> Cost:
    """Return what a job takes at the rate of its rule or, of a report, of that of choi2017."""
    if job.stage == "download":
        files = sizes.configuration["corpora"][job.wildcards["corpus"]]["files"]
        size = files[job.wildcards["file"]].get("bytes", nan)
        return Cost(job, bytes=size, missing=NETWORK)
    if job.stage == "train":
        return Cost(job, bytes=weights(job, sizes.configuration), missing=NOT_MEASURED)
    rule = job.rule
    if job.stage == "report" and rule != "papers":
        rule = "choi2017_corpora" if rule.endswith("_corpora") else "choi2017"
    if rule not in rates:
        return Cost(job, missing=NOT_MEASURED)
    _, constant, slope, size = rates[rule]
    seconds, written = constant + slope * sizes.pairs_read(job) / 1e6, size * sizes.pairs(job)
    return Cost(job, seconds, written, UNKNOWN_SIZE if isnan(seconds + written) else "")


def weights(job: Job, configuration: dict[str, Any]) -> int:
    """Return the bytes of the model that a training leaves, if its vocabularies are full."""
    words = configuration["text"]["vocabulary_size"] + SPECIAL
    with torch.device("meta"):  # shapes alone, no memory
        model = Translator(model_settings(recipe(configuration, *job.run)["model"]), words, words)
    return sum(weight.numel() * weight.element_size() for weight in model.parameters())


def stages(jobs: Sequence[Job]) -> list[str]:
    """Return the stages in the order in which the data pass through them, the report last."""
    makers = {path: job.rule for job in jobs for path in job.outputs}
    sources: dict[str, set[str]] = defaultdict(set)
    for job in jobs:  # not their stages, of which symbolize and rules read from each other
        sources[job.rule] |= {makers[path] for path in job.inputs if path in makers} - {job.rule}
    stage_of = {job.rule: job.stage for job in jobs}
    ordered = dict.fromkeys(stage_of[rule] for rule in TopologicalSorter(sources).static_order())
    return sorted((stage for stage in ordered if stage), key="report".__eq__)


def row(stage: str, costs: Sequence[Cost]) -> list[str]:
    """Return the row of a stage, or of all of them: the sums over its jobs."""
    memory = max(c.job.memory for c in costs)
    return [
        stage,
        f"{len(costs):,}",
        combined(sum, [c.seconds * c.job.threads for c in costs], hours),
        combined(max, [c.seconds for c in costs], hours),
        combined(sum, [c.bytes for c in costs], size),
        size(memory * 1e6) if memory else "",
        f"{max(c.job.threads for c in costs)}",
    ]


def combined(
    how: Callable[[list[float]], float], figures: Sequence[float], shown: Callable[[float], str]
) -> str:
    """Return the sum or the largest of the figures that are known, marked if some are not."""
    known = [figure for figure in figures if not isnan(figure)]
    return shown(how(known)) + PARTLY * (len(known) < len(figures)) if known else UNKNOWN


def hours(seconds: float) -> str:
    """Return hours; a finer figure than a hundredth would promise too much."""
    if 0 < seconds < 18:
        return "<0.01"
    return f"{seconds / 3600:,.2f}" if seconds < 36_000 else f"{seconds / 3600:,.0f}"


def aligned(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table: a rule under its head and above its totals, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = ["-" * width for width in widths]
    for name, *figures in [cells[0], rule, *cells[1:-1], rule, cells[-1]]:
        right = map(str.rjust, figures, widths[1:])
        yield "  ".join([name.ljust(widths[0]), *right]).rstrip()


def absent(found: list[Cost], sizes: Sizes) -> Iterator[str]:
    """Lines on jobs that are not in the figures, and why."""
    for why in (UNKNOWN_SIZE, NOT_MEASURED, NETWORK):
        count = Counter(each.job.stage for each in found if each.missing == why)
        if count:
            yield f"{why}: {', '.join(f'{stage} ({n})' for stage, n in count.items())}"
    unsized = [each.job for each in found if isnan(each.bytes)]
    if files := [job.wildcards["file"] for job in unsized if job.stage == "download"]:
        yield f"files without `bytes`: {', '.join(files)}"
    if texts := {text for job in unsized for text in sizes.unstated(job)}:
        yield f"texts without `lines`: {', '.join(sorted(texts))}"
    runs = [each.job.run for each in found if each.job.rule == "train"]
    if trainings := [recipe(sizes.configuration, *run)["training"] for run in runs]:
        updates = sum(each["max_updates"] for each in trainings)
        pairs = sum(each["max_updates"] * each["batch_size"] for each in trainings)
        yield (
            f"trainings: {len(runs)}, of at most {updates:,} updates together, in which "
            f"{pairs:,} pairs are read"
        )
    using = [each.job for each in found if each.job.gpus]
    if limit := sum(job.gpus * job.minutes for job in using) / 60:
        yield (
            f"GPU-hours: {len(using)} jobs; by their time limits at most {limit:,.0f}, "
            "at one try each"
        )
