"""The hidden layer of the attention in C, from exponentials: `forth` and `back` of
`contextnmt.model.hidden_layer`. All tensors lie in one piece."""

from torch import Tensor

from contextnmt.model.native.library import Library

#: What `functions` are compiled from.
SOURCE = "hidden_layer.c"


def forth(functions: Library, asked: Tensor, keys: Tensor, weight: Tensor) -> Tensor:
    """The energies [B, S] of `asked` [B, a] and `keys` [B, S, a], with `weight` [1, a]."""
    energies = keys.new_empty(keys.shape[:2])
    tensors = map(functions.numbers.whole, (asked, keys, weight, energies))
    functions.call("forth", *tensors, *keys.shape)
    return energies


def back(
    functions: Library,
    asked: Tensor,
    keys: Tensor,
    slopes: Tensor,
    of_asked: Tensor,
    of_keys: Tensor,
    of_weight: Tensor,
) -> None:
    """From the `slopes` [B, S] of the energies, `of_asked` [B, a] is written; to `of_keys`
    [B, S, a] and `of_weight` [B, 1, a] is added."""
    tensors = map(functions.numbers.whole, (asked, keys, slopes, of_asked, of_keys, of_weight))
    functions.call("back", *tensors, *keys.shape)
