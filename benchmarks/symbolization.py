"""Symbolization of real parallel text: Markdown tables.

Each corpus is a folder named like laws_en-fr, with train.en.gz and train.fr.gz in it, and dev.* and
test.* if it has them; else the last 2,000 pairs of the training text are held out. Folders joined
by + are one corpus. A text given by --test is scored with every corpus whose languages it has.

Names depend on a threshold, `text.symbol_threshold` of the workflow, so their scores are given at
several. Texts on which constants of contextnmt/text/rates.py were chosen are marked.

Example: python benchmarks/symbolization.py data/laws_en-fr data/bible_en-fr+data/docs_en-fr
--test 'data/flores/devtest.{lang}.gz' --out benchmarks/published/symbolization.md
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from calls import contextnmt
from pages import Out, made_by, publish, table

from contextnmt.corpus.counts import count_words
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
from contextnmt.report.results import SYMBOL_TYPES
from contextnmt.text.pieces import tokens_of
from contextnmt.text.rates import THRESHOLD
from contextnmt.text.symbols import NAME

#: Words of the vocabularies whose coverage is measured: the paper's, and a small one.
SIZES = (30_000, 5_000)

#: Pairs that are held out where a corpus has neither dev nor test.
HELD_OUT_PAIRS = 2_000

#: Names are scored at these thresholds, the default among them.
THRESHOLDS = (0.2, THRESHOLD, 0.35, 0.4, 0.5)

#: What the held-out pairs are called; they, and this text of a corpus, were looked at when the
#: constants of contextnmt/text/rates.py were chosen.
HELD_OUT = "held-out"
LOOKED_AT = ("canada-laws", "dev")

WORDS_NOTES = """
Training text before → after symbolization; coverage by the most frequent words, and the share of
all words that are symbols, in percent:
"""

SCORES_NOTES = """
Symbols made from the source alone, held against those made with both sides in sight: F1 in percent
(precision / recall; symbols with both sides in sight). With an asterisk: looked at when the
constants of `contextnmt/text/rates.py` were chosen. The other texts were not, and are the results.
"""


class Corpus(NamedTuple):
    """A parallel corpus: its folders and its languages, source first."""

    name: str
    folders: tuple[Path, ...]
    languages: tuple[str, str]


class Measured(NamedTuple):
    """The results of a corpus."""

    statistics: list[list[str]]  # rows of the table
    scores: Mapping[float, Any]  # threshold -> the texts of a file of symbol scores
    pairs: int
    seconds: float  # that symbolize took


def parse_corpus(argument: str) -> Corpus:
    """A corpus from its folders joined by +. Raises UserError if a folder does not fit."""
    folders = tuple(Path(folder) for folder in argument.split("+"))
    names, pairs = zip(*(folder.name.rsplit("_", 1) for folder in folders), strict=True)
    if len(set(pairs)) > 1 or pairs[0].count("-") != 1:
        raise UserError(f"{argument}: each folder needs a name like laws_en-fr, of one pair")
    source, target = pairs[0].split("-")
    return Corpus(" + ".join(names), folders, (source, target))


def tokenized(corpus: Corpus, text: list[Path], out: Path) -> None:
    """Tokenize the pairs of files ``text``, ``{lang}`` in their names, as one text."""
    paths = [[Path(str(path).format(lang=lang)) for path in text] for lang in corpus.languages]
    source, target = (Path(f"{out}.raw.{lang}.gz") for lang in corpus.languages)
    pairs = chain.from_iterable(read_pairs(*both) for both in zip(*paths, strict=True))
    write_pairs(source, target, pairs)
    written = both(corpus, "--{}-out", f"{out}.{{lang}}.gz")
    read = both(corpus, "--{}", f"{out}.raw.{{lang}}.gz")
    contextnmt("tokenize", *read, *both(corpus, "--{}-language", "{lang}"), *written)


def both(corpus: Corpus, option: str, value: str) -> list[str]:
    """An option of either side, as ``--{}-out``, whose value has ``{lang}`` in it."""
    sides = zip(("source", "target"), corpus.languages, strict=True)
    return [word for side, lang in sides for word in (option.format(side), value.format(lang=lang))]


def prepare(corpus: Corpus, tests: Iterable[str], work: Path) -> list[str]:
    """Write train.{lang}.gz and the texts to score into `work`; return the names of the latter."""
    patterns = {}
    for split in ("dev", "test"):
        files = [folder / (split + ".{lang}.gz") for folder in corpus.folders]
        if len(files) == 1 and exists(files[0], corpus):
            patterns[split] = files
    for test in tests:
        if exists(Path(test), corpus):
            name = f"{Path(test).parent.name}-{Path(test).name.split('.')[0]}"
            patterns[name.replace(" ", "-")] = [Path(test)]
    tokenized(corpus, [folder / "train.{lang}.gz" for folder in corpus.folders], work / "train")
    for name, files in patterns.items():
        tokenized(corpus, files, work / name)
    if patterns.keys() & {"dev", "test"} or len(corpus.folders) > 1:
        return list(patterns)
    hold_out(corpus, work)
    return [HELD_OUT, *patterns]


def exists(pattern: Path, corpus: Corpus) -> bool:
    """Are there files of both languages?"""
    return all(Path(str(pattern).format(lang=lang)).is_file() for lang in corpus.languages)


def hold_out(corpus: Corpus, work: Path) -> None:
    """Move the last pairs of the training text to a text of their own."""
    for lang in corpus.languages:
        path = work / f"train.{lang}.gz"
        lines = list(read_lines(path))
        write_lines(path, islice(lines, len(lines) - HELD_OUT_PAIRS))
        write_lines(work / f"{HELD_OUT}.{lang}.gz", lines[-HELD_OUT_PAIRS:])


def measure(corpus: Corpus, tests: Iterable[str], work: Path) -> Measured:
    """Symbolize the training text of a corpus, and score its texts at every threshold."""
    texts = prepare(corpus, tests, work)
    languages = both(corpus, "--{}-language", "{lang}")
    train = both(corpus, "--{}", f"{work}/train.{{lang}}.gz")
    _, cost = contextnmt("symbolize", *train, *languages, "--out", work / "sym")
    for lang in corpus.languages:
        words = count_words(work / f"train.{lang}.gz", words=tokens_of)
        counts = (f"{word}\t{count}" for word, count in words.most_common())
        write_lines(work / f"counts.{lang}.tsv", counts)
    given = [*languages, "--rates", work / "sym.rates.tsv", "--out", work / "scores.json"]
    given += both(corpus, "--{}-counts", f"{work}/counts.{{lang}}.tsv")
    for name in texts:
        given += ["--name", name, *both(corpus, "--{}", f"{work}/{name}.{{lang}}.gz")]
    scores = {}
    for threshold in THRESHOLDS if texts else ():
        contextnmt("symbol-scores", *given, "--threshold", threshold)
        scores[threshold] = read_json(work / "scores.json")["texts"]
    pairs = count_lines(work / f"sym.{corpus.languages[0]}.gz")
    return Measured(list(statistics_rows(corpus, work)), scores, pairs, cost.wall)


def statistics_rows(corpus: Corpus, work: Path) -> Iterator[list[str]]:
    """A row for each side: what symbolization does to its words."""
    for lang in corpus.languages:
        before = count_words(work / f"train.{lang}.gz", words=tokens_of)
        after = count_words(work / f"sym.{lang}.gz", words=tokens_of)
        found = [[statistics(counts, size) for size in SIZES] for counts in (before, after)]
        (plain, _), (symbolized, _) = found
        row = [corpus.name, lang]
        for quantity in ("total_words", "unique_words"):
            row.append(f"{plain[quantity]:,} → {symbolized[quantity]:,}")
        for one, other in zip(*found, strict=True):
            row.append(f"{one['coverage_percent']:.1f} → {other['coverage_percent']:.1f}")
        row += [f"{symbolized['symbol_percent'][kind]:.1f}" for kind in SYMBOL_TYPES]
        yield row


def title(corpus: Corpus, text: str) -> list[str]:
    """The first cells of a scored text; an asterisk says that constants were chosen on it."""
    looked_at = text == HELD_OUT or (corpus.name, text) == LOOKED_AT
    mark = "\\*" if looked_at else ""
    return [corpus.name, "-".join(corpus.languages), text + mark]


def shown(score: Mapping[str, float | None]) -> str:
    """F1 of a type of symbol, its precision and recall, and how many both sides have."""
    f1, *others = (
        "–" if score[f"{name}_percent"] is None else f"{score[f'{name}_percent']:.1f}"
        for name in ("f1", "precision", "recall")
    )
    return f"{f1} ({' / '.join(others)}; {score['both_sides']:,})"


def score_rows(corpus: Corpus, scores: Mapping[float, Any]) -> Iterator[list[str]]:
    """A row for each text: the scores of each type of symbol."""
    for text, entry in scores.get(THRESHOLD, {}).items():
        yield title(corpus, text) + [shown(entry["types"][kind]) for kind in SYMBOL_TYPES]


def sweep_rows(corpus: Corpus, scores: Mapping[float, Any]) -> Iterator[list[str]]:
    """A row for each text: the scores of names at each threshold."""
    for text in scores.get(THRESHOLD, {}):
        cells = [shown(scores[threshold][text]["types"][NAME]) for threshold in THRESHOLDS]
        yield title(corpus, text) + cells


def page(measured: Mapping[Corpus, Measured]) -> list[str | list[str]]:
    """The tables of all corpora."""
    about = ["trained on", "pair", "text"]
    words = ["corpus", "side", "words", "different words"]
    return [
        WORDS_NOTES,
        table(
            [*words, *(f"covered by {size:,}" for size in SIZES), *SYMBOL_TYPES.values()],
            chain.from_iterable(found.statistics for found in measured.values()),
        ),
        SCORES_NOTES,
        table(
            about + list(SYMBOL_TYPES.values()),
            chain.from_iterable(score_rows(each, found.scores) for each, found in measured.items()),
        ),
        f"The same of names at other thresholds than {THRESHOLD}:",
        table(
            about + [f"{threshold}" for threshold in THRESHOLDS],
            chain.from_iterable(sweep_rows(each, found.scores) for each, found in measured.items()),
        ),
        "Seconds of the command `symbolize`, counting the words included:",
        table(
            ["corpus", "pair", "pairs", "seconds"],
            (
                [each.name, "-".join(each.languages), f"{found.pairs:,}", f"{found.seconds:.0f}"]
                for each, found in measured.items()
            ),
        ),
    ]


def main(
    corpus: Annotated[list[str], typer.Argument(help="folder, or folders joined by +")],
    test: Annotated[
        list[str] | None, typer.Option(help="more text to score, {lang} in its path; repeatable")
    ] = None,
    out: Out = None,
) -> None:
    """Symbolize each CORPUS and tell what became of its words."""
    measured = {}
    for each in map(parse_corpus, corpus):
        with tempfile.TemporaryDirectory() as folder:
            measured[each] = measure(each, test or [], Path(folder))
    publish(out, "# Symbolization of real text", made_by(), *page(measured))


if __name__ == "__main__":
    typer.run(main)
