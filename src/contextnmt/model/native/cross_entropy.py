"""The loss in C: `into_slopes` of `contextnmt.model.cross_entropy`."""

from torch import Tensor

from contextnmt.model.native.library import IDS, Library

SOURCE = "cross_entropy.c"


def into_slopes(
    functions: Library, logits: Tensor, target: Tensor, sums: Tensor, losses: Tensor
) -> None:
    """As that, of logits [N, V'] in one piece."""
    functions.call(
        SOURCE,
        "into_slopes",
        functions.lower.whole(logits),
        IDS.whole(target),
        functions.numbers.whole(sums),
        functions.numbers.whole(losses),
        *logits.shape,
    )
    losses.add_(sums.log())
