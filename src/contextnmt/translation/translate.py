"""The stage `translate`: texts of one view, by one model, with beams of several widths."""

import importlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.model.device import choose_device
from contextnmt.translation.alignment_file import write_alignments
from contextnmt.translation.hypothesis import Hypothesis, best_normalised
from contextnmt.translation.precision import Precision
from contextnmt.translation.saved import SavedTranslator
from contextnmt.translation.unknown import UnknownWords

#: Translates what a user writes. It reaches the stages before and after this one, and importing it
#: here would translate all test texts again after an edit of those.
OWN_TEXT = "contextnmt.translation.own_text"

#: Width of the beam for a user's own text: that of the papers (A17).
BEAM = 12


def translate(
    model: Annotated[Path | None, typer.Option(help="folder that `contextnmt train` wrote")] = None,
    text: Annotated[
        list[Path] | None, typer.Option(help="source text in the model's view; repeatable")
    ] = None,
    beam: Annotated[
        list[int] | None,
        typer.Option(help=f"beam width; repeatable; with --run one, or none for {BEAM}", min=1),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="translation; one for each text and width, texts outermost"),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(help="the file of a run: translate raw text from standard input"),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    threads: Annotated[int, typer.Option(help="threads of torch on the CPU")] = 1,
    precision: Annotated[
        Precision,
        typer.Option(
            help="bf16: matrix products in bfloat16 where the processor has it (GPU: TF32)"
        ),
    ] = Precision.FP32,
    ensemble: Annotated[
        list[Path] | None,
        typer.Option(help="a model to average with, such as another seed; repeatable"),
    ] = None,
    nbest: Annotated[
        int | None,
        typer.Option(
            help="also write so many translations of each sentence, with scores; no more than a "
            "--beam (above 1) ends",
            min=1,
        ),
    ] = None,
    no_unknown: Annotated[
        bool,
        typer.Option("--no-unknown", help="also (--run: only) translate without unknown words"),
    ] = False,
    alignments: Annotated[
        bool,
        typer.Option("--alignments", help="also write the attention weights of the widest beam"),
    ] = False,
) -> None:
    """Translate texts by beam search: your own sentences, or files in the view of a model.

    Your own: contextnmt translate --run results/demo/run/en-fr/context-symbol/1.json
    < sentences.en > sentences.fr

    reads raw sentences, one a line, from standard input, and does to them what the workflow does to
    its test texts, before and after the model. A line comes out for every line that goes in, as
    soon as it is there. With --nbest or --alignments it is a list of translations as JSON, best
    first. Without --run, it writes the tokens of the view, one sentence a line.

    In both cases unknown words are written as UNK, and an empty line stays empty.

    Example: contextnmt translate --model model --text test.en.gz --beam 1 --beam 12
    --out test.beam1.gz --out test.beam12.gz

    What else is asked for lies beside each --out, here test.beam12.gz: --nbest writes
    test.beam12.nbest.jsonl.gz, and the best translations by score per symbol as
    test.beam12.normalised.gz; --alignments, of the widest beam alone, test.beam12.alignments.npz.
    These are of the translations in --out; --no-unknown writes others, test.beam12.no-unknown.gz,
    with nothing beside them.
    """
    if run:
        if model or text or out:
            raise UserError(
                "--run reads standard input and writes standard output: leave out --model, --text "
                "and --out"
            )
        if len(beam or []) > 1:
            raise UserError("--run translates once: give one --beam, or none")
        width = beam[0] if beam else BEAM
        refuse_cut_lists([width], nbest)
        torch.set_num_threads(threads)
        own = importlib.import_module(OWN_TEXT)
        wanted = own.Wanted(width, nbest, no_unknown, alignments, precision)
        own.translate_own_text(run, ensemble or [], choose_device(device), wanted)
        return
    if not (model and text and beam and out):
        raise UserError(
            "give --run for sentences of your own, or --model, --text, --beam and --out for files "
            "in the view of the model"
        )
    if len(out) != len(text) * len(beam):
        raise UserError(
            f"{len(text)} --text and {len(beam)} --beam need {len(text) * len(beam)} --out, "
            f"not {len(out)}"
        )
    refuse_cut_lists(beam, nbest)
    outputs = [
        each
        for path, width in zip(out, beam * len(text), strict=True)
        for each in [
            Outputs(path, nbest, alignments and width == max(beam)),
            *([Outputs(path, no_unknown=True)] if no_unknown else []),
        ]
    ]
    refuse_clashes(text, outputs)
    torch.set_num_threads(threads)
    translator = SavedTranslator([model, *(ensemble or [])], choose_device(device), precision)
    if alignments and not translator.ensemble.aligns:
        raise UserError(f"{model}: a model without attention: leave out --alignments")
    following = iter(outputs)
    for path in text:
        sentences = [line.split() for line in read_lines(path)]
        unknown = UnknownWords(model, translator.source, "is it in the view of the model?")
        unknown.read(sentences, str(path))
        for width in beam:
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
        write_lines(self.text, texts(translator, found, [0] * len(found)))
        if self.normalised and self.nbest and self.count:
            best = [best_normalised(hypotheses) if hypotheses else 0 for hypotheses in found]
            write_lines(self.normalised, texts(translator, found, best))
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


def refuse_clashes(text: Iterable[Path], outputs: Iterable[Outputs]) -> None:
    """Raises UserError if a file beside an --out is an input or another output."""
    seen = {path.resolve() for path in text}
    for path in (path for each in outputs for path in each.paths):
        if path.resolve() in seen:
            raise UserError(f"{path}: read or written already: choose another --out")
        seen.add(path.resolve())


def texts(
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
