"""What symbolization does to real parallel text: Markdown tables.

Each corpus is a folder named like laws_en-fr, with train.en.gz and train.fr.gz in it, and dev.* and
test.* if it has them; else the last 2,000 pairs of the training text are held out. Folders joined
by + are one corpus. A text given by --test is scored with every corpus whose languages it has.

Example: python benchmarks/symbolization.py data/laws_en-fr data/bible_en-fr+data/docs_en-fr
--test 'data/flores/devtest.{lang}.gz' --out benchmarks/published/symbolization.md
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import statistics
from contextnmt.files import (
    count_lines,
    read_json,
    read_lines,
    read_pairs,
    write_lines,
    write_pairs,
)
from contextnmt.text.counts import count_words
from contextnmt.training.environment import environment

#: Words of the vocabularies whose coverage is measured: the paper's, and a small one.
SIZES = (30_000, 5_000)

#: Pairs that are held out where a corpus has neither dev nor test.
HELD_OUT = 2_000

TYPES = {"N": "numbers", "S": "names", "C": "acronyms"}


class Corpus(NamedTuple):
    """A parallel corpus: its folders and its languages, source first."""

    name: str
    folders: list[Path]
    languages: tuple[str, str]


def parse_corpus(argument: str) -> Corpus:
    """A corpus from its folders joined by +. Raises UserError if a folder does not fit."""
    folders = [Path(folder) for folder in argument.split("+")]
    names, pairs = zip(*(folder.name.rsplit("_", 1) for folder in folders), strict=True)
    if len(set(pairs)) > 1 or pairs[0].count("-") != 1:
        raise UserError(f"{argument}: each folder needs a name like laws_en-fr, of one pair")
    source, target = pairs[0].split("-")
    return Corpus(" + ".join(names), folders, (source, target))


def run(command: str, *arguments: object) -> float:
    """Run a stage and return the seconds it took."""
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "contextnmt", command, *map(str, arguments)],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return time.monotonic() - started


def tokenized(corpus: Corpus, text: list[Path], out: Path) -> None:
    """Tokenize the pairs of files ``text``, ``{lang}`` in their names, as one text."""
    paths = [[Path(str(path).format(lang=lang)) for path in text] for lang in corpus.languages]
    raw = [out.with_name(f"{out.name}.raw.{lang}.gz") for lang in corpus.languages]
    pairs = chain.from_iterable(read_pairs(*both) for both in zip(*paths, strict=True))
    write_pairs(raw[0], raw[1], pairs)
    source, target = corpus.languages
    run(
        "tokenize", "--source", raw[0], "--target", raw[1],
        "--source-language", source, "--target-language", target,
        "--source-out", f"{out}.{source}.gz", "--target-out", f"{out}.{target}.gz",
    )  # fmt: skip


def prepare(corpus: Corpus, tests: Iterable[str], work: Path) -> list[str]:
    """Write train.{lang}.gz and the texts to score into `work`; return the names of the latter."""
    patterns = {}
    for split in ("dev", "test"):
        files = [folder / (split + ".{lang}.gz") for folder in corpus.folders]
        if len(files) == 1 and exists(files[0], corpus):
            patterns[split] = files
    for test in tests:
        if exists(Path(test), corpus):
            patterns[f"{Path(test).parent.name} {Path(test).name.split('.')[0]}"] = [Path(test)]
    tokenized(corpus, [folder / "train.{lang}.gz" for folder in corpus.folders], work / "train")
    for name, files in patterns.items():
        tokenized(corpus, files, work / name.replace(" ", "-"))
    names = [name.replace(" ", "-") for name in patterns]
    if "dev" not in patterns and "test" not in patterns and len(corpus.folders) == 1:
        hold_out(corpus, work)
        names.insert(0, "held-out")
    return names


def exists(pattern: Path, corpus: Corpus) -> bool:
    """Are there files of both languages?"""
    return all(Path(str(pattern).format(lang=lang)).is_file() for lang in corpus.languages)


def hold_out(corpus: Corpus, work: Path) -> None:
    """Move the last pairs of the training text to a text of their own."""
    for lang in corpus.languages:
        path = work / f"train.{lang}.gz"
        lines = list(read_lines(path))
        write_lines(path, islice(lines, len(lines) - HELD_OUT))
        write_lines(work / f"held-out.{lang}.gz", lines[-HELD_OUT:])


def measure(corpus: Corpus, tests: Iterable[str], work: Path) -> tuple[list[list[str]], Any, float]:
    """Rows of corpus statistics, the symbol scores, and the seconds that symbolize took."""
    texts = prepare(corpus, tests, work)
    source, target = corpus.languages
    languages = ["--source-language", source, "--target-language", target]
    seconds = run(
        "symbolize", "--source", work / f"train.{source}.gz", "--target",
        work / f"train.{target}.gz", *languages, "--out", work / "sym",
    )  # fmt: skip
    rows = list(statistics_rows(corpus, work))
    counts = {lang: work / f"counts.{lang}.tsv" for lang in corpus.languages}
    for lang, path in counts.items():
        words = count_words(work / f"train.{lang}.gz")
        write_lines(path, (f"{word}\t{count}" for word, count in words.most_common()))
    if texts:
        run(
            "symbol-scores", *languages, "--rates", work / "sym.rates.tsv",
            "--source-counts", counts[source], "--target-counts", counts[target],
            "--out", work / "scores.json",
            *chain.from_iterable(
                ("--name", name, "--source", work / f"{name}.{source}.gz",
                 "--target", work / f"{name}.{target}.gz")
                for name in texts
            ),
        )  # fmt: skip
    scores = read_json(work / "scores.json") if texts else {}
    return rows, scores, seconds


def statistics_rows(corpus: Corpus, work: Path) -> Iterator[list[str]]:
    """A row for each side: what symbolization does to its words."""
    for lang in corpus.languages:
        before = count_words(work / f"train.{lang}.gz")
        after = count_words(work / f"sym.{lang}.gz")
        found = [[statistics(counts, size) for size in SIZES] for counts in (before, after)]
        (plain, _), (symbolized, _) = found
        row = [corpus.name, lang]
        for quantity in ("total_words", "unique_words"):
            row.append(f"{plain[quantity]:,} → {symbolized[quantity]:,}")
        for one, other in zip(*found, strict=True):
            row.append(f"{one['coverage_percent']:.1f} → {other['coverage_percent']:.1f}")
        row += [f"{symbolized['symbol_percent'][kind]:.1f}" for kind in TYPES]
        yield row


def score_rows(corpus: Corpus, scores: Any) -> Iterator[list[str]]:
    """A row for each text: precision, recall and F1 of each type of symbol."""
    for name, text in scores.get("texts", {}).items():
        row = [corpus.name, "-".join(corpus.languages), name]
        for kind in TYPES:
            score = text["types"][kind]
            f1, *others = (
                "–" if score[f"{name}_percent"] is None else f"{score[f'{name}_percent']:.1f}"
                for name in ("f1", "precision", "recall")
            )
            row.append(f"{f1} ({' / '.join(others)}; {score['both_sides']})")
        yield row


def table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    """A Markdown table."""
    rule = ["---"] * len(head)
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]


def main(
    corpus: Annotated[list[str], typer.Argument(help="folder, or folders joined by +")],
    test: Annotated[
        list[str] | None, typer.Option(help="more text to score, {lang} in its path; repeatable")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Symbolize each CORPUS and tell what became of its words."""
    rows: list[list[str]] = []
    scores: list[list[str]] = []
    speeds: list[list[str]] = []
    for each in map(parse_corpus, corpus):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            some_rows, some_scores, seconds = measure(each, test or [], work)
            pairs = count_lines(work / f"sym.{each.languages[0]}.gz")
        rows += some_rows
        scores += score_rows(each, some_scores)
        speeds.append([each.name, "-".join(each.languages), f"{pairs:,}", f"{seconds:.0f}"])
    facts = environment()
    lines = [
        "# Symbolization of real text",
        "",
        f"Made by `python benchmarks/symbolization.py` at commit {facts['commit']}"
        f"{' with uncommitted changes' if facts['dirty'] else ''}, {date.today()}; "
        f"{facts['processor']}, {facts['cores']} cores; Python {facts['python']}.",
        "",
        "Training text before → after symbolization; coverage by the most frequent words, and the "
        "share of all words that are symbols, in percent:",
        "",
        *table(
            ["corpus", "side", "words", "different words"]
            + [f"covered by {size:,}" for size in SIZES]
            + list(TYPES.values()),
            rows,
        ),
        "",
        "Symbols made from the source alone, held against those made with both sides in sight: "
        "F1 in percent (precision / recall; symbols with both sides in sight):",
        "",
        *table(["trained on", "pair", "text", *TYPES.values()], scores),
        "",
        "Seconds of the command `symbolize`, counting the words included:",
        "",
        *table(["corpus", "pair", "pairs", "seconds"], speeds),
    ]
    print("\n".join(lines))
    if out:
        write_lines(out, lines)


if __name__ == "__main__":
    typer.run(main)
