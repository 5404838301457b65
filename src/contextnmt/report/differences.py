"""The test sentences in which two systems that differ in one thing differ most.

By the chrF of each sentence (chrF2 of sacreBLEU with its defaults), since BLEU says little of a
single one: it is 0 for most that have no four words in a row of the reference.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from contextnmt.report.examples import folder_of, source_and_target, together
from contextnmt.report.experiment import Experiment, Method, System, match, run_of
from contextnmt.text.counts import read_counts
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
class ContrastDifferences:
    """The sentences of one pair that `method` changes most, the greatest difference first.

    `better`, `worse` and `equal` count all lines of the text.
    """

    pair: str
    method: Method
    without: System
    present: System
    better: int
    worse: int
    equal: int
    gains: list[Difference]
    losses: list[Difference]


def differences(
    about: Experiment,
    source: list[Path],
    reference: list[Path],
    hypothesis: list[Path],
    source_counts: list[Path],
    target_counts: list[Path],
) -> list[ContrastDifferences]:
    """The sentences of each pair in which the systems of each contrast differ most.

    `source`, `reference` and the word counts of the training text are one file a pair
    (``…/{pair}/{file}``), `hypothesis` one a pair and system, restored, of the first seed. Raises
    UserError if a file is missing or lengths differ.
    """
    systems = {system.id: system for system in about.systems}
    runs = [run for run in about.runs if run.seed == about.seeds[0]]
    hypotheses = match("--hypothesis", hypothesis, run_of, runs)
    given = [
        match(option, paths, folder_of, about.pairs)
        for option, paths in (
            ("--source", source),
            ("--reference", reference),
            ("--source-counts", source_counts),
            ("--target-counts", target_counts),
        )
    ]
    found = []
    for pair in about.pairs:
        sources, references, *counts = (files[pair] for files in given)
        of_pair = {run.system: path for run, path in hypotheses.items() if run.pair == pair}
        lines = list(together([sources, references, *of_pair.values()]))
        languages = zip(source_and_target(pair), counts, strict=True)
        source_side, target_side = (Side(name, read_counts(path)) for name, path in languages)
        text = Text(lines, list(of_pair), source_side, target_side, about.vocabulary_size)
        found += [
            text.contrast(pair, method, systems[present], systems[without])
            for method in about.methods
            for present, without in method.contrasts
            if {present, without} <= set(systems)
        ]
    return found


class Text:
    """The test text of one pair with the translations of all systems.

    `lines` are source, reference and the translations of `systems`, in their order.
    """

    def __init__(
        self,
        lines: list[tuple[str, ...]],
        systems: list[str],
        source: Side,
        target: Side,
        vocabulary_size: int,
    ) -> None:
        self.lines = lines
        self.columns = {system: column for column, system in enumerate(systems, start=2)}
        self.source, self.target = source, target
        self.known = set(Vocabulary.most_frequent(source.counts, vocabulary_size).words)
        self.scores = {system: self.chrf(column) for system, column in self.columns.items()}

    def chrf(self, column: int) -> list[float]:
        """The chrF of each line of a column, from 0 to 100."""
        from sacrebleu.metrics import CHRF

        metric = CHRF()
        return [metric.sentence_score(line[column], [line[1]]).score for line in self.lines]

    def contrast(
        self, pair: str, method: Method, present: System, without: System
    ) -> ContrastDifferences:
        """Where two systems differ most; of equal differences the first lines."""
        scores = zip(self.scores[present.id], self.scores[without.id], strict=True)
        gains = [with_it - without_it for with_it, without_it in scores]
        numbered = list(enumerate(gains))
        up = heapq.nlargest(COUNT, numbered, key=lambda item: (item[1], -item[0]))
        down = heapq.nsmallest(COUNT, numbered, key=lambda item: (item[1], item[0]))
        columns = (self.columns[without.id], self.columns[present.id])
        return ContrastDifferences(
            pair,
            method,
            without,
            present,
            better=sum(gain > 0 for gain in gains),
            worse=sum(gain < 0 for gain in gains),
            equal=sum(gain == 0 for gain in gains),
            gains=[self.difference(number, gain, *columns) for number, gain in up if gain > 0],
            losses=[self.difference(number, gain, *columns) for number, gain in down if gain < 0],
        )

    def difference(self, number: int, gain: float, without: int, present: int) -> Difference:
        """One line with both translations, its words marked."""
        line = self.lines[number]
        of_source, of_reference = self.shared(line[0], line[1])
        source = words_of(line[0], of_source, lambda word: word not in self.known)
        reference = words_of(line[1], of_reference, lambda word: False)
        outputs = [
            words_of(text, self.shared(line[0], text)[1], lambda word: word == UNKNOWN)
            for text in (line[without], line[present])
        ]
        return Difference(number + 1, gain, source, reference, *outputs)

    def shared(self, source: str, other: str) -> tuple[list[Named], list[Named]]:
        """What symbolization would replace in a source sentence and another one, side by side."""
        pairs = matching_spans(sentence_of(source), sentence_of(other), self.source, self.target)
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
