"""A few test sentences with what each system makes of them."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.experiment import Experiment, match, pair_title, run_of

#: Sentences shown of each pair.
COUNT = 4
#: Words of a source sentence that is neither trivial nor too long to read in seven versions.
LENGTHS = range(6, 31)


@dataclass(frozen=True)
class Translation:
    """A system's output; a word is `True` if it occurs in the reference, as a word alone."""

    label: str
    words: list[tuple[str, bool]]


@dataclass(frozen=True)
class Example:
    """One line of a test text (from 1) with its translations, in the order of the systems."""

    line: int
    source: str
    reference: str
    translations: list[Translation]


@dataclass(frozen=True)
class PairExamples:
    """The examples of one language pair."""

    title: str
    source_language: str
    target_language: str
    examples: list[Example]


def examples(
    about: Experiment, source: list[Path], reference: list[Path], hypothesis: list[Path]
) -> list[PairExamples]:
    """The lines on which the systems differ most, of each pair's text.

    `source` and `reference` are one file a pair (``…/{pair}/{file}``), `hypothesis` one a pair and
    system, of the first seed. Raises UserError if a file is missing or lengths differ.
    """
    runs = [run for run in about.runs if run.seed == about.seeds[0]]
    hypotheses = match("--hypothesis", hypothesis, run_of, runs)
    sources = match("--source", source, folder_of, about.pairs)
    references = match("--reference", reference, folder_of, about.pairs)
    found = []
    for pair in about.pairs:
        files = [hypotheses[run] for run in runs if run.pair == pair]
        lines = together([sources[pair], references[pair], *files])
        chosen = heapq.nlargest(COUNT, enumerate(lines, start=1), key=interest)
        languages = source_and_target(pair)
        labels = [system.label for system in about.systems]
        shown = [example(number, texts, labels) for number, texts in sorted(chosen)]
        found.append(PairExamples(pair_title(pair), *languages, shown))
    return found


def source_and_target(pair: str) -> tuple[str, str]:
    """The languages of ``en-fr``."""
    source, target = pair.split("-")
    return source, target


def folder_of(path: Path) -> str:
    """The folder that holds `path`: for one file a pair, the pair."""
    return path.absolute().parent.name


def together(files: list[Path]) -> Iterator[tuple[str, ...]]:
    """The lines of all files side by side. Raises UserError if one ends before the others."""
    for number, texts in enumerate(zip_longest(*map(read_lines, files)), start=1):
        if None in texts:
            short = files[texts.index(None)]
            raise UserError(f"{short} ends before line {number}, unlike the other translations")
        yield texts


def interest(numbered: tuple[int, tuple[str, ...]]) -> tuple[bool, int, int]:
    """Order of choice: of a readable length, then the most different outputs, then the first."""
    number, (source, _, *outputs) = numbered
    return len(source.split()) in LENGTHS, len(set(outputs)), -number


def example(number: int, texts: tuple[str, ...], labels: list[str]) -> Example:
    """One line with its translations, each word compared with the reference."""
    source, reference, *outputs = texts
    known = set(reference.split())
    translations = [
        Translation(label, [(word, word in known) for word in output.split()])
        for label, output in zip(labels, outputs, strict=True)
    ]
    return Example(number, source, reference, translations)
