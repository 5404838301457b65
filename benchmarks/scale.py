"""How time and memory of the text stages grow with the text: Markdown tables.

Of texts of several sizes, each the beginning of the next. Memory is extrapolated to WMT14 by what
fills it, and compared with what the workflow asks for. benchmarks/README.md has an example.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from altered_text import COMMON, GROUP, endless
from calls import call_in, costs, selecting, snakemake, stay_on_one_core
from pages import Out, made_by, publish, table

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines, read_pairs, write_pairs
from contextnmt.planning.jobs import planned

#: What is made: that takes all stages of the text.
TARGETS = ("binarized", "coverages", "dictionaries", "pairs_counted", "perplexities")

#: Parts that the text is cut into, and the share of its pairs that is selected: one in so many.
PARTS, SHARE = 2, 2
FILTERS = {"drop_empty": True, "max_ratio": 2, "wrong_language": True, "drop_duplicates": True}

#: What fills the memory of commands, and how large that is at WMT14, English-French. Distinct words
#: are of both languages, by Heaps' law or, of the selected text, of Choi et al. 2017, Table 3.
POOL = 40_842_357  # pairs of all corpora
GROWS_WITH = {
    **dict.fromkeys(("survey", "select"), ("words", 1_290_000)),  # of a tenth of giga-fren
    "clean": ("words", 5_090_000),  # of giga-fren
    **dict.fromkeys(("word-counts", "symbolize", "bpe-codes"), ("words", 3_500_000)),
    **dict.fromkeys(("binarize", "coverage"), ("words", 3_500_000)),
    "cross-entropy": ("pairs", PARTS * 2_252_040),  # in parts of a tenth of giga-fren
    "rank": ("pairs", POOL),
    "perplexity": ("tokens", 2**25),  # the most that a model is made of
}

#: Commands by what they read: all pairs, those that clean leaves; others read the selected ones.
RAW = ("extract", "tokenize", "survey", "clean")
CLEAN = ("sample", "language-models", "cross-entropy", "rank", "select", "perplexity")

TEXT_NOTES = f"""
Each text is the beginning of the next. A text larger than the corpus goes on with the corpus in
altered words, so that words, sentences and n-grams are new. Of the words that no side has more than
twice (names, numbers, technical terms), as many as Heaps' law asks for get other letters and
digits, the same on both sides. The lower-case words of one language alone, but for the {COMMON}
most frequent ones, change places with those of like frequency, in groups of {GROUP}. Words:
distinct ones of tokenized text. Exponent: b of Heaps' law, words = K pairs^b, since the line
before. Repeated: pairs that clean drops since they came before.
"""

TIME_NOTES = f"""
The workflow runs on a text in {PARTS} parts, selects 1/{SHARE} of the pairs, and makes a system of
words, one of subwords and one of symbols. CPU seconds per million pairs on one core: all runs of a
command together, with those on in-domain, dev and test text; commands after clean and select by the
pairs that these leave. The start of Python is in them, which weighs in a short text. Ratio: of the
time a pair in the largest and in the smallest text. Further pairs: the same for the pairs that a
text has more than the one before, in the largest against the second (1: linear).
"""

MEMORY_NOTES = """
The largest resident set of each command (MB), and what fills it, where it grows: pairs that are
kept, distinct words of both languages in the whole text, or words of the selected target text (and
for perplexity the ranking, which grows as that of rank). At WMT14: a rough bound, by the growth
between the two largest texts, in a straight line. `mem_mb`: what the workflow asks for, a fixed
amount or one by the words of the text. The system can drop at any time what `pairs` maps from disk.
"""


class Run(NamedTuple):
    """The stages of a text of so many pairs."""

    pairs: int
    kept: int  # pairs that clean has left
    repeated: int  # pairs that it has dropped since they came before
    selected: int  # pairs
    tokens: int  # target words of these
    words: list[int]  # distinct ones of either language
    costs: dict[str, tuple[float, float]]  # command -> CPU seconds, and the largest memory in MB

    def read(self, command: str) -> int:
        """The pairs that a command reads."""
        if command in RAW:
            return self.pairs
        return self.kept if command in CLEAN else self.selected

    def filling(self, what: str) -> int:
        """How much there is of what fills memory."""
        return {"words": sum(self.words), "pairs": self.kept, "tokens": self.tokens}[what]


def prepared(
    folder: Path, pairs: int, sides: tuple[Path, Path], in_domain: tuple[Path, Path], pair: str
) -> list[str]:
    """Write the texts and the configuration of a run; the words that Snakemake is called with."""
    text = list(islice(endless(*sides), pairs))
    few = list(read_pairs(*in_domain))
    for name, content in {"large": text, "dev": few, "test": few[:100]}.items():
        source, target = (folder / f"{name}.{lang}.gz" for lang in pair.split("-"))
        write_pairs(source, target, content)
    train, dev, test = (str(folder / f"{name}.{{lang}}.gz") for name in ("large", "dev", "test"))
    limit = {"pairs": pairs // SHARE}
    asked = selecting(pair, {"large": train}, dev, test, limit, FILTERS, PARTS)
    return call_in(folder, asked, *TARGETS, "--quiet", "all")


def read_run(folder: Path, pairs: int, pair: str) -> Run:
    """Read the results of a run in `folder`."""
    results = folder / "results" / "demo"
    cleaned = [read_json(path) for path in (results / "clean" / pair).glob("*.removed.json")]
    ranked = read_json(results / "rank" / f"{pair}.json")["kept"]
    words = []
    for language in pair.split("-"):
        paths = (results / "survey" / pair).glob(f"large.*.{language}.tsv.gz")
        words.append(len({line.partition("\t")[0] for path in paths for line in read_lines(path)}))
    found: dict[str, tuple[float, float]] = {}
    for cost in costs(folder):
        command = "bpe-codes" if "--codes-out" in cost.arguments else cost.command
        cpu, megabytes = found.get(command, (0.0, 0.0))
        found[command] = cpu + cost.cpu, max(megabytes, cost.megabytes)
    return Run(
        pairs,
        sum(each["kept"] for each in cleaned),
        sum(each["removed"]["drop_duplicates"]["count"] for each in cleaned),
        ranked["pairs"],
        ranked["target_words"],
        words,
        found,
    )


def text_rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    """A row for each size: pairs, words of each side and their growth, repeated pairs."""
    for before, run in zip([None, *runs], runs, strict=False):
        cells = []
        for side, count in enumerate(run.words):
            cells += [f"{count:,}", ""]
            if before:
                growth = np.log(count / before.words[side]) / np.log(run.pairs / before.pairs)
                cells[-1] = f"{growth:.2f}"
        yield [f"{run.pairs:,}", *cells, f"{run.repeated / run.pairs:.1%}"]


def time_rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    """A row for each command."""
    for command in runs[-1].costs:
        costs = [(run.costs[command][0], run.read(command)) for run in runs]
        each = [cpu / pairs for cpu, pairs in costs]
        further = [(c1 - c0) / (p1 - p0) for (c0, p0), (c1, p1) in pairwise(costs)]
        seconds = (f"{1e6 * cpu:,.1f}" for cpu in each)
        ratios = [f"{each[-1] / each[0]:.2f}", ""]
        if further[0] > 0:
            ratios[1] = f"{further[-1] / further[0]:.2f}"
        yield [command, *seconds, f"{1 / each[-1]:,.0f}", *ratios]


def memory_rows(runs: Sequence[Run], asked: Mapping[str, int]) -> Iterator[list[str]]:
    """A row for each command: memory measured, what fills it, extrapolated, and asked for."""
    for command in runs[-1].costs:
        needed, fixed = at_wmt14(command, runs), asked.get(command)
        measured = (f"{run.costs[command][1]:,.0f}" for run in runs)
        enough = ["by the text", ""]
        if fixed:
            enough = [f"{fixed:,}", "yes" if needed < fixed else "**no**"]
        yield [command, *measured, GROWS_WITH.get(command, [""])[0], f"{needed:,.0f}", *enough]


def at_wmt14(command: str, runs: Sequence[Run]) -> float:
    """MB of a command at WMT14: linear in what fills its memory, through the two largest texts."""
    before, last = (run.costs[command][1] for run in runs[-2:])
    if command not in GROWS_WITH:
        return last
    what, there = GROWS_WITH[command]
    fewer, more = (run.filling(what) for run in runs[-2:])
    ranking = at_wmt14("rank", runs) - runs[-1].costs["rank"][1] if command == "perplexity" else 0
    growth = max(0.0, last - before) / max(1, more - fewer)
    return last + growth * max(0, there - more) + ranking


def main(
    source: Annotated[Path, typer.Option(help="source side of a text, not tokenized")],
    target: Annotated[Path, typer.Option(help="its target side")],
    source_language: Annotated[str, typer.Option(help="language code of the source, as en")],
    target_language: Annotated[str, typer.Option(help="language code of the target, as fr")],
    in_domain_source: Annotated[Path, typer.Option(help="in-domain text to select by, its source")],
    in_domain_target: Annotated[Path, typer.Option(help="its target side")],
    pairs: Annotated[list[int], typer.Option(help="size of a text; repeatable, three or more")],
    out: Out = None,
) -> None:
    """Measure time and memory of the text stages on texts of several sizes."""
    sizes = sorted(set(pairs))
    if len(sizes) < 3:
        raise UserError("give --pairs three times or more, each time another number")
    pair, runs = f"{source_language}-{target_language}", []
    sides, in_domain = (source, target), (in_domain_source, in_domain_target)
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            words = prepared(Path(name), size, sides, in_domain, pair)
            jobs = planned(words).jobs
            snakemake(*words, measured=Path(name))
            runs.append(read_run(Path(name), size, pair))
    # Perplexity asks by the words of its text.
    fixed = {job.rule.replace("_", "-"): job.memory for job in jobs if job.rule != "perplexity"}
    texts = ["pairs", "source words", "exponent", "target words", "exponent", "repeated"]
    columns = ["command", *(f"{size:,}" for size in sizes)]
    times = [*columns, "pairs/s", "ratio", "further pairs"]
    memory = [*columns, "grows with", "at WMT14", "`mem_mb`", "enough"]
    publish(
        out,
        "# The text stages on ever larger texts",
        made_by("numpy", "sacremoses", "subword-nmt"),
        TEXT_NOTES,
        table(texts, text_rows(runs), words=0),
        TIME_NOTES,
        table(times, time_rows(runs), words=1),
        MEMORY_NOTES,
        table(memory, memory_rows(runs, fixed), words=1),
    )


if __name__ == "__main__":
    stay_on_one_core()
    typer.run(main)
