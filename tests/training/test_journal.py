"""The records of a training's course."""

import pytest
import torch

from contextnmt.configuration.training import TrainingSettings
from contextnmt.training.journal import Window
from contextnmt.training.update import Taken

CPU = torch.device("cpu")
NAN = float("nan")


def add(window, update, losses, norm, source_tokens=5):
    taken = Taken(torch.tensor(losses).sum(), torch.tensor(norm))
    window.add(update, taken, source_tokens, len(losses))


def test_a_record_has_the_means_of_its_updates():
    window = Window(CPU, TrainingSettings(clip=1.0))
    add(window, 1, [1.0, 2.0], 0.5)
    add(window, 2, [3.0], 2.5)
    numbers = window.numbers()
    assert (numbers["loss"], numbers["gradient_norm"], numbers["clip_rate"]) == (2.0, 1.5, 0.5)
    assert numbers["non_finite"] == 0
    ratio = numbers["source_tokens_per_second"] / numbers["target_tokens_per_second"]
    assert ratio == pytest.approx(10 / 3, rel=1e-3)
    add(window, 3, [7.0], 0.25)
    assert window.numbers()["loss"] == 7.0


def test_gradients_that_are_not_finite_are_counted_and_left_out_of_the_mean():
    window = Window(CPU, TrainingSettings(optimizer="adadelta"))
    for update, norm in enumerate([2.0, NAN, 4.0, float("inf")], start=1):
        add(window, update, [1.0], norm)
    numbers = window.numbers()
    assert (numbers["gradient_norm"], numbers["clip_rate"], numbers["non_finite"]) == (3.0, 0.5, 2)
    assert window.first_diverged() == 0  # they were replaced
    for update in (5, 6):
        add(window, update, [NAN], 1.0)
    window.restart()
    assert window.first_diverged() == 5  # kept in mind
