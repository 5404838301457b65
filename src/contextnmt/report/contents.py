"""The tables and figures of an experiment's report, and the files that each is made of.

The workflow plans by this list before any file exists. `contextnmt report` makes the list's items.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from contextnmt.report.results import Results

TABLE_FORMATS, FIGURE_FORMATS = ["csv", "json", "md", "tex"], ["svg", "pdf", "png"]

#: Subjects of a part: the trained systems of finished pairs, or the corpora of all pairs.
SYSTEMS, CORPORA = "systems", "corpora"

#: Stages that make a folder of each run: which texts there are, depends on the language pair.
OF_FOLDERS = ["translate", "restore", "replace-unknown"]


@dataclass(frozen=True)
class Part:
    """A table, or some figures (names without suffix), that one function makes.

    `caption` names the function and the caption, ``workflow/report/CAPTION.rst``. `files` are those
    that the function reads besides earlier tables of the report.
    """

    caption: str
    files: list[Path]
    table: str = ""
    figures: tuple[str, ...] = ()
    about: str = SYSTEMS  #: or CORPORA, which needs no training


def parts(results: Results, about: str | None = None) -> list[Part]:
    """All parts, or those about systems or corpora. A part may need the tables before it."""
    found = [scores, trainings, corpora, sentences, unknown_words]
    if results.name == "choi2017":
        found += [symbolization, contextualization]
    return [part for of in found for part in of(results) if about in (None, part.about)]


def table(name: str, *files: Iterable[Path], about: str = SYSTEMS) -> Part:
    """A table called as its caption is."""
    return Part(name, [path for some in files for path in some], name, about=about)


def scores(results: Results) -> Iterator[Part]:
    """Tables and figures of scores."""
    compared = results.compared("significance").values()
    first = results.compared("significance", 1).values()
    lengths = [*results.compared("length-scores", 1).values()]
    scored = [*results.scores().values(), *results.ensemble_scores().values(), *compared]
    yield Part("bleu-table", scored, results.table)
    yield table("significance", compared)
    if results.claims:
        yield table("claims", first)
    yield table("literature")
    yield Part("gains", [], figures=of_pairs("gains", results.pairs))
    yield Part("lengths", lengths, figures=of_pairs("lengths", results.pairs))
    yield table("length-scores", lengths)
    if not set(results.pairs).isdisjoint(results.tagged):
        yield table("phenomena", results.phenomena().values())


def of_pairs(name: str, pairs: Iterable[str], *kinds: str) -> tuple[str, ...]:
    """Names of figures of each language pair, of each kind."""
    stems = [f"{name}.{pair}" for pair in pairs]
    return tuple(f"{stem}.{kind}" for stem in stems for kind in kinds) if kinds else tuple(stems)


def trainings(results: Results) -> Iterator[Part]:
    """Tables and figures of trainings."""
    logs = [*results.logs().values()]
    yield Part("curves", logs, figures=of_pairs("curves", results.pairs, "bleu", "loss"))
    yield table("trainings", results.models().values(), logs)


def corpora(results: Results) -> Iterator[Part]:
    """Tables and figures of the cleaning and selection of training texts."""
    pairs = results.selected
    rankings = [*results.of_pairs("rank", pairs).values()]
    yield table("cleaning", flat(results, "clean", "removed.json"), about=CORPORA)
    yield table("selection", flat(results, "select", "selected.json"), rankings, about=CORPORA)
    if pairs:
        yield Part(
            "selection-figures",
            [*rankings, *results.of_pairs("perplexity", pairs).values()],
            figures=of_pairs("selection", pairs, "scores", "perplexity"),
            about=CORPORA,
        )


def flat(results: Results, stage: str, ending: str) -> list[Path]:
    """A stage's counts of each part of the training texts of all pairs."""
    of_pairs = results.of_parts(stage, ending).values()
    return [path for texts in of_pairs for paths in texts.values() for path in paths]


