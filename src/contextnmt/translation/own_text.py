"""A user's own sentences by a finished run: from standard input to standard output, line by line.

Every line with words has an answer. Restoration removes symbols that the source does not have. If
that empties a translation, the next one of the beam takes its place; if it empties all, the line's
own words are the answer. A long line is translated in parts; a part whose translation is empty is
dropped, unless every part is.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, NamedTuple

import torch

from contextnmt.errors import UserError
from contextnmt.files import HEAD, LONGEST_LINE, packing, refuse_other, too_long
from contextnmt.progress import bar, say
from contextnmt.text.parts import LONGEST, cut
from contextnmt.text.vocabulary import EOS, SPECIALS, UNK, Vocabulary
from contextnmt.translation.alignment_file import Weights
from contextnmt.translation.hypothesis import Hypothesis
from contextnmt.translation.run_file import Run, SentenceView, Written
from contextnmt.translation.saved import SavedTranslator
from contextnmt.translation.view_texts import ENOUGH, UnknownWords, Wanted, described, warn

#: Name of the text in messages.
NAME = "standard input"

#: Lines that come together at most, and bytes of a read.
LINES, BLOCK = 1000, 1 << 17

#: Decimals of an attention weight.
DECIMALS = 4

#: Above this share of words that only the target's vocabulary has, a text is in the target's
#: language, unless half as many are in the source's alone. Between English and French or German,
#: with 30,000 words of real text a side, two thirds or more of all stretches of 20 words in the
#: wrong language have as many, and none in the right one or in a third, whatever they are about.
TELLING = 0.25


class Part(NamedTuple):
    """A part of a sentence: its tokens, what was found for it, and the weights of the best."""

    tokens: Sequence[str]
    found: Sequence[Hypothesis]
    weights: Weights | None


def translate_own_text(
    run: Run, ensemble: Sequence[Path], width: int, device: torch.device, wanted: Wanted
) -> None:
    """Translate standard input by a run, with a beam.

    A line is JSON if `nbest` or `alignments` are wanted. `ensemble`: further models. Raises
    UserError if a file is missing or damaged, at alignments of a model without attention, and at
    compressed text.
    """
    if sys.stdin is None or sys.stdout is None:
        raise UserError("raw text comes by standard input and goes to standard output: give both")
    models = [Path(run.model), *ensemble]
    least = run.minimum_length if wanted.minimum_length is None else wanted.minimum_length
    translator = SavedTranslator(models, device, wanted.precision, wanted.alignments, least)
    own = OwnText(run, translator, width, wanted)
    typed = sys.stdin.isatty()
    if typed:
        languages = f"{run.source_language} to {run.target_language}"
        say(f"{languages}, a sentence per line; Ctrl-D ends")
    # A bar would run into what is typed or shown at the same terminal.
    hidden = typed or sys.stdout.isatty()
    with nullcontext() if hidden else bar("translate", "lines") as shown:
        for lines in arriving(sys.stdin.fileno()):
            for answer in own.answers(lines):
                sys.stdout.buffer.write(answer.encode() + b"\n")
            sys.stdout.buffer.flush()
            if shown is not None:
                shown.update(len(lines))


def arriving(descriptor: int) -> Iterator[list[str]]:
    """The lines that can be read from a file descriptor, in lists of `LINES` at most, none empty.

    A list has the lines that end in one read, so that no line waits for the next one. LF alone ends
    a line; the last one may lack it. U+FFFD takes the place of invalid UTF-8, and a byte order mark
    at the beginning goes, as in `contextnmt extract`. Raises UserError at packed text, at other
    encodings that their first bytes tell, and at a line of more than LONGEST_LINE bytes.
    """
    begun = bytearray()  # what has not ended
    encoding = "utf-8-sig"  # of the first line
    done = 0
    while block := os.read(descriptor, BLOCK):
        begun += block
        if encoding == "utf-8-sig":
            head = bytes(begun[:HEAD])
            if program := packing(head)[0]:
                with_gzip = ": `zcat FILE | contextnmt translate …` reads it"
                advice = with_gzip if program == "gzip" else ": unpack it"
                raise UserError(f"{NAME}: compressed by {program}{advice}")
            refuse_other(head, NAME)
        if b"\n" in block:
            first, *others, begun = begun.split(b"\n")
            lines = [first.decode(encoding, "replace")]
            lines += [line.decode(errors="replace") for line in others]
            encoding = "utf-8"
            yield from (lines[at : at + LINES] for at in range(0, len(lines), LINES))
            done += len(lines)
        if len(begun) > LONGEST_LINE:
            raise too_long(NAME, done + 1)
    if begun:
        yield [begun.decode(encoding, "replace")]


class OwnText:
    """A run that answers lines of raw text."""

    def __init__(self, run: Run, translator: SavedTranslator, width: int, wanted: Wanted) -> None:
        """Raises UserError if a file of the run is damaged."""
        self.view, self.translator = SentenceView(run), translator
        self.width, self.wanted = width, wanted
        self.language = SourceLanguage(
            translator.source, translator.target, run.source_language, run.target_language
        )
        self.unknown = UnknownWords(
            Path(run.model),
            translator.source,
            f"is the text in {run.source_language}, and like the training text?",
        )
        self.read = 0
        self.cut = False

    def answers(self, lines: Sequence[str]) -> list[str]:
        """A line for each of some more lines of the text: a translation, or JSON."""
        written = [self.view.write(line) for line in lines]
        cuts = [list(cut(each.tokens)) for each in written]
        self.warn_of(written, cuts)
        self.read += len(lines)
        tokens = list(chain.from_iterable(cuts))
        sentences = [each for each, own in zip(written, cuts, strict=True) for _ in own]
        found = self.search(tokens, sentences)
        aligned = self.wanted.alignments and self.translator.align(tokens, found, "")
        parts = map(Part, tokens, found, aligned or repeat(None))
        return [
            self.answer(each, list(islice(parts, len(own))))
            for each, own in zip(written, cuts, strict=True)
        ]

    def warn_of(self, written: Sequence[Written], cuts: Sequence[Sequence[Sequence[str]]]) -> None:
        """Tell on stderr, once each, of a text that is not for this model, and of a long line."""
        self.language.read([each.words for each in written])
        if not self.language.warned:  # which says why words are unknown
            self.unknown.read([each.tokens for each in written], NAME)
        for number, parts in enumerate(cuts, self.read + 1):
            if len(parts) > 1 and not self.cut:
                self.cut = True
                warn(
                    f"{NAME}, line {number}: longer than {LONGEST} tokens; such lines are "
                    "translated in parts: put each sentence on a line of its own"
                )

    def search(
        self, parts: Sequence[Sequence[str]], written: Sequence[Written]
    ) -> list[Sequence[Hypothesis]]:
        """The translations of each part of a sentence, best first, without those of which nothing
        is left; where this is none, the likeliest.

        `written` has the sentence of each part.
        """
        no_unknown, every = self.wanted.no_unknown, self.wanted.nbest is not None
        search = partial(self.translator.search, width=self.width, name="", no_unknown=no_unknown)
        chosen: list[Sequence[Hypothesis]] = []
        for part, sentence, found in zip(parts, written, search(parts, every=every), strict=True):
            left = [each for each in found if self.restored(each, sentence)]
            if not left and not every:
                [others] = search([part], every=True)
                left = [each for each in others if self.restored(each, sentence)]
            chosen.append(left or found[:1])
        return chosen

    def restored(self, hypothesis: Hypothesis, written: Written) -> str:
        """The raw text of a translation; empty if nothing is left of it."""
        return self.view.text(self.translator.text(hypothesis), written.surfaces)

    def answer(self, written: Written, parts: Sequence[Part]) -> str:
        """The line for one sentence; its own text stands for a translation that has none."""
        wanted = self.wanted
        found = parts[0].found if len(parts) == 1 else [joined(parts)] if parts else []
        best = found[: wanted.nbest or 1]
        texts = [self.restored(each, written) or self.view.plain(written.words) for each in best]
        if wanted.nbest is None and not wanted.alignments:
            return "".join(texts)
        rows = list(map(described, best, texts))
        if rows and wanted.alignments:
            rows[0]["alignments"] = list(map(self.alignment, parts))
        return json.dumps(rows, ensure_ascii=False, allow_nan=False)

    def alignment(self, part: Part) -> dict[str, Any]:
        """Both sides' tokens of the view, end-of-sentence last, and the weights between them."""
        end, best = SPECIALS[EOS], part.found[0]
        assert part.weights is not None
        return {
            "source": [*part.tokens, end],
            "target": [*self.translator.text(best).split(), *[end] * best.finished],
            "weights": [[round(float(w), DECIMALS) for w in row] for row in part.weights],
        }


