"""The loss that is differentiated, the clip, the optimizers, precision, and the rehearsal."""

import numpy as np
import pytest
import torch

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import TrainingSettings
from contextnmt.errors import UserError
from contextnmt.model.translator import Translator
from contextnmt.training.process import set_precision
from contextnmt.training.update import (
    Updater,
    build_optimizer,
    clip_gradients,
    objective,
    rehearse,
)

ADADELTA = TrainingSettings(optimizer="adadelta", learning_rate=1.0, loss="sum")


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_adadelta_takes_the_steps_of_the_authors_code_times_the_learning_rate(rate):
    """Which, in its words: p -= sqrt(dn2 + eps) / sqrt(gn2 + eps) * g, gn2 being renewed first."""
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(3, 4))
    parameter = torch.nn.Parameter(torch.tensor(weights))
    recipe = TrainingSettings(optimizer="adadelta", learning_rate=rate)
    optimizer = build_optimizer(recipe, [parameter])
    gn2, dn2 = np.zeros_like(weights), np.zeros_like(weights)
    for scale in (1.0, 1e-6, 1e3, 0.0, 1e-3) * 4:
        g = scale * rng.normal(size=weights.shape)
        parameter.grad = torch.tensor(g)
        optimizer.step()
        gn2 = 0.95 * gn2 + (1 - 0.95) * g**2
        dx = np.sqrt(dn2 + 1e-6) / np.sqrt(gn2 + 1e-6) * g
        dn2 = 0.95 * dn2 + (1 - 0.95) * dx**2
        weights = weights - rate * dx
        np.testing.assert_allclose(parameter.detach().numpy(), weights, rtol=1e-12)


@pytest.mark.parametrize("optimizer", ["adam", "adadelta"])
def test_the_learning_rate_decays_over_the_last_updates(model, optimizer):
    recipe = TrainingSettings(optimizer=optimizer, max_updates=8, linear_decay=0.5)
    updater = Updater(model, recipe, torch.device("cpu"))
    rates = []
    for update in range(1, 9):
        updater.decay(update)
        rates += [group["lr"] / recipe.learning_rate for group in updater.optimizer.param_groups]
    assert rates == [1, 1, 1, 1, 1, 0.75, 0.5, 0.25]


def test_the_loss_is_a_mean_over_the_sentences_or_a_sum():
    losses = torch.tensor([1.0, 2.0, 3.5])  # the words of two sentences
    assert objective(losses, 2, "mean").item() == 3.25
    assert objective(losses, 2, "sum").item() == 6.5


def parameters():
    first, second = (torch.nn.Parameter(torch.tensor(w)) for w in ([3.0, -1.0], [[0.5]]))
    first.grad, second.grad = torch.tensor([3.0, 0.0]), torch.tensor([[4.0]])
    return [first, second]


@pytest.mark.parametrize("recipe", [TrainingSettings(), ADADELTA])
def test_a_long_gradient_is_shortened_and_a_short_one_left(recipe):
    pair = parameters()
    assert clip_gradients(pair, recipe).item() == 5
    assert torch.cat([p.grad.flatten() for p in pair]).tolist() == pytest.approx([0.6, 0.0, 0.8])
    before = [p.grad.clone() for p in pair]
    assert clip_gradients(pair, TrainingSettings(clip=2.0)).item() == pytest.approx(1)
    assert all(torch.equal(p.grad, g) for p, g in zip(pair, before, strict=True))


@pytest.mark.parametrize("bad", [float("nan"), float("-inf")])
def test_adadelta_puts_a_tenth_of_the_parameters_for_a_gradient_that_is_not_finite(bad):
    pair = parameters()
    pair[0].grad[1] = bad
    assert not clip_gradients(pair, ADADELTA).isfinite()
    torch.testing.assert_close(pair[0].grad, torch.tensor([0.3, -0.1]))
    torch.testing.assert_close(pair[1].grad, torch.tensor([[0.05]]))
    pair = parameters()
    pair[0].grad[1] = bad
    clip_gradients(pair, TrainingSettings())  # Adam has no such rule
    assert pair[0].grad.isnan().any()


