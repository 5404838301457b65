"""What was run: settings, code, machine, data, trainings and times, each as a table."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines
from contextnmt.report.experiment import Experiment, Run, pair_title
from contextnmt.report.published import published_bleu
from contextnmt.report.tables import NONE, PAPER, Block, Cell

#: Hexadecimal digits of a digest that are shown.
DIGITS = 12

#: The environment's entries in model.json -> their names on the page.
ENVIRONMENT = {
    "commit": "commit",
    "contextnmt": "contextnmt",
    "python": "Python",
    "torch": "PyTorch",
    "numpy": "NumPy",
    "compiler": "C compiler",
    "processor": "processor",
    "cores": "cores",
    "gpu": "GPU",
}


class Job(NamedTuple):
    """Wall time in seconds and peak memory in MB (0 if unknown) of one job."""

    seconds: float
    memory: float


def read_models(files: dict[Run, Path]) -> dict[Run, dict[str, Any]]:
    """The model.json of each run. Raises UserError if one lacks a part that the report shows."""
    models = {}
    for run, path in files.items():
        models[run] = content = read_json(path)
        try:
            content["environment"], content["best"]["dev_bleu"], content["best"]["update"]
            content["data"]["manifest"]["train"], content["data"]["manifest"]["vocabulary"]
            content["training"]["precision"], content["training"]["device"]
            content["data"]["pairs"], content["environment"]["gpu"]
            content["parameters"], content["updates"], content["stopped"], content["seconds"]
        except (KeyError, TypeError) as error:
            raise UserError(f"{path}: no {error} in it: train this run again") from None
    return models


def facts(about: Experiment, models: dict[Run, dict[str, Any]]) -> list[tuple[str, str]]:
    """Name and value of what all runs share; a value that differs between runs is listed whole."""
    environments = [model["environment"] for model in models.values()]
    if any(environment.get("dirty") for environment in environments):
        changed = [("working tree", "changed since the commit")]
    else:
        changed = []
    shared = [
        (name, distinct(str(environment.get(key) or "none") for environment in environments))
        for key, name in ENVIRONMENT.items()
    ]
    packages = [environment.get("packages", {}) for environment in environments]
    shared += [
        (name, distinct(versions.get(name, "none") for versions in packages))
        for name in dict.fromkeys(name for versions in packages for name in versions)
    ]
    return [
        ("paper", about.title + about.mark),
        ("preset", about.preset),
        ("language pairs", ", ".join(map(pair_title, about.pairs))),
        (
            "random seed" if len(about.seeds) == 1 else "random seeds",
            ", ".join(map(str, about.seeds)),
        ),
        ("configuration", about.config_digest),
        *shared,
        *changed,
        ("threads", distinct(str(model["training"]["threads"]) for model in models.values())),
    ]


def distinct(values: Iterable[str]) -> str:
    """The different values in their order, separated by commas."""
    return ", ".join(dict.fromkeys(values))


def deviations(about: Experiment) -> Block:
    """The settings that are not the paper's; systems that have one alike share its row."""
    systems: dict[tuple[str, str, str], list[str]] = {}
    for item in about.deviations:
        systems.setdefault((item.key, item.paper, item.here), []).append(item.system)
    rows = [
        *other_texts(about),
        *(
            (key, [Cell(paper), Cell(here), Cell(these_systems(about, labels))])
            for (key, paper, here), labels in systems.items()
        ),
    ]
    theirs = "those of the reconstruction" if about.reconstruction else "the paper's"
    columns = [("reconstruction" if about.reconstruction else PAPER,), ("here",), ("systems",)]
    title = f"Texts and settings that differ from {theirs}"
    return Block(title, columns, rows, text_columns=len(columns))


