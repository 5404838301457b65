"""The loss in C: `into_slopes` of `contextnmt.model.cross_entropy`."""

from torch import Tensor

from contextnmt.model.native.library import IDS, Library

#: What `functions` are compiled from.
SOURCE = "cross_entropy.c"


def into_slopes(
    functions: Library, logits: Tensor, target: Tensor, sums: Tensor, losses: Tensor
) -> None:
    """As that, of logits [N, V'] in one piece. Raises IndexError for a target that is no word."""
    words = logits.size(1)
    if target.numel() and not 0 <= target.min() <= target.max() < words:
        raise IndexError(f"a target from {target.min()} to {target.max()}, of {words} words")
    functions.call(
        "into_slopes",
        functions.lower.whole(logits),
        IDS.whole(target.contiguous()),
        functions.numbers.whole(sums),
        functions.numbers.whole(losses),
        *logits.shape,
    )
    losses.add_(sums.log())
