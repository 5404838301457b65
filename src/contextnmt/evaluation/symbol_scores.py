"""How good the symbols are that are made from a source sentence alone (A26).

They are held against those that both sides together give, as the training text has them: a symbol
is right if both ways put one of the same type in place of the same span of the same sentence.
"""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from contextnmt.errors import UserError
from contextnmt.evaluation.symbol_errors import (
    Comparison,
    Error,
    Found,
    Reason,
    differences,
    excerpt,
    explain,
)
from contextnmt.files import read_pairs, write_json
from contextnmt.progress import progress
from contextnmt.text.counts import read_counts
from contextnmt.text.names import sentence_of
from contextnmt.text.rates import THRESHOLD, Rates, read_rates
from contextnmt.text.symbolize import check_languages
from contextnmt.text.symbols import (
    ACRONYM,
    NAME,
    NUMBER,
    Named,
    Side,
    matching_spans,
    probable_spans,
)

KINDS = (NUMBER, NAME, ACRONYM)

#: Wrong decisions that are listed, the most frequent ones.
LISTED = 100


class Wrong(NamedTuple):
    """A wrong decision, apart from the place where it was taken."""

    kind: str
    error: Error
    reason: Reason
    surface: str


class Example(NamedTuple):
    """Where a wrong decision was taken first: text, line (from 1), and what stands around it."""

    text: str
    line: int
    source: str
    target: str


def symbol_scores(
    name: Annotated[list[str], typer.Option(help="name of a text; repeatable")],
    source: Annotated[list[Path], typer.Option(help="its source, one tokenized sentence a line")],
    target: Annotated[list[Path], typer.Option(help="its target, tokenized the same way")],
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the target, such as fr")],
    source_counts: Annotated[Path, typer.Option(help="word TAB count of the training text")],
    target_counts: Annotated[Path, typer.Option(help="the same of the target")],
    rates: Annotated[Path, typer.Option(help="PREFIX.rates.tsv of the training text")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    threshold: Annotated[float, typer.Option(min=0, max=1, help="that of symbolize")] = THRESHOLD,
) -> None:
    """Score the symbols made from the source alone against those made with both sides in sight.

    Example: contextnmt symbol-scores --name test --source test.en.gz --target test.fr.gz
    --source-language en --target-language fr --source-counts counts.en.tsv --target-counts
    counts.fr.tsv --rates train.rates.tsv --out symbol-scores.json

    Of each text and type, counts how many symbols either way makes and how many are wrong for which
    reason, with precision, recall and F1; over all texts, lists the 100 most frequent wrong
    decisions with an example each.
    """
    if not len(name) == len(source) == len(target):
        raise UserError(
            f"{len(name)} --name, {len(source)} --source, {len(target)} --target: "
            "give one of each for every text"
        )
    for text, times in Counter(name).items():
        if times > 1:
            raise UserError(f"--name {text} is given {times} times: give each text its own name")
    check_languages(source_language, target_language)
    sides = (
        Side(source_language, read_counts(source_counts)),
        Side(target_language, read_counts(target_counts)),
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
        self.sentences: Counter[str] = Counter()  # of each text
        self.alone: Counter[tuple[str, str]] = Counter()  # text and type
        self.both: Counter[tuple[str, str]] = Counter()
        self.errors: Counter[tuple[str, str, Error, Reason]] = Counter()
        self.wrong: Counter[Wrong] = Counter()
        self.examples: dict[Wrong, Example] = {}

    def add(self, text: str, source: Path, target: Path) -> None:
        """Compare the sentences of a text. Raises UserError if its sides are not equally long."""
        self.sentences[text] = 0
        pairs = progress(read_pairs(source, target), f"symbol-scores {text}", "pairs")
        for line, pair in enumerate(pairs, start=1):
            compared = self.compare(*pair)
            self.sentences[text] += 1
            self.alone.update((text, found.kind) for found in compared.alone)
            self.both.update((text, found.kind) for found in compared.both)
            for error, found in differences(compared):
                self.count(compared, error, found, text, line)

    def compare(self, source_line: str, target_line: str) -> Comparison:
        """The symbols of a sentence pair, of the source alone and of both sides."""
        source, target = sentence_of(source_line), sentence_of(target_line)
        alone = probable_spans(
            source,
            self.sides[0],
            self.sides[1].language,
            lambda word, position: self.rates.probability(word, position) >= self.threshold,
        )
        both = matching_spans(source, target, *self.sides)
        return Comparison(
            source,
            target,
            self.sides[1].grouped,
            {found_of(named) for named in alone},
            {found_of(first): second.span for first, second in both},
        )

    def count(self, compared: Comparison, error: Error, found: Found, text: str, line: int) -> None:
        """Count a wrong decision; the first of its kind is kept as an example."""
        is_acronym = found.kind == ACRONYM
        reason, place = explain(
            compared, error, found, lambda word: (word, is_acronym) in self.rates.of_word
        )
        wrong = Wrong(found.kind, error, reason, found.span.text(compared.source.pieces))
        self.errors[text, found.kind, error, reason] += 1
        self.wrong[wrong] += 1
        if wrong not in self.examples:
            self.examples[wrong] = Example(
                text,
                line,
                excerpt(compared.source.pieces, found.span),
                excerpt(compared.target.pieces, place),
            )

    def content(self) -> dict[str, Any]:
        """All scores by text and type, and the most frequent wrong decisions."""
        return {
            "texts": {
                text: {
                    "sentences": sentences,
                    "types": {"all": self.scores(text, KINDS)}
                    | {kind: self.scores(text, kind) for kind in KINDS},
                }
                for text, sentences in self.sentences.items()
            },
            "errors": [
                {
                    "type": wrong.kind,
                    "surface": wrong.surface,
                    "error": wrong.error,
                    "reason": wrong.reason,
                    "count": count,
                    **self.examples[wrong]._asdict(),
                }
                for wrong, count in self.wrong.most_common(LISTED)  # of equals the first seen
            ],
        }

    def scores(self, text: str, kinds: Collection[str]) -> dict[str, Any]:
        """The scores of a text over some types: counts, and shares in percent (of nothing, None).

        ``source_alone`` is ``right`` and all ``false``, ``both_sides`` is ``right`` and all
        ``missed``; these two tell how many for which reason.
        """
        alone = sum(self.alone[text, kind] for kind in kinds)
        both = sum(self.both[text, kind] for kind in kinds)
        errors: dict[str, Counter[str]] = {error: Counter() for error in Error}
        for (where, kind, error, reason), count in self.errors.items():
            if where == text and kind in kinds:
                errors[error][reason] += count
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


def found_of(named: Named) -> Found:
    """A symbol without its number in the sentence."""
    return Found(named.symbol[1], named.span)


def percent(part: int, whole: int) -> float | None:
    """A share in percent; of nothing, None."""
    return 100 * part / whole if whole else None
