"""The hidden layer of the attention, by far the largest tensor in a step of the decoder.

It is a sigmoid of twice the query plus twice the keys, which takes a third of the time of a tanh:
tanh x = 2 sigmoid(2 x) - 1. Matrices and keys are doubled before the first step, and the matrix of
the query is negated too. The 1 is the same at all source positions, so the softmax cancels it.

A CPU computes 1 / (1 + e^-q e^-k), in a third of the time again: it takes the exponentials of the
queries, and once those of the keys, but none of each query with each key. The energies are sums of
rows there: a product of matrices would move the layer between cores, which can take far longer.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from contextnmt.model.arithmetic import add_product, exact_on_cpu, is_cpu

#: Largest magnitude of twice the keys for which their exponentials are used, in 32 bits. With any
#: query, the product of the two is then right, or so large or small that the layer is 0 or 1.
LIMIT = 60.0

#: A tensor, as `torch.addcmul` takes no number.
ONE = torch.tensor(1.0)


class Keys(NamedTuple):
    """The keys of the source, as they enter the hidden layer at all steps."""

    entering: Tensor  # 2 U_a h_j [batch, time, alignment], or e^- of that
    are_exponentials: bool  # whether it is e^- of that

    def each(self, function: Callable[[Tensor], Tensor]) -> "Keys":
        """Apply a function to the tensor."""
        return Keys(function(self.entering), self.are_exponentials)


def keys_of(keys: Tensor) -> Keys:
    """Return the keys for `hidden_layer`, from U_a h_j [batch, time, alignment].

    A CPU, whose time goes into exponentials, takes those of the keys if all are within `LIMIT`. A
    GPU's time goes into memory, and to look for the largest key would synchronize. On a CPU the
    layer has 32 bits: exponentials of 16 would be rounded twice, and take longer.
    """
    doubled = 2 * exact_on_cpu(keys.contiguous())
    if is_cpu(doubled.device) and doubled.numel():
        least, largest = doubled.aminmax()
        if least >= -LIMIT and largest <= LIMIT:  # false for NaN
            return Keys(doubled.neg_().exp_(), True)
    return Keys(doubled, False)


def asked_of(query: Tensor, keys: Keys) -> Tensor:
    """Return the query for `hidden_layer`, from -2 W_a s, in its place.

    It is the exponential if the `keys` are exponentials.
    """
    return query.exp_() if keys.are_exponentials else query


def hidden_layer(asked: Tensor, keys: Keys, out: Tensor) -> Tensor:
    """Write sigmoid(2 W_a s + 2 U_a h) to `out` [batch, ..., time, alignment], and return it.

    `asked`, from `asked_of`, and the keys are broadcast to its shape.
    """
    if keys.are_exponentials:
        return torch.addcmul(ONE, asked, keys.entering, out=out).reciprocal_()
    return torch.sub(keys.entering, asked, out=out).sigmoid_()


def energies(asked: Tensor, keys: Keys, weight: Tensor, out: Tensor) -> Tensor:
    """Return the energies [batch, ..., time], up to a constant that all positions share.

    They are the sums of the hidden layer times `weight` [1, alignment], which is 2 v_a. `out`, of
    the shape of the layer, is overwritten.
    """
    if keys.are_exponentials:
        torch.addcmul(ONE, asked, keys.entering, out=out)
        return torch.div(weight, out, out=out).sum(-1)
    return functional.linear(hidden_layer(asked, keys, out), weight).squeeze(-1)


def energies_backward(
    asked: Tensor,
    keys: Keys,
    slopes: Tensor,
    of_asked: Tensor,
    of_keys: Tensor,
    of_weight: Tensor,
    scratch: Tensor,
) -> None:
    """Compute the gradients of `energies` of one query per sentence, `asked` [batch, alignment].

    `slopes` [batch, time] is the gradient of the energies. Each gradient lacks a factor that is the
    same at all positions. That of the query, the sum of slope h (1 - h), is written to `of_asked`
    [batch, alignment]; slope h (1 - h) is added to `of_keys` [batch, time, alignment], the sum of
    slope h to `of_weight` [batch, 1, alignment]. `scratch`, of the shape of the layer h, is
    overwritten.
    """
    down, across = slopes.unsqueeze(2), slopes.unsqueeze(1)
    hidden = hidden_layer(asked.unsqueeze(1), keys, scratch)
    # A product for each sentence, since one of all would cut `hidden` across a CPU's cores.
    add_product(of_weight, across, hidden)
    hidden.addcmul_(hidden, hidden, value=-1)
    torch.bmm(across, hidden, out=of_asked.unsqueeze(1))
    of_keys.addcmul_(down, hidden)
