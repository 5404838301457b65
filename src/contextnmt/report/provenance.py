"""What was run: settings, code, machine, data, trainings and times, each as a table."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.configuration import places
from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.published import published_bleu
from contextnmt.report.results import Results, Run, pair_title, read
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
    "processor": "processor",
    "cores": "cores",
    "gpu": "GPU",
}


class Job(NamedTuple):
    """Wall time in seconds and peak memory in MB (0 if unknown) of one job."""

    seconds: float
    memory: float


def read_models(results: Results) -> dict[Run, dict[str, Any]]:
    """What stage `train` tells of the model of each run."""
    return {run: read(path) for run, path in results.models().items()}


def facts(results: Results, models: dict[Run, dict[str, Any]]) -> list[tuple[str, str]]:
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
        ("paper", results.title + results.mark),
        ("preset", results.preset),
        ("language pairs", ", ".join(map(pair_title, results.pairs))),
        (
            "random seed" if len(results.seeds) == 1 else "random seeds",
            ", ".join(map(str, results.seeds)),
        ),
        ("configuration", results.config_digest),
        *shared,
        *changed,
        ("threads", distinct(str(model["training"]["threads"]) for model in models.values())),
    ]


def distinct(values: Iterable[str]) -> str:
    """The different values in their order, separated by commas."""
    return ", ".join(dict.fromkeys(values))


def deviations(results: Results) -> Block:
    """The settings that are not the paper's; systems that have one alike share its row."""
    systems: dict[tuple[str, str, str], list[str]] = {}
    for item in results.deviations:
        systems.setdefault((item.key, item.paper, item.here), []).append(item.system)
    rows = [
        *other_texts(results),
        *(
            (key, [Cell(paper), Cell(here), Cell(these_systems(results, labels))])
            for (key, paper, here), labels in systems.items()
        ),
    ]
    theirs = "those of the reconstruction" if results.reconstruction else "the paper's"
    columns = [("reconstruction" if results.reconstruction else PAPER,), ("here",), ("systems",)]
    title = f"Texts and settings that differ from {theirs}"
    return Block(title, columns, rows, text_columns=len(columns))


def other_texts(results: Results) -> list[tuple[str, list[Cell]]]:
    """Rows for the dev and test texts of each language pair that are not those of the paper."""
    rows = []
    for pair in results.pairs:
        for split, texts in (("dev", results.dev[pair]), ("test", results.test[pair])):
            theirs = dict.fromkeys(
                row[f"{split}_set"]
                for row in published_bleu(results.name)
                if row["pair"] == pair and row.get(f"{split}_set")
            )
            if theirs and not set(theirs) <= set(texts):
                cells = [Cell(", ".join(theirs)), Cell(", ".join(texts)), Cell("all")]
                rows.append((f"{split} text, {pair_title(pair)}", cells))
    return rows


def these_systems(results: Results, labels: list[str]) -> str:
    """The systems that have a deviation: ``all``, as an empty label says, or their labels."""
    every = {system.label for system in results.systems}
    return "all" if "" in labels or set(labels) == every else ", ".join(labels)


