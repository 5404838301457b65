"""How near a training comes to the speed of a machine's matrix products: part of training.py."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import torch
from contestants import clock, ours, speed
from made_up_pairs import Batch, counted, largest

from contextnmt.configuration.model import ModelSettings
from contextnmt.training.process import set_precision

#: Rows and columns of the matrices that are multiplied, by device.
SIDES = {"cpu": 2048, "cuda": 8192}

#: Measurements at a time, and products in each: a GPU is not kept waiting between those.
TIMES, TOGETHER = 3, 3


class Reached(NamedTuple):
    """Of a model in training: its sizes, multiply-adds of a target word in millions, target words
    a second; the machine's best rate meanwhile (`matrix_rate`); memory of the GPU, in MB."""

    sizes: str
    adds: float
    speed: float
    rate: float
    memory: int

    def roof(self, rate: float) -> float:
        """Target words a second if there were nothing but matrix products at `rate`."""
        return rate * 1e9 / (2e6 * self.adds)


def matrix_rate(precision: str, device: torch.device) -> float:
    """The best of several products of large square matrices, in billions of operations a second.

    A multiplication and an addition are two.
    """
    set_precision(precision)
    kind = torch.bfloat16 if precision == "bf16" else torch.float32
    side = SIDES[device.type]
    one, other = (torch.rand(side, side, device=device, dtype=kind) for _ in range(2))
    product = torch.mm(one, other)  # the first one prepares
    took = []
    for _ in range(TIMES):
        started = clock(device)
        for _ in range(TOGETHER):
            torch.mm(one, other, out=product)
        took.append(clock(device) - started)
    return TOGETHER * 2 * side**3 / min(took) / 1e9


def reached(
    settings: ModelSettings,
    words: int,
    window: Sequence[Batch],
    rounds: int,
    precision: str,
    device: torch.device,
) -> Reached:
    """Train a model with so many words (ids) on either side; each round once by all of `window`."""
    model = ours(settings, words, counted(window), largest(window), precision, device)
    speed(model, window, device)  # the first updates prepare
    on_gpu = device.type == "cuda"
    rates, speeds, memory = [], [], 0
    for _ in range(rounds):
        rates.append(matrix_rate(precision, device))
        if on_gpu:
            torch.cuda.empty_cache()  # of the matrices just measured
            torch.cuda.reset_peak_memory_stats(device)
        speeds.append(speed(model, window, device))
        # Not what is allocated: graphs of updates work in memory that is theirs for good.
        memory = torch.cuda.max_memory_reserved(device) >> 20 if on_gpu else 0
    return Reached(model.sizes, model.adds, median(speeds), max(rates), memory)
