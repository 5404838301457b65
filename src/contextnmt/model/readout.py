"""The deep output with one maxout layer: Bahdanau et al. 2015, A.2.2; used by Choi et al. (A6)."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from contextnmt.model.cross_entropy import negative_log_likelihood
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
        """What `output` sees [..., maxout], from s_{i-1} [..., hidden], E y_{i-1} [..., size] and
        c_i [..., annotation]."""
        return maxout(self.state(state) + self.word(previous) + self.context(context))

    def forward(self, state: Tensor, previous: Tensor, context: Tensor) -> Tensor:
        """Logits [..., words], from what `features` takes."""
        return self.output(self.features(state, previous, context))  # type: ignore[no-any-return]

    def losses(self, state: Tensor, previous: Tensor, context: Tensor, target: Tensor) -> Tensor:
        """-log p, in nats, of the words `target` [N], from what `features` takes, [N, ...]."""
        *before, last = self.layers
        features = self.features(state, previous, context)
        for layer in before:
            features = layer(features)
        return negative_log_likelihood(last, features, target)


def maxout(pieces: Tensor) -> Tensor:
    """The larger [..., maxout] of each two neighbours in t~ [..., 2 maxout]."""
    return Maxout.apply(pieces)  # type: ignore[no-any-return, no-untyped-call]


class Maxout(torch.autograd.Function):
    """Has the gradient written out: that of torch's own maximum takes a CPU three times as long."""

    @staticmethod
    def forward(ctx: Any, pieces: Tensor) -> Tensor:  # type: ignore[override]
        """As `maxout`."""
        ctx.save_for_backward(pieces)
        return torch.maximum(*neighbours(pieces))

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # type: ignore[override]
        """The gradient goes to the larger one; of equal ones, to the first."""
        first, second = neighbours(*ctx.saved_tensors)
        of_first = gradient * (first >= second)
        return torch.stack([of_first, gradient - of_first], -1).flatten(-2)


def neighbours(pieces: Tensor) -> tuple[Tensor, ...]:
    """The first ones and the second ones [..., n] of pairs [..., 2 n]."""
    return torch.unflatten(pieces, -1, (-1, 2)).unbind(-1)
