"""Models in training, ours and the yardstick: what training.py times."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from statistics import median
from time import perf_counter
from typing import NamedTuple

import torch
import typer
from made_up_pairs import Batch, Count, Shape, target_words
from multiply_adds import PASSES, of_translator, of_yardstick
from torch import Tensor, nn
from yardstick import Yardstick

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import TrainingSettings
from contextnmt.errors import UserError
from contextnmt.model.device import choose_device
from contextnmt.model.translator import Translator
from contextnmt.training.graphs import ready
from contextnmt.training.process import set_precision, settle
from contextnmt.training.update import Updater

RATE, CLIP = 1e-3, 1.0
EXACT = "fp32"
#: Sizes are multiples of it, as they are in practice.
UNIT = 8


class Contestant(NamedTuple):
    """What an update is made by; the sizes, the multiply-adds of a target word, in millions."""

    update: Callable[[Tensor, Tensor], object]
    precision: str
    sizes: str
    adds: float


def millions(forward: int, text: Count) -> float:
    """The multiply-adds of a target word in training, in millions."""
    return PASSES * forward / text.target / 1e6


def ours(
    settings: ModelSettings,
    words: int,
    text: Count,
    shape: Shape,
    precision: str,
    device: torch.device,
) -> Contestant:
    """A model of this project, with so many words (ids) on either side, made ready as in a training
    whose largest batch has that shape."""
    settle(device)
    torch.manual_seed(1)
    set_precision(precision)
    recipe = TrainingSettings(learning_rate=RATE, clip=CLIP, precision=precision)
    updater = Updater(Translator(settings, words, words).to(device), recipe, device)
    update = ready(updater, *shape.batch())
    adds = millions(of_translator(settings, words, text), text)
    return Contestant(update, precision, sizes_of(settings), adds)


def yardstick(
    size: int, hidden: int, words: int, text: Count, device: torch.device, settled: bool
) -> Contestant:
    """The model in plain PyTorch; `settled`: in a process that keeps what one of ours does."""
    if settled:
        settle(device)
    torch.manual_seed(1)
    model = Yardstick(words, words, size, hidden).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)

    def update(source: Tensor, target: Tensor) -> None:
        optimizer.zero_grad()
        torch.autograd.backward(model(source, target))
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()

    adds = millions(of_yardstick(size, hidden, words, text), text)
    return Contestant(update, EXACT, f"{size}/{hidden}", adds)


def sizes_of(settings: ModelSettings) -> str:
    """Embedding, hidden state, alignment if there is one, maxout."""
    aligned = [settings.alignment] if settings.attention else []
    return "/".join(map(str, [settings.embedding, settings.hidden, *aligned, settings.maxout]))


def in_proportion(settings: ModelSettings, words: int, text: Count, goal: int) -> ModelSettings:
    """The smallest model of like proportions with as many multiply-adds as `goal`, or more."""
    sizes = ("embedding", "hidden", "alignment", "maxout")

    def scaled(share: float) -> ModelSettings:
        steps = {name: round(share * getattr(settings, name) / UNIT) for name in sizes}
        return replace(settings, **{name: UNIT * max(1, each) for name, each in steps.items()})

    made = (scaled(thousandths / 1000) for thousandths in count(1))
    return next(each for each in made if of_translator(each, words, text) >= goal)


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


def speed(contestant: Contestant, window: Sequence[Batch], device: torch.device) -> float:
    """Target words a second in an update by each batch."""
    set_precision(contestant.precision)
    words, started = target_words(window), clock(device)
    for batch in window:
        contestant.update(*batch)
    return words / (clock(device) - started)


def steady(speeds: Sequence[float]) -> float:
    """The median of the windows' speeds, without the first."""
    return median(speeds[1:] or speeds)
