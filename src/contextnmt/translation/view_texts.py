"""Texts of one view, translated by one model or several together, with beams of several widths."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from operator import itemgetter
from pathlib import Path
from typing import Any

import torch

from contextnmt.configuration.values import MINIMUM_LENGTH
from contextnmt.errors import UserError, refuse_clashes
from contextnmt.files import below, read_json, read_lines, write_lines
from contextnmt.progress import say
from contextnmt.text.vocabulary import UNK, Vocabulary
from contextnmt.translation.alignment_file import write_alignments
from contextnmt.translation.hypothesis import Hypothesis, best_normalised
from contextnmt.translation.saved import Precision, SavedTranslator

#: Words that have to be seen before their share of unknown ones says anything.
ENOUGH = 20

#: A text of the model's view and kind may have this share of unknown words more than its training
#: text. Of the demo's test text, raw or in another view, between 2 and 30 % more are unknown.
MORE = 0.1


@dataclass(frozen=True)
class Wanted:
    """Options of a translation: outputs besides the likeliest one, precision and least length.

    `nbest`: so many translations of each sentence, with scores; `no_unknown`: translations without
    unknown words; `alignments`: the attention weights; `minimum_length`: as for `beam_search`, None
    for that of a run, without one the default.
    """

    nbest: int | None
    no_unknown: bool
    alignments: bool
    precision: Precision = Precision.FP32
    minimum_length: float | None = None


def translate_view_texts(
    models: Sequence[Path],
    texts: Sequence[Path],
    beams: Sequence[int],
    outs: Sequence[Path],
    device: torch.device,
    wanted: Wanted,
) -> None:
    """Translate each of `texts` with each of `beams`: `outs` has a file for each, texts outermost.

    Of several `models` the probabilities are averaged. Further files that are `wanted` lie beside
    these, alignments only for the widest beam. Raises UserError if a file would be written over an
    input or another output, or if no model has attention to be written.
    """
    searches = list(product(texts, beams))
    made = [
        files_beside(out, wanted, widest=width == max(beams))
        for out, (_, width) in zip(outs, searches, strict=True)
    ]
    refuse_clashes(texts, chain.from_iterable(files.values() for files in made))
    least = MINIMUM_LENGTH if wanted.minimum_length is None else wanted.minimum_length
    translator = SavedTranslator(models, device, wanted.precision, wanted.alignments, least)
    following = iter(made)
    for path in texts:
        sentences = [line.split() for line in read_lines(path)]
        unknown = UnknownWords(models[0], translator.source, "is the text in the model's view?")
        unknown.read(sentences, str(path))
        for width in beams:
            name = f"{path.name}, beam {width}"
            write_translations(translator, sentences, width, name, next(following), wanted.nbest)


def files_beside(out: Path, wanted: Wanted, widest: bool) -> dict[str, Path]:
    """The files of a text's translations with one beam, by what is in them; `out` is the first."""
    packed = ".gz" if out.suffix == ".gz" else ""
    endings = {"likeliest": packed}
    if wanted.nbest:
        endings |= {"normalised": f".normalised{packed}", "nbest": f".nbest.jsonl{packed}"}
    if wanted.alignments and widest:
        endings["alignments"] = ".alignments.npz"
    if wanted.no_unknown:
        endings["no-unknown"] = f".no-unknown{packed}"
    stem = out.name.removesuffix(packed)
    return {content: out.with_name(stem + ending) for content, ending in endings.items()}


def write_translations(
    translator: SavedTranslator,
    sentences: Sequence[Sequence[str]],
    width: int,
    name: str,
    files: Mapping[str, Path],
    nbest: int | None,
) -> None:
    """Translate sentences with a beam and write `files`; `name` is for the bar."""
    found = translator.search(sentences, width, name, every=nbest is not None)
    write_lines(files["likeliest"], lines(translator, found))
    if nbest:
        write_lines(files["normalised"], lines(translator, found, best_normalised))
        write_lines(files["nbest"], nbest_lines(translator, found, nbest))
    if "alignments" in files:
        aligned = translator.align(sentences, found, f"{name}, alignments")
        write_alignments(files["alignments"], aligned)
    if "no-unknown" in files:
        found = translator.search(sentences, width, f"{name}, no unknown words", no_unknown=True)
        write_lines(files["no-unknown"], lines(translator, found))


def refuse_cut_lists(beams: Sequence[int], nbest: int | None) -> None:
    """Raises UserError if a beam ends fewer translations than are to be listed of each sentence.

    Greedy search, which ends one, is ignored if a beam is wider.
    """
    narrowest = min((width for width in beams if width > 1), default=1)
    if nbest and nbest > narrowest:
        raise UserError(
            f"--nbest {nbest} with --beam {narrowest}: a beam of width N gives at most N "
            f"translations: give --nbest {narrowest} at most, or a wider beam"
        )


def lines(
    translator: SavedTranslator,
    found: Iterable[Sequence[Hypothesis]],
    choose: Callable[[Sequence[Hypothesis]], Hypothesis] = itemgetter(0),
) -> Iterator[str]:
    """The text of the chosen hypothesis of each sentence; an empty line where it has none."""
    return (translator.text(choose(each)) if each else "" for each in found)


def nbest_lines(
    translator: SavedTranslator, found: Sequence[Sequence[Hypothesis]], count: int
) -> Iterator[str]:
    """The `count` best translations of each sentence, best first, as a line of JSON.

    A list of objects: `text`; `score`, the log-probability (nats); `normalised`, the score per
    symbol, end-of-sentence counted (A18); `finished`, false where the length limit cut it off
    (A19). The list of a sentence without words is empty.
    """
    for hypotheses in found:
        rows = [described(each, translator.text(each)) for each in hypotheses[:count]]
        yield json.dumps(rows, ensure_ascii=False, allow_nan=False)


def described(hypothesis: Hypothesis, text: str) -> dict[str, Any]:
    """A translation as n-best lists have it."""
    return {
        "finished": hypothesis.finished,
        "normalised": hypothesis.normalised,
        "score": hypothesis.score,
        "text": text,
    }


class UnknownWords:
    """Counts the unknown words of a text, and tells on stderr, once, if they are many."""

    def __init__(self, folder: Path, vocabulary: Vocabulary, advice: str) -> None:
        """`folder` is the model's, `vocabulary` that of its source; `advice` ends the warning."""
        self.vocabulary, self.advice = vocabulary, advice
        record = read_json(folder / "model.json")
        source = below(record, "data", "manifest", "train", "source")
        try:
            self.usual = below(source, "unknowns") / below(source, "tokens")
        except (TypeError, ArithmeticError):  # not recorded
            self.usual = 0.0
        self.words = self.unknown = 0
        self.warned = False

    def read(self, sentences: Sequence[Sequence[str]], name: str) -> None:
        """Count the words of some more sentences of the text `name`."""
        for sentence in sentences:
            self.words += len(sentence)
            self.unknown += self.vocabulary.encode(sentence).count(UNK)
        if not self.warned and self.words >= ENOUGH:
            share = self.unknown / self.words
            if share > self.usual + MORE:
                self.warned = True
                warn(
                    f"{name}: {share:.0%} of the words are unknown to the model (in its training "
                    f"text: {self.usual:.0%}): {self.advice}"
                )


def warn(message: str) -> None:
    """Tell on stderr, at once."""
    say(f"warning: {message}")
