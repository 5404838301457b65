"""Sentences with what each system makes of them: chosen ones, and those that differ most."""

import heapq
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.evaluation.outputs import translated_lines
from contextnmt.files import read_pairs
from contextnmt.report.results import Results, pair_title
from contextnmt.report.tables import NONE, Block, Cell, Row, Table

#: Sentences of each pair on which the systems differ most.
COUNT = 4

#: Words of a source sentence that is neither trivial nor too long to read in seven versions.
LENGTHS = range(6, 31)


class Place(NamedTuple):
    """A line of a text, counted from 1; shown as ``test, line 1,017``."""

    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.text}, line {self.line:,}"


class Output(NamedTuple):
    """The lines of a translation or, in `gap`, why there are none."""

    lines: Sequence[str]
    gap: str = ""


def examples(results: Results) -> Table:
    """Set the translations of some sentences by all systems side by side.

    They are the experiment's `sentences`, and those lines of its first test text on which the
    systems differ most: in their words, on average over all pairs of systems. Translations are
    restored, of the first seed at the widest beam. A sentence that no text has, or a translation
    that is damaged or too short, is a gap with its reason.
    """
    rows = [row for pair in results.pairs for row in rows_of(results, pair)]
    gaps = [f"{pair_title(row['pair'])}: {row['gap']}" for row in rows if not row["text"]]
    return Table(list(blocks(results, rows)), rows, gaps)


def rows_of(results: Results, pair: str) -> Iterator[Row]:
    """The chosen sentences of a language pair, then those that differ most: a row per version."""
    texts = {text: versions(results, pair, text) for text in results.texts(pair)}
    sources = {text: named[0][1].lines for text, named in texts.items()}
    first = results.test[pair][0]
    outputs = [output.lines for _, output in texts[first][2:] if not output.gap]
    places = [
        *((words, place_of(words, sources)) for words in results.sentences.get(pair, [])),
        *(("", Place(first, line)) for line in most_different(sources[first], outputs)),
    ]
    for words, place in places:
        text, line = ("", None) if isinstance(place, str) else place
        named = texts[text] if text else [("", Output([], str(place)))]
        for version, output in named:
            yield {
                "pair": pair,
                "text": text,
                "line": line,
                "words": words,
                "version": version,
                "tokens": output.lines[line - 1] if line and not output.gap else "",
                "gap": output.gap,
            }


def versions(results: Results, pair: str, text: str) -> list[tuple[str, Output]]:
    """Source and reference of a text and the translations by all systems, with their names.

    Raises UserError if source and reference differ in length.
    """
    sides = read_sides(results, pair, text)
    found = [
        ("source", Output([source for source, _ in sides])),
        ("reference", Output([reference for _, reference in sides])),
    ]
    for system in results.systems:
        lines, gap = list[str](), results.gap(pair, system.id)
        if not gap:
            path = results.translation("restore", pair, system.id, text)
            try:
                lines = translated_lines(path, "its source", len(sides))
            except UserError as error:
                gap = str(error)
        found.append((system.id, Output(lines, gap)))
    return found


def read_sides(results: Results, pair: str, text: str) -> list[tuple[str, str]]:
    """Source and reference of each line of a text. Raises UserError if they differ in length."""
    return list(read_pairs(results.side(pair, text, 0), results.side(pair, text, 1)))


def place_of(words: str, sources: Mapping[str, Sequence[str]]) -> Place | str:
    """The first line, in the order of the texts, that has these words in a row, or a note on none.

    Blanks do not count, so that words as a paper prints them are found in tokenized text
    (``Disney's efforts`` in ``Disney 's efforts``), but the first and the last word are whole.
    """
    wanted = "".join(words.split())
    for text, lines in sources.items():
        for number, line in enumerate(lines, start=1):
            if has(line.split(), wanted):
                return Place(text, number)
    return f"no sentence of {', '.join(sources)} has the words “{words}” in a row"


def has(tokens: Sequence[str], wanted: str) -> bool:
    """Whether some tokens in a row, without blanks between them, are `wanted`."""
    joined = "".join(tokens)
    if wanted not in joined:
        return False
    borders = set(accumulate(map(len, tokens), initial=0))
    return any(joined.startswith(wanted, at) and at + len(wanted) in borders for at in borders)


def most_different(source: Sequence[str], outputs: list[Sequence[str]]) -> list[int]:
    """The lines on which translations of a text differ most, in their order.

    Those of a readable length come before others, and of equals the first. There is none if there
    are fewer than two translations, or all are the same.
    """
    distances = map(distance, zip(*outputs, strict=True))
    order = [
        (len(line.split()) in LENGTHS, apart, -number)
        for number, (line, apart) in enumerate(zip(source, distances, strict=False), start=1)
        if apart
    ]
    return sorted(-negative for *_, negative in heapq.nlargest(COUNT, order))


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


def blocks(results: Results, rows: list[Row]) -> Iterator[Block]:
    """Lay out the table, a block per sentence."""
    for sentence in sentences(rows):
        first = sentence[0]
        if first["text"]:
            title = f"{results.pair_title(first['pair'])}, {Place(first['text'], first['line'])}"
            labels = ["Source", "Reference", *results.labels(first["pair"]).values()]
            yield sentence_block(f"{title}{' (chosen)' * bool(first['words'])}", labels, sentence)


def sentence_block(title: str, labels: Iterable[str], rows: list[Row]) -> Block:
    """The versions of a sentence, one below the other."""
    cells = ([Cell(row["tokens"] or NONE, row["gap"])] for row in rows)
    return Block(title, [("tokens",)], list(zip(labels, cells, strict=True)), text_columns=1)


def sentences(rows: list[Row]) -> Iterator[list[Row]]:
    """The rows of each sentence."""
    of = itemgetter("pair", "text", "line", "words")
    return (list(group) for _, group in groupby(rows, of))


def shown_examples(results: Results, rows: list[Row]) -> list[dict[str, Any]]:
    """The examples of each pair as the page shows them, from the rows of the table.

    `chosen` and `differ` have the rows of each sentence; one that no text has is a gap.
    """
    found = list(sentences(rows))
    return [
        {
            "title": pair_title(pair),
            "languages": pair.split("-"),
            "text": results.test[pair][0],
            "labels": results.labels(pair),
            "chosen": [each for each in found if each[0]["pair"] == pair and each[0]["words"]],
            "differ": [each for each in found if each[0]["pair"] == pair and not each[0]["words"]],
        }
        for pair in results.pairs
    ]
