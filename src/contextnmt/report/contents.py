"""The tables and figures of an experiment's report, and the files that it is made of.

The workflow plans by these lists before any file exists. `contextnmt report` makes the parts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contextnmt.report.results import Results

TABLE_FORMATS, FIGURE_FORMATS = ["csv", "json", "md", "tex"], ["svg", "pdf", "png"]

#: Subjects of a part: the trained systems of finished pairs, or the corpora of all pairs.
SYSTEMS, CORPORA = "systems", "corpora"

#: Stages that make a folder of each run: which texts there are, depends on the language pair.
OF_FOLDERS = ["translate", "restore", "replace-unknown"]

#: Figures named like a table -> their caption.
FIGURES_OF_TABLES = {"selection": "selection-figures", "masks": "masks-figure"}

#: The experiment whose systems have symbols and contextualizers.
CHOI = "choi2017"


@dataclass(frozen=True)
class Part:
    """A table, or some figures (names without suffix), that one function makes.

    `caption` names the function and the caption, ``workflow/report/CAPTION.rst``.
    """

    caption: str
    table: str = ""
    figures: tuple[str, ...] = ()
    about: str = SYSTEMS  #: or CORPORA, which needs no training


def parts(results: Results, about: str | None = None) -> list[Part]:
    """All parts, or those about systems or corpora. A part may need the tables before it."""
    pairs, tagged = results.pairs, not set(results.pairs).isdisjoint(results.tagged)
    shown = (
        f"{pair}.{kind}"
        for pair in results.aligned_pairs
        for kind in ["chosen"] * bool(results.sentences.get(pair)) + ["random"]
    )
    found = [
        Part("bleu-table", results.table),
        table("significance"),
        table("claims", asked=bool(results.claims)),
        table("literature"),
        figures("gains", pairs),
        figures("lengths", pairs),
        table("length-scores"),
        table("phenomena", asked=tagged),
        figures("curves", pairs, "bleu", "loss"),
        table("trainings"),
        table("scale"),
        table("cleaning", CORPORA),
        table("selection", CORPORA),
        table("overlap", CORPORA),
        figures("selection", results.selected, "scores", "perplexity", about=CORPORA),
        table("examples"),
        table("differences"),
        figures("alignments", shown),
        *(of_choi2017(results) if results.name == CHOI else []),
    ]
    made = (part for part in found if part.table or part.figures)
    return [part for part in made if about in (None, part.about)]


def table(name: str, about: str = SYSTEMS, asked: bool = True) -> Part:
    """A table called as its caption is; a part without anything if it is not `asked` for."""
    return Part(name, name if asked else "", about=about)


def figures(name: str, pairs: Iterable[str], *kinds: str, about: str = SYSTEMS) -> Part:
    """A figure of each language pair, or one of each kind."""
    endings = [f".{kind}" for kind in kinds] or [""]
    names = tuple(f"{name}.{pair}{end}" for pair in pairs for end in endings)
    return Part(FIGURES_OF_TABLES.get(name, name), "", names, about)


def of_choi2017(results: Results) -> list[Part]:
    """Symbols (coverage, precision and recall, restoration); effects of the contextualizer."""
    symbols, masks = has_symbols(results), results.masks()
    return [
        *(table(name, CORPORA) for name in ("table2", "table3", "symbols")),
        table("symbol-scores", CORPORA, symbols),
        table("symbol-errors", CORPORA, symbols),
        table("restoration", asked=symbols),
        table("symbol-ablation", asked=bool(results.ablated)),
        table("table1"),
        figures("local-charts", results.pairs),
        table("gates", asked=any(run[:2] in results.contextualized for run in results.runs)),
        table("masks", asked=bool(masks)),
        figures("masks", dict.fromkeys(run.pair for run in masks)),
    ]


def has_symbols(results: Results) -> bool:
    """Whether a system reads symbols."""
    return any("sym" in system.view for system in results.systems)


def files(results: Results, about: str | None = None) -> list[Path]:
    """Input files of the parts about systems, corpora or both, without duplicates."""
    systems = of_systems(results) if about != CORPORA else []
    corpora = of_corpora(results) if about != SYSTEMS else []
    return list(dict.fromkeys(systems + corpora))


def of_systems(results: Results) -> list[Path]:
    """Files of runs, and of the texts that finished systems translate."""
    of_runs: list[Mapping[Any, Path]] = [
        *(results.scores(), results.ensemble_scores()),
        *(results.compared("significance"), results.compared("length-scores", 1)),
        results.phenomena(),
        *(results.models(), results.logs(), results.identities(), results.browser_models()),
    ]
    if results.name == CHOI:
        of_runs += [results.of_pairs("local-charts", results.pairs), results.masks()]
        if has_symbols(results):
            of_runs.append(results.of_runs("restore", "/restored.json"))
        of_runs += [results.ablation_scores(), results.symbolized_sources()]
    found = [path for of_run in of_runs for path in of_run.values()]
    found += [path for of_run in results.replacements().values() for path in of_run]
    for pair in results.pairs:
        found += results.word_counts(pair)
        for text in results.texts(pair):
            found += [results.side(pair, text, number) for number in (0, 1)]
            for system in results.finished(pair):
                found.append(results.translation("restore", pair, system.id, text))
                if system.id == results.aligned:
                    found.append(results.translation("translate", pair, system.id, text))
                    found.append(results.side(pair, text, 0, system.view))
    return found


def of_corpora(results: Results) -> list[Path]:
    """Files of training texts and of their symbols."""
    counts = [("clean", "removed.json"), ("select", "selected.json")]
    of_texts = [texts for of in counts for texts in results.of_parts(*of).values()]
    found = [path for texts in of_texts for paths in texts.values() for path in paths]
    stages = [(stage, results.selected, ".json") for stage in ("rank", "perplexity")]
    stages.append(("overlap", results.all_pairs, ".json"))
    if results.name == CHOI:
        pairs = results.all_pairs
        stages += [("coverage", pairs, ".json"), ("pairs", pairs, ".json")]
        stages.append(("rule-dictionary", pairs, "/rules.tsv"))
        if has_symbols(results):
            stages.append(("symbol-scores", pairs, ".json"))
    return found + [path for stage in stages for path in results.of_pairs(*stage).values()]


def inputs(results: Results, about: str | None = None) -> list[str]:
    """Inputs for a Snakemake rule: the folder where a stage makes folders, else the file."""
    folders = tuple(f"{results.folder}/{stage}/" for stage in OF_FOLDERS)
    found = [
        path.rpartition("/")[0] if path.startswith(folders) else path
        for path in map(str, files(results, about))
    ]
    return list(dict.fromkeys(found))


def outputs(results: Results, part: Part, *suffixes: str) -> list[Path]:
    """The files of a part in some of the formats of tables and figures."""
    names = [f"tables/{part.table}"] if part.table else [f"figures/{f}" for f in part.figures]
    formats = TABLE_FORMATS if part.table else FIGURE_FORMATS
    made = [suffix for suffix in suffixes if suffix in formats]
    return [results.report / f"{name}.{suffix}" for suffix in made for name in names]