def other_texts(about: Experiment) -> list[tuple[str, list[Cell]]]:
    """Rows for the dev and test texts of each language pair that are not those of the paper."""
    rows = []
    for pair in about.pairs:
        for split, texts in (("dev", about.dev[pair]), ("test", about.test[pair])):
            theirs = dict.fromkeys(
                row[f"{split}_set"]
                for row in published_bleu(about.name)
                if row["pair"] == pair and row.get(f"{split}_set")
            )
            if theirs and not set(theirs) <= set(texts):
                cells = [Cell(", ".join(theirs)), Cell(", ".join(texts)), Cell("all")]
                rows.append((f"{split} text, {pair_title(pair)}", cells))
    return rows


def these_systems(about: Experiment, labels: list[str]) -> str:
    """The systems that have a deviation: ``all``, as an empty label says, or their labels."""
    every = {system.label for system in about.systems}
    return "all" if "" in labels or set(labels) == every else ", ".join(labels)


def training_data(about: Experiment, models: dict[Run, dict[str, Any]]) -> list[Block]:
    """The training text of each view as the models saw it, one block a pair."""
    columns = ["sentence pairs", "source tokens", "target tokens", "unknown source (%)"]
    columns += ["unknown target (%)", "SHA-256 source", "SHA-256 target"]
    blocks = []
    for pair in about.pairs:
        rows = {
            system.view: view_row(models[Run(pair, system.id, about.seeds[0])])
            for system in about.finished(pair)
        }
        shown = [(view, [Cell(text) for text in row]) for view, row in rows.items()]
        blocks.append(Block(pair_title(pair), [(column,) for column in columns], shown))
    return blocks


def view_row(model: dict[str, Any]) -> list[str]:
    """The cells of one view, as the columns of `training_data` want them."""
    train = model["data"]["manifest"]["train"]
    sides = [train["source"], train["target"]]
    return [
        f"{train['pairs']:,}",
        *(f"{side['tokens']:,}" for side in sides),
        *(f"{100 * side['unknowns'] / side['tokens']:.2f}" for side in sides),
        *(side["sha256"][:DIGITS] for side in sides),
    ]


def times(files: list[Path], trained: list[float]) -> Block:
    """Jobs, wall time and memory of each stage, longest first, from Snakemake's benchmark files.

    The stage of a file is the folder (or file) name that follows ``benchmarks`` in its path. Of
    train, such a file holds the last sitting alone: its times are `trained`, the seconds that each
    run took in all. Raises UserError if a path has no stage, or if a file is no benchmark.
    """
    seconds: dict[str, list[float]] = {}
    memory: dict[str, list[float]] = {}
    for path in files:
        folders = path.with_suffix("").parts
        if "benchmarks" not in folders[:-1]:
            raise UserError(f"benchmark {path}: not below a folder called benchmarks")
        stage = folders[folders.index("benchmarks") + 1]
        for job in measured(path):
            seconds.setdefault(stage, []).append(job.seconds)
            memory.setdefault(stage, []).append(job.memory)
    seconds["train"] = trained
    columns = [("jobs",), ("wall time, added up",), ("longest job",), ("peak memory (MB)",)]
    rows = [
        (stage, [Cell(text) for text in summary(jobs, max(memory.get(stage, [0])))])
        for stage, jobs in sorted(seconds.items(), key=lambda item: -sum(item[1]))
    ]
    return Block("Time by stage", columns, rows)


def measured(path: Path) -> list[Job]:
    """The jobs in a benchmark file. Raises UserError if it is something else."""
    try:
        return [
            # A job shorter than Snakemake's first look at its memory has "NA" or "-" there.
            Job(float(row["s"]), float(row["max_rss"].strip("NA-") or 0))
            for row in csv.DictReader(read_lines(path), delimiter="\t")
        ]
    except (KeyError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: not a benchmark file of Snakemake ({error!r})") from None


def summary(seconds: list[float], memory: float) -> list[str]:
    """The cells of one stage, as the columns of `times` want them."""
    return [
        str(len(seconds)),
        duration(sum(seconds)),
        duration(max(seconds)),
        f"{memory:,.0f}" if memory else NONE,
    ]


def duration(seconds: float) -> str:
    """``12.3 s``, ``4:05 min`` or ``13:20 h``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)}:{int(seconds % 60):02} min"
    return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02} h"
