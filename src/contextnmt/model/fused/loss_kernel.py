"""The losses of `contextnmt.model.output_loss` on a GPU: it passes over the logits twice.

Shapes: words of all steps N, of the vocabulary V.
"""

import triton.language as tl
from torch import Tensor

from contextnmt.model.fused.compiling import kernel, kind_of

#: Words of a row that a program works on at a time.
BLOCK = 4096

#: Less than any logit but minus infinity, of which it may be subtracted.
LEAST = tl.constexpr(-1e30)


def into_slopes(logits: Tensor, target: Tensor, sums: Tensor, losses: Tensor) -> None:
    """Do the same as `output_loss.into_slopes`."""
    cross_entropy[(len(logits),)](
        *(logits, target.contiguous(), sums, losses),
        WORDS=logits.size(1),
        KIND=kind_of(sums),
        BLOCK=BLOCK,
        num_warps=8,
    )


@kernel
def cross_entropy(
    logits,  # [N, V], then `slopes` of `CrossEntropy.backward`
    target,  # [N]
    sums,  # [N]: the denominators
    losses,  # [N]
    WORDS: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    line, chosen = logits + row * WORDS, tl.load(target + row)
    expected = tl.load(line + chosen).to(KIND)
    largest = tl.full((BLOCK,), LEAST, KIND)
    total = tl.zeros((BLOCK,), KIND)
    for first in range(0, WORDS, BLOCK):
        word = first + tl.arange(0, BLOCK)
        logit = tl.load(line + word, word < WORDS, -float("inf")).to(KIND)
        larger = tl.maximum(largest, logit)
        total = total * tl.exp(largest - larger) + tl.exp(logit - larger)
        largest = larger
    top = tl.max(largest, 0)
    all_words = tl.sum(total * tl.exp(largest - top), 0)
    for first in range(0, WORDS, BLOCK):
        word = first + tl.arange(0, BLOCK)
        slope = tl.exp(tl.load(line + word, word < WORDS, 0.0).to(KIND) - top)
        # Before it is rounded: what is left of p - 1 at a sure word is small.
        tl.store(line + word, tl.where(word == chosen, slope - all_words, slope), word < WORDS)
    tl.store(sums + row, all_words)
    tl.store(losses + row, tl.log(all_words) + top - expected)
