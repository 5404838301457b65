"""`contextnmt.model.cross_entropy` for a GPU, which passes over the logits twice."""

from torch import Tensor

from contextnmt.model.fused.compiling import kind_of
from contextnmt.model.fused.loss_kernel import cross_entropy

#: Words of a row that a program works on at a time.
BLOCK = 4096


def into_slopes(logits: Tensor, target: Tensor, sums: Tensor, losses: Tensor) -> None:
    """As the function of that name there."""
    cross_entropy[(len(logits),)](
        *(logits, target.contiguous(), sums, losses),
        WORDS=logits.size(1),
        KIND=kind_of(sums),
        BLOCK=BLOCK,
        num_warps=8,
    )
