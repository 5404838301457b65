"""The provenance of a report: settings, code, machine, data, trainings, times, each a table."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from contextnmt.configuration import places
from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.contents import CHOI, has_symbols
from contextnmt.report.gaps import shown
from contextnmt.report.published import published_bleu
from contextnmt.report.results import ABLATION, CHOICES, Results, Run, pair_title, read_record
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


def read_models(results: Results) -> dict[Run, dict[str, Any]]:
    """The content of `model.json` of each run."""
    return {run: read_record(path) for run, path in results.models().items()}


def facts(results: Results, models: dict[Run, dict[str, Any]]) -> list[tuple[str, str]]:
    """Name and value of what all runs share; a value that differs between runs is listed whole."""
    environments = [model["environment"] for model in models.values()]
    named = [
        {name: str(environment.get(key) or "none") for key, name in ENVIRONMENT.items()}
        | environment.get("packages", {})
        for environment in environments
    ]
    dirty = any(environment.get("dirty") for environment in environments)
    return [
        ("paper", results.title + results.mark),
        ("preset", results.preset),
        ("language pairs", ", ".join(map(pair_title, results.pairs))),
        (f"random seed{'s' * (len(results.seeds) > 1)}", ", ".join(map(str, results.seeds))),
        ("configuration", results.config_digest),
        *(
            (name, distinct(each.get(name, "none") for each in named))
            for name in dict.fromkeys(chain(*named))
        ),
        *([("working tree", "changed since the commit")] if dirty else []),
        ("threads", distinct(str(model["training"]["threads"]) for model in models.values())),
    ]


def computing(models: dict[Run, dict[str, Any]]) -> list[tuple[str, str]]:
    """Devices that trained, and how long all trainings on them took, added up."""
    spent: dict[str, list[float]] = {}
    for model in models.values():
        environment = model["environment"]
        device = environment["gpu"] or f"{environment['processor']}, no GPU"
        spent.setdefault(device, []).append(model["seconds"])
    return [
        (f"training on {device}", f"{duration(sum(taken))}, {len(taken)} trainings")
        for device, taken in spent.items()
    ]


def checklist(results: Results, models: dict[Run, dict[str, Any]]) -> list[tuple[str, str]]:
    """What conferences ask of experiments, and where it stands or what it is.

    The questions are those of the Responsible NLP Checklist (ACL Rolling Review, sections B and C).
    """
    sizes = sorted(model["parameters"] for model in models.values())
    ends, seeds = (sizes[0], sizes[-1]), len(results.seeds)
    commits = distinct(str(model["environment"].get("commit")) for model in models.values())
    return [
        ("parameters of a model", " to ".join(dict.fromkeys(f"{each:,}" for each in ends))),
        ("computing time", "; ".join(": ".join(each) for each in computing(models))),
        ("energy", "not measured"),
        (
            "settings",
            "no hyperparameter search in these runs; settings that differ from the paper's are "
            "listed under Deviations, all settings are in configuration.json",
        ),
        (
            "runs",
            f"{seeds} training{'s' * (seeds > 1)} of each system; BLEU is the mean over seeds; the "
            "table Trainings has the dev BLEU of each",
        ),
        ("data", "; ".join(f"{name}: {terms}" for name, terms in used(results).items())),
        ("split", "; ".join(splits(results))),
        ("code", f"MIT licence; commit {commits}"),
    ]


def used(results: Results) -> dict[str, str]:
    """The corpora of the report's texts, and their terms of use."""
    corpora = results.configuration["corpora"]
    names = sorted({name.partition("/")[0] for name in archives(results)})
    return {name: corpora[name].get("terms") or terms(corpora[name]) for name in names}


def terms(corpus: Mapping[str, Any]) -> str:
    """The terms of a corpus that states none."""
    made_up = all("generator" in each for each in corpus["files"].values())
    return "MIT, made up by the package" if made_up else "no terms stated"


def splits(results: Results) -> Iterator[str]:
    """The texts of each language pair by their roles."""
    for pair in results.pairs:
        trained, _ = texts_of(results, pair)
        roles = {
            "trained on": trained,
            "validated on": results.dev[pair],
            "tested on": results.test[pair],
        }
        told = ", ".join(f"{role} {' + '.join(texts)}" for role, texts in roles.items())
        yield f"{pair_title(pair)}: {told}"


