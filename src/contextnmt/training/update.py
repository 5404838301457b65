"""One update of the weights: the loss whose gradient is taken, the clip, the optimizer.

Its rehearsal by the largest batch lets too small a memory fail at once, not after hours.
"""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from contextnmt.configuration.training import TrainingSettings
from contextnmt.errors import UserError
from contextnmt.model.translator import Translator

#: Share of a parameter that takes the place of its gradient where that is not finite.
DECAY = 0.1

#: Advice when memory is too small.
REMEDY = (
    "lower training.batch_size, training.max_length or the sizes under model (model.hidden, "
    "model.embedding, model.alignment, model.maxout), or take a machine with more"
)


def objective(losses: Tensor, sentences: int, loss: str) -> Tensor:
    """The loss to differentiate, of the nats of each target word of a batch.

    `mean`: summed over the words of a sentence, averaged over the sentences; `sum`: summed over
    the batch, as in the code of Bahdanau et al. 2015 (A9).
    """
    total = losses.sum()
    return total / sentences if loss == "mean" else total


def build_optimizer(
    recipe: TrainingSettings, parameters: Iterable[nn.Parameter]
) -> torch.optim.Optimizer:
    """The recipe's optimizer: two numbers of state a parameter, in 32 bits like it.

    Adam (Kingma and Ba 2015; A10) or Adadelta (Zeiler 2012; rho and eps of Bahdanau et al. 2015,
    B.2), whose step is multiplied by the learning rate: 1, as the paper knows none (A48). On a GPU
    either can be part of a CUDA graph.
    """
    parameters = list(parameters)
    rate, on_gpu = recipe.learning_rate, any(parameter.is_cuda for parameter in parameters)
    if recipe.optimizer == "adadelta":
        return torch.optim.Adadelta(parameters, lr=rate, rho=0.95, eps=1e-6, capturable=on_gpu)
    return torch.optim.Adam(parameters, lr=rate, fused=True, capturable=on_gpu)


def clip_gradients(parameters: Iterable[nn.Parameter], recipe: TrainingSettings) -> Tensor:
    """Shorten the gradient to the recipe's largest L2 norm; its norm before that, a scalar.

    If the norm is not finite, Adadelta's recipe puts a tenth of each parameter in the place of its
    gradient, unclipped, as the code of Bahdanau et al. 2015 does. Adam's has no such rule. No
    number has to reach the host for this, so a GPU is not waited for.
    """
    parameters = list(parameters)
    norm = nn.utils.clip_grad_norm_(parameters, recipe.clip)
    if recipe.replaces_non_finite:
        finite = norm.isfinite()
        for parameter in parameters:
            if parameter.grad is not None:
                decay = DECAY * parameter.detach()
                parameter.grad.copy_(torch.where(finite, parameter.grad, decay))
    return norm


class Taken(NamedTuple):
    """Loss and gradient of an update, on the device."""

    loss: Tensor  # nats, summed over the target words
    norm: Tensor  # of the gradient, before it was clipped


class Updater:
    """Takes updates of a model by a recipe."""

    def __init__(self, model: Translator, recipe: TrainingSettings, device: torch.device) -> None:
        """`model` is on `device`."""
        self.model, self.recipe, self.device = model, recipe, device
        self.optimizer = build_optimizer(recipe, model.parameters())

    def __call__(self, source: Tensor, target: Tensor) -> Taken:
        """Update the weights by a batch, ids [B, S] and [B, T] on any device."""
        loss = self.differentiate(source, target)
        norm = clip_gradients(self.model.parameters(), self.recipe)
        self.optimizer.step()
        return Taken(loss, norm)

    def differentiate(self, source: Tensor, target: Tensor) -> Tensor:
        """Replace the gradient by that of a batch's objective; return the loss of `Taken`."""
        self.optimizer.zero_grad()
        source, target = (ids.to(self.device, non_blocking=True) for ids in (source, target))
        # In bfloat16 torch multiplies matrices; the softmax over the words, the loss, weights,
        # gradients and the optimizer's state stay in 32 bits (A46).
        bf16 = self.recipe.precision == "bf16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=bf16):
            losses: Tensor = self.model(source, target)  # nats [B, T], zero in the padding
        torch.autograd.backward(objective(losses, len(source), self.recipe.loss))
        return losses.detach().sum()


def rehearse(updater: Updater, source: Tensor, target: Tensor) -> None:
    """Differentiate a batch, [B, S] and [B, T], without a trace; see that memory suffices.

    Gradients are dropped, and the state of the random numbers is as before. Room for the
    optimizer's state, which is made later, is taken too. Raises UserError if memory is too small.
    """
    model, device = updater.model, updater.device
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        try:
            state = [torch.empty_like(weight) for weight in model.parameters() for _ in range(2)]
            updater.differentiate(source, target)
            del state
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            raise UserError(
                f"the {device.type} has no memory for the largest batch, {len(source)} pairs of up "
                f"to {source.size(1)} and {target.size(1)} symbols: {REMEDY}"
            ) from None
        finally:
            model.zero_grad()


def out_of_memory(error: RuntimeError) -> bool:
    """Whether torch found no memory, on a GPU or on the CPU (which has no type of error for it)."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
