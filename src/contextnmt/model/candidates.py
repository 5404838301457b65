"""The best continuations of the hypotheses of a sentence, chosen without sorting all of them."""

import torch
from torch import Tensor

#: Words whose best stands for all of them at first.
BLOCK = 64


def best_words(logs: Tensor, scores: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """The `width` best continuations of each row, or all if there are fewer, best first.

    Of hypotheses with `scores` [R, K] by a word each, whose log-probabilities are `logs`
    [R, K, V]. Returns [R, width] each: the new scores, the places of the hypotheses that are
    continued, and the words. A continuation that is none, having score minus infinity, continues
    any place by any word.

    The words are cut into blocks. The best continuations lie in blocks whose best word is among the
    best of all blocks, so that a row sorts `width` blocks in the place of K V scores.
    """
    hypotheses, words = logs.shape[1:]
    width = min(width, hypotheses * words)
    peaks = scores.unsqueeze(2) + block_peaks(logs)  # [R, K, blocks]
    number = min(width, peaks[0].numel())
    block = peaks.flatten(1).topk(number, sorted=False).indices  # [R, number]
    origin = block // peaks.size(2)
    word = (block % peaks.size(2)).unsqueeze(2) * BLOCK
    word = word + torch.arange(BLOCK, device=word.device)  # [R, number, BLOCK]
    outside = word >= words  # the last block is shorter
    place = origin.unsqueeze(2) * words + word.clamp(max=words - 1)
    found = logs.flatten(1).gather(1, place.flatten(1)).view_as(place)
    found += scores.gather(1, origin).unsqueeze(2)
    best, chosen = found.masked_fill_(outside, -torch.inf).flatten(1).topk(width)
    place = place.flatten(1).gather(1, chosen)
    return best, place // words, place % words


def block_peaks(logs: Tensor) -> Tensor:
    """The largest of each block of `BLOCK` words [R, K, blocks] in `logs` [R, K, V]."""
    blocks, rest = divmod(logs.size(2), BLOCK)
    whole = torch.unflatten(logs[:, :, : blocks * BLOCK], 2, (blocks, BLOCK)).amax(3)
    if not rest:
        return whole
    return torch.cat([whole, logs[:, :, -rest:].amax(2, keepdim=True)], dim=2)
