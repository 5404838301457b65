"""How fast beam search is, beside the same search in plain PyTorch: a Markdown page.

Both translate the same made-up sentences with random weights, in turns. Every translation has the
same length, so that all do the same steps. With --test-set, a text of the size of newstest too.

Example: python benchmarks/decoding.py --threads 2 --out benchmarks/published/decoding.md
"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import numpy as np
import torch
import typer
from contestants import clock, device_of
from newstest import SENTENCES, newstest
from pages import made_by, publish, remarks, table
from peers import TOOLKITS, Beam, Peer, Recipe, peers, write_corpus
from torch.utils.flop_counter import FlopCounterMode
from training import EXACT, named
from yardstick import Yardstick

from contextnmt.configuration.model import ModelSettings
from contextnmt.model.translator import Translator
from contextnmt.translation.beam import Search
from contextnmt.translation.ensemble import Ensemble
from contextnmt.translation.saved import HYPOTHESES, Precision, set_precision

END = 1
ROUNDS = 5  # unless told otherwise
FIRST_WORD = 3
CPU = torch.device("cpu")
#: What search multiplies in where less than 32 bits are asked for, by device.
LOWER = {"cpu": "bf16", "cuda": "tf32"}

#: Our models: in the proportions of Choi et al. 2017 and in the sizes of the yardstick.
MODELS = {
    "contextnmt, proportions of Bahdanau et al.": ModelSettings(368, 592, 592, 296, cell="gru"),
    "contextnmt, proportions of Choi et al.": ModelSettings(328, 528, 1056, 264),
    "contextnmt, sizes of the yardstick": ModelSettings(256, 512, 512, 512),
}
YARDSTICK, YARDSTICK_SENTENCES = "plain PyTorch", 16
FASTEST = "the fastest toolkit"

HEAD = ["", "defined", "executed", "sentences/s", f"to {YARDSTICK}", f"to {FASTEST}"]

NOTES = f"""
Random weights, made-up sentences of 4 to 50 words (log-normal, 22 on average), longest first. Every
translation is forced to the same length. Sentences a second: the median of the rounds, in which all
take turns. To plain PyTorch, to the fastest toolkit: the median of the rounds' ratios, to the
toolkit that was the fastest in the round. Multiply-adds of a hypothesis and step, in millions: of
the model as it is defined, and as search executes them on a CPU, which multiplies the annotations
of a sentence once and not the context of each hypothesis, words once each in a round, and the state
of a hypothesis once for all that continue it (here words count at every step, and states for each
that continues them). contextnmt batches as many sentences as the stage `translate`: of a beam of
12, {HYPOTHESES["cpu"] // 12} on a CPU and {HYPOTHESES["cuda"] // 12} on a GPU. Plain PyTorch
(`yardstick.py`): a bidirectional LSTM of 2x256, a decoder of 512 with additive attention after the
step and input feeding; it computes the keys once a sentence, and batches {YARDSTICK_SENTENCES}
sentences. The toolkits have models of the same kind, sizes and batches, but the attention of
fairseq is bilinear, which is lighter; their time is what they say themselves, without their start.
JoeyNMT reads a least length and does not tell its search: there, the end of a sentence counts as
the mark after a prompt, which search never writes, so that it does all steps. On a GPU, search has
TF32 (tf32) in the place of bfloat16 (bf16).
"""


class Contestant(NamedTuple):
    """What translates, once it has begun anew; its sentences a batch, multiply-adds in millions."""

    begin: Callable[[], object]
    translate: Callable[[torch.Tensor], None]
    sentences: int
    defined: float
    executed: float
    device: torch.device


def texts(count: int, words: int) -> list[list[int]]:
    """Ids of sentences, the longest first."""
    rng = np.random.default_rng(1)
    lengths = np.clip(rng.lognormal(3.0, 0.55, count), 4, 50).astype(int)
    ids = [rng.integers(FIRST_WORD, words, length).tolist() for length in lengths]
    return sorted(([*each, END] for each in ids), key=len, reverse=True)


def batch(sentences: list[list[int]]) -> torch.Tensor:
    """Padded source ids [sentences, time]."""
    rows = [torch.tensor(each) for each in sentences]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


def millions(step: Callable[[], object]) -> float:
    """The multiply-adds of matrix products in a call."""
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        step()
    return counter.get_total_flops() / 2e6


def ours(
    settings: ModelSettings,
    words: int,
    width: int,
    steps: int,
    length: int,
    precision: Precision = Precision.FP32,
    device: torch.device = CPU,
) -> Contestant:
    """A model of this project, with sources of `length` symbols for its multiply-adds."""
    torch.manual_seed(1)
    model = Translator(settings, words, words)
    bf16 = precision is Precision.BF16 and device.type == "cpu"
    ensemble = Ensemble([model], bf16)

    def begin() -> None:
        nonlocal ensemble
        set_precision(precision, device)
        ensemble = Ensemble([model], bf16)

    @torch.inference_mode()
    def translate(source: torch.Tensor) -> None:
        search = Search(ensemble, source, width, END, None, best=True)
        search.shortest[:] = search.longest[:] = steps
        for [found] in search.run():
            assert len(found.ids) == steps

    source, word = torch.full((1, length), FIRST_WORD), torch.full((1, 1), FIRST_WORD)
    slot = torch.zeros_like(word)
    with torch.inference_mode():
        encoded = model.encode(source)
        sources, states = ensemble.encode(source)

    def defined() -> None:
        _, context, _ = model.predict(encoded.start, encoded)
        model.advance(encoded.start, word, context, encoded)

    def executed() -> None:
        weights = ensemble.attend(states, sources)
        ensemble.predict(ensemble.features(states, weights, sources))
        ensemble.advance(states, slot, word, weights, sources)

    size = max(1, HYPOTHESES[device.type] // width)
    # The energies' weights are multiplied element by element, which no counter of products sees.
    energies = length * settings.alignment / 1e6
    counted = millions(defined), millions(executed) + energies
    model.to(device)  # where `begin` makes an ensemble anew
    return Contestant(begin, translate, size, *counted, device)


def yardstick(
    words: int, width: int, steps: int, length: int, device: torch.device = CPU
) -> Contestant:
    """The same in plain PyTorch."""
    torch.manual_seed(1)
    model = Yardstick(words, words)
    with torch.inference_mode():
        read = model.encode(torch.full((1, length), FIRST_WORD))
    adds = millions(lambda: model.write(*model.start(*read, 1), *read[:3]))
    model.to(device)

    def begin() -> None:
        set_precision(Precision.FP32, device)
        model.eval()

    def translate(source: torch.Tensor) -> None:
        assert model.search(source, width, steps, END).shape == (len(source), steps)

    return Contestant(begin, translate, YARDSTICK_SENTENCES, adds, adds, device)


def seconds(contestant: Contestant, sentences: list[list[int]]) -> float:
    """What it takes to translate all."""
    device = contestant.device
    started = clock(device)
    contestant.begin()
    for first in range(0, len(sentences), contestant.sentences):
        source = batch(sentences[first : first + contestant.sentences])
        contestant.translate(source.to(device))
    return clock(device) - started


def in_turns(timers: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The seconds of each round."""
    took: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            took[name].append(timer())
    return took


def adds(contestant: Contestant) -> tuple[str, str]:
    """Its multiply-adds, as the model is defined and as they are executed."""
    return f"{contestant.defined:.2f}", f"{contestant.executed:.2f}"


def ratio(other: list[float], took: list[float]) -> str:
    """How many times as fast as another, in the median round; empty if there is none."""
    if not other:
        return ""
    return f"{median(theirs / own for theirs, own in zip(other, took, strict=True)):.2f}"


def learnt(
    environments: Path, threads: int, text: list[list[int]], words: int, folder: Path
) -> list[Peer]:
    """The toolkits with models of two updates, to translate a text of so many words (ids)."""
    spelt = [ids[:-1] for ids in text]  # they end sentences by themselves
    corpus = write_corpus(folder, zip(spelt, spelt, strict=True), words - FIRST_WORD)
    recipe = Recipe(batch_size=YARDSTICK_SENTENCES, updates=2, report=1)
    found = peers(environments, threads, corpus, recipe, folder)
    if not found:
        raise typer.BadParameter(f"--peers: {environments} holds none of {list(TOOLKITS)}")
    for peer in found:
        peer.learn()
    return found


def main(
    sentences: Annotated[int, typer.Option(min=1)] = 160,
    words: Annotated[int, typer.Option(help="of either vocabulary", min=4)] = 8004,
    width: Annotated[int, typer.Option(help="of the beam", min=1)] = 12,
    steps: Annotated[int, typer.Option(help="words of every translation", min=1)] = 25,
    rounds: Annotated[int, typer.Option(min=1)] = ROUNDS,
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
    test_set: Annotated[
        bool,
        typer.Option(
            "--test-set",
            help=f"also {SENTENCES:,} sentences by models of the papers' sizes; on a CPU, that "
            "takes minutes a model",
        ),
    ] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Translate in turns and compare."""
    if environments and device != "cpu":
        raise typer.BadParameter("--peers: the toolkits translate on the CPU alone")
    if tf32 and device == "cpu":
        raise typer.BadParameter("--tf32 is for a GPU: add --device cuda")
    place = device_of(device)
    torch.set_num_threads(threads)
    text = texts(sentences, words)
    length = round(fmean(map(len, text)))
    busy = os.getloadavg()[0]
    precisions = {EXACT: Precision.FP32}
    if bf16 or tf32:
        precisions[LOWER[place.type]] = Precision.BF16
    second: list[str] = []
    if test_set:
        second += ["", "## Translating a test set", ""]
        second += newstest(texts, width, precisions, place)
    contestants = {YARDSTICK: yardstick(words, width, steps, length, place)}
    for name, settings in MODELS.items():
        for kind, precision in precisions.items():
            own = ours(settings, words, width, steps, length, precision, place)
            contestants[named(name, kind)] = own
    for each in contestants.values():
        seconds(each, text[-2:])  # the first call prepares
    timers: dict[str, Callable[[], float]] = {
        name: partial(seconds, each, text) for name, each in contestants.items()
    }
    option = f" --rounds {rounds}" * (rounds != ROUNDS)
    option += " --device cuda" * (place.type == "cuda")
    option += " --bf16" * bf16 + " --tf32" * tf32 + " --test-set" * test_set
    option += " --peers peers" * bool(environments)
    with TemporaryDirectory() as folder:
        others: list[Peer] = []
        if environments:
            others = learnt(environments, threads, text, words, Path(folder))
        beam = Beam(width, steps, YARDSTICK_SENTENCES)
        timers |= {peer.name: partial(peer.seconds, beam) for peer in others}
        took = in_turns(timers, rounds)
        versions = [peer.version() for peer in others]
    fastest = [min(each) for each in zip(*(took[peer.name] for peer in others), strict=True)]
    rows = [
        [
            name,
            *(adds(contestants[name]) if name in contestants else ("", "")),
            f"{sentences / median(each):.2f}",
            *(ratio(other, each) for other in (took[YARDSTICK], fastest)),
        ]
        for name, each in took.items()
    ]
    asked = f"{sentences} sentences, {words:,} words, beam {width}, {steps} steps, {rounds} rounds"
    gpu = [torch.cuda.get_device_name()] if place.type == "cuda" else []
    lines = [
        *("# Speed of beam search", ""),
        *made_by(f"python benchmarks/decoding.py --threads {threads}{option}", "torch"),
        f"{'; '.join([f'{asked}, {threads} threads', *gpu, *versions])}. Load before: {busy:.1f}.",
        *("", remarks(NOTES), ""),
        *table(HEAD, rows, words=1),
        *second,
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