def sentences(results: Results) -> Iterator[Part]:
    """Single sentences: translations, differences, alignments."""
    texts = [(pair, text) for pair in results.pairs for text in results.texts(pair)]
    yield table("examples", both_sides(results, texts), restored(results, texts))
    first = [(pair, results.test[pair][0]) for pair in results.pairs]
    counts = [path for pair in results.pairs for path in results.word_counts(pair)]
    yield table("differences", both_sides(results, first), counts, restored(results, first))
    aligned = [(pair, text) for pair, text in texts if pair in results.aligned_pairs]
    if aligned:
        view = {system.id: system.view for system in results.systems}[results.aligned]
        files = [
            path
            for pair, text in aligned
            for path in [
                results.translation("translate", pair, results.aligned, text),
                results.side(pair, text, 0, view),
                *results.word_counts(pair),
            ]
        ]
        names = (
            f"alignments.{pair}.{kind}"
            for pair in results.aligned_pairs
            for kind in (["chosen"] if results.sentences.get(pair) else []) + ["random"]
        )
        files += both_sides(results, aligned)
        yield Part("alignments", list(dict.fromkeys(files)), figures=tuple(names))


def both_sides(results: Results, texts: Iterable[tuple[str, str]]) -> list[Path]:
    """Source and reference of some texts, tokenized."""
    return [results.side(pair, text, number) for number in (0, 1) for pair, text in texts]


def restored(results: Results, texts: Iterable[tuple[str, str]]) -> list[Path]:
    """Translations of some texts by all finished systems."""
    return [
        results.translation("restore", pair, system.id, text)
        for pair, text in texts
        for system in results.finished(pair)
    ]


def unknown_words(results: Results) -> Iterator[Part]:
    """The gain of replacing unknown words."""
    files = [results.scores(results.replaced), *results.replacements()]
    if files[0]:
        yield table("unknown-words", *(each.values() for each in files))


def symbolization(results: Results) -> Iterator[Part]:
    """Symbols: coverage, precision and recall, restoration."""
    pairs = results.all_pairs
    counted = [results.of_pairs(stage, pairs).values() for stage in ("coverage", "pairs")]
    rules = results.of_pairs("rule-dictionary", pairs, "/rules.tsv").values()
    yield table("table2", about=CORPORA)
    yield table("table3", *counted, about=CORPORA)
    yield table("symbols", rules, about=CORPORA)
    if any("sym" in system.view for system in results.systems):
        scored = results.of_pairs("symbol-scores", pairs).values()
        yield table("symbol-scores", scored, about=CORPORA)
        yield table("symbol-errors", scored, about=CORPORA)
        yield table("restoration", results.of_runs("restore", "/restored.json").values())


def contextualization(results: Results) -> Iterator[Part]:
    """Effects of the contextualizer on words."""
    charts = [*results.of_pairs("local-charts", results.pairs).values()]
    yield table("table1", charts)
    yield Part("local-charts", charts, figures=of_pairs("local-charts", results.pairs))
    systems = results.contextualized
    models = results.models(systems).values()
    if models:
        yield table("gates", models, results.logs(systems).values())
    masks = results.masks()
    if masks:
        pairs = dict.fromkeys(run.pair for run in masks)
        yield table("masks", masks.values())
        yield Part("masks-figure", [*masks.values()], figures=of_pairs("masks", pairs))


def files(results: Results, about: str | None = None) -> list[Path]:
    """Input files of the parts about systems, corpora or both, without duplicates."""
    named = [path for part in parts(results, about) for path in part.files]
    if about != CORPORA:
        named += [*results.models().values(), *results.identities().values()]
    return list(dict.fromkeys(named))


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
    tables = [results.report / "tables" / part.table] if part.table else []
    figures = [results.report / "figures" / name for name in part.figures]
    return [
        Path(f"{stem}.{suffix}")
        for stems, formats in [(tables, TABLE_FORMATS), (figures, FIGURE_FORMATS)]
        for suffix in suffixes
        if suffix in formats
        for stem in stems
    ]
