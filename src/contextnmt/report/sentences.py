"""Sentences with what each system makes of them: chosen ones, and those that differ most."""

import heapq
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, groupby
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.evaluation.translated_lines import translated_lines
from contextnmt.files import read_pairs
from contextnmt.report.experiment import Experiment, match, pair_title, run_of
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table

#: The lines of each text by its name.
Texts = Mapping[str, Sequence[str]]


class Place(NamedTuple):
    """A line of a text, counted from 1."""

    text: str
    line: int


def texts_of(about: Experiment, pair: str) -> list[str]:
    """The texts of a language pair that are translated: test texts first, then dev texts."""
    return list(dict.fromkeys([*about.test[pair], *about.dev[pair]]))


def text_of(path: Path) -> tuple[str, str]:
    """The language pair and the text of a file ``…/{pair}/{text}.{language}.gz``."""
    return path.absolute().parent.name, path.name.split(".")[0]


def place_of(words: str, sources: Texts) -> Place | None:
    """The first line, in the order of the texts, that has these words in a row; None if none has.

    Blanks do not count, so that words as a paper prints them are found in tokenized text
    (``Disney's efforts`` in ``Disney 's efforts``), but the first and the last word are whole.
    """
    wanted = "".join(words.split())
    for text, lines in sources.items():
        for number, line in enumerate(lines, start=1):
            if has(line.split(), wanted):
                return Place(text, number)
    return None


def has(tokens: Sequence[str], wanted: str) -> bool:
    """Whether some tokens in a row, without blanks between them, are `wanted`."""
    joined = "".join(tokens)
    start = joined.find(wanted)
    if start < 0:
        return False
    borders = {0, *accumulate(map(len, tokens))}
    while start >= 0:
        if {start, start + len(wanted)} <= borders:
            return True
        start = joined.find(wanted, start + 1)
    return False


def nowhere(words: str, sources: Texts) -> str:
    """What is said of words that no line has in a row."""
    return f"no sentence of {', '.join(sources)} has the words “{words}” in a row"


#: Sentences of each pair on which the systems differ most.
COUNT = 4


#: Words of a source sentence that is neither trivial nor too long to read in seven versions.
LENGTHS = range(6, 31)


#: Translation of a text by a system: pair, system, seed and file, ``test.beam12``.
Name = tuple[str, str, int, str]


#: A row of the table.
Row = dict[str, Any]


@dataclass(frozen=True)
class Output:
    """The lines of a translation or, in `gap`, why there are none."""

    lines: list[str]
    gap: str = ""

    def version(self, number: int) -> tuple[str, str]:
        """The line of a number (from 1) and the gap."""
        return ("", self.gap) if self.gap else (self.lines[number - 1], "")


@dataclass(frozen=True)
class Translation:
    """A system's output; a word is `True` if it occurs in the reference, as a word alone."""

    label: str
    words: list[tuple[str, bool]]
    gap: str


@dataclass(frozen=True)
class Example:
    """A sentence at a place (``test, line 17``) with its translations, in the order of the systems.

    `gap` says why there is none.
    """

    place: str
    gap: str
    source: str = ""
    reference: str = ""
    translations: list[Translation] = field(default_factory=list)


@dataclass(frozen=True)
class PairExamples:
    """The examples of one language pair: those `chosen`, and those of `text` that `differ` most."""

    title: str
    source_language: str
    target_language: str
    text: str
    chosen: list[Example]
    differ: list[Example]


def examples(
    source: list[Path],
    reference: list[Path],
    hypothesis: list[Path],
    about: Experiment,
) -> Table:
    """Set the translations of some sentences by all systems side by side.

    They are the experiment's `sentences`, and those lines of its first test text on which the
    systems differ most: in their words, on average over all pairs of systems. Translations are
    restored, of the first seed at the widest beam. A sentence that no text has, or a translation
    that is missing or too short, is a gap with its reason.
    """
    keys = [(pair, text) for pair in about.pairs for text in texts_of(about, pair)]
    sources = match("source", source, text_of, keys)
    references = match("reference", reference, text_of, keys)
    wanted = [
        (pair, system.id, about.seeds[0], f"{text}.beam{about.beam}")
        for pair, text in keys
        for system in about.systems
    ]
    given = set(map(name_of, hypothesis))
    hypotheses = match("hypothesis", hypothesis, name_of, [key for key in wanted if key in given])
    rows: list[Row] = []
    for pair in about.pairs:
        pair_texts = PairTexts(about, pair)
        for text in texts_of(about, pair):
            pair_texts.read(text, sources[pair, text], references[pair, text], hypotheses)
        rows += pair_texts.rows()
    gaps = [f"{pair_title(row['pair'])}: {row['gap']}" for row in rows if not row["text"]]
    return Table(list(blocks(about, rows)), rows, gaps + stale_notes(about))


def name_of(path: Path) -> Name:
    """What `path` is the translation of, by the folders above it and its name."""
    return (*run_of(path), path.name.removesuffix(".gz"))


