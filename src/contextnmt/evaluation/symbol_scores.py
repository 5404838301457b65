"""How good the symbols are that are made from a source sentence alone (A26).

They are held against those that both sides together give, as the training text has them: a symbol
is right if both ways put one of the same type in place of the same span of the same sentence.
Where they disagree, a model reads a symbol that training would have left text (`false`), or text
that training would have replaced (`missed`). The sentences tell why, as far as they can.
"""

import enum
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from contextnmt.corpus.counts import read_counts
from contextnmt.errors import UserError, one_of_each
from contextnmt.files import read_pairs, write_json
from contextnmt.progress import progress
from contextnmt.text.matches import number_spans, places
from contextnmt.text.names import Sentence, Span, sentence_of
from contextnmt.text.numbers import check_languages, grouped_key, ungrouped_key, value_key
from contextnmt.text.pieces import join_pieces
from contextnmt.text.rates import THRESHOLD, Rates, read_rates
from contextnmt.text.symbol_tables import ACRONYM, KINDS, NUMBER
from contextnmt.text.symbols import LIMIT, Side, matching_spans, probable_spans

#: Wrong decisions that are listed, the most frequent ones.
LISTED = 100

#: Words with as many equal first letters are similar: Europe, européenne.
SIMILAR_LETTERS = 4

#: An excerpt shows as many pieces before and after the span in question...
AROUND = 6
#: ...or as many from the start of the sentence, if there is none...
FROM_START = 20
#: ...and as many characters of a piece.
PIECE_CHARACTERS = 30


class Error(enum.StrEnum):
    """How a decision is wrong."""

    FALSE = "false"  # a symbol of the source alone
    MISSED = "missed"  # a symbol of both sides


class Reason(enum.StrEnum):
    """Why the two ways disagree, as far as the sentences tell."""

    # of either error
    EXTENT = "extent"  # the other way has a symbol for fewer or more words
    TYPE = "type"  # the other way has a symbol of another type for some of its words
    LIMIT = "limit"  # the other way has as many symbols of the type as a sentence may have
    # of a false symbol
    ABSENT = "absent"  # no equal or similar word in the target: translated, converted, left out
    SIMILAR = "similar"  # a similar word in the target: inflected, or spelt otherwise
    REPEATED = "repeated"  # the target has it less often than the source
    UNPAIRED = "unpaired"  # the target has it too, but is not paired with it (A28)
    # of a missed one
    UNSEEN = "unseen"  # none of its words had a capital in the training text
    UNLIKELY = "unlikely"  # too unlikely, for what the training text did with its words
    NUMERAL = "numeral"  # a number that the target language is thought to write in other numerals


class Found(NamedTuple):
    """A span of the source that one of the two ways replaces by a symbol of a type."""

    kind: str
    span: Span


class Comparison(NamedTuple):
    """A sentence pair and the symbols of either way."""

    source: Sentence
    target: Sentence
    target_side: Side
    alone: set[Found]
    both: dict[Found, Span]  # with the partner in the target


class Wrong(NamedTuple):
    """A wrong decision, apart from the place where it was taken."""

    type: str
    error: Error
    reason: Reason
    surface: str


