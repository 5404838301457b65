"""The hidden layer of the attention, by far the largest thing in a step of the decoder.

It is a sigmoid here, of twice the query and twice the keys, which takes a third of the time:
tanh x = 2 sigmoid(2 x) - 1; the 2s go to matrices and keys before the first step, a minus to that
of the query, and the 1 is the same for all positions of the source, so that the softmax takes it
out.

On a CPU it takes a third of that again: 1 / (1 + e^-q e^-k) needs no exponential of each query with
each key, only those of the queries, and once those of the keys. And there the energies are sums of
rows, not a product of matrices: so each processor core reads the part that it wrote, where a
product cuts the layer in another way; to move it between the cores can take several times as long
as all else. In training, on Linux with GCC, the layer is not written at all (`native`);
search works on parts that fit a core's cache, and would not gain by it.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from contextnmt.model.device import answers, exact_on_cpu
from contextnmt.model.native import hidden_layer as in_c
from contextnmt.model.native.library import Library, library
from contextnmt.model.products import add_product

#: How far from zero twice the keys may be for their exponentials to be used, in 32 bits: with any
#: query, the product of the two is then right, or so large or small that the layer is 0 or 1.
LIMIT = 60.0

#: For a function that adds to a tensor, and not to a number.
ONE = torch.tensor(1.0)


class Keys(NamedTuple):
    """What of the source enters the hidden layer at all steps."""

    entering: Tensor  # 2 U_a h_j [batch, time, alignment], or e^- of that
    are_exponentials: bool  # whether it is e^- of that

    def each(self, function: Callable[[Tensor], Tensor]) -> "Keys":
        """The same with what the function makes of the tensor."""
        return Keys(function(self.entering), self.are_exponentials)


def keys_of(keys: Tensor) -> Keys:
    """What `hidden_layer` takes, from U_a h_j [batch, time, alignment].

    Exponentials are used on a CPU, whose time goes into them: a GPU's goes into memory, and it may
    not be asked for the largest key. They need keys within `LIMIT`, and 32 bits, as 16 would be
    rounded twice: so the layer has these there, where in 16 it would take longer too.
    """
    doubled = 2 * exact_on_cpu(keys.contiguous())
    if answers(doubled.device) and within_limit(doubled):
        return Keys(doubled.neg_().exp_(), True)
    return Keys(doubled, False)


def asked_of(query: Tensor, keys: Keys) -> Tensor:
    """What `hidden_layer` takes, from -2 W_a s, in its place: e^ of it, if there is e^- of the
    keys."""
    return query.exp_() if keys.are_exponentials else query


def hidden_layer(asked: Tensor, keys: Keys, out: Tensor) -> Tensor:
    """sigmoid(2 W_a s + 2 U_a h), written to `out` [batch, ..., time, alignment] and returned;
    `asked`, as of `asked_of`, and the keys are broadcast to its shape."""
    if keys.are_exponentials:
        return denominators(asked, keys, out).reciprocal_()
    return torch.sub(keys.entering, asked, out=out).sigmoid_()


def energies(asked: Tensor, keys: Keys, weight: Tensor, out: Tensor) -> Tensor:
    """The energies [batch, ..., time], but for a number that all positions have in common: the sum
    of the hidden layer times `weight` [1, alignment], which is 2 v_a. `out`, of the shape of the
    layer, is lost."""
    if keys.are_exponentials:
        denominators(asked, keys, out)
        return torch.div(weight, out, out=out).sum(-1)
    return functional.linear(hidden_layer(asked, keys, out), weight).squeeze(-1)


def forth(asked: Tensor, keys: Keys, weight: Tensor, scratch: Tensor) -> Tensor:
    """The energies [batch, time] of one query a sentence, `asked` [batch, alignment], as
    `energies` has them. `scratch`, of the shape of the layer, is lost, but not in C."""
    if functions := functions_for(keys):
        return in_c.forth(functions, asked, keys.entering, weight)
    return energies(asked.unsqueeze(1), keys, weight, scratch)


def back(
    asked: Tensor,
    keys: Keys,
    slopes: Tensor,
    of_asked: Tensor,
    of_keys: Tensor,
    of_weight: Tensor,
    scratch: Tensor,
) -> None:
    """The gradients that `slopes` [batch, time] of what `forth` returns lead to, each but for a
    factor that is the same at all positions: that of the query, the sum of slope h (1 - h), is
    written to `of_asked` [batch, alignment]; slope h (1 - h) is added to `of_keys` [batch, time,
    alignment], the sum of slope h to `of_weight` [batch, 1, alignment]. `scratch`, of the shape of
    the layer h, is lost, but not in C."""
    if functions := functions_for(keys):
        in_c.back(functions, asked, keys.entering, slopes, of_asked, of_keys, of_weight)
        return
    down, across = slopes.unsqueeze(2), slopes.unsqueeze(1)
    hidden = hidden_layer(asked.unsqueeze(1), keys, scratch)
    # A product for each sentence, since one of all would cut `hidden` across a CPU's cores.
    add_product(of_weight, across, hidden)
    hidden.addcmul_(hidden, hidden, value=-1)
    torch.bmm(across, hidden, out=of_asked.unsqueeze(1))
    of_keys.addcmul_(down, hidden)


def functions_for(keys: Keys) -> Library | None:
    """Those in C, if there are any for such keys."""
    return library(in_c.SOURCE, keys.entering.dtype) if keys.are_exponentials else None


def denominators(asked: Tensor, keys: Keys, out: Tensor) -> Tensor:
    """1 + e^-q e^-k, written to `out` and returned."""
    return torch.addcmul(ONE, asked, keys.entering, out=out)


def within_limit(values: Tensor) -> bool:
    """Whether all are numbers, none of them farther from zero than `LIMIT`."""
    if not values.numel():
        return True
    least, largest = values.aminmax()
    return least.item() >= -LIMIT and largest.item() <= LIMIT
