"""A small results folder as the stages before the report leave it, with made-up numbers."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from unittest.mock import patch

import numpy as np
from analysed_models import gates_of, make_contextualization
from made_up_experiments import TRAIN, experiment, results_of
from made_up_lengths import make_lengths
from made_up_significance import make_significance
from made_up_symbols import coverage_of, make_ablation, pairs_kept, rules, symbol_scores_of
from matplotlib.figure import Figure

from contextnmt.files import write_json, write_lines
from contextnmt.report.contents import parts
from contextnmt.report.page import page
from contextnmt.report.report import make
from contextnmt.report.results import Results
from contextnmt.report.tables import Table, texts_of
from contextnmt.text.symbol_tables import RULES_HEADER
from contextnmt.translation.alignment_file import Weights, write_alignments

SENTENCES = {
    "en": "On 14 March Mr Orlow of the IMF visited the bank by the river with 2 guests .",
    "fr": "Le 14 mars M. Orlow du FMI a visité la rive du fleuve avec 2 invités .",
    "de": "Am 14. März besuchte Herr Orlow vom IWF das Ufer des Flusses mit 2 Gästen .",
}
LINES = 30
#: Place of the system in the list that has alignments.
ALIGNED = 1
#: Pairs of each part that clean reads, drops and keeps.
READ, DROPPED = 10077, {"drop_empty": 60, "drop_garbled": 0, "max_ratio": 17}
KEPT = READ - sum(DROPPED.values())
#: Line of each part whose pair is among the best or the worst of the ranking.
RANKED = {"best": 5, "worst": 7}
#: BLEU of the baseline on test, and what a step down the list of systems adds.
FIRST, STEP = 20.0, 1.5


@dataclass(frozen=True)
class Made:
    """A results folder with made-up numbers, and what is told of its experiment."""

    folder: Path
    about: dict[str, Any]

    @property
    def results(self) -> Results:
        """The folder as the report reads it."""
        return results_of(self.folder, self.about)

    @property
    def report(self) -> Path:
        """The folder of the report."""
        return self.results.report

    def files(self, pattern: str) -> list[Path]:
        """The files of the folder that fit a glob pattern."""
        return sorted(self.folder.glob(pattern))


def make_results(
    folder: Path,
    seeds: tuple[int, ...] = (1,),
    tests: tuple[str, ...] = ("test",),
    name: str = "choi2017",
    gaps: dict[str, dict[str, str]] | None = None,
) -> Made:
    """All finished systems of an experiment. BLEU falls where +Context (C) comes in for en-de.

    `gaps`: language pair -> system -> why it is not finished.
    """
    write_json(folder / "configuration.json", {"configuration": {}})
    about = experiment(name, seeds, tests) | ({"gaps": gaps} if gaps else {})
    for pair in about["pairs"]:
        make_pair(folder, pair, tests)
        for position, system in enumerate(entry["id"] for entry in about["systems"]):
            for seed in () if system in (gaps or {}).get(pair, {}) else seeds:
                lost = 4.0 if pair == "en-de" and system == "context" else 0.0
                bleu = FIRST + STEP * position - lost + 0.5 * (seed - seeds[0])
                make_run(folder, f"{pair}/{system}/{seed}", bleu, position, tests)
    make_significance(folder, about)
    make_lengths(folder, about)
    if name == "choi2017":
        make_contextualization(folder, about)
    make_ablation(results_of(folder, about))
    return Made(folder, about)


def make_pair(folder: Path, pair: str, tests: tuple[str, ...]) -> None:
    """Files that all systems of a pair share: test texts, and the counts of its training text."""
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
    counted = {"read": LINES, "pairs": 1, "sources": 2}
    write_json(folder / f"overlap/{pair}.json", dict.fromkeys((*tests, "dev"), counted))
    write_json(folder / f"pairs/{pair}.json", pairs_kept())
    rows = ("\t".join(map(str, rule)) for rule in rules())
    write_lines(folder / f"rule-dictionary/{pair}/rules.tsv", [RULES_HEADER, *rows])
    write_json(folder / f"symbol-scores/{pair}.json", symbol_scores_of(("dev", *tests), LINES))


def make_training_text(folder: Path, pair: str) -> None:
    """Files of the stages from clean to perplexity; the pairs of en-fr are selected."""
    selected = pair == "en-fr"
    source, target = (SENTENCES[language] for language in pair.split("-"))
    named = [part for parts in TRAIN[pair].values() for part in parts]
    if selected:
        write_json(folder / f"rank/{pair}.json", ranking_of(named))
        write_json(folder / f"perplexity/{pair}.json", perplexity_of())
    read = {"pairs": KEPT, "source_words": 18 * KEPT, "target_words": 17 * KEPT}
    # Lines 2 and 3 of each part.
    empty = {"line": 2, "source": source, "target": ""}
    uneven = {"line": 3, "source": "Yes .", "target": " ".join([target] * 20)}
    examples = {"drop_empty": [empty], "drop_garbled": [], "max_ratio": [uneven]}
    removed = {
        name: {"count": count, "examples": examples[name]} for name, count in DROPPED.items()
    }
    for number, part in enumerate(named):
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
    """The file of rank for a pool of these parts; most scores are in the middle."""
    corpora = [part.partition(".")[0] for part in parts]
    edges = [-4 + 0.08 * number for number in range(101)]
    counts = {corpus: [*range(50), *range(50, 0, -1)] for corpus in corpora}
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
        "histogram": {"edges": edges, "pairs": counts},
        **listed,
    }


def perplexity_of() -> dict[str, Any]:
    """The file of perplexity for a pair: selected text is better, the less so the more it is."""
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
    """Write the files of the stages from train to phenomena for one run."""
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
        "ambiguous_by_cue": {
            "seen": {"right": 12 + 2 * position, "total": 50},
            "unseen": {"right": 8 + position, "total": 30},
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


def make_alignments(stem: Path, sources: Iterable[str], translations: list[list[str]]) -> None:
    """The files that `translate --alignments` writes of a text."""
    write_lines(stem.with_name(f"{stem.name}.gz"), map(" ".join, translations))
    weights = [
        weights_of(len(line) + 1, len(source.split()) + 1)
        for source, line in zip(sources, translations, strict=True)
    ]
    write_alignments(stem.with_name(f"{stem.name}.alignments.npz"), weights)


def weights_of(rows: int, columns: int) -> Weights:
    """Attention that moves from the first to the last word of the source."""
    distances = np.linspace(0, columns - 1, rows)[:, None] - np.arange(columns)
    weights = np.exp(-(distances**2))
    return np.asarray(weights / weights.sum(1, keepdims=True))


def make_training(folder: Path, run: str, bleu: float) -> None:
    """Write the files of train for one run, and its benchmark file."""
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
    recipe = {"optimizer": "adam", "max_length": 30 if "30" in run else 50, "patience": 3}
    software: dict[str, Any] = {
        "contextnmt": "0.1.0",
        "python": "3.11.9",
        "torch": "2.13.0",
        "numpy": "2.4.1",
    }
    software["packages"] = {"sacrebleu": "2.5.1", "sacremoses": "0.2.0"}
    machine = {"processor": "A Processor @ 2.50GHz", "cores": 2, "gpu": None}
    side = {"tokens": 123456, "unknowns": 9876, "sha256": "ab" * 32}
    texts = {"train": {"pairs": 9000, "source": side, "target": side}}
    model = {
        "training": recipe | {"precision": "fp32", "device": "cpu", "threads": 1},
        "best": {"update": 600, "dev_bleu": bleu},
        "updates": 600,
        "stopped": "max_updates",
        "seconds": 75.5,
        "parameters": 1234567,
        "data": {"pairs": 8765, "manifest": texts | {"vocabulary": {"limit": 1600}}},
        "environment": {"commit": "0f" * 20, "dirty": False, **software, **machine},
    }
    write_json(folder / f"train/{run}/model.json", model)
    for stage in ("train", "translate"):
        columns = ["s", "h:m:s", "max_rss", "max_vms", "mean_load", "cpu_time"]
        values = ["30.50", "0:00:30", "512.25" if stage == "train" else "NA", "-", "99.0", "75.2"]
        write_lines(
            folder / f"benchmarks/{stage}/{run}.tsv", ["\t".join(columns), "\t".join(values)]
        )


#: The method itself, while `svg_alone` stands in its place.
savefig = Figure.savefig


def svg_alone(figure: Figure, out: BinaryIO, **options: Any) -> None:
    """`Figure.savefig` for SVG; nothing for the other formats, which take most of the time."""
    if options["format"] == "svg":
        savefig(figure, out, **options)


#: Draws figures as SVG alone, in a block or a test.
as_svg = patch.object(Figure, "savefig", svg_alone)


def make_report(made: Made) -> Path:
    """Make the report of a results folder, but for PDF and PNG; the path of its page."""
    results = made.results
    with as_svg:
        for part in parts(results):
            make(results, part)
    page(results)
    return results.report / "index.html"


def make_tables(made: Made, *captions: str) -> dict[str, Table]:
    """All tables of the report, or the parts with these captions; the tables by their captions."""
    results = made.results
    there = parts(results)
    wanted = [part for part in there if (part.caption in captions if captions else part.table)]
    for part in wanted:
        make(results, part)
    return {part.caption: results.read_table(part.table) for part in wanted if part.table}


def csv_rows(table: Table) -> list[dict[str, str]]:
    """The rows of a table's CSV file."""
    return list(csv.DictReader(io.StringIO(texts_of(table)["csv"], newline="")))
