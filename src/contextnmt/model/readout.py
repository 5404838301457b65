"""The deep output with one maxout layer: Bahdanau et al. 2015, A.2.2; used by Choi et al. (A6)."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from contextnmt.model.output_loss import negative_log_likelihood
from contextnmt.model.products import Linear


class Readout(nn.Module):
    """t~ = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i; the larger of each two; logits over the words.

    Only the projection of the state has a bias, as in the authors' code (spec sec. 2.3, item 6),
    and the logits have one. A `rank` puts a linear layer of that size before the words (A8).
    """

    def __init__(
        self,
        hidden: int,
        size: int,
        annotation: int,
        maxout: int,
        words: int,
        rank: int | None = None,
    ) -> None:
        super().__init__()
        self.state = nn.Linear(hidden, 2 * maxout)  # U_o
        self.word = Linear(size, 2 * maxout, bias=False)  # V_o
        self.context = nn.Linear(annotation, 2 * maxout, bias=False)  # C_o
        self.output: nn.Module = (  # W_o
            nn.Linear(maxout, words)
            if rank is None
            else nn.Sequential(nn.Linear(maxout, rank, bias=False), nn.Linear(rank, words))
        )

    @property
    def layers(self) -> list[nn.Linear]:
        """The matrices that `output` consists of."""
        return [module for module in self.output.modules() if isinstance(module, nn.Linear)]

    def features(self, state: Tensor, previous: Tensor, context: Tensor) -> Tensor:
        """Return the input of `output` [..., maxout].

        The arguments are s_{i-1} [..., hidden], E y_{i-1} [..., size] and c_i [..., annotation].
        """
        return maxout(self.state(state) + self.word(previous) + self.context(context))

    def forward(self, state: Tensor, previous: Tensor, context: Tensor) -> Tensor:
        """Return logits [..., words]; the arguments are those of `features`."""
        return self.output(self.features(state, previous, context))  # type: ignore[no-any-return]

    def losses(self, state: Tensor, previous: Tensor, context: Tensor, target: Tensor) -> Tensor:
        """Return -log p, in nats, of the words `target` [N]; the others are as in `features`."""
        *before, last = self.layers
        features = self.features(state, previous, context)
        for layer in before:
            features = layer(features)
        return negative_log_likelihood(last, features, target)


def maxout(pieces: Tensor) -> Tensor:
    """Return the larger [..., maxout] of each two neighbours in t~ [..., 2 maxout]."""
    return Maxout.apply(pieces)  # type: ignore[no-any-return, no-untyped-call]


class Maxout(torch.autograd.Function):
    """Maxout with its gradient written out: torch's own takes a CPU three times as long."""

    @staticmethod
    def forward(ctx: Any, pieces: Tensor) -> Tensor:  # type: ignore[override]
        """Return `maxout(pieces)`."""
        ctx.save_for_backward(pieces)
        return torch.maximum(*neighbours(pieces))

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # type: ignore[override]
        """Pass the gradient to the larger one; of equal ones, to the first."""
        first, second = neighbours(*ctx.saved_tensors)
        of_first = gradient * (first >= second)
        return torch.stack([of_first, gradient - of_first], -1).flatten(-2)


def neighbours(pieces: Tensor) -> tuple[Tensor, ...]:
    """Return the first and the second ones [..., n] of pairs [..., 2 n]."""
    return torch.unflatten(pieces, -1, (-1, 2)).unbind(-1)
