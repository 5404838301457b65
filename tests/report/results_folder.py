"""A small results folder as the stages before the report leave it, with made-up numbers."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysed_models import gates_of, make_contextualization
from made_up_experiments import experiment
from made_up_lengths import make_lengths
from made_up_significance import make_significance
from made_up_symbols import coverage_of, pairs_kept, rules, symbol_scores_of
from sentence_results import (
    alignment_arguments,
    difference_arguments,
    example_arguments,
    make_alignments,
    written,
)

from contextnmt.files import write_json, write_lines
from contextnmt.report.alignments import alignment_maps
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.claims_table import claims_table
from contextnmt.report.cleaning import cleaning_table
from contextnmt.report.differences import differences
from contextnmt.report.experiment import Experiment, experiment_of
from contextnmt.report.gains import gains
from contextnmt.report.lengths import length_curves, length_scores_table
from contextnmt.report.literature_table import literature_table
from contextnmt.report.page import page
from contextnmt.report.phenomena_table import phenomena_table
from contextnmt.report.selection import selection_figures, selection_table
from contextnmt.report.sentences import examples
from contextnmt.report.significance_table import significance_table
from contextnmt.report.symbolization import table2, table3
from contextnmt.report.symbols import (
    restoration_table,
    symbol_errors_table,
    symbol_scores_table,
    symbols_table,
)
from contextnmt.report.tables import write_table
from contextnmt.report.trainings import curves, trainings_table
from contextnmt.text.rules import HEADER

CAPTIONS = Path(__file__).parents[2] / "workflow" / "report"

SENTENCES = {
    "en": "On 14 March Mr Orlow of the IMF visited the bank by the river with 2 guests .",
    "fr": "Le 14 mars M. Orlow du FMI a visité la rive du fleuve avec 2 invités .",
    "de": "Am 14. März besuchte Herr Orlow vom IWF das Ufer des Flusses mit 2 Gästen .",
}
LINES = 30
#: Place of the system in the list that has alignments.
ALIGNED = 1
#: Language pair -> training corpus -> its parts.
TRAIN = {
    "en-fr": {
        "europarl-v7": ["europarl-v7"],
        "commoncrawl": ["commoncrawl"],
        "un": [f"un.{number}of3" for number in (1, 2, 3)],
        "news-commentary-v9": ["news-commentary-v9"],
        "giga-fren": [f"giga-fren.{number}of2" for number in (1, 2)],
    },
    "en-de": {"train": ["train"]},
}
#: Pairs of each part that clean reads, drops and keeps.
READ, DROPPED = 10077, {"drop_empty": 60, "drop_garbled": 0, "max_ratio": 17}
KEPT = READ - sum(DROPPED.values())
#: Line of each part whose pair is among the best or the worst of the ranking.
RANKED = {"best": 5, "worst": 7}
#: BLEU of the baseline on test, and what a step down the list of systems adds.
FIRST, STEP = 20.0, 1.5


@dataclass(frozen=True)
class Results:
    """A results folder and the experiment it belongs to."""

    folder: Path
    about: dict[str, Any]

    @property
    def experiment(self) -> Experiment:
        """The experiment as the functions take it."""
        return experiment_of(self.about)

    def files(self, pattern: str) -> list[Path]:
        """The files of the folder that fit a glob pattern, in no helpful order."""
        return sorted(self.folder.glob(pattern), reverse=True)


def make_results(
    folder: Path,
    seeds: tuple[int, ...] = (1,),
    tests: tuple[str, ...] = ("test",),
    name: str = "choi2017",
    gaps: dict[str, dict[str, str]] | None = None,
) -> Results:
    """All finished systems of an experiment. BLEU falls where +Context (C) comes in for en-de.

    `gaps`: language pair -> system -> why it is not finished.
    """
    about = experiment(name, seeds, tests) | ({"gaps": gaps} if gaps else {})
    for pair in about["pairs"]:
        make_pair(folder, pair, tests)
        for position, system in enumerate(entry["id"] for entry in about["systems"]):
            for seed in () if system in (gaps or {}).get(pair, {}) else seeds:
                lost = 4.0 if pair == "en-de" and system == "context" else 0.0
                bleu = FIRST + STEP * position - lost + 0.5 * (seed - seeds[0])
                make_run(folder, f"{pair}/{system}/{seed}", bleu, position, tests)
    return Results(folder, about)


def make_pair(folder: Path, pair: str, tests: tuple[str, ...]) -> None:
    """What all systems of a pair share: test texts, and the counts of its training text."""
    for text in (*tests, "dev"):
        for language in pair.split("-"):
            lines = [SENTENCES[language]] * LINES
            write_lines(folder / f"tokenize/{pair}/{text}.{language}.gz", lines)
    for language in pair.split("-"):
        words = ["the", "of", "with", "visited", "bank", *SENTENCES[language].split()[::3]]
        counts = [f"{word}\t{99 - number}" for number, word in enumerate(dict.fromkeys(words))]
        write_lines(folder / f"word-counts/{pair}/{language}.tsv", counts)
    make_training_text(folder, pair)
    write_json(folder / f"coverage/{pair}.json", coverage_of(pair))
    write_json(folder / f"pairs/{pair}.json", pairs_kept())
    rows = ("\t".join(map(str, rule)) for rule in rules())
    write_lines(folder / f"rule-dictionary/{pair}/rules.tsv", [HEADER, *rows])
    write_json(folder / f"symbol-scores/{pair}.json", symbol_scores_of(("dev", *tests), LINES))


def make_training_text(folder: Path, pair: str) -> None:
    """What the stages from clean to perplexity write; the pairs of en-fr are selected."""
    selected = pair == "en-fr"
    source, target = (SENTENCES[language] for language in pair.split("-"))
    parts = [part for parts in TRAIN[pair].values() for part in parts]
    if selected:
        write_json(folder / f"rank/{pair}.json", ranking_of(parts))
        write_json(folder / f"perplexity/{pair}.json", perplexity_of())
    read = {"pairs": KEPT, "source_words": 18 * KEPT, "target_words": 17 * KEPT}
    # Lines 2 and 3 of each part.
    empty = {"line": 2, "source": source, "target": ""}
    uneven = {"line": 3, "source": "Yes .", "target": " ".join([target] * 20)}
    examples = {"drop_empty": [empty], "drop_garbled": [], "max_ratio": [uneven]}
    removed = {
        name: {"count": count, "examples": examples[name]} for name, count in DROPPED.items()
    }
    for number, part in enumerate(parts):
        write_json(
            folder / f"clean/{pair}/{part}.removed.json",
            {"read": READ, "kept": KEPT, "removed": removed},
        )
        kept = {unit: amount // (2 + number) for unit, amount in read.items()}
        positions = [str(KEPT * number + line - 1) for line in RANKED.values()]
        text = {"source": source, "target": target}
        write_json(
            folder / f"select/{pair}/{part}.selected.json",
            {
                "read": read,
                "kept": kept if selected else read,
                "examples": dict.fromkeys(positions, text) if selected else {},
            },
        )


def ranking_of(parts: list[str]) -> dict[str, Any]:
    """What rank writes for a pool of these parts; the scores of each corpus are a bell curve."""
    corpora = [part.partition(".")[0] for part in parts]
    edges = [-4 + 0.08 * number for number in range(101)]
    bells = {
        corpus: [round(9000 * math.exp(-(((edge - shift / 2) / 1.2) ** 2))) for edge in edges[:-1]]
        for shift, corpus in enumerate(dict.fromkeys(corpora))
    }
    listed = {
        name: [
            {
                "score": -3.5 if name == "best" else 3.5,
                "corpus": corpus,
                "line": KEPT * (number - corpora.index(corpus)) + line,
                "position": KEPT * number + line - 1,
            }
            for number, corpus in enumerate(corpora)
        ]
        for name, line in RANKED.items()
    }
    return {
        "limit": {"target_words": 400000},
        "threshold": -0.25,
        "last": 777,
        "pairs": KEPT * len(parts),
        "without_score": 0,
        "kept": {"pairs": 23529, "target_words": 400000},
        "parts": {part: KEPT * number for number, part in enumerate(parts)},
        "histogram": {"edges": edges, "pairs": bells},
        **listed,
    }


def perplexity_of() -> dict[str, Any]:
    """What perplexity writes for a pair: selected text is better, the less so the more it is."""
    cut_offs = [
        {
            "target_words": 400000 >> step,
            "selected": {"pairs": 23529 >> step, "perplexity": 150.0 + 11 * step**1.5},
            "random": {"pairs": 23529 >> step, "perplexity": 190.0 + 21 * step**1.5},
        }
        for step in range(5, -1, -1)
    ]
    return {"dev_words": 12345, "cut_offs": cut_offs}


def make_run(folder: Path, run: str, bleu: float, position: int, tests: tuple[str, ...]) -> None:
    """What the stages from train to phenomena write for one run."""
    language = run.split("/")[0].split("-")[1]
    scores = {
        f"{text}.beam{beam}": {
            "bleu": bleu + 0.25 * (beam > 1) + (text == "dev") - 0.125 * number,
            "signature": "nrefs:1|case:mixed|eff:no|tok:none|smooth:none|version:2.5.1",
            "bleu_detokenized": bleu - 0.5 - 0.125 * number,
            "signature_detokenized": "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.5.1",
            "chrf": bleu + 20,
            "signature_chrf": "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.5.1",
            "ter": 80 - bleu,
            "signature_ter": "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.5.1",
        }
        for number, text in enumerate((*tests, "dev"))
        for beam in (1, 12)
    }
    write_json(folder / f"score/{run}/scores.json", scores)
    words = SENTENCES[language].split()
    for text in (*tests, "dev"):
        for beam in (1, 12):
            output = [words[: 6 + position] + ["UNK"] * ((line + 1) % 3) for line in range(LINES)]
            file = f"{run}/{text}.beam{beam}"
            write_lines(folder / f"restore/{file}.gz", map(" ".join, output))
            if position == ALIGNED:
                make_alignments(folder / f"translate/{file}", [SENTENCES["en"]] * LINES, output)
    symbols = 10 * position if "symbol" in run else 0
    outcomes = {"rule": symbols // 10, "copy": 20 * symbols, "dropped": 3, "missing": 7 * symbols}
    write_json(
        folder / f"restore/{run}/restored.json",
        {f"{text}.beam{beam}": outcomes for text in tests for beam in (1, 12)},
    )
    counts = {
        "kinds": {
            "ambiguous": {"right": 20 + 3 * position, "total": 80},
            "name": {"right": 10 + 5 * position, "total": 60},
            "number": {"right": 5 * (position + 1), "total": 40},
            "acronym": {"right": 3 * position, "total": 20},
        },
        "names_by_seen": {
            "seen": {"right": 10 + 2 * position, "total": 30},
            "unseen": {"right": 3 * position, "total": 30},
        },
        "ambiguous_by_distance": {
            "1-3": {"right": 10 + position, "total": 30},
            "4-6": {"right": 6 + position, "total": 30},
            "7-12": {"right": 4 + position, "total": 20},
        },
    }
    write_json(
        folder / f"phenomena/{run}/{tests[0]}.json",
        {f"{tests[0]}.beam{beam}": counts for beam in (1, 12)},
    )
    make_training(folder, run, bleu)


def make_training(folder: Path, run: str, bleu: float) -> None:
    """What train writes for one run, and its benchmark file."""
    records = [
        {
            "kind": "train",
            "update": update,
            "epoch": update / 150,
            "loss": 6 / (1 + update / 150) + 1 - bleu / 100,
        }
        for update in range(20, 601, 20)
    ]
    dev = {"kind": "dev", "loss": 2.345, **(gates_of(0.5) if "context" in run else {})}
    records += [
        {**dev, "update": update, "bleu": bleu * (1 - 0.5 ** (update / 150))}
        for update in range(150, 601, 150)
    ]
    write_lines(folder / f"train/{run}/log.jsonl", [json.dumps(record) for record in records])
    side = {"tokens": 123456, "unknowns": 9876, "sha256": "ab" * 32}
    write_json(
        folder / f"train/{run}/model.json",
        {
            "training": {
                "optimizer": "adam",
                "max_length": 30 if "30" in run else 50,
                "patience": 3,
                "precision": "fp32",
                "device": "cpu",
                "threads": 1,
            },
            "best": {"update": 600, "dev_bleu": bleu},
            "updates": 600,
            "stopped": "max_updates",
            "seconds": 75.5,
            "parameters": 1234567,
            "data": {
                "pairs": 8765,
                "manifest": {
                    "train": {"pairs": 9000, "source": side, "target": side},
                    "vocabulary": {"limit": 1600},
                },
            },
            "environment": {
                "commit": "0f" * 20,
                "dirty": False,
                "contextnmt": "0.1.0",
                "python": "3.11.9",
                "torch": "2.13.0",
                "numpy": "2.4.1",
                "compiler": "cc 12.2.0",
                "processor": "A Processor @ 2.50GHz",
                "cores": 2,
                "gpu": None,
                "packages": {"sacrebleu": "2.5.1", "sacremoses": "0.2.0"},
            },
        },
    )
    for stage in ("train", "translate"):
        columns = ["s", "h:m:s", "max_rss", "max_vms", "mean_load", "cpu_time"]
        values = ["30.50", "0:00:30", "512.25" if stage == "train" else "NA", "-", "99.0", "75.2"]
        write_lines(
            folder / f"benchmarks/{stage}/{run}.tsv", ["\t".join(columns), "\t".join(values)]
        )


def make_report(results: Results) -> Path:
    """All that the workflow makes from a results folder; the path of the page."""
    experiment, out = results.experiment, results.folder / "report"
    table = out / "tables" / results.about["table"]
    write_table(table, bleu_table(results.files("score/*/*/*/scores.json"), experiment))
    if results.about["name"] == "choi2017":
        make_symbolization(results, out / "tables")
        make_contextualization(results.folder, results.about)
    write_table(
        out / "tables/phenomena", phenomena_table(results.files("phenomena/*/*/*/*"), experiment)
    )
    write_table(
        out / "tables/cleaning", cleaning_table(results.files("clean/*/*.removed.json"), experiment)
    )
    rankings = results.files("rank/*.json")
    selected = results.files("select/*/*.selected.json")
    write_table(out / "tables/selection", selection_table(selected, experiment, rankings))
    perplexities = results.files("perplexity/*.json")
    selection_figures(rankings, perplexities, experiment, out / "figures")
    tested = make_significance(results.folder, results.about)
    write_table(out / "tables/literature", literature_table(table.with_suffix(".json"), experiment))
    significance = out / "tables/significance"
    write_table(significance, significance_table(tested, experiment))
    tables = (path.with_suffix(".json") for path in (table, significance))
    gains(*tables, experiment, out / "figures")
    first = tested[:: len(tested) // len(results.about["pairs"])]  # of each pair, the first text
    write_table(out / "tables/claims", claims_table(table.with_suffix(".json"), first, experiment))
    lengths = make_lengths(results.folder, results.about)
    write_table(out / "tables/length-scores", length_scores_table(lengths, experiment))
    length_curves(lengths, experiment, out / "figures")
    logs = results.files("train/*/*/*/log.jsonl")
    curves(logs, experiment, out / "figures")
    models = results.files("train/*/*/*/model.json")
    write_table(out / "tables/trainings", trainings_table(models, logs, experiment))
    written(examples, example_arguments(results))
    written(differences, difference_arguments(results))
    alignment_maps(**alignment_arguments(results))
    page(**page_arguments(results))
    return out / "index.html"


def make_symbolization(results: Results, tables: Path) -> None:
    """The tables of choi2017 alone."""
    experiment = results.experiment
    write_table(tables / "table2", table2())
    counts = results.files("coverage/*.json"), results.files("pairs/*.json")
    write_table(tables / "table3", table3(*counts, experiment))
    write_table(
        tables / "symbols", symbols_table(results.files("rule-dictionary/*/rules.tsv"), experiment)
    )
    scored = results.files("symbol-scores/*.json")
    write_table(tables / "symbol-scores", symbol_scores_table(scored, experiment))
    write_table(tables / "symbol-errors", symbol_errors_table(scored, experiment))
    restored = results.files("restore/*/*/*/restored.json")
    write_table(tables / "restoration", restoration_table(restored, experiment))


def page_arguments(results: Results) -> dict[str, Any]:
    """What `page` is called with after everything else is made."""
    return {
        "table": results.files("report/tables/*.json"),
        "figure": results.files("report/figures/*.svg"),
        "caption": sorted(CAPTIONS.glob("*.rst")),
        "model": results.files("train/*/*/*/model.json"),
        "benchmark": results.files("benchmarks/t*/**/*.tsv"),
        "about": results.experiment,
        "out": results.folder / "report" / "index.html",
    }
