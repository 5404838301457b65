"""The best continuations of the hypotheses of a sentence, chosen without sorting all of them."""

import torch
from torch import Tensor

from contextnmt.model.rows import take

#: Words whose best stands for all of them at first.
BLOCK = 64


def best_words(logs: Tensor, scores: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """The `width` best continuations of each row, or all K V if there are fewer, best first.

    Of hypotheses with `scores` [R, K] by a word each, whose log-probabilities are `logs`
    [R, K, V], where V is a multiple of `BLOCK`, filled up with minus infinity. Returns [R, width]
    each: the new scores, the places of the hypotheses that are continued, and the words. A
    continuation that is none, having score minus infinity, continues any place by word 0.

    The best continuations lie in blocks of words whose best one is among the best of all blocks,
    so that a row sorts `width` blocks in the place of K V scores.
    """
    blocks = torch.unflatten(logs, 2, (-1, BLOCK))  # [R, K, n, BLOCK]
    peaks = blocks.amax(3).add_(scores.unsqueeze(2))
    number = peaks.size(2)
    block = peaks.flatten(1).topk(min(width, peaks[0].numel()), sorted=False).indices
    found = take(blocks.flatten(1, 2), block)  # [R, width at most, BLOCK]
    found += scores.gather(1, block // number).unsqueeze(2)
    best, chosen = found.flatten(1).topk(min(width, found[0].numel()))
    block = block.gather(1, chosen // BLOCK)
    word = (block % number * BLOCK + chosen % BLOCK).masked_fill_(best == -torch.inf, 0)
    return best, block // number, word
