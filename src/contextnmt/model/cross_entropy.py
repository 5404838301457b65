"""Output layer and cross-entropy together, as one function to autograd.

Apart from each other they hold four matrices of all words' logits at once, and pass over them some
ten times. Here there is one. Tests hold it against torch's `cross_entropy`.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from contextnmt.model.bias_column import with_bias, with_one
from contextnmt.model.rows import slices

#: Logits that are worked on at a time in 32 bits, by device; on a CPU few enough for its caches.
LOGITS = {"cpu": 2**20, "cuda": 2**25}


def negative_log_likelihood(output: nn.Linear, features: Tensor, target: Tensor) -> Tensor:
    """-log p of each word `target` [N], in nats [N], predicted from `features` [N, size].

    In 32 bits at least, whatever type autocast multiplies matrices in (A46).
    """
    lower = multiplied_in(features)
    features, matrix = with_one(features.to(lower)), with_bias(output, lower)
    return CrossEntropy.apply(features, matrix, target)  # type: ignore[no-any-return, no-untyped-call]


def multiplied_in(factors: Tensor) -> torch.dtype:
    """The type in which matrices multiply `factors`, as autocast says."""
    kind = factors.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else factors.dtype


class CrossEntropy(torch.autograd.Function):
    """-log softmax(W x) at the target. Shapes: rows N, size k, words V."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, features: Tensor, matrix: Tensor, target: Tensor
    ) -> Tensor:
        """[N] from x [N, k], W [V, k] and ids [N]."""
        exact = torch.promote_types(features.dtype, torch.float32)
        slopes = features.new_empty(len(features), len(matrix))
        sums, losses = (features.new_empty(len(features), dtype=exact) for _ in range(2))
        with torch.autocast(features.device.type, enabled=False):
            torch.mm(features, matrix.t(), out=slopes)
            for part in slices(len(slopes), len(matrix), LOGITS[features.device.type]):
                logits = slopes[part].to(exact)
                largest, words = logits.amax(1, keepdim=True), target[part].unsqueeze(1)
                chosen = logits.gather(1, words)
                torch.sum(logits.sub_(largest).exp_(), 1, out=sums[part])
                losses[part] = sums[part].log() + (largest - chosen).squeeze(1)
                # Before it is rounded: what is left of p - 1 at a sure word is small.
                logits.scatter_add_(1, words, -sums[part].unsqueeze(1))
                if logits.dtype != slopes.dtype:
                    slopes[part] = logits
        ctx.save_for_backward(features, matrix, slopes, sums)
        return losses

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """The gradients of x and W, from that of the losses.

        A loss has the slope p - 1 by the logit of its target and p by any other, where p is the
        softmax. `slopes` lack its denominator, which is multiplied to the features of the row: so
        nothing passes over all logits but the two products.
        """
        features, matrix, slopes, sums = ctx.saved_tensors
        shares = (gradient / sums).unsqueeze(1).to(features.dtype)
        return (slopes @ matrix).mul_(shares), slopes.t() @ (shares * features), None
