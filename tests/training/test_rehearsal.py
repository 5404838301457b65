"""The largest batch comes first and leaves no trace."""

import pytest
import torch

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import TrainingSettings
from contextnmt.errors import UserError
from contextnmt.model.translator import Translator
from contextnmt.training.rehearsal import rehearse
from contextnmt.training.update import Updater

SETTINGS = ModelSettings(embedding=4, hidden=4, alignment=4, maxout=4, dropout=0.5)
BATCH = torch.tensor([[3, 4, 2], [5, 2, 0]]), torch.tensor([[4, 2], [3, 2]])


@pytest.fixture
def model():
    return Translator(SETTINGS, 7, 7)


def updater(model):
    return Updater(model, TrainingSettings(), torch.device("cpu"))


def test_neither_gradients_nor_weights_nor_random_state_change(model):
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    state = torch.get_rng_state()
    rehearse(updater(model), *BATCH)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(tensor, weights[name]) for name, tensor in model.state_dict().items())


def test_forward_and_backward_are_run(model):
    passes = []
    model.register_forward_hook(lambda *_: passes.append("forward"))
    model.source_embedding.weight.register_hook(lambda _: passes.append("backward"))
    rehearse(updater(model), *BATCH)
    assert passes == ["forward", "backward"]


def fails(*_):
    torch.empty(2**55)


def out_of_gpu_memory(*_):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")


@pytest.mark.parametrize("hook", [fails, out_of_gpu_memory])
def test_too_little_memory_is_a_message_that_names_the_keys(model, hook):
    model.register_forward_hook(hook)
    with pytest.raises(
        UserError,
        match=r"2 pairs of up to 3 and 2 symbols: lower training\.batch_size, .*model\.hidden",
    ):
        rehearse(updater(model), *BATCH)


def test_other_errors_are_not_taken_for_it(model):
    model.register_forward_hook(lambda *_: torch.ones(2) @ torch.ones(3))
    with pytest.raises(RuntimeError, match="size"):
        rehearse(updater(model), *BATCH)