def symbol_scores(
    name: Annotated[list[str], typer.Option(help="name of a text; repeatable")],
    source: Annotated[list[Path], typer.Option(help="its source, one tokenized sentence a line")],
    target: Annotated[list[Path], typer.Option(help="its target, tokenized the same way")],
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the target, such as fr")],
    source_counts: Annotated[Path, typer.Option(help="word TAB count of the training source")],
    target_counts: Annotated[Path, typer.Option(help="word TAB count of the training target")],
    rates: Annotated[Path, typer.Option(help="PREFIX.rates.tsv of the training text")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    threshold: Annotated[float, typer.Option(min=0, max=1, help="as for symbolize")] = THRESHOLD,
    external_rules: Annotated[
        bool, typer.Option("--external-rules", help="as for symbolize")
    ] = False,
) -> None:
    """Compare symbols made from the source alone with those made from source and target.

    Example: contextnmt symbol-scores --name test --source test.en.gz --target test.fr.gz
    --source-language en --target-language fr --source-counts counts.en.tsv --target-counts
    counts.fr.tsv --rates train.rates.tsv --out symbol-scores.json

    For each text and type, counts the symbols made each way, and the wrong ones by their reason,
    with precision, recall and F1; over all texts, lists the 100 most frequent wrong
    decisions with an example each.
    """
    one_of_each("text", name=name, source=source, target=target)
    if len(set(name)) < len(name):
        raise UserError(f"--name {' --name '.join(name)}: give each text its own name")
    check_languages(source_language, target_language)
    sides = (
        Side(source_language, read_counts(source_counts), external_rules),
        Side(target_language, read_counts(target_counts), external_rules),
    )
    scores = SymbolScores(sides, Rates(read_rates(rates), sides[0].counts), threshold)
    for text, *files in zip(name, source, target, strict=True):
        scores.add(text, files[0], files[1])
    write_json(out, scores.content())


class SymbolScores:
    """Symbols of both ways, compared sentence by sentence and counted.

    Memory grows with the distinct wrong decisions of the texts, about 1 kB each.
    """

    def __init__(self, sides: tuple[Side, Side], rates: Rates, threshold: float) -> None:
        self.sides = sides
        self.rates = rates
        self.threshold = threshold
        self.sentences: dict[str, int] = {}  # of each text
        self.symbols: Counter[tuple[str, str, str]] = Counter()  # text, type and way
        self.errors: defaultdict[tuple[str, str, Error], Counter[str]] = defaultdict(Counter)
        self.wrong: Counter[Wrong] = Counter()
        self.examples: dict[Wrong, dict[str, Any]] = {}

    def add(self, text: str, source: Path, target: Path) -> None:
        """Compare the sentences of a text. Raises UserError if its sides are not equally long."""
        self.sentences[text] = 0
        pairs = progress(read_pairs(source, target), f"symbol-scores {text}", "pairs")
        for line, pair in enumerate(pairs, start=1):
            compared = self.compare(*pair)
            self.sentences[text] = line
            self.symbols.update((text, found.kind, "alone") for found in compared.alone)
            self.symbols.update((text, found.kind, "both") for found in compared.both)
            for error, found in differences(compared):
                self.count(compared, error, found, text, line)

    def compare(self, source_line: str, target_line: str) -> Comparison:
        """The symbols of a sentence pair, of the source alone and of both sides."""
        source, target = sentence_of(source_line), sentence_of(target_line)
        alone = probable_spans(
            source, self.sides[0], self.sides[1].language, self.rates.at_least(self.threshold)
        )
        both = matching_spans(source, target, *self.sides)
        return Comparison(
            source,
            target,
            self.sides[1],
            {Found(symbol[1], span) for symbol, span in alone.items()},
            {Found(symbol[1], first): second for symbol, (first, second) in both.items()},
        )

    def count(self, compared: Comparison, error: Error, found: Found, text: str, line: int) -> None:
        """Count a wrong decision; the first of its kind is kept as an example."""
        is_acronym = found.kind == ACRONYM
        reason, place = explain(
            compared, error, found, lambda word: (word, is_acronym) in self.rates.of_word
        )
        wrong = Wrong(found.kind, error, reason, found.span.text(compared.source.pieces))
        self.errors[text, found.kind, error][reason] += 1
        self.wrong[wrong] += 1
        if wrong not in self.examples:
            self.examples[wrong] = {
                "text": text,
                "line": line,
                "source": excerpt(compared.source.pieces, found.span),
                "target": excerpt(compared.target.pieces, place),
            }

    def content(self) -> dict[str, Any]:
        """All scores by text and type, and the most frequent wrong decisions."""
        types = {"all": KINDS, **{kind: (kind,) for kind in KINDS}}
        return {
            "texts": {
                text: {
                    "sentences": sentences,
                    "types": {name: self.scores(text, kinds) for name, kinds in types.items()},
                }
                for text, sentences in self.sentences.items()
            },
            "errors": [
                {**wrong._asdict(), "count": count, **self.examples[wrong]}
                for wrong, count in self.wrong.most_common(LISTED)  # of equals the first seen
            ],
        }

    def scores(self, text: str, kinds: Collection[str]) -> dict[str, Any]:
        """The scores of a text over some types: counts, and shares in percent (of nothing, None).

        ``source_alone`` is ``right`` and all ``false``, ``both_sides`` is ``right`` and all
        ``missed``; these two tell how many for which reason.
        """
        alone, both = (
            sum(self.symbols[text, kind, way] for kind in kinds) for way in ("alone", "both")
        )
        errors: dict[str, Counter[str]] = {
            error: sum((self.errors[text, kind, error] for kind in kinds), Counter[str]())
            for error in Error
        }
        right = alone - errors[Error.FALSE].total()
        return {
            "source_alone": alone,
            "both_sides": both,
            "right": right,
            "precision_percent": percent(right, alone),
            "recall_percent": percent(right, both),
            "f1_percent": percent(2 * right, alone + both),
            **errors,
        }


def percent(part: int, whole: int) -> float | None:
    """A share in percent; of nothing, None."""
    return 100 * part / whole if whole else None


def differences(compared: Comparison) -> list[tuple[Error, Found]]:
    """The symbols that only one of the two ways makes, from left to right."""
    wrong = [(Error.FALSE, found) for found in compared.alone - compared.both.keys()]
    wrong += [(Error.MISSED, found) for found in compared.both.keys() - compared.alone]
    return sorted(wrong, key=lambda each: (each[1].span, each[1].kind))


def explain(
    compared: Comparison, error: Error, found: Found, is_known: Callable[[str], bool]
) -> tuple[Reason, Span | None]:
    """Why a decision is wrong, and where the target has what could be the counterpart.

    `is_known` tells whether a word occurs with a capital in the training text.
    """
    others = compared.both if error is Error.FALSE else compared.alone
    partner = compared.both.get(found)
    for other in sorted(others, key=lambda other: (other.kind != found.kind, other)):
        if places([other.span]) & places([found.span]):
            reason = Reason.EXTENT if other.kind == found.kind else Reason.TYPE
            return reason, partner or compared.both.get(other)
    if sum(other.kind == found.kind for other in others) == LIMIT:
        return Reason.LIMIT, partner
    if error is Error.FALSE:
        return counterpart(compared, found)
    if found.kind == NUMBER:
        return Reason.NUMERAL, partner
    words = found.span.text(compared.source.pieces).split(" ")
    return Reason.UNLIKELY if any(map(is_known, words)) else Reason.UNSEEN, partner


def counterpart(compared: Comparison, found: Found) -> tuple[Reason, Span | None]:
    """Why a symbol of the source alone has no partner, and what comes nearest in the target."""
    source, target = compared.source.pieces, compared.target.pieces
    text = found.span.text(source)
    if found.kind == NUMBER:
        equal = equal_numbers(text, compared.target, compared.target_side)
    else:
        equal = equal_words(text.split(" "), target)
    if equal:
        taken = places(compared.both.values())
        free = [span for span in equal if taken.isdisjoint(span.places)]
        return (Reason.UNPAIRED, free[0]) if free else (Reason.REPEATED, equal[0])
    place = None if found.kind == NUMBER else similar_word(text.split(" "), target)
    return (Reason.ABSENT, None) if place is None else (Reason.SIMILAR, Span(place, place + 1))


def equal_numbers(number: str, target: Sentence, side: Side) -> list[Span]:
    """Where the target has a number that could be paired with `number`: they share a key."""

    def keys(number: str) -> set[str]:
        key = value_key if side.external_rules else grouped_key
        return {key(number), ungrouped_key(number)} - {""}

    spans = number_spans(target, side.grouped)
    return [span for span in spans if keys(number) & keys(span.text(target.pieces))]


def equal_words(words: Sequence[str], target: Sequence[str]) -> list[Span]:
    """Where the target has the same words in a row."""
    spans = (Span(start, start + len(words)) for start in range(len(target) - len(words) + 1))
    return [span for span in spans if list(target[span.start : span.stop]) == words]


def similar_word(words: Sequence[str], target: Sequence[str]) -> int | None:
    """The first place of the target with a word similar to one of `words`, if there is one."""
    wanted = {beginning(word) for word in words} - {""}
    return next((place for place, word in enumerate(target) if beginning(word) in wanted), None)


def beginning(word: str) -> str:
    """The first letters of `word`, in lower case and without accents; nothing if it is shorter."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    first = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return first[:SIMILAR_LETTERS] if len(first) >= SIMILAR_LETTERS else ""


def excerpt(pieces: Sequence[str], span: Span | None) -> str:
    """The words around a span, or how the sentence begins; an ellipsis stands for the rest."""
    first = max(0, span.start - AROUND) if span else 0
    last = span.stop + AROUND if span else FROM_START
    short = (
        piece if len(piece) <= PIECE_CHARACTERS else f"{piece[:PIECE_CHARACTERS]}…"
        for piece in pieces[first:last]
    )
    text = " ".join(" ".join(join_pieces(short)).split())  # no line break inside
    return ("… " if first else "") + text + (" …" if last < len(pieces) else "")
