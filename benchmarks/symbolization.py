"""Symbolization of real parallel text: Markdown tables.

Each corpus is a folder named like laws_en-fr, with train.en.gz and train.fr.gz in it, and dev.* and
test.* if it has them; else the last 2,000 pairs of the training text are held out. Folders joined
by + are one corpus. A text given by --test is scored with every corpus whose languages it has.

Names depend on a threshold, `text.symbol_threshold` of the workflow, so their scores are given at
several. Texts on which constants of contextnmt/text/rates.py were chosen are marked.

benchmarks/README.md has an example.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Annotated, NamedTuple

import typer
from pages import Out, made_by, publish, table

from contextnmt.corpus.counts import count_words
from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import statistics
from contextnmt.evaluation.symbol_scores import SymbolScores
from contextnmt.files import count_lines, read_lines, read_pairs, write_lines, write_pairs
from contextnmt.report.results import SYMBOL_TYPES
from contextnmt.text.pieces import tokens_of
from contextnmt.text.rates import THRESHOLD, Rates, read_rates
from contextnmt.text.symbol_tables import NAME
from contextnmt.text.symbolize import symbolize
from contextnmt.text.symbols import Side

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
    """The results of a corpus: rows of the tables."""

    words: list[list[str]]
    symbols: list[list[str]]
    names: list[list[str]]
    seconds: list[list[str]]


def parse_corpus(argument: str) -> Corpus:
    """A corpus from its folders joined by +. Raises UserError if a folder does not fit."""
    folders = tuple(Path(folder) for folder in argument.split("+"))
    names, pairs = zip(*(folder.name.rsplit("_", 1) for folder in folders), strict=True)
    if len(set(pairs)) > 1 or pairs[0].count("-") != 1:
        raise UserError(f"{argument}: each folder needs a name like laws_en-fr, of one pair")
    source, target = pairs[0].split("-")
    return Corpus(" + ".join(names), folders, (source, target))


def sides(pattern: object, languages: tuple[str, str]) -> tuple[Path, Path]:
    """The files of both languages of a pattern with ``{lang}`` in it, source first."""
    source, target = (Path(str(pattern).format(lang=lang)) for lang in languages)
    return source, target


def tokenized(corpus: Corpus, text: Iterable[Path], work: Path, name: str) -> None:
    """Tokenize files of pairs, each a pattern, as one text: `name`.{lang}.gz in `work`."""
    left, right = map(Tokenizer, corpus.languages)
    pairs = chain.from_iterable(read_pairs(*sides(each, corpus.languages)) for each in text)
    written = sides(work / f"{name}.{{lang}}.gz", corpus.languages)
    write_pairs(*written, ((left.line(source), right.line(target)) for source, target in pairs))


def prepare(corpus: Corpus, tests: Iterable[str], work: Path) -> list[str]:
    """Write train.{lang}.gz and the texts to score into `work`; return the names of the latter."""
    patterns: dict[str, Path] = {}
    if len(corpus.folders) == 1:
        own = corpus.folders[0]
        patterns = {split: own / f"{split}.{{lang}}.gz" for split in ("dev", "test")}
    for test in map(Path, tests):
        name = f"{test.parent.name}-{test.name.split('.')[0]}"
        patterns[name.replace(" ", "-")] = test
    tokenized(corpus, [folder / "train.{lang}.gz" for folder in corpus.folders], work, "train")
    found = []
    for name, pattern in patterns.items():
        if all(path.is_file() for path in sides(pattern, corpus.languages)):
            tokenized(corpus, [pattern], work, name)
            found.append(name)
    if {"dev", "test"} & {*found} or len(corpus.folders) > 1:
        return found
    for lang in corpus.languages:
        path = work / f"train.{lang}.gz"
        lines = list(read_lines(path))
        write_lines(path, lines[:-HELD_OUT_PAIRS])
        write_lines(work / f"{HELD_OUT}.{lang}.gz", lines[-HELD_OUT_PAIRS:])
    return [HELD_OUT, *found]


def measure(corpus: Corpus, tests: Iterable[str], work: Path) -> Measured:
    """Symbolize the training text of a corpus, and score its texts at every threshold."""
    texts, languages = prepare(corpus, tests, work), corpus.languages
    train, out = (sides(work / f"{name}.{{lang}}.gz", languages) for name in ("train", "symbols"))
    started = perf_counter()
    symbolize(train[0], *languages, work / "symbols", train[1])
    seconds = perf_counter() - started
    before, after = ([count_words(side, words=tokens_of) for side in text] for text in (train, out))
    known = Side(languages[0], before[0]), Side(languages[1], before[1])
    rates = Rates(read_rates(work / "symbols.rates.tsv"), before[0])
    words = [[corpus.name, *row] for row in map(words_row, languages, before, after)]
    pair, pairs = "-".join(languages), f"{count_lines(out[0]):,}"
    found = Measured(words, [], [], [[corpus.name, pair, pairs, f"{seconds:.0f}"]])
    for text in sorted(texts):
        looked_at = text == HELD_OUT or (corpus.name, text) == LOOKED_AT
        title = [corpus.name, pair, text + "\\*" * looked_at]
        found.names.append(title.copy())
        for threshold in THRESHOLDS:
            scores = SymbolScores(known, rates, threshold)
            scores.add(text, *sides(work / f"{text}.{{lang}}.gz", languages))
            types = {kind: shown(scores.scores(text, [kind])) for kind in SYMBOL_TYPES}
            found.names[-1].append(types[NAME])
            if threshold == THRESHOLD:
                found.symbols.append([*title, *types.values()])
    return found


def words_row(language: str, before: Counter[str], after: Counter[str]) -> Iterator[str]:
    """A row of the words of a side, before and after symbolization."""
    found = [[statistics(counts, size) for size in SIZES] for counts in (before, after)]
    (plain, _), (symbolized, _) = found
    yield language
    for quantity in ("total_words", "unique_words"):
        yield f"{plain[quantity]:,} → {symbolized[quantity]:,}"
    for one, other in zip(*found, strict=True):
        yield f"{one['coverage_percent']:.1f} → {other['coverage_percent']:.1f}"
    for kind in SYMBOL_TYPES:
        yield f"{symbolized['symbol_percent'][kind]:.1f}"


def shown(score: Mapping[str, float | None]) -> str:
    """F1 of a type of symbol, its precision and recall, and how many both sides have."""
    f1, *others = (
        "–" if score[f"{name}_percent"] is None else f"{score[f'{name}_percent']:.1f}"
        for name in ("f1", "precision", "recall")
    )
    return f"{f1} ({' / '.join(others)}; {score['both_sides']:,})"


def page(measured: Mapping[Corpus, Measured]) -> list[str | list[str]]:
    """The tables of all corpora."""
    words, symbols, names, seconds = map(chain.from_iterable, zip(*measured.values(), strict=True))
    sides = ["corpus", "side", "words", "different words"]
    sides += [f"covered by {size:,}" for size in SIZES]
    texts = ["trained on", "pair", "text"]
    return [
        WORDS_NOTES,
        table([*sides, *SYMBOL_TYPES.values()], words),
        SCORES_NOTES,
        table([*texts, *SYMBOL_TYPES.values()], symbols),
        f"The same of names at other thresholds than {THRESHOLD}:",
        table([*texts, *map(str, THRESHOLDS)], names),
        "Seconds of the command `symbolize`, counting the words included:",
        table(["corpus", "pair", "pairs", "seconds"], seconds),
    ]


def main(
    corpus: Annotated[list[str], typer.Argument(help="folder, or folders joined by +")],
    test: Annotated[list[str] | None, typer.Option(help="more text, {lang} in its path")] = None,
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