def training_data(results: Results, models: dict[Run, dict[str, Any]]) -> list[Block]:
    """The training text of each view as the models saw it, one block a pair."""
    columns = ["sentence pairs", "source tokens", "target tokens", "unknown source (%)"]
    columns += ["unknown target (%)", "SHA-256 source", "SHA-256 target"]
    blocks = []
    for pair in results.pairs:
        rows = {
            system.view: view_row(models[Run(pair, system.id, results.seeds[0])])
            for system in results.finished(pair)
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


def times(results: Results, trained: list[float]) -> Block:
    """Jobs, wall time and memory of each stage, longest first, from Snakemake's benchmark files.

    Of train, such a file holds the last sitting alone: its times are `trained`, the seconds that
    each run took in all. Raises UserError if a file is no benchmark.
    """
    folder = results.folder / "benchmarks"
    seconds: dict[str, list[float]] = {}
    memory: dict[str, list[float]] = {}
    for path in sorted(folder.rglob("*.tsv")):
        stage, *names = path.relative_to(folder).with_suffix("").parts
        # The folder also holds jobs of other experiments and of earlier configurations.
        if belongs(results, stage, *names):
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


#: Stages with a benchmark of each run, and those that only symbols need.
OF_RUNS = {"train", "translate", "restore", "score", "replace-unknown", "phenomena", "masks"}
OF_SYMBOLS = {"symbolize", "rule-dictionary", "coverage", "pairs", "symbol-scores"}
OF_SYMBOLS |= {"cbow", "local-charts"}
OF_SELECTION = {"sample", "rank", "perplexity", "language-models", "cross-entropy"}
#: Endings of symbolized texts: the training text, both sides in sight, the source alone (A26).
SIDES = ["", ".pair", ".source"]
OF_VIEWS, OF_EXPERIMENTS = {"binarize", "bpe", "known-lines"}, {"significance", "length-scores"}
#: Stages left out, since their jobs take seconds at most.
BRIEF = {"report", "run", "train-identity"}


def belongs(results: Results, stage: str, *names: str) -> bool:
    """Whether a job with benchmark ``stage/name/name`` belongs to this report."""
    if stage in ("download", "generate"):
        return "/".join(names) in archives(results)
    if stage in OF_EXPERIMENTS:
        path = results.folder / f"{stage}/{'/'.join(names)}.json"
        return path in results.compared(stage).values()
    pair, *others = names[0].split(".")[:1] + list(names[1:])
    if stage in BRIEF or pair not in results.all_pairs:
        return False
    if stage in OF_SELECTION:
        return pair in results.selected
    if stage in OF_RUNS:
        return belongs_to_run(results, pair, stage, *others)
    views = {system.view for system in results.systems}
    if stage in OF_SYMBOLS and results.name != "choi2017" and not any("sym" in v for v in views):
        return False
    if stage == "lexicon":
        return pair in dict(results.replaced)
    if stage == "known-lines" and not any("no-unknown" in each for each in results.translations):
        return False
    if stage in OF_VIEWS:
        counted = {"word", "sym"} if results.name == "choi2017" and stage == "binarize" else set()
        return others[0] in views | counted
    return not others or others[0] in all_texts(results, pair)


def belongs_to_run(
    results: Results, pair: str, stage: str, system: str, of: str, *text: str
) -> bool:
    """Whether a run's job belongs to this report.

    `of` is the seed; ``1.replaced`` stands for translations with replaced unknown words.
    """
    seed, _, replaced = of.partition(".")
    seeds = [*map(str, results.seeds), *(["ensemble"] if results.ensemble else [])]
    replaces = bool(replaced) or stage == "replace-unknown"
    return (
        system in {each.id for each in results.finished(pair)}
        and seed in seeds
        and (not replaces or (pair, system) in results.replaced)
    )


def all_texts(results: Results, pair: str) -> set[str]:
    """Names that benchmarks of a language pair's texts and languages can have."""
    trained = places.texts(results.configuration, pair, "train")
    counts = {text: places.shards(places.text(results.configuration, text)) for text in trained}
    return {
        *places.training_parts(results.configuration, pair),
        *(f"{text}.{count}" for text, count in counts.items() if count > 1),
        *(f"{text}{side}" for text in translated_or_in_domain(results, pair) for side in SIDES),
        *pair.split("-"),
    }


def translated_or_in_domain(results: Results, pair: str) -> list[str]:
    """Names of the dev, test and in-domain texts."""
    in_domain = (results.configuration["select"].get(pair) or {}).get("in_domain", [])
    return list(dict.fromkeys([*results.dev[pair], *results.test[pair], *in_domain]))


def archives(results: Results) -> set[str]:
    """Files of all texts, ``CORPUS/FILE``."""
    return {
        "/".join(places.place(results.configuration, pair, text, language)[:2])
        for pair in results.all_pairs
        for text in places.texts(results.configuration, pair, "train")
        + translated_or_in_domain(results, pair)
        for language in pair.split("-")
    }
