"""Lower precision, where it applies, and where it does not."""

import pytest
import torch

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import TrainingSettings
from contextnmt.model.translator import Translator
from contextnmt.training.precision import autocast, set_precision
from contextnmt.training.update import build_optimizer, objective

CPU = torch.device("cpu")
MODEL = ModelSettings(
    embedding=16, hidden=16, alignment=16, maxout=16, initialisation="glorot", contextualizer=None
)


def update(precision, optimizer):
    """Losses, gradients and optimizer of a small model after one update."""
    torch.manual_seed(3)
    model = Translator(MODEL, 30, 30)
    recipe = TrainingSettings(optimizer=optimizer, learning_rate=1.0)
    steps = build_optimizer(recipe, model.parameters())
    source, target = (torch.randint(3, 30, (8, length)) for length in (9, 7))
    with autocast(CPU, precision):
        losses = model(source, target)
    objective(losses, 8, "mean").backward()
    gradients = torch.cat([weight.grad.flatten() for weight in model.parameters()])
    steps.step()
    return model, losses.detach(), gradients, steps


@pytest.mark.parametrize("optimizer", ["adam", "adadelta"])
def test_bf16_is_close_to_fp32_and_keeps_32_bits_where_they_matter(optimizer):
    _, exact, exact_gradient, _ = update("fp32", optimizer)
    model, losses, gradient, steps = update("bf16", optimizer)
    assert losses.dtype == torch.float32
    assert not torch.equal(losses, exact)  # it does something
    torch.testing.assert_close(losses, exact, rtol=0.02, atol=0.02)
    cosine = torch.nn.functional.cosine_similarity(gradient, exact_gradient, dim=0)
    assert cosine > 0.999
    kept = [*model.parameters(), *(t for s in steps.state.values() for t in s.values())]
    assert {tensor.dtype for tensor in kept} == {torch.float32}


def test_tf32_is_for_the_gpu_and_changes_nothing_on_the_cpu():
    try:
        set_precision("tf32")
        flags = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
        _, losses, gradient, _ = update("tf32", "adam")
    finally:
        set_precision("fp32")
    assert flags == (True, True)
    assert not torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cudnn.allow_tf32
    _, exact, exact_gradient, _ = update("fp32", "adam")
    assert torch.equal(losses, exact)
    assert torch.equal(gradient, exact_gradient)
