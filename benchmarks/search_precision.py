"""Whether search in bfloat16 finds what it finds in 32 bits: a Markdown page.

It translates texts by trained models in both precisions, one after the other.

Example: python benchmarks/search_precision.py --model train/en-de/baseline/1
--text tokenize/en-de/val.en.gz --reference tokenize/en-de/val.de.gz (in results/multi30k)
"""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Annotated, NamedTuple

import sacrebleu
import torch
import typer
from pages import made_by, publish, table

from contextnmt.files import read_json, read_lines
from contextnmt.translation.saved import Precision, SavedTranslator, in_bfloat16

CPU = torch.device("cpu")
#: Sentences that are translated before the clock runs.
WARM = 40
HEAD = ["model", "text", "sentences", "same", "BLEU fp32", "BLEU bf16", "fp32", "bf16", "ratio"]

NOTES = """
Each text is translated in 32 bits (fp32) and then in bfloat16. Same: the share of the sentences
whose best translations are equal, word for word. BLEU: of the tokens as they are. The last columns:
sentences a second in either, reading of the model excluded, and how many times as fast bfloat16 is.
"""


class Found(NamedTuple):
    """The translations of a text, and what they took."""

    lines: list[str]
    seconds: float


def translated(model: Path, text: Path, width: int, precision: Precision) -> Found:
    """A text by the model in a folder."""
    translator = SavedTranslator([model], CPU, precision)
    sentences = [line.split() for line in read_lines(text)]
    translator.search(sentences[:WARM], width, "")  # the first call prepares
    started = perf_counter()
    found = translator.search(sentences, width, "")
    seconds = perf_counter() - started
    return Found([translator.text(each[0]) if each else "" for each in found], seconds)


def bleu(found: Found, reference: Path) -> str:
    """BLEU of the tokens."""
    lines = [list(read_lines(reference))]
    return f"{sacrebleu.corpus_bleu(found.lines, lines, tokenize='none', force=True).score:.2f}"


def rows(models: list[Path], texts: list[tuple[Path, Path]], width: int) -> Iterator[list[str]]:
    """A row for each model and text."""
    for model in models:
        trained = read_json(model / "model.json")
        cell, embedding, hidden = (trained["model"][key] for key in ("cell", "embedding", "hidden"))
        name = f"{cell}, {embedding}/{hidden}, {trained['best']['update']:,} updates"
        for text, reference in texts:
            exact, lower = (translated(model, text, width, each) for each in Precision)
            count = len(exact.lines)
            same = sum(map(str.__eq__, exact.lines, lower.lines)) / count
            speeds = [f"{count / each.seconds:.1f}" for each in (exact, lower)]
            yield [
                *(name, text.name.split(".")[0], f"{count:,}", f"{same:.1%}"),
                *(bleu(each, reference) for each in (exact, lower)),
                *(*speeds, f"{exact.seconds / lower.seconds:.2f}"),
            ]


def main(
    model: Annotated[list[Path], typer.Option(help="folder of a training; repeatable")],
    text: Annotated[list[Path], typer.Option(help="source in the view of the models; repeatable")],
    reference: Annotated[list[Path], typer.Option(help="its translation; one for each text")],
    width: Annotated[int, typer.Option(help="of the beam", min=1)] = 12,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Translate in both precisions and compare."""
    if len(text) != len(reference):
        raise typer.BadParameter(f"{len(text)} --text, but {len(reference)} --reference")
    if not in_bfloat16(Precision.BF16, CPU):
        raise typer.BadParameter("this processor does not multiply bfloat16: run it on another")
    torch.set_num_threads(threads)
    pairs = list(zip(text, reference, strict=True))
    asked = f" --width {width} --threads {threads}{' --model MODEL' * len(model)}"
    files = "".join(f" --text {one.name} --reference {other.name}" for one, other in pairs)
    lines = [
        *("# Search in bfloat16", ""),
        *made_by(f"python benchmarks/search_precision.py{asked}{files}", "torch"),
        f"Beam {width}, {threads} threads.",
        *("", " ".join(NOTES.split()), ""),
        *table(HEAD, rows(model, pairs, width), words=2),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
