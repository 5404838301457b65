"""The hidden layer of the attention in C, from exponentials: `forth` and `back` of
`contextnmt.model.hidden_layer`."""

from torch import Tensor

from contextnmt.model.native.library import Library


def forth(functions: Library, asked: Tensor, keys: Tensor, weight: Tensor) -> Tensor:
    """All in one piece."""
    energies = keys.new_empty(keys.shape[:2])
    functions.call("forth", asked, keys, weight, energies, *keys.shape)
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
    """All in one piece."""
    functions.call("back", asked, keys, slopes, of_asked, of_keys, of_weight, *keys.shape)
