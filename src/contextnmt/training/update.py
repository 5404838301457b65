"""One update of the weights: the loss whose gradient is taken, the clip, the optimizer."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from contextnmt.training.settings import TrainingSettings

#: What is left of the parameters in place of a gradient that is not finite.
DECAY = 0.1

#: How the losses of a batch's words [words], of so many sentences, become one number (A9).
LOSSES: dict[str, Callable[[Tensor, int], Tensor]] = {
    "mean": lambda losses, sentences: losses.sum() / sentences,
    "sum": lambda losses, sentences: losses.sum(),
}


def objective(losses: Tensor, sentences: int, loss: str) -> Tensor:
    """The loss to differentiate, of the nats of each target word [words] of a batch.

    `mean`: summed over the words of a sentence, averaged over the sentences; `sum`: summed over
    the batch, as in the code of Bahdanau et al. 2015 (A9).
    """
    return LOSSES[loss](losses, sentences)


def build_optimizer(
    recipe: TrainingSettings, parameters: Iterable[nn.Parameter]
) -> torch.optim.Optimizer:
    """The recipe's optimizer: two numbers of state a parameter, in 32 bits like it.

    Adam (Kingma and Ba 2015; A10) or Adadelta (Zeiler 2012; rho and eps of Bahdanau et al. 2015,
    B.2), whose step is multiplied by the learning rate: 1, as the paper knows none (A48).
    """
    if recipe.optimizer == "adadelta":
        return torch.optim.Adadelta(parameters, lr=recipe.learning_rate, rho=0.95, eps=1e-6)
    return torch.optim.Adam(parameters, lr=recipe.learning_rate, fused=True)


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