class PairTexts:
    """The texts of one language pair with their translations."""

    def __init__(self, about: Experiment, pair: str) -> None:
        self.about, self.pair = about, pair
        self.sources: dict[str, list[str]] = {}
        self.references: dict[str, list[str]] = {}
        self.outputs: dict[str, list[Output]] = {}  # in the order of the systems

    def read(self, text: str, source: Path, reference: Path, hypotheses: dict[Name, Path]) -> None:
        """Add a text. Raises UserError if source and reference differ in length."""
        lines = list(read_pairs(source, reference))
        self.sources[text] = [line[0] for line in lines]
        self.references[text] = [line[1] for line in lines]
        self.outputs[text] = []
        for system in self.about.systems:
            name = f"{text}.beam{self.about.beam}"
            path = hypotheses.get((self.pair, system.id, self.about.seeds[0], name))
            gap = self.about.gap(self.pair, system.id)
            self.outputs[text].append(read_output(path, name, len(lines), gap))

    def rows(self) -> Iterator[Row]:
        """What the table holds of the chosen sentences and of those that differ most."""
        for words in self.about.sentences.get(self.pair, []):
            place = place_of(words, self.sources)
            if place is None:
                row = {
                    "words": words,
                    "version": "",
                    "tokens": "",
                    "gap": nowhere(words, self.sources),
                }
                yield {"pair": self.pair, "text": "", "line": None, **row}
            else:
                yield from self.versions(place, words)
        for place in self.most_different(self.about.test[self.pair][0]):
            yield from self.versions(place, "")

    def most_different(self, text: str) -> list[Place]:
        """The lines on which the systems that have translations differ most, in their order.

        Those of a readable length come before others, and of equals the first. There is none if
        fewer than two systems have translations, or all have the same.
        """
        outputs = [output.lines for output in self.outputs[text] if not output.gap]
        distances = [distance(versions) for versions in zip(*outputs, strict=True)]
        of_lines = zip(self.sources[text], distances, strict=False)  # without systems none
        order = [
            (len(source.split()) in LENGTHS, apart, -number)
            for number, (source, apart) in enumerate(of_lines, start=1)
            if apart
        ]
        return sorted(Place(text, -negative) for *_, negative in heapq.nlargest(COUNT, order))

    def versions(self, place: Place, words: str) -> Iterator[Row]:
        """Source, reference and translations of a line, a row each."""
        text, number = place
        systems = [system.id for system in self.about.systems]
        versions = [
            ("source", (self.sources[text][number - 1], "")),
            ("reference", (self.references[text][number - 1], "")),
            *zip(systems, (each.version(number) for each in self.outputs[text]), strict=True),
        ]
        for version, (tokens, gap) in versions:
            row = {"words": words, "version": version, "tokens": tokens, "gap": gap}
            yield {"pair": self.pair, "text": text, "line": number, **row}


def read_output(path: Path | None, name: str, count: int, gap: str = "") -> Output:
    """The translation in a file, or why it is of no use: not there, or not of `count` lines.

    `gap` says why its system is not finished, if it is not.
    """
    if gap:
        return Output([], gap)
    if path is None:
        return Output([], f"no {name}: not translated")
    try:
        return Output(translated_lines(path, "its source", count))
    except UserError as error:
        return Output([], str(error))


def source_and_target(pair: str) -> tuple[str, str]:
    """The languages of ``en-fr``."""
    source, target = pair.split("-")
    return source, target


def folder_of(path: Path) -> str:
    """The folder that holds `path`: for one file a pair, the pair."""
    return path.absolute().parent.name


def distance(versions: Sequence[str]) -> float:
    """How different some translations of a sentence are, from 0 (the same words) to 1.

    The mean over all pairs of them of the share of their words that the other one does not have,
    each word as often as it is there; its place does not count. 0 of fewer than two.
    """
    words = [Counter(version.split()) for version in versions]
    shares = [
        1 - 2 * (one & other).total() / total if (total := one.total() + other.total()) else 0.0
        for one, other in combinations(words, 2)
    ]
    return statistics.fmean(shares) if shares else 0.0


def blocks(about: Experiment, rows: list[Row]) -> Iterator[Block]:
    """What a reader sees, a block a sentence."""
    for sentence in sentences(rows):
        first = sentence[0]
        if first["text"]:
            chosen = " (chosen)" if first["words"] else ""
            title = f"{about.pair_title(first['pair'])}, {place(first)}{chosen}"
            cells = [Cell(row["tokens"] or NONE, row["gap"]) for row in sentence]
            labels = ["Source", "Reference", *about.labels(first["pair"]).values()]
            shown = [(label, [cell]) for label, cell in zip(labels, cells, strict=True)]
            yield Block(title, [("tokens",)], shown, text_columns=1)


def sentences(rows: list[Row]) -> Iterator[list[Row]]:
    """The rows of each sentence."""
    keys = ("pair", "text", "line", "words")
    yield from (list(group) for _, group in groupby(rows, lambda row: [row[key] for key in keys]))


def place(row: Row) -> str:
    """``test, line 1,017``."""
    return f"{row['text']}, line {row['line']:,}"


def shown_examples(about: Experiment, rows: list[Row]) -> list[PairExamples]:
    """The examples of each pair as the page shows them, from the rows of the table."""
    found = []
    for pair in about.pairs:
        of_pair = [rows for rows in sentences(rows) if rows[0]["pair"] == pair]
        chosen, differ = (
            [example(about, rows) for rows in of_pair if bool(rows[0]["words"]) == wanted]
            for wanted in (True, False)
        )
        languages, text = source_and_target(pair), about.test[pair][0]
        found.append(PairExamples(pair_title(pair), *languages, text, chosen, differ))
    return found


def example(about: Experiment, rows: list[Row]) -> Example:
    """One sentence with its translations, each word compared with the reference."""
    if not rows[0]["text"]:
        return Example("", rows[0]["gap"])
    source, reference, *outputs = rows
    known = set(reference["tokens"].split())
    translations = [
        Translation(label, [(word, word in known) for word in row["tokens"].split()], row["gap"])
        for label, row in zip(about.labels(source["pair"]).values(), outputs, strict=True)
    ]
    return Example(place(source), "", source["tokens"], reference["tokens"], translations)
