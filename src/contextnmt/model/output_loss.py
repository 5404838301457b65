"""Output layer and cross-entropy together, as one function to autograd.

Apart from each other they would hold four matrices of all words' logits at once, and pass over them
some ten times. Here there is one. Tests hold it against torch's `cross_entropy`.

The bias is one more column of the matrix, for a feature that is always 1. Zeros fill up the
columns, and padding rows the words, to the multiples that matrices multiply fastest with.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from contextnmt.model.device import fuses
from contextnmt.model.rows import slices

#: Logits to work on at a time in 32 bits, by device; on a CPU, few enough for its caches.
LOGITS = {"cpu": 2**20, "cuda": 2**25}

#: Bytes that the length of a row is a multiple of: 16 numbers of 32 bits, 32 of 16.
MULTIPLE = 64

#: Rows that their number is a multiple of. With 32 or 64, products in 32 bits take a CPU longer.
WORDS = 16


def negative_log_likelihood(output: nn.Linear, features: Tensor, target: Tensor) -> Tensor:
    """Return -log p, in nats [N], of each word `target` [N], predicted from `features` [N, size].

    It has 32 bits at least, whatever type autocast multiplies matrices in (A46).
    """
    place, kind = features.device.type, features.dtype
    if torch.is_autocast_enabled(place):
        kind = torch.get_autocast_dtype(place)
    arguments = features, output.weight, output.bias, target, kind
    return CrossEntropy.apply(*arguments)  # type: ignore[no-any-return, no-untyped-call]


class CrossEntropy(torch.autograd.Function):
    """-log softmax(W x + b) at the target.

    Shapes: rows N, features n, words V; the matrix with the bias as a column is [V', k].
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        features: Tensor,
        weight: Tensor,
        bias: Tensor,
        target: Tensor,
        kind: torch.dtype,
    ) -> Tensor:
        """Return [N] from x [N, n], W [V, n], b [V] and ids [N], multiplied in the type `kind`."""
        exact = torch.promote_types(kind, torch.float32)
        rows, matrix = with_one(features, kind), with_bias(weight, bias, kind)
        slopes = rows.new_empty(len(rows), len(matrix))
        sums, losses = (rows.new_empty(len(rows), dtype=exact) for _ in range(2))
        with torch.autocast(rows.device.type, enabled=False):
            torch.mm(rows, matrix.t(), out=slopes)
            if fuses(slopes):
                from contextnmt.model.fused.loss_kernel import into_slopes as fused

                fused(slopes, target, sums, losses)
            else:
                into_slopes(slopes, target, sums, losses)
        ctx.save_for_backward(rows, matrix, slopes, sums)
        ctx.shape, ctx.kinds = weight.shape, (features.dtype, weight.dtype, bias.dtype)
        return losses

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Return the gradients of x, W and b, from that of the losses.

        The gradient of a logit is p - 1 at the target and p elsewhere, where p is the softmax.
        `slopes` lack its denominator, by which the features of the row are divided instead: so
        only the two products pass over all logits.
        """
        rows, matrix, slopes, sums = ctx.saved_tensors
        (words, size), (of_features, of_weight, of_bias) = ctx.shape, ctx.kinds
        shares = (gradient / sums).unsqueeze(1).to(rows.dtype)
        # The column behind them, of the 1, is dropped: the padding rows make it NaN.
        features = (slopes @ matrix)[:, :size] * shares
        found = (slopes.t() @ (shares * rows))[:words]
        return (
            features.to(of_features),
            found[:, :size].to(of_weight),
            found[:, size].to(of_bias),
            None,
            None,
        )


def into_slopes(logits: Tensor, target: Tensor, sums: Tensor, losses: Tensor) -> None:
    """Turn the `logits` [N, V'] into the `slopes` of `backward`.

    The denominator of each row's softmax is written to `sums` [N], the losses to `losses` [N].
    """
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


def with_bias(weight: Tensor, bias: Tensor, kind: torch.dtype, multiple: int = WORDS) -> Tensor:
    """Return the matrix [words', k] in the type `kind`, from a layer's weights [words, size] and
    bias [words].

    Padding rows, up to a `multiple` of rows, have the bias minus infinity.
    """
    words, size = weight.shape
    matrix = weight.new_empty(words + -words % multiple, columns(size, kind), dtype=kind)
    matrix[:words, :size], matrix[:words, size] = weight, bias
    matrix[words:, :size], matrix[words:, size] = 0, -torch.inf
    matrix[:, size + 1 :] = 0
    return matrix


def with_one(features: Tensor, kind: torch.dtype) -> Tensor:
    """Return [N, k], which the matrix of `with_bias` multiplies, from features [N, size]."""
    size = features.size(1)
    rows = features.new_empty(len(features), columns(size, kind), dtype=kind)
    rows[:, :size], rows[:, size], rows[:, size + 1 :] = features, 1, 0
    return rows


def columns(size: int, kind: torch.dtype) -> int:
    """Return k of `with_bias`, for `size` features."""
    return size + 1 + -(size + 1) % (MULTIPLE // kind.itemsize)
