"""A user's own sentences by a finished run: from standard input to standard output, line by line.

Every line with words has an answer. Search writes half as many symbols as the source has, at least
one, but nothing is left of symbols that the source does not have: a translation of these alone is
none, and the next one of the beam takes its place. Where the beam has no other, the line's own
words are the answer, as nothing else is known of it. In a line that is translated in parts, a part
of which nothing is left is missing, unless all are.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from contextnmt.errors import UserError
from contextnmt.progress import bar
from contextnmt.text.vocabulary import EOS, SPECIALS
from contextnmt.translation.alignment_file import Weights
from contextnmt.translation.arriving import arriving
from contextnmt.translation.hypothesis import Hypothesis
from contextnmt.translation.long_sentences import LONGEST, cut
from contextnmt.translation.precision import Precision
from contextnmt.translation.run_file import Run, read_run
from contextnmt.translation.saved import SavedTranslator
from contextnmt.translation.sentence_view import SentenceView, Written
from contextnmt.translation.source_language import SourceLanguage
from contextnmt.translation.unknown import UnknownWords
from contextnmt.translation.view_texts import described

#: Decimals of an attention weight.
DECIMALS = 4


@dataclass(frozen=True)
class Wanted:
    """What is asked for: the `width` of the beam, and whether a line is `json` with so many
    translations (`nbest`) and with `alignments`, instead of plain text; the `precision`."""

    width: int
    nbest: int | None
    no_unknown: bool
    alignments: bool
    precision: Precision = Precision.FP32

    @property
    def json(self) -> bool:
        """Whether a line is JSON."""
        return self.nbest is not None or self.alignments


def translate_own_text(
    path: Path, ensemble: Sequence[Path], device: torch.device, wanted: Wanted
) -> None:
    """Translate standard input by the run that the file at `path` describes.

    `ensemble`: further models. Raises UserError if a file is missing or damaged, at alignments of a
    model without attention, and at compressed text.
    """
    if sys.stdin is None or sys.stdout is None:
        raise UserError("--run reads standard input and writes standard output: give it both")
    run = read_run(path)
    translator = SavedTranslator([Path(run.model), *ensemble], device, wanted.precision)
    if wanted.alignments and not translator.ensemble.aligns:
        raise UserError(f"{run.model}: a model without attention: leave out --alignments")
    own = OwnText(run, translator, wanted)
    typed = sys.stdin.isatty()
    if typed:
        languages = f"{run.source_language} to {run.target_language}"
        print(f"{languages}, a sentence a line; Ctrl-D ends", file=sys.stderr, flush=True)
    # A bar would run into what is typed or shown at the same terminal.
    shown = None if typed or sys.stdout.isatty() else bar("translate", "lines")
    try:
        for lines in arriving(sys.stdin.fileno()):
            for answer in own.answers(lines):
                sys.stdout.buffer.write(answer.encode() + b"\n")
            sys.stdout.buffer.flush()
            if shown is not None:
                shown.update(len(lines))
    finally:
        if shown is not None:
            shown.close()  # so that a message begins a line of its own


class OwnText:
    """A run that answers lines of raw text."""

    def __init__(self, run: Run, translator: SavedTranslator, wanted: Wanted) -> None:
        """Raises UserError if a file of the run is damaged."""
        self.view, self.translator, self.wanted = SentenceView(run), translator, wanted
        self.language = SourceLanguage(
            translator.source, translator.target, run.source_language, run.target_language
        )
        self.unknown = UnknownWords(
            Path(run.model),
            translator.source,
            f"is the text in the language {run.source_language}, and like what it was trained on?",
        )
        self.read = 0
        self.cut = False

    def answers(self, lines: Sequence[str]) -> list[str]:
        """A line for each of some more lines of the text: a translation, or JSON."""
        written = [self.view.write(line) for line in lines]
        self.language.read([each.words for each in written], "standard input")
        if not self.language.told:  # which says why words are unknown
            self.unknown.read([each.tokens for each in written], "standard input")
        parts = [list(cut(each.tokens)) for each in written]
        self.tell_of_cuts(parts)
        self.read += len(lines)
        flat = [part for each in parts for part in each]
        found = self.search(
            flat, [each for each, own in zip(written, parts, strict=True) for _ in own]
        )
        weights = self.translator.align(flat, found, "") if self.wanted.alignments else []
        answers, place = [], 0
        for each, own in zip(written, parts, strict=True):
            here = slice(place, place + len(own))
            place = here.stop
            answers.append(self.answer(each, own, found[here], weights[here]))
        return answers

    def search(
        self, parts: Sequence[Sequence[str]], written: Sequence[Written]
    ) -> list[list[Hypothesis]]:
        """The translations of each part of a sentence, best first, without those of which nothing
        is left; where this is none, the likeliest.

        `written` has the sentence of each part.
        """
        likeliest_alone = self.wanted.nbest is None
        found = self.beams(parts, every=not likeliest_alone)
        telling = list(map(self.telling, found, written))
        lost = [number for number, of_part in enumerate(telling) if not of_part]
        if lost and likeliest_alone:
            again = self.beams([parts[number] for number in lost], every=True)
            for number, of_part in zip(lost, again, strict=True):
                telling[number] = self.telling(of_part, written[number])
        return [some or every[:1] for some, every in zip(telling, found, strict=True)]

    def telling(self, found: Sequence[Hypothesis], written: Written) -> list[Hypothesis]:
        """The translations of which something is left."""
        return [each for each in found if self.restored(each, written)]

    def beams(self, parts: Sequence[Sequence[str]], every: bool) -> list[list[Hypothesis]]:
        """The likeliest translation of each part or, with `every`, all that its beam ends."""
        wanted = self.wanted
        return self.translator.search(parts, wanted.width, "", wanted.no_unknown, every)

    def answer(
        self,
        written: Written,
        parts: Sequence[Sequence[str]],
        found: Sequence[Sequence[Hypothesis]],
        weights: Sequence[Weights],
    ) -> str:
        """The line for one sentence: its parts, what was found for each, and weights if wanted."""
        best = list(found[0]) if len(found) == 1 else [joined(found)] if found else []
        if not self.wanted.json:
            return self.text(best[0], written) if best else ""
        rows = [
            described(each, self.text(each, written)) for each in best[: self.wanted.nbest or 1]
        ]
        if rows and self.wanted.alignments:
            rows[0]["alignments"] = [
                self.alignment(part, of_part[0], matrix)
                for part, of_part, matrix in zip(parts, found, weights, strict=True)
            ]
        return json.dumps(rows, ensure_ascii=False, allow_nan=False)

    def text(self, hypothesis: Hypothesis, written: Written) -> str:
        """The raw text of a translation; the sentence itself if nothing is left of it."""
        return self.restored(hypothesis, written) or self.view.plain(written.words)

    def restored(self, hypothesis: Hypothesis, written: Written) -> str:
        """The raw text of a translation; empty if nothing is left of it."""
        return self.view.text(self.translator.text(hypothesis), written.surfaces)

    def alignment(
        self, part: Sequence[str], hypothesis: Hypothesis, weights: Weights
    ) -> dict[str, Any]:
        """Both sides' tokens of the view, end-of-sentence last, and the weights between them."""
        end = SPECIALS[EOS]
        target = self.translator.text(hypothesis).split()
        return {
            "source": [*part, end],
            "target": [*target, *[end] * hypothesis.finished],
            "weights": [[round(float(w), DECIMALS) for w in row] for row in weights],
        }

    def tell_of_cuts(self, parts: Sequence[Sequence[Sequence[str]]]) -> None:
        """Tell on stderr, once, of a line that is translated in parts."""
        numbers = (number for number, each in enumerate(parts, self.read + 1) if len(each) > 1)
        number = None if self.cut else next(numbers, None)
        if number is not None:
            self.cut = True
            print(
                f"warning: standard input, line {number}: longer than {LONGEST} symbols; such "
                "lines are translated in parts: put each sentence on a line of its own",
                file=sys.stderr,
                flush=True,
            )


def joined(found: Sequence[Sequence[Hypothesis]]) -> Hypothesis:
    """The best translations of the parts of a sentence as one."""
    best = [hypotheses[0] for hypotheses in found]
    return Hypothesis(
        [number for each in best for number in each.ids],
        sum(each.score for each in best),
        all(each.finished for each in best),
    )
