"""How fast beam search is, beside the same search in plain PyTorch: a Markdown page.

Both translate the same made-up sentences with random weights, in turns. Every translation has the
same length, so that all do the same steps. With --test-set, a text of the size of newstest too.

Example: python benchmarks/decoding.py --threads 2 --out benchmarks/published/decoding.md
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import numpy as np
import speed
import torch
import typer
from pages import Out, publish, table
from peers import Beam, Recipe, peers
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from training import PAPER_WORDS, PAPERS
from yardstick import Yardstick

from contextnmt.configuration.model import ModelSettings
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import EOS, PAD, SPECIALS
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

HEAD = ["", "multiply-adds", "sentences/s", f"to {speed.YARDSTICK}", f"to {speed.FASTEST}"]
TEST_SET_HEAD = ["", "sizes", "seconds", "sentences/s"]

SEARCH_NOTES = f"""
Random weights, made-up sentences of 4 to 50 words (log-normal, 22 on average), longest first. Every
translation is forced to the same length. Sentences per second: the median of the rounds, in which
all take turns. {speed.NOTES}
Multiply-adds of a hypothesis and step, in millions: of the model as it is defined; search may need
fewer. contextnmt batches as many sentences as the stage `translate`: of a beam of 12,
{HYPOTHESES["cpu"] // 12} on a CPU and {HYPOTHESES["cuda"] // 12} on a GPU; the others batch
{YARDSTICK_SENTENCES}. The time of the toolkits is what they say themselves, without their start.
JoeyNMT does not tell its search the least length: there, the end of a sentence counts as a mark
that search never writes. On a GPU, search has TF32 (tf32) in the place of bfloat16 (bf16).
"""

TEST_SET_NOTES = """
Models in the sizes of the papers, with random weights, translate the text once, in batches as the
stage `translate` makes them. Made-up sentences as above; every translation is as long as its
source, end of the sentence included. Reading the model does not count, making the search ready
does. Sizes: embedding, hidden state, alignment if there is one, maxout.
"""


class Contestant(NamedTuple):
    """A model that translates, and its multiply-adds of a step and hypothesis, in millions."""

    translate: Callable[[Sequence[speed.Sentence]], object]
    adds: float


def texts(count: int, words: int) -> list[speed.Sentence]:
    """Ids of so many sentences, the longest first."""
    return sorted((source for source, _ in speed.made_up(count, words)), key=len, reverse=True)


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
    _, predict, advance = speed.adds_of_parts(model)
    model.to(device)

    @torch.inference_mode()
    def translate(sentences: Sequence[speed.Sentence]) -> list[int]:
        set_precision(precision, device)
        ensemble = Ensemble([model], precision is Precision.BF16 and device.type == "cpu")
        found: list[int] = []
        for source in batches(sentences, max(1, HYPOTHESES[device.type] // width), device):
            lengths = (source != PAD).sum(1)
            each = lengths if steps is None else torch.full_like(lengths, steps)
            search = Search(ensemble, source, width, EOS, None, (each, each), best=True)
            found += [len(hypothesis.ids) for [hypothesis] in search.run()]
            assert found[-len(source) :] == each.tolist()
        return found

    return Contestant(translate, predict + advance)


def yardstick(words: int, width: int, steps: int, device: torch.device) -> Contestant:
    """A model in plain PyTorch that translates likewise."""
    torch.manual_seed(1)
    model = Yardstick(words + len(SPECIALS), words + len(SPECIALS)).eval()
    with torch.inference_mode():
        read, state = model.encode(torch.full((1, speed.LENGTH), EOS))
    adds = speed.millions(lambda: model.write(*model.start(state, 1), read))
    model.to(device)

    def translate(sentences: Sequence[speed.Sentence]) -> None:
        set_precision(Precision.FP32, device)
        for source in batches(sentences, YARDSTICK_SENTENCES, device):
            assert model.search(source, width, steps, EOS).shape == (len(source), steps)

    return Contestant(translate, adds)


def batches(
    sentences: Sequence[speed.Sentence], size: int, device: torch.device
) -> Iterator[Tensor]:
    """So many sentences at a time, ended and then padded."""
    ended = [torch.from_numpy(np.append(ids, EOS)) for ids in sentences]
    for first in range(0, len(sentences), size):
        yield pad_sequence(ended[first : first + size], True, float(PAD)).to(device)


def seconds(
    contestant: Contestant, sentences: Sequence[speed.Sentence], device: torch.device
) -> float:
    """Seconds to translate all."""
    started = speed.clock(device)
    contestant.translate(sentences)
    return speed.clock(device) - started


def test_set(
    precisions: Mapping[str, Precision], width: int, device: torch.device
) -> Iterator[list[str]]:
    """A row for each model of the papers: how long a test set takes."""
    sentences = texts(TEST_SET, PAPER_WORDS)
    for name, precision in precisions.items():
        for paper, settings in PAPERS.items():
            model = ours(settings, PAPER_WORDS, width, None, precision, device)
            model.translate(sentences[:WARM])
            took = seconds(model, sentences, device)
            measured = [f"{took:,.1f}", f"{len(sentences) / took:.2f}"]
            yield [speed.named(paper, name), speed.sizes_of(settings), *measured]


def main(
    sentences: speed.Number = 160,
    words: speed.Words = 8000,
    width: Annotated[int, typer.Option(help="of the beam", min=1)] = 12,
    steps: Annotated[int, typer.Option(help="words of every translation", min=1)] = 25,
    rounds: speed.Number = 5,
    threads: speed.Number = 2,
    environments: speed.Environments = None,
    bf16: speed.Bf16 = False,
    tf32: speed.Tf32 = False,
    with_test_set: Annotated[
        bool, typer.Option("--test-set", help=f"also {TEST_SET:,} sentences by the papers' models")
    ] = False,
    device: speed.Device = "cpu",
    out: Out = None,
) -> None:
    """Translate in turns and compare."""
    if tf32 and device == "cpu":
        raise typer.BadParameter("--tf32 is for a GPU: add --device cuda")
    place = speed.device_of(device, environments)
    torch.set_num_threads(threads)
    text = texts(sentences, words)
    precisions = {"fp32": Precision.FP32}
    if bf16 or tf32:
        precisions[LOWER[place.type]] = Precision.BF16
    second: list[str | list[str]] = []
    if with_test_set:  # first, while nothing else is on the GPU
        facts = f"{TEST_SET:,} sentences, {PAPER_WORDS:,} words per side, beam {width}."
        rows = table(TEST_SET_HEAD, test_set(precisions, width, place), words=2)
        second = ["## Translating a test set", facts, TEST_SET_NOTES, rows]
    contestants = {speed.YARDSTICK: yardstick(words, width, steps, place)}
    for name, settings in MODELS.items():
        for kind, precision in precisions.items():
            own = ours(settings, words, width, steps, precision, place)
            contestants[speed.named(name, kind)] = own
    for each in contestants.values():
        each.translate(text[-2:])  # the first call prepares
    recipe = Recipe(batch_size=YARDSTICK_SENTENCES, updates=2, report=1)
    beam = Beam(width, steps, YARDSTICK_SENTENCES)
    timers = {name: partial(seconds, each, text, place) for name, each in contestants.items()}
    with TemporaryDirectory() as folder:
        pairs = list(zip(text, text, strict=True))
        others = peers(environments, threads, pairs, words, recipe, Path(folder))
        for peer in others:
            peer.learn()
        timers |= {peer.name: partial(peer.seconds, beam) for peer in others}
        turns = (timers.items() for _ in range(rounds))
        found = [{name: sentences / timer() for name, timer in turn} for turn in turns]
    asked = f"{sentences} sentences, {words:,} words, beam {width}, {steps} steps, {rounds} rounds"
    adds = {name: [f"{each.adds:.2f}"] for name, each in contestants.items()}
    publish(
        out,
        "# Speed of beam search",
        speed.about(f"{asked}, {threads} threads", place, others),
        SEARCH_NOTES,
        table(HEAD, speed.compared(found, [peer.name for peer in others], adds, 2), words=1),
        *second,
    )


if __name__ == "__main__":
    typer.run(main)
