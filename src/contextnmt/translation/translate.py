"""The stage `translate`: texts of one view, or a user's own sentences, by a trained model."""

from pathlib import Path
from typing import Annotated

import torch
import typer

from contextnmt.configuration.values import MINIMUM_LENGTH
from contextnmt.errors import UserError
from contextnmt.model.arithmetic import choose_device
from contextnmt.translation.saved import Precision
from contextnmt.translation.view_texts import Wanted, refuse_cut_lists, translate_view_texts

#: Width of the beam for a user's own text: that of the papers (A17).
BEAM = 12


def translate(
    model: Annotated[
        Path | None,
        typer.Option(
            help="folder that `contextnmt train` wrote; without --text and --out, one that "
            "`contextnmt export` wrote: translate raw text from standard input"
        ),
    ] = None,
    text: Annotated[
        list[Path] | None, typer.Option(help="source text in the model's view; repeatable")
    ] = None,
    beam: Annotated[
        list[int] | None,
        typer.Option(help=f"beam width; repeatable; with --run only one (default {BEAM})", min=1),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="translation; all widths of the first --text, then of the next"),
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
    minimum_length: Annotated[
        float | None,
        typer.Option(
            help="least length of a translation, as a share of the tokens of its source; 0: no "
            f"limit; by default that of the run or {MINIMUM_LENGTH}",
            min=0,
            max=1,
        ),
    ] = None,
    ensemble: Annotated[
        list[Path] | None,
        typer.Option(help="a model to average with, such as another seed; repeatable"),
    ] = None,
    nbest: Annotated[
        int | None,
        typer.Option(
            help="also write this many translations of each sentence, with scores; at most the "
            "narrowest --beam above 1",
            min=1,
        ),
    ] = None,
    no_unknown: Annotated[
        bool,
        typer.Option("--no-unknown", help="also translate without UNK; with --run, only that"),
    ] = False,
    alignments: Annotated[
        bool,
        typer.Option("--alignments", help="also write the attention weights of the widest beam"),
    ] = False,
) -> None:
    """Translate texts by beam search: your own sentences, or files in a model's view.

    Your own: contextnmt translate --run results/demo/run/en-fr/context-symbol/1.json
    < sentences.en > sentences.fr

    reads raw sentences from standard input, one per line, and tokenizes, translates and restores
    them as the workflow does with test texts. Each line is answered as soon as it is translated.
    With --nbest or --alignments the answer is a list of translations as JSON, best first. `--model
    exported` does the same with a folder of `contextnmt export`. With --text and --out, --model
    writes the tokens of the view, one sentence per line.

    In both cases unknown words are written as UNK, and an empty line stays empty.

    Example: contextnmt translate --model model --text test.en.gz --beam 1 --beam 12
    --out test.beam1.gz --out test.beam12.gz

    Further outputs are named after each --out. For test.beam12.gz, --nbest writes
    test.beam12.nbest.jsonl.gz and, with the best translations by score per token,
    test.beam12.normalised.gz. --alignments writes test.beam12.alignments.npz, for the widest beam
    alone. Both describe the translations in --out. --no-unknown writes other translations,
    test.beam12.no-unknown.gz, without further files.
    """
    wanted = Wanted(nbest, no_unknown, alignments, precision, minimum_length)
    models = ensemble or []
    if own := run or (None if text or out else model):
        if run and (model or text or out):
            raise UserError(
                "--run reads standard input and writes standard output: leave out --model, --text "
                "and --out"
            )
        if len(beam or []) > 1:
            raise UserError("raw text is translated once: give one --beam, or none")
        [width] = beam or [BEAM]
        refuse_cut_lists([width], nbest)
        torch.set_num_threads(threads)
        # With the stages before and after this one, a quarter of the time that importing takes.
        from contextnmt.translation.own_text import translate_own_text
        from contextnmt.translation.run_file import read_exported, read_run

        found = read_run(own) if run else read_exported(own)
        translate_own_text(found, models, width, choose_device(device), wanted)
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
    torch.set_num_threads(threads)
    translate_view_texts([model, *models], text, beam, out, choose_device(device), wanted)