def joined(parts: Sequence[Part]) -> Hypothesis:
    """The best translations of the parts of a sentence as one."""
    best = [part.found[0] for part in parts]
    ids = list(chain.from_iterable(each.ids for each in best))
    return Hypothesis(ids, sum(e.score for e in best), all(e.finished for e in best))


class SourceLanguage:
    """Tells on stderr, once, of a text that seems to be in the language that is translated into.

    It counts whole words: subwords of the source know a text in any language with its letters.
    """

    def __init__(self, source: Vocabulary, target: Vocabulary, *languages: str) -> None:
        """`languages`: of the source and of the target."""
        self.vocabularies, self.languages = (source, target), languages
        self.words: Counter[tuple[bool, ...]] = Counter()  # by which of the two has them
        self.warned = False

    def read(self, sentences: Sequence[Sequence[str]]) -> None:
        """Count the words of some more tokenized sentences."""
        for sentence in sentences:
            known = ([i != UNK for i in each.encode(sentence)] for each in self.vocabularies)
            self.words.update(zip(*known, strict=True))
        words = self.words.total()
        source, target = (self.words[at] / max(words, 1) for at in [(True, False), (False, True)])
        if not self.warned and words >= ENOUGH and target > max(TELLING, 2 * source):
            self.warned = True
            before, after = self.languages
            warn(
                f"{NAME}: {target:.0%} of the words are only in the model's {after} vocabulary, "
                f"{source:.0%} only in its {before} one, but the model translates {before} to "
                f"{after}: is this the right text?"
            )
