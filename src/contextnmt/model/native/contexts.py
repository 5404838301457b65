"""The contexts in C: `forth` and `back` of `contextnmt.model.contexts`. All tensors lie in one
piece."""

from torch import Tensor

from contextnmt.model.native.library import Library

#: What `functions` are compiled from.
SOURCE = "contexts.c"


def forth(
    functions: Library,
    energies: Tensor,
    padding: Tensor,
    values: Tensor,
    words: Tensor,
    weights: Tensor,
) -> Tensor:
    """The sums [A, g]; `energies`, `padding` and `weights` [B, S], which are written, `values`
    [B, S, g], `words` [A, g]."""
    numbers, lower = functions.numbers, functions.lower
    inputs = weights.new_empty(words.shape)
    functions.call(
        "forth",
        numbers.whole(energies),
        numbers.whole(padding),
        lower.whole(values),
        lower.whole(words),
        numbers.whole(weights),
        numbers.whole(inputs),
        *values.shape,
        len(words),
    )
    return inputs


def back(
    functions: Library, weights: Tensor, of_weights: Tensor, values: Tensor, of_inputs: Tensor
) -> Tensor:
    """The gradient of the energies [B, S]; `weights` and `of_weights` [B, S], `values` [B, S, g],
    `of_inputs` [A, g]."""
    numbers, lower = functions.numbers, functions.lower
    of_energies = weights.new_empty(weights.shape)
    functions.call(
        "back",
        numbers.whole(weights),
        numbers.whole(of_weights),
        lower.whole(values),
        lower.whole(of_inputs),
        numbers.whole(of_energies),
        *values.shape,
        len(of_inputs),
    )
    return of_energies
