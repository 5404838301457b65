"""What one system makes of each sentence of a text that another one does not.

By the chrF of each sentence (chrF2 of sacreBLEU with its defaults), since BLEU says little of a
single one: it is 0 for most that have no four words in a row of the reference.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from contextnmt.text.names import sentence_of
from contextnmt.text.pieces import JOIN, tokens_of
from contextnmt.text.symbols import Named, Side, matching_spans
from contextnmt.text.vocabulary import Vocabulary
from contextnmt.translation.unknown_word import UNKNOWN

#: Sentences of each direction: those that a method makes better, and those that it makes worse.
COUNT = 3

#: Type of a symbol -> what a word that it would stand for is.
KINDS = {"N": "number", "S": "name", "C": "acronym"}


@dataclass(frozen=True)
class Word:
    """A token; `kind` is one of `KINDS` or empty.

    Numbers, names and acronyms are those that symbolization would find in both the source and this
    sentence (A27 to A31): one that is marked in the source and not in a translation got lost. Those
    of the source are the ones that it shares with the reference.

    `unknown`: in the source, a word outside the vocabulary of a model without subwords and symbols;
    in a translation, an unknown word that was left in it.
    """

    text: str
    kind: str
    unknown: bool = False


@dataclass(frozen=True)
class Difference:
    """A line of a test text (from 1) and what the two systems make of it.

    `gain`: the chrF of the system with the method less that of the one without, in points of 100.
    """

    line: int
    gain: float
    source: list[Word]
    reference: list[Word]
    without: list[Word]
    present: list[Word]


@dataclass(frozen=True)
class Gains:
    """The sentences that are changed most, the greatest difference first.

    `better`, `worse` and `equal` count all lines of the text.
    """

    better: int
    worse: int
    equal: int
    gains: list[Difference]
    losses: list[Difference]


class Languages(NamedTuple):
    """The word counts of the training text, and the source words that a vocabulary has."""

    source: Side
    target: Side
    known: frozenset[str]


def languages(source: Side, target: Side, vocabulary_size: int) -> Languages:
    """Both sides, with the source vocabulary of a model without subwords and symbols."""
    words = Vocabulary.most_frequent(source.counts, vocabulary_size).words
    return Languages(source, target, frozenset(words))


class Text:
    """A text of one pair: `lines` are source and reference."""

    def __init__(self, lines: list[tuple[str, str]], languages: Languages) -> None:
        self.lines = lines
        self.languages = languages

    def chrf(self, translation: list[str]) -> list[float]:
        """The chrF of each line, from 0 to 100."""
        from sacrebleu.metrics import CHRF

        metric = CHRF()
        return [
            metric.sentence_score(line, [reference]).score
            for line, (_, reference) in zip(translation, self.lines, strict=True)
        ]

    def gains(
        self,
        present: list[str],
        without: list[str],
        present_scores: list[float],
        without_scores: list[float],
    ) -> Gains:
        """What `present` is better and worse in, by the chrF of each line; of equals the first."""
        scores = zip(present_scores, without_scores, strict=True)
        gains = [with_it - without_it for with_it, without_it in scores]
        numbered = list(enumerate(gains))
        up = heapq.nlargest(COUNT, numbered, key=lambda item: (item[1], -item[0]))
        down = heapq.nsmallest(COUNT, numbered, key=lambda item: (item[1], item[0]))
        outputs = (without, present)
        return Gains(
            better=sum(gain > 0 for gain in gains),
            worse=sum(gain < 0 for gain in gains),
            equal=sum(gain == 0 for gain in gains),
            gains=[self.difference(number, gain, *outputs) for number, gain in up if gain > 0],
            losses=[self.difference(number, gain, *outputs) for number, gain in down if gain < 0],
        )

    def difference(
        self, number: int, gain: float, without: list[str], present: list[str]
    ) -> Difference:
        """One line with both translations, its words marked."""
        source, reference = self.lines[number]
        of_source, of_reference = self.shared(source, reference)
        known = self.languages.known
        outputs = [
            words_of(text, self.shared(source, text)[1], lambda word: word == UNKNOWN)
            for text in (without[number], present[number])
        ]
        return Difference(
            number + 1,
            gain,
            words_of(source, of_source, lambda word: word not in known),
            words_of(reference, of_reference, lambda word: False),
            *outputs,
        )

    def shared(self, source: str, other: str) -> tuple[list[Named], list[Named]]:
        """What symbolization would replace in a source sentence and another one, side by side."""
        sides = self.languages.source, self.languages.target
        pairs = matching_spans(sentence_of(source), sentence_of(other), *sides)
        return [first for first, _ in pairs], [second for _, second in pairs]


def words_of(line: str, named: list[Named], is_unknown: Callable[[str], bool]) -> list[Word]:
    """The tokens of a tokenized line; those that a span touches have its kind."""
    pieces = sentence_of(line).pieces
    starts = [place == 0 or not piece.startswith(JOIN) for place, piece in enumerate(pieces)]
    token_of = [number - 1 for number in accumulate(starts)]  # of each piece
    kinds = {
        token_of[place]: KINDS[symbol[1]]
        for span, symbol in named
        for place in range(span.start, span.stop)
    }
    return [
        Word(text, kinds.get(number, ""), is_unknown(text))
        for number, text in enumerate(tokens_of(line))
    ]