# Precision

CPU = torch.device("cpu")
MODEL = ModelSettings(16, 16, 16, 16, initialisation="glorot")


def update(precision, optimizer):
    """The loss, the gradients and the updater of a small model after one update, unclipped."""
    torch.manual_seed(3)
    recipe = TrainingSettings(optimizer=optimizer, learning_rate=1.0, precision=precision, clip=1e9)
    model = Translator(MODEL, 30, 30)
    torch.nn.init.normal_(model.attention.energy.weight, std=0.3)  # zero attends to all alike
    updater = Updater(model, recipe, CPU)
    loss, _ = updater(*(torch.randint(3, 30, (8, length)) for length in (9, 7)))
    gradients = torch.cat([weight.grad.flatten() for weight in updater.model.parameters()])
    return loss, gradients, updater


@pytest.mark.parametrize("optimizer", ["adam", "adadelta"])
def test_bf16_is_close_to_fp32_and_keeps_32_bits_where_they_matter(optimizer):
    exact, exact_gradient, _ = update("fp32", optimizer)
    loss, gradient, updater = update("bf16", optimizer)
    assert loss.dtype == torch.float32
    assert not torch.equal(loss, exact)  # it does something
    torch.testing.assert_close(loss, exact, rtol=0.02, atol=0.02)
    cosine = torch.nn.functional.cosine_similarity(gradient, exact_gradient, dim=0)
    assert cosine > 0.999
    state = updater.optimizer.state.values()
    kept = [*updater.model.parameters(), *(t for each in state for t in each.values())]
    assert {tensor.dtype for tensor in kept} == {torch.float32}


def test_tf32_is_for_the_gpu_and_changes_nothing_on_the_cpu():
    try:
        set_precision("tf32")
        flags = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
        loss, gradient, _ = update("tf32", "adam")
    finally:
        set_precision("fp32")
    assert flags == (True, True)
    assert not torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cudnn.allow_tf32
    exact, exact_gradient, _ = update("fp32", "adam")
    assert torch.equal(loss, exact)
    assert torch.equal(gradient, exact_gradient)


# Rehearsal

SETTINGS = ModelSettings(4, 4, 4, 4, dropout=0.5)
BATCH = torch.tensor([[3, 4, 2], [5, 2, 0]]), torch.tensor([[4, 2], [3, 2]])


@pytest.fixture
def model():
    return Translator(SETTINGS, 7, 7)


def updater(model):
    return Updater(model, TrainingSettings(), torch.device("cpu"))


def test_forward_and_backward_change_neither_gradients_nor_weights_nor_random_state(model):
    passes = []
    model.register_forward_hook(lambda *_: passes.append("forward"))
    model.source_embedding.weight.register_hook(lambda _: passes.append("backward"))
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    state = torch.get_rng_state()
    rehearse(updater(model), *BATCH)
    assert passes == ["forward", "backward"]
    assert torch.equal(torch.get_rng_state(), state)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(tensor, weights[name]) for name, tensor in model.state_dict().items())


def fails(*_):
    torch.empty(2**55)


def out_of_gpu_memory(*_):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")


@pytest.mark.parametrize("hook", [fails, out_of_gpu_memory])
def test_too_little_memory_is_a_message_that_names_the_keys(model, hook):
    model.register_forward_hook(hook)
    with pytest.raises(
        UserError,
        match=r"2 pairs of up to 3 and 2 tokens: lower training\.batch_size, .*model \(hidden",
    ):
        rehearse(updater(model), *BATCH)


def test_other_errors_are_not_taken_for_it(model):
    model.register_forward_hook(lambda *_: torch.ones(2) @ torch.ones(3))
    with pytest.raises(RuntimeError, match="size"):
        rehearse(updater(model), *BATCH)
