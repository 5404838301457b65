"""Texts of one view, translated by one model or several together, with beams of several widths.

The module whose mark translates test texts again: the stage `translate` also translates sentences
of a user's own, and so imports the stages before and after it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.translation.alignment_file import write_alignments
from contextnmt.translation.hypothesis import Hypothesis, best_normalised
from contextnmt.translation.saved import Precision, SavedTranslator
from contextnmt.translation.unknown import UnknownWords


def translate_view_texts(
    models: Sequence[Path],
    texts: Sequence[Path],
    beams: Sequence[int],
    outs: Sequence[Path],
    device: torch.device,
    precision: Precision,
    *,
    nbest: int | None,
    no_unknown: bool,
    alignments: bool,
) -> None:
    """Translate each of `texts` with each of `beams`: `outs` has a file for each, texts outermost.

    Of several `models` the probabilities are averaged. `nbest`, `no_unknown` and `alignments` (of
    the widest beam) ask for files beside those. Raises UserError if one of them would be written
    over an input or another output, or if no model has attention to be written.
    """
    outputs = [
        each
        for path, width in zip(outs, list(beams) * len(texts), strict=True)
        for each in [
            Outputs(path, nbest, alignments and width == max(beams)),
            *([Outputs(path, no_unknown=True)] if no_unknown else []),
        ]
    ]
    refuse_clashes(texts, outputs)
    translator = SavedTranslator(list(models), device, precision)
    if alignments and not translator.ensemble.aligns:
        raise UserError(f"{models[0]}: a model without attention: leave out --alignments")
    following = iter(outputs)
    for path in texts:
        sentences = [line.split() for line in read_lines(path)]
        unknown = UnknownWords(models[0], translator.source, "is it in the view of the model?")
        unknown.read(sentences, str(path))
        for width in beams:
            for _ in range(1 + no_unknown):
                next(following).write(translator, sentences, width, path.name)


class Outputs:
    """The files that one search over a text writes: the translations, and others beside them."""

    def __init__(
        self,
        out: Path,
        nbest: int | None = None,
        alignments: bool = False,
        no_unknown: bool = False,
    ) -> None:
        self.count, self.no_unknown = nbest, no_unknown
        packed = ".gz" if out.suffix == ".gz" else ""
        stem = out.name.removesuffix(packed)
        if no_unknown:
            stem += ".no-unknown"
        self.text = out.with_name(stem + packed)
        self.normalised = out.with_name(f"{stem}.normalised{packed}") if nbest else None
        self.nbest = out.with_name(f"{stem}.nbest.jsonl{packed}") if nbest else None
        self.alignments = out.with_name(f"{stem}.alignments.npz") if alignments else None

    @property
    def paths(self) -> Iterator[Path]:
        """All of the files."""
        files = (self.text, self.normalised, self.nbest, self.alignments)
        return (path for path in files if path is not None)

    def write(
        self,
        translator: SavedTranslator,
        sentences: Sequence[Sequence[str]],
        width: int,
        name: str,
    ) -> None:
        """Translate the sentences of the text `name` and write what was asked for."""
        name += f", beam {width}" + (", no unknown words" if self.no_unknown else "")
        every = self.nbest is not None
        found = translator.search(sentences, width, name, self.no_unknown, every)
        write_lines(self.text, lines(translator, found, [0] * len(found)))
        if self.normalised and self.nbest and self.count:
            best = [best_normalised(hypotheses) if hypotheses else 0 for hypotheses in found]
            write_lines(self.normalised, lines(translator, found, best))
            write_lines(self.nbest, nbest_lines(translator, found, self.count))
        if self.alignments:
            aligned = translator.align(sentences, found, f"{name}, alignments")
            write_alignments(self.alignments, aligned)


def refuse_cut_lists(beams: Sequence[int], nbest: int | None) -> None:
    """Raises UserError if a beam ends fewer translations than are to be listed of each sentence.

    Greedy search, which has one, is left out of this beside wider beams.
    """
    narrowest = min((width for width in beams if width > 1), default=1)
    if nbest and nbest > narrowest:
        raise UserError(
            f"--nbest {nbest} with --beam {narrowest}: a beam ends no more translations than it is "
            f"wide: give --nbest {narrowest} at most, or a wider beam"
        )


def refuse_clashes(texts: Iterable[Path], outputs: Iterable[Outputs]) -> None:
    """Raises UserError if a file beside an --out is an input or another output."""
    seen = {path.resolve() for path in texts}
    for path in (path for each in outputs for path in each.paths):
        if path.resolve() in seen:
            raise UserError(f"{path}: read or written already: choose another --out")
        seen.add(path.resolve())


def lines(
    translator: SavedTranslator,
    found: Sequence[Sequence[Hypothesis]],
    places: Sequence[int],
) -> Iterator[str]:
    """The text of the hypothesis of each sentence at its place; an empty line where it has none."""
    for hypotheses, place in zip(found, places, strict=True):
        yield translator.text(hypotheses[place]) if hypotheses else ""


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
