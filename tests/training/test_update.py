"""The loss that is differentiated, the clip and the optimizers."""

import numpy as np
import pytest
import torch

from contextnmt.configuration.training import TrainingSettings
from contextnmt.training.update import build_optimizer, clip_gradients, objective

ADADELTA = TrainingSettings(optimizer="adadelta", learning_rate=1.0, loss="sum")


def test_adadelta_takes_the_steps_of_the_authors_code():
    """Which, in its words: p -= sqrt(dn2 + eps) / sqrt(gn2 + eps) * g, gn2 being renewed first."""
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(3, 4))
    parameter = torch.nn.Parameter(torch.tensor(weights))
    optimizer = build_optimizer(ADADELTA, [parameter])
    gn2, dn2 = np.zeros_like(weights), np.zeros_like(weights)
    for scale in (1.0, 1e-6, 1e3, 0.0, 1e-3) * 4:
        g = scale * rng.normal(size=weights.shape)
        parameter.grad = torch.tensor(g)
        optimizer.step()
        gn2 = 0.95 * gn2 + (1 - 0.95) * g**2
        dx = np.sqrt(dn2 + 1e-6) / np.sqrt(gn2 + 1e-6) * g
        dn2 = 0.95 * dn2 + (1 - 0.95) * dx**2
        weights = weights - dx
        np.testing.assert_allclose(parameter.detach().numpy(), weights, rtol=1e-12)


def test_the_learning_rate_multiplies_adadeltas_step():
    steps = []
    for rate in (1.0, 0.5):
        parameter = torch.nn.Parameter(torch.zeros(3, dtype=torch.float64))
        recipe = TrainingSettings(optimizer="adadelta", learning_rate=rate)
        parameter.grad = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)
        build_optimizer(recipe, [parameter]).step()
        steps.append(parameter.detach())
    torch.testing.assert_close(steps[0], 2 * steps[1])


def test_the_default_is_adam_with_its_ordinary_constants():
    parameter = torch.nn.Parameter(torch.zeros(3))
    optimizer = build_optimizer(TrainingSettings(), [parameter])
    assert type(optimizer) is torch.optim.Adam
    (group,) = optimizer.param_groups
    assert (group["lr"], group["betas"], group["eps"]) == (4e-4, (0.9, 0.999), 1e-8)
    assert group["weight_decay"] == 0


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


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_adadelta_puts_a_tenth_of_the_parameters_for_a_gradient_that_is_not_finite(bad):
    pair = parameters()
    pair[0].grad[1] = bad
    assert not clip_gradients(pair, ADADELTA).isfinite()
    torch.testing.assert_close(pair[0].grad, torch.tensor([0.3, -0.1]))
    torch.testing.assert_close(pair[1].grad, torch.tensor([[0.05]]))


def test_adam_has_no_such_rule():
    pair = parameters()
    pair[0].grad[1] = float("nan")
    clip_gradients(pair, TrainingSettings())
    assert pair[1].grad.isnan().all()
