"""How fast beam search is, beside the same search in plain PyTorch: a Markdown page.

Both translate the same made-up sentences with random weights, in turns. Every translation has the
same length, so that all do the same steps. With --test-set, a text of the size of newstest too.

Example: python benchmarks/decoding.py --threads 2 --out benchmarks/published/decoding.md
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import torch
import typer
from contestants import (
    EXACT,
    FASTEST,
    LENGTH,
    YARDSTICK,
    clock,
    compared,
    device_of,
    millions,
    named,
    sizes_of,
)
from made_up_pairs import Sentence, made_up, padded
from pages import Out, made_by, publish, table
from peers import Beam, Peer, Recipe, peers
from torch import Tensor
from training import PAPER_WORDS, PAPERS
from yardstick import Yardstick

from contextnmt.configuration.model import ModelSettings
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import EOS, SPECIALS
from contextnmt.translation.beam import Search
from contextnmt.translation.ensemble import Ensemble
from contextnmt.translation.saved import HYPOTHESES, Precision, set_precision

#: What search multiplies in where less than 32 bits are asked for, by device.
LOWER = {"cpu": "bf16", "cuda": "tf32"}

#: Our models: in the proportions of the papers and in the sizes of the yardstick.
MODELS = {
    "contextnmt, proportions of Bahdanau et al.": ModelSettings(368, 592, 592, 296, cell="gru"),
    "contextnmt, proportions of Choi et al.": ModelSettings(328, 528, 1056, 264),
    "contextnmt, sizes of the yardstick": ModelSettings(256, 512, 512, 512),
}
YARDSTICK_SENTENCES = 16

#: Sentences of a test set, as in newstest2013 and newstest2014; translated before the clock runs.
TEST_SET, WARM = 3000, 40

HEAD = ["", "multiply-adds", "sentences/s", f"to {YARDSTICK}", f"to {FASTEST}"]

NOTES = f"""
Random weights, made-up sentences of 4 to 50 words (log-normal, 22 on average), longest first. Every
translation is forced to the same length. Sentences a second: the median of the rounds, in which all
take turns. To plain PyTorch, to the fastest toolkit: the median of the rounds' ratios, to the
toolkit that was the fastest in the round. Multiply-adds of a hypothesis and step, in millions: of
the model as it is defined; search may need fewer. contextnmt batches as many sentences as the stage
`translate`: of a beam of 12, {HYPOTHESES["cpu"] // 12} on a CPU and {HYPOTHESES["cuda"] // 12} on a
GPU. Plain PyTorch (`yardstick.py`): a bidirectional LSTM of 2x256, a decoder of 512 with additive
attention after the step and input feeding; it computes the keys once a sentence, and batches
{YARDSTICK_SENTENCES} sentences. The toolkits have models of the same kind, sizes and batches, but
the attention of fairseq is bilinear, which is lighter; their time is what they say themselves,
without their start. JoeyNMT reads a least length and does not tell its search: there, the end of a
sentence counts as the mark after a prompt, which search never writes, so that it does all steps. On
a GPU, search has TF32 (tf32) in the place of bfloat16 (bf16).
"""

TEST_SET_NOTES = """
Models in the sizes of the papers, with random weights, translate the text once, in batches as the
stage `translate` makes them. Made-up sentences as above; every translation is as long as its
source, end of the sentence included. Reading the model does not count, making the search ready
does. Sizes: embedding, hidden state, alignment if there is one,
maxout.
"""


class Contestant(NamedTuple):
    """A model that translates after `begin`: its sentences a batch, and the multiply-adds of a step
    of a hypothesis, in millions."""

    begin: Callable[[], object]
    translate: Callable[[Tensor], object]
    sentences: int
    adds: float
    device: torch.device


def texts(count: int, words: int) -> list[Sentence]:
    """Ids of so many sentences, the longest first."""
    return sorted((source for source, _ in made_up(count, words)), key=len, reverse=True)


def ours(
    settings: ModelSettings,
    words: int,
    width: int,
    steps: int | None,
    precision: Precision,
    device: torch.device,
) -> Contestant:
    """A model of this project, whose translations have so many words; as many as their sources,
    ends of sentences included, if that is None."""
    torch.manual_seed(1)
    model = Translator(settings, words + len(SPECIALS), words + len(SPECIALS))
    word = torch.full((1, 1), EOS)
    with torch.inference_mode():
        encoded = model.encode(word.expand(1, LENGTH))

    def step() -> None:
        _, context, _ = model.predict(encoded.start, encoded)
        model.advance(encoded.start, word, context, encoded)

    adds = millions(step)
    model.to(device)
    ensemble: Ensemble

    def begin() -> None:
        nonlocal ensemble
        set_precision(precision, device)
        ensemble = Ensemble([model], precision is Precision.BF16 and device.type == "cpu")

    @torch.inference_mode()
    def translate(source: Tensor) -> list[int]:
        search = Search(ensemble, source, width, EOS, None, best=True)
        lengths = search.longest // 3 if steps is None else torch.full_like(search.longest, steps)
        search.shortest, search.longest = lengths, lengths
        found = [len(hypothesis.ids) for [hypothesis] in search.run()]
        assert found == lengths.tolist()
        return found

    return Contestant(begin, translate, max(1, HYPOTHESES[device.type] // width), adds, device)


def yardstick(words: int, width: int, steps: int, device: torch.device) -> Contestant:
    """The same in plain PyTorch."""
    torch.manual_seed(1)
    model = Yardstick(words + len(SPECIALS), words + len(SPECIALS)).eval()
    with torch.inference_mode():
        read, state = model.encode(torch.full((1, LENGTH), EOS))
    adds = millions(lambda: model.write(*model.start(state, 1), read))
    model.to(device)

    def translate(source: Tensor) -> None:
        assert model.search(source, width, steps, EOS).shape == (len(source), steps)

    begin = partial(set_precision, Precision.FP32, device)
    return Contestant(begin, translate, YARDSTICK_SENTENCES, adds, device)


def seconds(contestant: Contestant, sentences: Sequence[Sentence]) -> float:
    """Seconds to translate all."""
    device, size = contestant.device, contestant.sentences
    started = clock(device)
    contestant.begin()
    for first in range(0, len(sentences), size):
        contestant.translate(padded(sentences[first : first + size], device))
    return clock(device) - started


def test_set(
    precisions: Mapping[str, Precision], width: int, device: torch.device
) -> Iterator[list[str]]:
    """A row for each model of the papers: how long a test set takes."""
    sentences = texts(TEST_SET, PAPER_WORDS)
    for name, precision in precisions.items():
        for paper, settings in PAPERS.items():
            model = ours(settings, PAPER_WORDS, width, None, precision, device)
            seconds(model, sentences[:WARM])
            took = seconds(model, sentences)
            speed = f"{len(sentences) / took:.2f}"
            yield [named(paper, name), sizes_of(settings), f"{took:,.1f}", speed]


def learnt(
    environments: Path, threads: int, text: Sequence[Sentence], words: int, folder: Path
) -> list[Peer]:
    """The toolkits with models of two updates, to translate a text."""
    recipe = Recipe(batch_size=YARDSTICK_SENTENCES, updates=2, report=1)
    pairs = list(zip(text, text, strict=True))
    found = peers(environments, threads, pairs, words, recipe, folder)
    for peer in found:
        peer.learn()
    return found


def main(
    sentences: Annotated[int, typer.Option(min=1)] = 160,
    words: Annotated[int, typer.Option(help="of either side", min=1)] = 8000,
    width: Annotated[int, typer.Option(help="of the beam", min=1)] = 12,
    steps: Annotated[int, typer.Option(help="words of every translation", min=1)] = 25,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    environments: Annotated[
        Path | None,
        typer.Option("--peers", help="folder of the environments joeynmt, onmt, eole, fairseq"),
    ] = None,
    bf16: Annotated[
        bool,
        typer.Option(
            "--bf16", help="also in bfloat16, on a processor that multiplies it (a GPU: in TF32)"
        ),
    ] = False,
    tf32: Annotated[bool, typer.Option("--tf32", help="also in TF32, on a GPU")] = False,
    with_test_set: Annotated[
        bool,
        typer.Option(
            "--test-set",
            help=f"also {TEST_SET:,} sentences by models of the papers' sizes; on a CPU, that "
            "takes minutes a model",
        ),
    ] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    out: Out = None,
) -> None:
    """Translate in turns and compare."""
    if environments and device != "cpu":
        raise typer.BadParameter("--peers: the toolkits translate on the CPU alone")
    if tf32 and device == "cpu":
        raise typer.BadParameter("--tf32 is for a GPU: add --device cuda")
    place = device_of(device)
    torch.set_num_threads(threads)
    text = texts(sentences, words)
    busy = os.getloadavg()[0]
    precisions = {EXACT: Precision.FP32}
    if bf16 or tf32:
        precisions[LOWER[place.type]] = Precision.BF16
    second: list[str | list[str]] = []
    if with_test_set:  # first, while nothing else is on the GPU
        rows = table(
            ["", "sizes", "seconds", "sentences/s"], test_set(precisions, width, place), words=2
        )
        facts = f"{TEST_SET:,} sentences, {PAPER_WORDS:,} words a side, beam {width}."
        second = ["## Translating a test set", facts, TEST_SET_NOTES, rows]
    contestants = {YARDSTICK: yardstick(words, width, steps, place)}
    for name, settings in MODELS.items():
        for kind, precision in precisions.items():
            own = ours(settings, words, width, steps, precision, place)
            contestants[named(name, kind)] = own
    for each in contestants.values():
        seconds(each, text[-2:])  # the first call prepares
    timers: dict[str, Callable[[], float]] = {
        name: partial(seconds, each, text) for name, each in contestants.items()
    }
    with TemporaryDirectory() as folder:
        others: list[Peer] = []
        if environments:
            others = learnt(environments, threads, text, words, Path(folder))
        beam = Beam(width, steps, YARDSTICK_SENTENCES)
        timers |= {peer.name: partial(peer.seconds, beam) for peer in others}
        found = [
            {name: sentences / timer() for name, timer in timers.items()} for _ in range(rounds)
        ]
        versions = [peer.version() for peer in others]
    asked = f"{sentences} sentences, {words:,} words, beam {width}, {steps} steps, {rounds} rounds"
    gpu = [torch.cuda.get_device_name()] if place.type == "cuda" else []
    asked = "; ".join([f"{asked}, {threads} threads", *gpu, *versions])
    adds = {name: [f"{each.adds:.2f}"] for name, each in contestants.items()}
    publish(
        out,
        "# Speed of beam search",
        [*made_by("torch"), f"{asked}. Load before: {busy:.1f}."],
        NOTES,
        table(HEAD, compared(found, [peer.name for peer in others], adds, 2), words=1),
        *second,
    )


if __name__ == "__main__":
    typer.run(main)
