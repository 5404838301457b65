"""What a step of the decoder looks up in training: the weights of the source positions, and the sum
by these of what they add to the gates.

In training, on Linux with GCC, both are one function (`native`): it reads what has 16 bits as it
is, and of each sentence no padding, where torch takes a product of matrices for each sentence, of
one row.

Shapes: sentences B, of which the first ones A take another step; source positions S, what enters
the gates g.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from contextnmt.model.device import exact_on_cpu
from contextnmt.model.native import contexts as in_c
from contextnmt.model.native.library import Library, in_training
from contextnmt.model.products import add_product


class Values(NamedTuple):
    """What the contexts are summed up from: C h_j, as the functions in C take it if there are
    any for it, else as `exact_on_cpu`."""

    rows: Tensor  # [B, S, g]
    functions: Library | None

    def each(self, function: Callable[[Tensor], Tensor]) -> "Values":
        """The same with what the function makes of the tensor."""
        return Values(function(self.rows), self.functions)


def functions_for(values: Tensor, words: Tensor, state: Tensor) -> Library | None:
    """Those in C, if gradients are wanted and there are any for C h_j, words and weights of such
    types."""
    functions = in_training(in_c.SOURCE, values.dtype, values.device)
    if functions and words.dtype == values.dtype and state.dtype == functions.numbers.kind:
        return functions
    return None


def values_of(values: Tensor, functions: Library | None) -> Values:
    """What `forth` and `back` take, from C h_j [B, S, g]."""
    return Values(values.contiguous() if functions else exact_on_cpu(values), functions)


def forth(
    energies: Tensor, padding: Tensor, values: Values, words: Tensor, weights: Tensor
) -> Tensor:
    """What enters the gates [A, g]: `words` [A, g] and the contexts. The `weights` [B, S], of the
    `energies` with the `padding`, are written."""
    rows, functions = values
    if functions:
        return in_c.forth(functions, energies, padding, rows, words, weights)
    torch.softmax((energies + padding).to(weights.dtype), 1, out=weights)
    word, weighed = (each[: len(words)].unsqueeze(1).to(rows.dtype) for each in (words, weights))
    return torch.baddbmm(word, weighed, rows[: len(words)]).squeeze(1)


def back(weights: Tensor, of_weights: Tensor, values: Values, of_inputs: Tensor) -> Tensor:
    """The gradient of the energies [B, S], from that of the inputs [A, g] and what else comes to
    that of the weights, `of_weights` [B, S]."""
    rows, functions = values
    if functions:
        return in_c.back(functions, weights, of_weights, rows, of_inputs)
    of_weights, asked = of_weights.clone(), len(of_inputs)
    by_inputs = of_weights[:asked].unsqueeze(1)
    add_product(by_inputs, of_inputs.unsqueeze(1), rows[:asked].transpose(1, 2))
    return torch._softmax_backward_data(of_weights, weights, 1, of_weights.dtype)