def distinct(values: Iterable[str]) -> str:
    """The different values in their order, separated by commas."""
    return ", ".join(dict.fromkeys(values))


def deviations(results: Results) -> Block:
    """The settings that are not the paper's; systems that have one alike share its row."""
    labels: dict[tuple[str, ...], list[str]] = {}
    for item in results.deviations:
        change = (item["key"], shown(item["paper"]), shown(item["here"]))
        labels.setdefault(change, []).append(item["system"])
    rows = list(other_texts(results))
    every = {system.label for system in results.systems}
    for (key, *values), named in labels.items():
        systems = "all" if "" in named or set(named) == every else ", ".join(named)
        rows.append((key, list(map(Cell, [*values, systems]))))
    theirs = "the reconstruction's" if results.reconstruction else "the paper's or our decisions"
    columns = [("reconstruction" if results.reconstruction else PAPER,), ("here",), ("systems",)]
    title = f"Texts and settings that differ from {theirs}"
    return Block(title, columns, rows, text_columns=len(columns))


def other_texts(results: Results) -> Iterator[tuple[str, list[Cell]]]:
    """Rows for the dev and test texts of each language pair that are not those of the paper."""
    for pair in results.pairs:
        printed = [row for row in published_bleu(results.name) if row["pair"] == pair]
        for split, texts in (("dev", results.dev[pair]), ("test", results.test[pair])):
            column = f"{split}_set"
            theirs = dict.fromkeys(row[column] for row in printed if row.get(column))
            if not set(theirs) <= set(texts):
                cells = [Cell(", ".join(theirs)), Cell(", ".join(texts)), Cell("all")]
                yield f"{split} text, {pair_title(pair)}", cells


def training_data(results: Results, models: dict[Run, dict[str, Any]]) -> list[Block]:
    """The training text of each view as the models saw it, one block per pair."""
    per_side = ("{} tokens", "unknown {} (%)", "SHA-256 {}")
    headings = [form.format(side) for form in per_side for side in ("source", "target")]
    blocks = []
    for pair in results.pairs:
        rows = {}
        for system in results.finished(pair):
            model = models[Run(pair, system.id, results.seeds[0])]
            train = model["data"]["manifest"]["train"]
            sides = [train["source"], train["target"]]
            texts = [
                f"{train['pairs']:,}",
                *(f"{side['tokens']:,}" for side in sides),
                *(f"{100 * side['unknowns'] / side['tokens']:.2f}" for side in sides),
                *(side["sha256"][:DIGITS] for side in sides),
            ]
            rows[system.view] = list(map(Cell, texts))
        columns = [(each,) for each in ("sentence pairs", *headings)]
        blocks.append(Block(pair_title(pair), columns, list(rows.items())))
    return blocks


def times(results: Results, trained: list[float]) -> Block:
    """Jobs, wall time and memory of each stage, longest first, from Snakemake's benchmark files.

    Of train, such a file holds the last sitting alone: its times are `trained`, the seconds that
    each run took in all. Raises UserError if a file is no benchmark.
    """
    folder = results.folder / "benchmarks"
    found: dict[str, list[tuple[float, float]]] = {}
    for path in sorted(folder.rglob("*.tsv")):
        stage, *names = path.relative_to(folder).with_suffix("").parts
        # The folder also holds jobs of other experiments and of earlier configurations.
        if belongs(results, stage, *names):
            for job in measured(path):
                found.setdefault(stage, []).append(job)
    seconds = {stage: [taken for taken, _ in jobs] for stage, jobs in found.items()}
    seconds["train"] = trained
    rows = []
    for stage, jobs in sorted(seconds.items(), key=lambda item: -sum(item[1])):
        memory = max((peak for _, peak in found.get(stage, [])), default=0)
        most = f"{memory:,.0f}" if memory else NONE
        texts = [str(len(jobs)), duration(sum(jobs)), duration(max(jobs)), most]
        rows.append((stage, list(map(Cell, texts))))
    columns = [("jobs",), ("wall time, added up",), ("longest job",), ("peak memory (MB)",)]
    return Block("Time by stage", columns, rows)


