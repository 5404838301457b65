"""The hidden layer of the attention, by far the largest thing in a step of the decoder.

It is a sigmoid here, of twice the query and twice the keys, which takes a third of the time:
tanh x = 2 sigmoid(2 x) - 1, the factors go to matrices and keys before the first step, and what is
subtracted is the same for all positions, which the softmax takes out.

On a CPU it has no exponential either, which takes a third of that time: e^-(q + k) = e^-q e^-k, and
the e^-k are computed once.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

#: So far from zero, in either direction, e^x has all its digits in 32 bits.
LIMIT = 80.0


class Keys(NamedTuple):
    """What of the source enters the hidden layer of all steps."""

    doubled: Tensor  # 2 U_a h_j [batch, time, alignment]
    factors: Tensor | None  # e^- of them; None where that does not serve

    def each(self, function: Callable[[Tensor], Tensor]) -> "Keys":
        """What a function makes of the tensors."""
        return Keys(
            function(self.doubled), None if self.factors is None else function(self.factors)
        )


def keys_of(keys: Tensor) -> Keys:
    """Those of U_a h_j [batch, time, alignment].

    A GPU waits for memory alone, and 16 bits would be rounded twice: there are no factors then, and
    where one would not be a number.
    """
    doubled = 2 * keys
    exact = torch.finfo(keys.dtype).bits >= 32
    serve = doubled.device.type == "cpu" and exact and within_limit(doubled)
    return Keys(doubled, doubled.neg().exp_() if serve else None)


def hidden_layer(query: Tensor, keys: Keys, out: Tensor) -> Tensor:
    """sigmoid(2 q + 2 k), written to `out` [batch, ..., time, alignment], to whose shape `query`,
    2 W_a s, and the keys are broadcast."""
    if keys.factors is None or not within_limit(query):
        return torch.add(query, keys.doubled, out=out).sigmoid_()
    torch.addcmul(query.new_ones(()), query.neg().exp_(), keys.factors, out=out)
    return out.reciprocal_()


def within_limit(values: Tensor) -> bool:
    """Whether they are numbers, none of them farther from zero than `LIMIT`."""
    if not values.numel():
        return True
    least, largest = values.aminmax()
    return least.item() >= -LIMIT and largest.item() <= LIMIT
