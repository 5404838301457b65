"""How fast training is, beside plain PyTorch and other toolkits: a Markdown page.

All train on the same made-up sentences, in turns. The toolkits are those that are there: each has
an environment of its own, joeynmt, onmt, eole or fairseq, in one folder (benchmarks/README.md).

Example: python benchmarks/training.py --threads 2 --out benchmarks/published/training.md
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Literal, NamedTuple

import numpy as np
import speed
import torch
import typer
from pages import Out, publish, table
from peers import Peer, Recipe, peers
from torch import Tensor, nn
from yardstick import Yardstick

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings
from contextnmt.configuration.training import TrainingSettings
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import EOS, PAD, SPECIALS
from contextnmt.training.dataset import Batches, Side, TrainingPairs
from contextnmt.training.process import set_precision, settle
from contextnmt.training.update import Updater, ready

Precision = Literal["fp32", "tf32", "bf16"]
Batch = tuple[Tensor, Tensor]  # source and target ids
RATE, CLIP = 1e-3, 1.0
#: Backward, the gradient of either factor of a product costs as much as the product.
PASSES = 3

BAHDANAU = ModelSettings(620, 1000, 1000, 500, cell="gru")
CHOI = ModelSettings(620, 1000, 2000, 500)
SETTLED, YARDSTICK_SIZES = f"{speed.YARDSTICK}, memory as in contextnmt", (256, 512)

#: Our models: with the multiply-adds of the yardstick for 8,000 words per side, and in its sizes.
MODELS = {
    "contextnmt, proportions of Bahdanau et al.": ModelSettings(312, 504, 504, 256, cell="gru"),
    "contextnmt, proportions of Choi et al.": ModelSettings(272, 440, 880, 224),
    "contextnmt, sizes of the yardstick": ModelSettings(256, 512, 512, 512),
}

#: The models of the papers, and the words that they know.
OWN = ContextualizerSettings((1000, 1000))
SHARED = replace(OWN, table="shared")
PAPERS = {
    "RNNencdec (Bahdanau et al.)": replace(BAHDANAU, attention=False),
    "RNNsearch (Bahdanau et al.)": BAHDANAU,
    "baseline (Choi et al.)": CHOI,
    "with context (Choi et al.)": replace(CHOI, contextualizer=OWN),
    "with context, shared table (Choi et al.)": replace(CHOI, contextualizer=SHARED),
}
PAPER_WORDS = 30_001

HEAD = ["", "sizes", "multiply-adds", "tokens/s"]
MEMORY = "GPU memory (MB), peak with the start"

TRAINING_NOTES = f"""
Made-up pairs of 4 to 50 words (log-normal, 22 on average; the sides differ by a tenth), words by
Zipf's law, in batches of pairs whose longer sides are alike. Adam, clip 1, no dropout. Tokens:
target words and ends of sentences. In a round, our models and plain PyTorch train in turns, report
by report, on the same batches, each in a process of its own; then each toolkit trains from the
start, by its own command. Tokens a second: the median of a round's reports but the first, then of
the rounds. {speed.NOTES}
Sizes: embedding, hidden state, alignment, maxout. Multiply-adds of a target token, in millions: all
products of matrices, forward and backward, of the model as it is defined, in a sentence of average
length. The proportions are those of the papers (620, 1000, 1000, 500 and GRUs; 620, 1000, 2000, 500
and LSTMs), scaled to the multiply-adds of plain PyTorch for 8,000 words per side. The toolkits read
the text while they train; ours and plain PyTorch have their batches ready. JoeyNMT does not sort
the pairs by length. On a CPU, freed memory stays with our processes on huge pages (a row has plain
PyTorch so too), with the toolkits on small ones, and products in bfloat16 are compiled for each
shape, most in the first round. On a GPU, ours are CUDA graphs, most of them captured in the first
round, with recurrences in Triton; plain PyTorch is none.
"""


class Task(NamedTuple):
    """The text, batches, device and threads of a training."""

    pairs: int
    words: int  # of either side
    recipe: Recipe
    device: torch.device
    threads: int

    def batches(self) -> Batches:
        """All pairs, in batches of pairs of like length, as a training has them (A24)."""
        source, target = (
            Side(np.concatenate(ids).astype(np.int32), np.cumsum([0, *map(len, ids)]))
            for ids in zip(*speed.made_up(self.pairs, self.words), strict=True)
        )
        pairs = TrainingPairs(source, target, np.arange(self.pairs, dtype=np.uint32), {})
        return Batches(pairs, self.recipe.batch_size, sort_batches=self.pairs, seed=1)

    def windows(self) -> list[list[Batch]]:
        """The batches of a round in random order, from one report to the next."""
        text = self.batches()
        order = cycle(np.random.default_rng(1).permutation(text.per_epoch).tolist())
        drawn = (map(torch.from_numpy, text[number]) for number in order)
        moved = ((source.to(self.device), target.to(self.device)) for source, target in drawn)
        _, updates, report = self.recipe
        measured = list(islice(moved, updates))
        return [measured[first : first + report] for first in range(0, updates, report)]


class Contestant(NamedTuple):
    """A model in training: its update, sizes and multiply-adds of a target word, in millions."""

    update: Callable[[Tensor, Tensor], object]
    sizes: str
    adds: float


def ours(settings: ModelSettings, precision: Precision, task: Task) -> Contestant:
    """A model of this project, made ready as in a training by the batches of a task."""
    settle(task.device)
    torch.manual_seed(1)
    set_precision(precision)
    ids = task.words + len(SPECIALS)
    model = Translator(settings, ids, ids)
    adds = multiply_adds(model)
    recipe = TrainingSettings(learning_rate=RATE, clip=CLIP, precision=precision)
    updater = Updater(model.to(task.device), recipe, task.device)
    take = ready(updater, *map(torch.from_numpy, task.batches().largest()))
    return Contestant(take, speed.sizes_of(settings), adds)


def yardstick(size: int, hidden: int, settled: bool, task: Task) -> Contestant:
    """The model in plain PyTorch; `settled`: in a process that keeps what one of ours does."""
    if settled:
        settle(task.device)
    torch.manual_seed(1)
    set_precision("fp32")
    ids = task.words + len(SPECIALS)
    model = Yardstick(ids, ids, size, hidden)
    words = torch.full((1, speed.LENGTH), EOS)
    adds = PASSES * speed.millions(lambda: model(words, words)) / speed.LENGTH
    model.to(task.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)

    def update(source: Tensor, target: Tensor) -> None:
        optimizer.zero_grad()
        torch.autograd.backward(model(source, target))
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()

    return Contestant(update, f"{size}/{hidden}", adds)


def multiply_adds(model: Translator) -> float:
    """Multiply-adds of a target word in training, in millions, step by step as defined."""
    encode, predict, advance = speed.adds_of_parts(model)
    return PASSES * (encode + speed.LENGTH * predict + (speed.LENGTH - 1) * advance) / speed.LENGTH


Maker = Callable[[Task], Contestant]


class Here:
    """The contestant of a process that trains one alone, as a training does: memory and caches are
    its own."""

    contestant: Contestant
    windows: Sequence[Sequence[Batch]]
    device: torch.device

    @classmethod
    def begin(cls, make: Maker, task: Task) -> None:
        """Make the contestant."""
        torch.set_num_threads(task.threads)
        cls.contestant, cls.windows, cls.device = make(task), task.windows(), task.device

    @classmethod
    def facts(cls) -> list[str]:
        """Its sizes and multiply-adds, for a table."""
        return [cls.contestant.sizes, f"{cls.contestant.adds:.1f}"]

    @classmethod
    def rate(cls, window: int) -> float:
        """Target words per second in an update by each batch of a window."""
        batches = cls.windows[window]
        words = sum(int((target != PAD).sum()) for _, target in batches)
        started = speed.clock(cls.device)
        for batch in batches:
            cls.contestant.update(*batch)
        return words / (speed.clock(cls.device) - started)

    @classmethod
    def memory(cls) -> int:
        """The most memory of the GPU that torch had, in MB: what graphs work in included."""
        return torch.cuda.max_memory_reserved(cls.device) >> 20


def makers(precisions: Sequence[Precision], device: torch.device) -> dict[str, Maker]:
    """Functions that make the yardstick, and our models in each precision."""
    plain = partial(yardstick, *YARDSTICK_SIZES)
    settled = {SETTLED: partial(plain, True)} if device.type == "cpu" else {}
    own = {
        speed.named(name, precision): partial(ours, settings, precision)
        for name, settings in MODELS.items()
        for precision in precisions
    }
    return {speed.YARDSTICK: partial(plain, False), **settled, **own}


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
                    own[name].append(process.submit(Here.rate, window).result())
            own |= {peer.name: peer.speeds() for peer in others}
            speeds.append({name: median(each[1:] or each) for name, each in own.items()})
    yield from speed.compared(speeds, [peer.name for peer in others], about, 0)


def of_papers(precisions: Sequence[Precision], task: Task, rounds: int) -> Iterator[list[str]]:
    """A row for each model of the papers, one after the other."""
    for precision in precisions:
        for name, settings in PAPERS.items():
            with elsewhere(partial(ours, settings, precision), task) as process:
                speeds = [process.submit(Here.rate, 0).result() for _ in range(rounds + 1)]
                row = [speed.named(name, precision), *process.submit(Here.facts).result()]
                row.append(f"{median(speeds[1:]):,.0f}")  # the first updates prepare
                if task.device.type == "cuda":
                    row.append(f"{process.submit(Here.memory).result():,}")
            yield row


def main(
    pairs: speed.Number = 5000,
    words: speed.Words = 8000,
    batch_size: Annotated[int, typer.Option(help="pairs an update", min=1)] = 80,
    updates: Annotated[int, typer.Option(help="in a round", min=1)] = 40,
    report: Annotated[int, typer.Option(help="updates from one report to the next", min=1)] = 5,
    rounds: speed.Number = 3,
    threads: speed.Number = 2,
    environments: speed.Environments = None,
    bf16: speed.Bf16 = False,
    tf32: speed.Tf32 = False,
    device: speed.Device = "cpu",
    out: Out = None,
) -> None:
    """Train in turns and compare; then train the models of the papers."""
    place = speed.device_of(device, environments)
    precisions: list[Precision] = ["fp32"]
    precisions += ["tf32"] * tf32
    precisions += ["bf16"] * bf16
    task = Task(pairs, words, Recipe(batch_size, updates, report), place, threads)
    large = task._replace(words=PAPER_WORDS, recipe=Recipe(batch_size, report, report))
    with TemporaryDirectory() as name:
        text = speed.made_up(pairs, words)
        others = peers(environments, threads, text, words, task.recipe, Path(name))
        rows = list(in_turns(makers(precisions, place), others, task, rounds))
    asked = (
        f"{pairs:,} pairs, {words:,} words per side, batches of {batch_size}, {rounds} rounds of "
    )
    asked += f"{updates} updates with a report every {report}, {threads} threads"
    memory = [MEMORY] * (place.type == "cuda")
    publish(
        out,
        "# Speed of training",
        speed.about(asked, place, others),
        TRAINING_NOTES,
        table([*HEAD, f"to {speed.YARDSTICK}", f"to {speed.FASTEST}"], rows, words=2),
        "## Models in the sizes of the papers",
        f"One after the other; {PAPER_WORDS:,} words per side, {report} updates per round.",
        table([*HEAD, *memory], of_papers(precisions, large, rounds), words=2),
    )


if __name__ == "__main__":
    typer.run(main)
