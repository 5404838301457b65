"""The test sentences in which two systems differ most, for every two systems.

By the chrF of each sentence (chrF2 of sacreBLEU with its defaults), since BLEU says little of a
single one: it is 0 for most that have no four words in a row of the reference.
"""

import heapq
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, combinations, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sacrebleu.metrics.chrf import CHRF

from contextnmt.corpus.counts import read_counts
from contextnmt.report.results import Results
from contextnmt.report.sentences import Place, sentence_block, versions
from contextnmt.report.tables import Block, Row, Table, shown, signed
from contextnmt.text.names import Span, sentence_of
from contextnmt.text.pieces import JOIN, split_pieces, tokens_of
from contextnmt.text.symbols import Side, matching_spans
from contextnmt.text.vocabulary import UNKNOWN, Vocabulary

#: Sentences of each direction: those that a method makes better, and those that it makes worse.
COUNT = 3

#: Why two systems are compared: they differ in a method alone, a claim of the paper is about them,
#: or both are there.
METHOD, CLAIM, OTHER = "method", "claim", "other"

#: The columns that count the sentences of the text.
COUNTS = ("better", "worse", "equal")

#: Type of a symbol -> what a word that it would stand for is. Each has a column with an ``s``.
KINDS = {"N": "number", "S": "name", "C": "acronym"}


class Comparison(NamedTuple):
    """Two systems that are compared, by their ids.

    `method` is empty if they do not differ in one alone.
    """

    kind: str
    method: str
    present: str
    without: str


def differences(results: Results) -> Table:
    """Show the sentences that a system makes better and worse than another: each pair of systems.

    By the chrF of the sentence, in the first test text. First come the systems that differ in a
    method alone, then those of the paper's claims, then all others. Translations are restored, of
    the first seed at the widest beam; one that is damaged or too short is a gap with its reason.
    """
    rows = [row for pair in results.pairs for row in rows_of(results, pair)]
    found = list(shown_differences(results, rows))
    return Table(list(blocks(results, found)), rows, notes(results, found))


def rows_of(results: Results, pair: str) -> Iterator[Row]:
    """The comparisons in a language pair: a row per version of each sentence, or a gap."""
    translated = Translated(results, pair)
    for comparison in comparisons(results):
        both = comparison.present, comparison.without
        row = {
            "pair": pair,
            **comparison._asdict(),
            **dict.fromkeys(COUNTS),
            **{"text": translated.text, "line": None, "gain": None},
            **version("", "", {}, set()),
            "gap": "; ".join(dict.fromkeys(filter(None, map(translated.gaps.get, both)))),
        }
        if row["gap"]:
            yield row
            continue
        scores = zip(*map(translated.scores.__getitem__, both), strict=True)
        gains = [present - without for present, without in scores]
        better, worse = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        row |= {"better": better, "worse": worse, "equal": len(gains) - better - worse}
        if not better + worse:
            yield row | {"gap": "no sentence differs in its chrF"}
        for line in most_changed(gains):
            row |= {"line": line + 1, "gain": gains[line]}
            for each in translated.versions(line, *both):
                yield row | each


def comparisons(results: Results) -> Iterator[Comparison]:
    """Every two systems that are there: those of the methods, of claims, and all others.

    Each two once, but for what is a contrast of several methods. Of the others, the later system
    over the earlier one.
    """
    systems = [system.id for system in results.systems]
    methods = (Comparison(METHOD, x.id, *both) for x in results.methods for both in x.contrasts)
    claims = (Comparison(CLAIM, "", *both) for claim in results.claims for both in claim.contrasts)
    others = (Comparison(OTHER, "", later, first) for first, later in combinations(systems, 2))
    compared: set[frozenset[str]] = set()
    for each in (*methods, *claims, *others):
        both = frozenset((each.present, each.without))
        if both <= set(systems) and (each.kind == METHOD or both not in compared):
            compared.add(both)
            yield each


def most_changed(gains: list[float]) -> list[int]:
    """The lines (from 0) with the greatest gains, then with the greatest losses.

    Of equals the first.
    """
    lines = range(len(gains))
    up = heapq.nlargest(COUNT, lines, key=gains.__getitem__)
    down = heapq.nsmallest(COUNT, lines, key=gains.__getitem__)
    return [line for line in up if gains[line] > 0] + [line for line in down if gains[line] < 0]


class Translated:
    """The first test text of a language pair with the translations of all systems."""

    def __init__(self, results: Results, pair: str) -> None:
        self.text = results.test[pair][0]
        counts = map(read_counts, results.word_counts(pair))
        languages = zip(pair.split("-"), counts, strict=True)
        self.sides = [Side(*language, results.external_rules) for language in languages]
        size = results.vocabulary_size
        self.known = set(Vocabulary.most_frequent(self.sides[0].counts, size).words)
        named, labels = versions(results, pair, self.text), results.labels(pair)
        self.gaps = {
            system: (f"{labels[system]}: " if results.gap(pair, system) else "") + output.gap
            for system, output in named
            if output.gap
        }
        self.lines = {name: output.lines for name, output in named if not output.gap}
        metric = CHRF()

        @cache  # of systems that translate alike, once
        def chrf(line: str, reference: str) -> float:
            return float(metric.sentence_score(line, [reference]).score)

        self.scores = {
            system: [*map(chrf, self.lines[system], self.lines["reference"])]
            for system in labels
            if system in self.lines
        }

    def versions(self, number: int, present: str, without: str) -> Iterator[Row]:
        """The versions of a line (from 0)."""
        source, reference, *others = (
            self.lines[name][number] for name in ("source", "reference", without, present)
        )
        unknown = set(tokens_of(source)) - self.known
        yield version("source", source, self.spans(source, reference, 0), unknown)
        yield version("reference", reference, self.spans(source, reference, 1), set())
        for system, line in zip((without, present), others, strict=True):
            yield version(system, line, self.spans(source, line, 1), {UNKNOWN})

    def spans(self, source: str, other: str, side: int) -> dict[str, Span]:
        """Find what symbolization would replace in a source sentence (side 0) and another (1)."""
        pairs = matching_spans(sentence_of(source), sentence_of(other), *self.sides)
        return {symbol: pair[side] for symbol, pair in pairs.items()}


