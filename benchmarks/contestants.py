"""Models in training, ours and the yardstick, and how speeds are compared."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from statistics import median
from time import perf_counter
from typing import NamedTuple

import torch
import typer
from made_up_pairs import Batch, batches, largest, made_up, target_words
from peers import Recipe
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode
from yardstick import Yardstick

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import TrainingSettings
from contextnmt.errors import UserError
from contextnmt.model.device import choose_device
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import EOS, SPECIALS
from contextnmt.training.graphs import ready
from contextnmt.training.process import set_precision, settle
from contextnmt.training.update import Updater

RATE, CLIP = 1e-3, 1.0
EXACT = "fp32"
YARDSTICK, FASTEST = "plain PyTorch", "the fastest toolkit"

#: Symbols of a made-up sentence in the mean, with its end.
LENGTH = 23

#: Backward, the gradient of either factor of a product costs as much as the product.
PASSES = 3


class Task(NamedTuple):
    """The text, batches, device and threads of a training."""

    pairs: int
    words: int  # of either side
    recipe: Recipe
    device: torch.device
    threads: int

    @property
    def ids(self) -> int:
        """Words of either side, and the marks among them."""
        return self.words + len(SPECIALS)

    def windows(self) -> list[list[Batch]]:
        """The batches of a round, from one report to the next."""
        size, updates, report = self.recipe
        text = cycle(batches(made_up(self.pairs, self.words), size, self.device))
        measured = list(islice(text, updates))
        return [measured[first : first + report] for first in range(0, updates, report)]


class Contestant(NamedTuple):
    """A model in training: its update, sizes and multiply-adds of a target word, in millions."""

    update: Callable[[Tensor, Tensor], object]
    precision: str
    sizes: str
    adds: float


def ours(settings: ModelSettings, precision: str, task: Task) -> Contestant:
    """A model of this project, made ready as in a training by the batches of a task."""
    settle(task.device)
    torch.manual_seed(1)
    set_precision(precision)
    model = Translator(settings, task.ids, task.ids)
    adds = multiply_adds(model)
    recipe = TrainingSettings(learning_rate=RATE, clip=CLIP, precision=precision)
    updater = Updater(model.to(task.device), recipe, task.device)
    batch = largest([batch for window in task.windows() for batch in window])
    return Contestant(ready(updater, *batch), precision, sizes_of(settings), adds)


def yardstick(size: int, hidden: int, settled: bool, task: Task) -> Contestant:
    """The model in plain PyTorch; `settled`: in a process that keeps what one of ours does."""
    if settled:
        settle(task.device)
    torch.manual_seed(1)
    model = Yardstick(task.ids, task.ids, size, hidden)
    words = torch.full((1, LENGTH), EOS)
    adds = PASSES * millions(lambda: model(words, words)) / LENGTH
    model.to(task.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)

    def update(source: Tensor, target: Tensor) -> None:
        optimizer.zero_grad()
        torch.autograd.backward(model(source, target))
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()

    return Contestant(update, EXACT, f"{size}/{hidden}", adds)


def multiply_adds(model: Translator) -> float:
    """Multiply-adds of a target word in training, in millions, step by step as defined."""
    word = torch.full((1, 1), EOS)
    with torch.inference_mode():
        encoded = model.encode(word.expand(1, LENGTH))
        _, context, _ = model.predict(encoded.start, encoded)
    encode = millions(lambda: model.encode(word.expand(1, LENGTH)))
    predict = millions(lambda: model.predict(encoded.start, encoded))
    advance = millions(lambda: model.advance(encoded.start, word, context, encoded))
    return PASSES * (encode + LENGTH * predict + (LENGTH - 1) * advance) / LENGTH


def millions(call: Callable[[], object]) -> float:
    """The multiply-adds of matrix products in a call on the CPU, in millions."""
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # of oneDNN, without which LSTMs are products
        with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
            call()
    return counter.get_total_flops() / 2e6


def sizes_of(settings: ModelSettings) -> str:
    """Embedding, hidden state, alignment if there is one, maxout."""
    aligned = [settings.alignment] if settings.attention else []
    return "/".join(map(str, [settings.embedding, settings.hidden, *aligned, settings.maxout]))


class Here:
    """The contestant of a process that trains one alone, as a training does: memory and caches are
    its own."""

    contestant: Contestant
    windows: Sequence[Sequence[Batch]]
    device: torch.device

    @classmethod
    def begin(cls, make: Callable[[Task], Contestant], task: Task) -> None:
        """Make the contestant."""
        torch.set_num_threads(task.threads)
        cls.contestant, cls.windows, cls.device = make(task), task.windows(), task.device

    @classmethod
    def facts(cls) -> list[str]:
        """Its sizes and multiply-adds, for a table."""
        return [cls.contestant.sizes, f"{cls.contestant.adds:.1f}"]

    @classmethod
    def speed(cls, window: int) -> float:
        """Target words a second in an update by each batch of a window."""
        set_precision(cls.contestant.precision)
        words, started = target_words(cls.windows[window]), clock(cls.device)
        for batch in cls.windows[window]:
            cls.contestant.update(*batch)
        return words / (clock(cls.device) - started)

    @classmethod
    def memory(cls) -> int:
        """The most memory of the GPU that torch had, in MB: what graphs work in included."""
        return torch.cuda.max_memory_reserved(cls.device) >> 20


def named(name: str, precision: str) -> str:
    """The name of a row."""
    return name if precision == EXACT else f"{name}, {precision}"


def device_of(name: str) -> torch.device:
    """The device that --device asks for. Raises BadParameter if there is no such one."""
    try:
        return choose_device(name)
    except UserError as error:
        raise typer.BadParameter(f"--device: {error}") from error


def clock(device: torch.device) -> float:
    """Seconds, once the device has done all that it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return perf_counter()


def compared(
    rounds: Sequence[Mapping[str, float]],
    toolkits: Iterable[str],
    facts: Mapping[str, list[str]],
    digits: int,
) -> Iterator[list[str]]:
    """A row for each that has a speed in every round.

    After its `facts`, as many as those of the yardstick: the median of its speeds, and of its
    ratios to the yardstick and to the toolkit that was the fastest in the round.
    """
    fastest = [max((each[name] for name in toolkits), default=0.0) for each in rounds]
    for name in rounds[0]:
        speeds = [each[name] for each in rounds]
        about = facts.get(name, [""] * len(facts[YARDSTICK]))
        ratios = [ratio(speeds, [each[YARDSTICK] for each in rounds]), ratio(speeds, fastest)]
        yield [name, *about, f"{median(speeds):,.{digits}f}", *ratios]


def ratio(speeds: Sequence[float], others: Sequence[float]) -> str:
    """How many times as fast as another, in the median round; empty if there is none."""
    if not all(others):
        return ""
    return f"{median(own / other for own, other in zip(speeds, others, strict=True)):.2f}"
