"""The hidden layer of the attention, by far the largest thing in a step of the decoder.

It is a sigmoid here, of twice the query and twice the keys, which takes a third of the time:
tanh x = 2 sigmoid(2 x) - 1; the 2s go to matrices and keys before the first step, and the 1 is the
same for all positions of the source, so that the softmax takes it out.

On a CPU it takes a third of that again: 1 / (1 + e^-q e^-k) needs no exponential of each query with
each key, only those of the queries, and once those of the keys.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

#: How far from zero twice the keys may be for their exponentials to be used, in 32 bits: with any
#: query, the product of the two is then right, or so large or small that the layer is 0 or 1.
LIMIT = 60.0


class Keys(NamedTuple):
    """What of the source enters the hidden layer at all steps."""

    doubled: Tensor  # 2 U_a h_j [batch, time, alignment]
    exponentials: Tensor | None  # e^- of them, if they are used

    def each(self, function: Callable[[Tensor], Tensor]) -> "Keys":
        """The same with what the function makes of each tensor."""
        mapped = None if self.exponentials is None else function(self.exponentials)
        return Keys(function(self.doubled), mapped)


def keys_of(keys: Tensor) -> Keys:
    """What `hidden_layer` takes, from U_a h_j [batch, time, alignment].

    Exponentials are used on a CPU, whose time goes into them: a GPU's goes into memory. They need
    32 bits, as 16 would be rounded twice, and keys within `LIMIT`.
    """
    doubled = 2 * keys
    used = doubled.device.type == "cpu" and torch.finfo(keys.dtype).bits >= 32
    return Keys(doubled, doubled.neg().exp_() if used and within_limit(doubled) else None)


def hidden_layer(query: Tensor, keys: Keys, out: Tensor) -> Tensor:
    """sigmoid(2 q + 2 k), written to `out` [batch, ..., time, alignment] and returned; `query`,
    which is 2 W_a s, and the keys are broadcast to its shape."""
    if keys.exponentials is None:
        return torch.add(query, keys.doubled, out=out).sigmoid_()
    torch.addcmul(query.new_ones(()), query.neg().exp_(), keys.exponentials, out=out)
    return out.reciprocal_()


def within_limit(values: Tensor) -> bool:
    """Whether all are numbers, none of them farther from zero than `LIMIT`."""
    if not values.numel():
        return True
    least, largest = values.aminmax()
    return least.item() >= -LIMIT and largest.item() <= LIMIT