def version(name: str, line: str, spans: dict[str, Span], unknown: set[str]) -> Row:
    """A version of a sentence: its tokens, and the positions, from 1, of those with marks.

    Tokens that a span touches have its kind.
    """
    tokens = tokens_of(line)
    starts = (not piece.startswith(JOIN) for piece in split_pieces(line)[1:])
    token_of = list(accumulate(starts, initial=1))  # of each piece
    kinds = {
        token_of[place]: KINDS[symbol[1]] for symbol, span in spans.items() for place in span.places
    }
    marks = {f"{kind}s": [n for n in sorted(kinds) if kinds[n] == kind] for kind in KINDS.values()}
    marks["unknown"] = [number for number, text in enumerate(tokens, start=1) if text in unknown]
    positions = {column: " ".join(map(str, numbers)) for column, numbers in marks.items()}
    return {"version": name, "tokens": " ".join(tokens), **positions}


class Word(NamedTuple):
    """A token; `kind` is one of `KINDS` or empty.

    Numbers, names and acronyms are those that symbolization would find in both the source and this
    sentence (A27 to A31): one that is marked in the source and not in a translation got lost. Those
    of the source are the ones that it shares with the reference.

    `unknown`: in the source, a word outside the vocabulary of a model without subwords and symbols;
    in a translation, an unknown word that was left in it.
    """

    text: str
    kind: str
    unknown: bool


def words_in(row: Row) -> list[Word]:
    """The words of a row with their marks."""
    kinds = {place: kind for kind in KINDS.values() for place in row[f"{kind}s"].split()}
    unknown = row["unknown"].split()
    numbered = enumerate(tokens_of(row["tokens"]), start=1)
    return [Word(text, kinds.get(str(n), ""), str(n) in unknown) for n, text in numbered]


def shown_differences(results: Results, rows: list[Row]) -> Iterator[dict[str, Any]]:
    """Each comparison as the page shows it, from the rows of the table.

    It has the columns of its first row, a `title` such as ``contextualization (C), +Context (C)
    over Baseline``, the `labels` of the versions of a sentence, and the sentences of which the
    system makes more (`gains`) and less (`losses`): the rows of their versions, with `words`.
    """
    about = {method.id: f"{method.name}, " for method in results.methods}
    for (pair, kind, method, *both), group in groupby(
        rows, itemgetter("pair", *Comparison._fields)
    ):
        of_both = list(group)
        present, without = map(results.labels(pair).__getitem__, both)
        claimed = "a claim of the paper, " if kind == CLAIM else ""
        worded = (row | {"words": words_in(row)} for row in of_both if row["version"])
        sentences = [list(each) for _, each in groupby(worded, itemgetter("line", "gain"))]
        yield of_both[0] | {
            "title": f"{about.get(method, claimed)}{present} over {without}",
            "labels": ("Source", "Reference", without, present),
            "gains": [each for each in sentences if each[0]["gain"] > 0],
            "losses": [each for each in sentences if each[0]["gain"] < 0],
        }


def blocks(results: Results, contrasts: list[dict[str, Any]]) -> Iterator[Block]:
    """Lay out the table: numbers of better and worse sentences, then a block per sentence."""
    for pair, group in groupby(contrasts, itemgetter("pair")):
        columns = [("better",), ("worse",), ("the same",)]
        counts = [(each["title"], [shown(each[key], "{:,}") for key in COUNTS]) for each in group]
        yield Block(f"{results.pair_title(pair)}, sentences", columns, counts)
    for each in contrasts:
        heading = f"{results.pair_title(each['pair'])}, {each['title']}"
        for rows in each["gains"] + each["losses"]:
            place = Place(each["text"], rows[0]["line"])
            title = f"{heading}: {place}, {signed(rows[0]['gain'], 1)} chrF"
            yield sentence_block(title, each["labels"], rows)


def notes(results: Results, contrasts: list[dict[str, Any]]) -> list[str]:
    """Notes of the table.

    Of the many pairs that nothing is said of, the gaps have one note.
    """
    if not contrasts:
        return ["There is no second system to differ from."]
    gaps = [
        f"{results.pair_title(each['pair'])}, {each['title']}: {each['gap']}."
        for each in contrasts
        if each["gap"] and each["kind"] != OTHER
    ]
    if any(each["kind"] == OTHER and each["better"] is None for each in contrasts):
        gaps.append("A dash: no translation of one of the two; the CSV file has the reason.")
    chrf = "Sentences by their chrF (chrF2 of sacreBLEU), on tokenized text"
    return [f"{chrf}: first seed, widest beam.", *gaps]
