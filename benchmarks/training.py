"""How fast training is, beside plain PyTorch and other toolkits: a Markdown page.

All train on the same made-up sentences, in turns. The toolkits are those that are there: each has
an environment of its own, joeynmt, onmt, eole or fairseq, in one folder (benchmarks/README.md).

Example: python benchmarks/training.py --threads 2 --out benchmarks/published/training.md
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import torch
import typer
from contestants import (
    EXACT,
    FASTEST,
    YARDSTICK,
    Contestant,
    Here,
    Task,
    compared,
    device_of,
    named,
    ours,
    yardstick,
)
from made_up_pairs import made_up
from pages import Out, made_by, publish, table
from peers import Peer, Recipe, peers

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings

BAHDANAU = ModelSettings(620, 1000, 1000, 500, cell="gru")
CHOI = ModelSettings(620, 1000, 2000, 500)
SETTLED, YARDSTICK_SIZES = f"{YARDSTICK}, memory as in contextnmt", (256, 512)

#: Our models: with the multiply-adds of the yardstick for 8,000 words a side, and in its sizes.
MODELS = {
    "contextnmt, proportions of Bahdanau et al.": ModelSettings(312, 504, 504, 256, cell="gru"),
    "contextnmt, proportions of Choi et al.": ModelSettings(272, 440, 880, 224),
    "contextnmt, sizes of the yardstick": ModelSettings(256, 512, 512, 512),
}

#: The models of the papers, and the words that they know.
PAPERS = {
    "RNNencdec (Bahdanau et al.)": replace(BAHDANAU, attention=False),
    "RNNsearch (Bahdanau et al.)": BAHDANAU,
    "baseline (Choi et al.)": CHOI,
    "with context (Choi et al.)": replace(
        CHOI, contextualizer=ContextualizerSettings((1000, 1000))
    ),
    "with context, shared table (Choi et al.)": replace(
        CHOI, contextualizer=ContextualizerSettings((1000, 1000), table="shared")
    ),
}
PAPER_WORDS = 30_001

HEAD = ["", "sizes", "multiply-adds", "tokens/s"]
MEMORY = "GPU memory (MB), peak with the start"

NOTES = """
Made-up pairs of 4 to 50 words (log-normal, 22 on average; target and source differ by a tenth),
words by Zipf's law, batches of pairs whose longer sides are alike. Adam, clip 1, no dropout.
Tokens: target words and ends of sentences. Tokens a second: in each round the median of all reports
but the first, then the median of the rounds. In a round, our models and plain PyTorch train in
turns, report by report, by the same batches, each in a process of its own, and then each toolkit by
its own command and as its log says, from the start. To plain PyTorch, to the fastest toolkit: the
median of the rounds' ratios, to the toolkit that was the fastest in the round. Sizes: embedding,
hidden state, alignment, maxout. Multiply-adds of a target token, in millions: of all products of
matrices, forward and backward, the encoder's too, as the models are defined, in a sentence of
average length. The proportions are those of the papers (620, 1000, 1000, 500 and GRUs; 620, 1000,
2000, 500 and LSTMs), scaled until there are, for 8,000 words a side, as many multiply-adds as in
plain PyTorch. That (`yardstick.py`) is a bidirectional LSTM of 2x256, a decoder of 512 with
additive attention after the step and input feeding; keys and what words contribute to the gates are
computed once for all steps, and the output layer after them, without padding. The toolkits have
models of the same kind and sizes, but the attention of fairseq is bilinear, which is lighter; they
read the text while they train, where ours and plain PyTorch have their batches ready, and JoeyNMT
does not sort the pairs by length. On a CPU, freed memory stays with the processes of ours, on huge
pages (`training/process.py`), in a row of its own with that of plain PyTorch, and with the
toolkits, by glibc's variables of the environment, on small ones. What multiplies in bfloat16 there
compiles itself for each shape, in the first round for most: `training/process.py` and
`model/padding.py` say how it is kept. On a GPU, ours are CUDA graphs (`training/graphs.py`),
captured in the first round for most, whose recurrences are functions in Triton (`model/fused`), and
plain PyTorch is none.
"""

Maker = Callable[[Task], Contestant]


def makers(precisions: Sequence[str], device: torch.device) -> dict[str, Maker]:
    """Functions that make the yardstick, and our models in each precision."""
    plain = partial(yardstick, *YARDSTICK_SIZES)
    settled = {SETTLED: partial(plain, True)} if device.type == "cpu" else {}
    own = {
        named(name, precision): partial(ours, settings, precision)
        for name, settings in MODELS.items()
        for precision in precisions
    }
    return {YARDSTICK: partial(plain, False), **settled, **own}


def elsewhere(make: Maker, task: Task) -> ProcessPoolExecutor:
    """A process in which the methods of `Here` are about what `make` makes."""
    return ProcessPoolExecutor(1, get_context("spawn"), Here.begin, (make, task))


def in_turns(
    makers: Mapping[str, Maker], others: Sequence[Peer], task: Task, rounds: int
) -> Iterator[list[str]]:
    """Train all, window by window in turns, then the toolkits; the rows of the table."""
    with ExitStack() as stack:
        found = {name: stack.enter_context(elsewhere(make, task)) for name, make in makers.items()}
        facts = {name: process.submit(Here.facts) for name, process in found.items()}
        about = {name: each.result() for name, each in facts.items()}
        windows, speeds = len(range(0, task.recipe.updates, task.recipe.report)), []
        for _ in range(rounds):
            own: dict[str, list[float]] = {name: [] for name in found}
            for window in range(windows):
                for name, process in found.items():
                    own[name].append(process.submit(Here.speed, window).result())
            own |= {peer.name: peer.speeds() for peer in others}
            speeds.append({name: median(each[1:] or each) for name, each in own.items()})
    yield from compared(speeds, [peer.name for peer in others], about, 0)


def of_papers(precisions: Sequence[str], task: Task, rounds: int) -> Iterator[list[str]]:
    """A row for each model of the papers, one after the other."""
    for precision in precisions:
        for name, settings in PAPERS.items():
            with elsewhere(partial(ours, settings, precision), task) as process:
                speeds = [process.submit(Here.speed, 0).result() for _ in range(rounds + 1)]
                row = [named(name, precision), *process.submit(Here.facts).result()]
                row.append(f"{median(speeds[1:]):,.0f}")  # the first updates prepare
                if task.device.type == "cuda":
                    row.append(f"{process.submit(Here.memory).result():,}")
            yield row


def main(
    pairs: Annotated[int, typer.Option(min=1)] = 5000,
    words: Annotated[int, typer.Option(help="of either side", min=1)] = 8000,
    batch_size: Annotated[int, typer.Option(help="pairs an update", min=1)] = 80,
    updates: Annotated[int, typer.Option(help="in a round", min=1)] = 40,
    report: Annotated[int, typer.Option(help="updates from one report to the next", min=1)] = 5,
    rounds: Annotated[int, typer.Option(min=1)] = 3,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    environments: Annotated[
        Path | None,
        typer.Option("--peers", help="folder of the environments joeynmt, onmt, eole, fairseq"),
    ] = None,
    bf16: Annotated[
        bool, typer.Option("--bf16", help="also in bfloat16, on a processor that multiplies it")
    ] = False,
    tf32: Annotated[bool, typer.Option("--tf32", help="also in TF32, on a GPU")] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    out: Out = None,
) -> None:
    """Train in turns and compare; then train the models of the papers."""
    if environments and device != "cpu":
        raise typer.BadParameter("--peers: the toolkits train on the CPU alone")
    place = device_of(device)
    busy = os.getloadavg()[0]
    precisions = [EXACT, *["tf32"] * tf32, *["bf16"] * bf16]
    task = Task(pairs, words, Recipe(batch_size, updates, report), place, threads)
    with TemporaryDirectory() as name:
        others: list[Peer] = []
        if environments:
            text = made_up(pairs, words)
            others = peers(environments, threads, text, words, task.recipe, Path(name))
        rows = list(in_turns(makers(precisions, place), others, task, rounds))
        facts = [
            f"{pairs:,} pairs, {words:,} words a side, batches of {batch_size}, {rounds} rounds "
            f"of {updates} updates with a report every {report}, {threads} threads",
            *([torch.cuda.get_device_name()] if place.type == "cuda" else []),
            *(peer.version() for peer in others),
        ]
    large = task._replace(words=PAPER_WORDS, recipe=Recipe(batch_size, report, report))
    publish(
        out,
        "# Speed of training",
        [*made_by("torch"), f"{'; '.join(facts)}. Load before: {busy:.1f}."],
        NOTES,
        table([*HEAD, f"to {YARDSTICK}", f"to {FASTEST}"], rows, words=2),
        "## Models in the sizes of the papers",
        f"One after the other; {PAPER_WORDS:,} words a side, {report} updates a round.",
        table(
            HEAD + [MEMORY] * (place.type == "cuda"),
            of_papers(precisions, large, rounds),
            words=2,
        ),
    )


if __name__ == "__main__":
    typer.run(main)
