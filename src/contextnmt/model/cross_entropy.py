"""Output layer and cross-entropy together, as one function to autograd.

Apart from each other they hold four matrices of all words' logits at once, and pass over them some
ten times. Here there is one; in training, on Linux with GCC, a CPU passes over it twice (`native`).
Tests hold it against torch's `cross_entropy`.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from contextnmt.model.bias_column import with_bias, with_one
from contextnmt.model.device import fuses
from contextnmt.model.native import cross_entropy as in_c
from contextnmt.model.native.library import Library, in_training
from contextnmt.model.rows import slices

#: Logits that are worked on at a time in 32 bits, by device; on a CPU few enough for its caches.
LOGITS = {"cpu": 2**20, "cuda": 2**25}


def negative_log_likelihood(output: nn.Linear, features: Tensor, target: Tensor) -> Tensor:
    """-log p of each word `target` [N], in nats [N], predicted from `features` [N, size].

    In 32 bits at least, whatever type autocast multiplies matrices in (A46).
    """
    lower = multiplied_in(features)
    functions = in_training(in_c.SOURCE, lower, features.device)
    arguments = features, output.weight, output.bias, target, lower, functions
    return CrossEntropy.apply(*arguments)  # type: ignore[no-any-return, no-untyped-call]


def multiplied_in(factors: Tensor) -> torch.dtype:
    """The type in which matrices multiply `factors`, as autocast says."""
    kind = factors.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else factors.dtype


class CrossEntropy(torch.autograd.Function):
    """-log softmax(W x + b) at the target. Shapes: rows N, features n, words V; of the matrix that
    has the bias as a column, k and V'."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        features: Tensor,
        weight: Tensor,
        bias: Tensor,
        target: Tensor,
        kind: torch.dtype,
        functions: Library | None,
    ) -> Tensor:
        """[N] from x [N, n], W [V, n], b [V] and ids [N], multiplied in the type `kind`;
        `functions` are those in C, if there are any."""
        exact = torch.promote_types(kind, torch.float32)
        rows, matrix = with_one(features, kind), with_bias(weight, bias, kind)
        slopes = rows.new_empty(len(rows), len(matrix))
        sums, losses = (rows.new_empty(len(rows), dtype=exact) for _ in range(2))
        with torch.autocast(rows.device.type, enabled=False):
            torch.mm(rows, matrix.t(), out=slopes)
            if fuses(slopes):
                from contextnmt.model.fused.cross_entropy import into_slopes as fused

                fused(slopes, target, sums, losses)
            elif functions:
                in_c.into_slopes(functions, slopes, target, sums, losses)
            else:
                into_slopes(slopes, target, sums, losses)
        ctx.save_for_backward(rows, matrix, slopes, sums)
        ctx.shape, ctx.kinds = weight.shape, (features.dtype, weight.dtype, bias.dtype)
        return losses

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """The gradients of x, W and b, from that of the losses.

        A loss has the slope p - 1 by the logit of its target and p by any other, where p is the
        softmax. `slopes` lack its denominator, which is multiplied to the features of the row: so
        nothing passes over all logits but the two products.
        """
        rows, matrix, slopes, sums = ctx.saved_tensors
        (words, size), (of_features, of_weight, of_bias) = ctx.shape, ctx.kinds
        shares = (gradient / sums).unsqueeze(1).to(rows.dtype)
        # The column behind them, of the 1, is nobody's: words that there are not spoil it.
        features = (slopes @ matrix)[:, :size] * shares
        found = (slopes.t() @ (shares * rows))[:words]
        return (
            features.to(of_features),
            found[:, :size].to(of_weight),
            found[:, size].to(of_bias),
            None,
            None,
            None,
        )


def into_slopes(logits: Tensor, target: Tensor, sums: Tensor, losses: Tensor) -> None:
    """Turn the `logits` [N, V'] into `slopes` of the losses, as `backward` has them. What the
    softmax of each row is divided by is written to `sums` [N], the losses to `losses` [N]."""
    for part in slices(len(logits), logits.size(1), LOGITS[logits.device.type]):
        exact = logits[part].to(sums.dtype)
        largest, words = exact.amax(1, keepdim=True), target[part].unsqueeze(1)
        chosen = exact.gather(1, words)
        torch.sum(exact.sub_(largest).exp_(), 1, out=sums[part])
        losses[part] = sums[part].log() + (largest - chosen).squeeze(1)
        # Before it is rounded: what is left of p - 1 at a sure word is small.
        exact.scatter_add_(1, words, -sums[part].unsqueeze(1))
        if exact.dtype != logits.dtype:
            logits[part] = exact
