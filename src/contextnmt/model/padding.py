"""What need not be computed, since it is padding.

`padding` [B, 1, S] is 0 at the words of B sentences and minus infinity behind them, as it is added
to energies. A GPU computes for the padding too: it would have to be waited for to know where it is.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from contextnmt.model.device import answers
from contextnmt.model.filler import filler


def of_words(function: Callable[[Tensor], Tensor], tensor: Tensor, padding: Tensor) -> Tensor:
    """What the function makes of each word [d] of `tensor` [B, S, d]: [B, S, d']; in the padding
    zero, or on a GPU what it makes of that."""
    if not answers(padding.device):
        return function(tensor)
    places = (padding.flatten() == 0).nonzero().squeeze(1)
    count = len(places)
    rows = functional.pad(places, (0, filler(count, places.device)))
    made = function(tensor.flatten(0, 1).index_select(0, rows))[:count]
    everywhere = made.new_zeros(padding.numel(), made.size(1))
    return torch.unflatten(everywhere.index_copy_(0, places, made), 0, tensor.shape[:2])


def lengths(padding: Tensor) -> list[int]:
    """How many positions of each sentence to look at: all its words."""
    if not answers(padding.device):
        return [padding.size(2)] * len(padding)
    return (padding == 0).sum(2).flatten().tolist()
