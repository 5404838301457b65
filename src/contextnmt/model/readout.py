"""The deep output with one maxout layer: Bahdanau et al. 2015, A.2.2; used by Choi et al. (A6).

In training, output layer and cross-entropy are one function to autograd. Apart from each other they
would hold four matrices of all words' logits at once, and pass over them some ten times. Here there
is one. Tests hold it against torch's `cross_entropy`.

There, the bias is one more column of the matrix, for a feature that is always 1. Zeros fill up the
columns, and padding rows the words, to the multiples that matrices multiply fastest with.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from contextnmt.model.arithmetic import Linear, fuses, slices

#: Logits to work on at a time in 32 bits, by device; on a CPU, few enough for its caches.
LOGITS = {"cpu": 2**20, "cuda": 2**25}

#: Bytes that the length of a row is a multiple of: 16 numbers of 32 bits, 32 of 16.
MULTIPLE = 64

#: Rows that their number is a multiple of. With 32 or 64, products in 32 bits take a CPU longer.
WORDS = 16


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
                from contextnmt.model.fused.kernels import into_slopes as fused

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