def measured(path: Path) -> list[tuple[float, float]]:
    """Wall time in seconds and peak memory in MB (0 if unknown) of the jobs in a benchmark file.

    Raises UserError if it is something else.
    """
    try:
        found = [
            # A job shorter than Snakemake's first look at its memory has "NA" or "-" there.
            (float(row["s"]), float(row["max_rss"].strip("NA-") or 0))
            for row in csv.DictReader(read_lines(path), delimiter="\t")
        ]
        if not all(0 <= number < math.inf for row in found for number in row):
            raise ValueError("negative or not finite")
    except (KeyError, ValueError, AttributeError, csv.Error) as error:
        raise UserError(
            f"{path}: not a benchmark file of Snakemake ({str(error)[:80]}): remove it"
        ) from None
    return found


def duration(seconds: float) -> str:
    """``12.3 s``, ``4:05 min`` or ``13:20 h``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)}:{int(seconds % 60):02} min"
    return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02} h"


#: Stages with a benchmark of each run, and those that only symbols, or a selection, need.
OF_RUNS = {"train", "translate", "restore", "score", "replace-unknown", "phenomena", "masks"}
OF_RUNS |= {"browser-model"}
OF_SYMBOLS = {"symbolize", "rule-dictionary", "coverage", "pairs", "symbol-scores"}
OF_SYMBOLS |= {"cbow", "local-charts"}
OF_SELECTION = {"sample", "rank", "perplexity", "language-models", "cross-entropy"}
#: Endings of symbolized texts: the training text, both sides in sight, the source alone (A26).
SIDES = ["", ".pair", *(f"{choice}.source" for choice in ("", *CHOICES))]
#: Stages left out, since their jobs take seconds at most.
BRIEF = {"report", "run", "train-identity"}


def belongs(results: Results, stage: str, *names: str) -> bool:
    """Whether a job with benchmark ``stage/name/name`` belongs to this report, and is not brief."""
    if stage in ("download", "generate"):
        return "/".join(names) in archives(results)
    if stage in ("significance", "length-scores"):
        path = results.folder / f"{stage}/{'/'.join(names)}.json"
        return path in results.compared(stage).values()
    pair, first, second = [*names, "", ""][:3]
    symbols = results.name == CHOI or has_symbols(results)
    needed = {
        "known-lines": any("no-unknown" in each for each in results.translations),
        "lexicon": pair in dict(results.replaced),
        **dict.fromkeys(OF_SYMBOLS, symbols),
        **dict.fromkeys(OF_SELECTION, pair in results.selected),
        **dict.fromkeys(BRIEF, False),
    }
    if pair not in results.all_pairs or not needed.get(stage, True):
        return False
    if stage in OF_RUNS:
        seed, _, variant = second.partition(".")  # ``1.replaced``: unknown words are replaced
        seeds = [*map(str, results.seeds), *(["ensemble"] if results.ensemble else [])]
        systems = {system.id for system in results.finished(pair)}
        if f".{variant}" == ABLATION:
            systems &= {system for of, system in results.ablated if of == pair}
        elif variant or stage == "replace-unknown":
            systems &= {system for of, system in results.replaced if of == pair}
        return first in systems and seed in seeds
    if stage in ("binarize", "bpe", "known-lines"):
        counted = {"word", "sym"} if results.name == CHOI and stage == "binarize" else set()
        return first in {system.view for system in results.systems} | counted
    return not first or first in all_texts(results, pair)


def all_texts(results: Results, pair: str) -> set[str]:
    """Names that benchmarks of a language pair's texts and languages can have."""
    trained, others = texts_of(results, pair)
    counts = {text: places.shards(places.text(results.configuration, text)) for text in trained}
    return {
        *places.training_parts(results.configuration, pair),
        *(f"{text}.{count}" for text, count in counts.items() if count > 1),
        *(f"{text}{side}" for text in others for side in SIDES),
        *pair.split("-"),
    }


def texts_of(results: Results, pair: str) -> tuple[list[str], list[str]]:
    """Names of the training texts, and of the dev, test and in-domain texts."""
    in_domain = (results.configuration["select"].get(pair) or {}).get("in_domain", [])
    trained = places.texts(results.configuration, pair, "train")
    return trained, [*results.texts(pair), *in_domain]


def archives(results: Results) -> set[str]:
    """Files of all texts, ``CORPUS/FILE``."""
    return {
        "/".join(places.place(results.configuration, pair, text, language)[:2])
        for pair in results.all_pairs
        for text in chain(*texts_of(results, pair))
        for language in pair.split("-")
    }
