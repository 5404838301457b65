"""The hidden layer of the attention in C, from exponentials: see `contextnmt.model.hidden_layer`,
whose functions these are."""

from math import prod

from torch import Tensor

from contextnmt.model.native.library import Library


def energies(functions: Library, asked: Tensor, keys: Tensor, weight: Tensor, out: Tensor) -> None:
    """Written to `out` [B, ..., S], from `asked` [B, ..., 1, a] and `keys` [B, ..., S, a], where
    each sentence lies in one piece."""
    shape = len(keys), prod(asked.shape[1:-1]), *keys.shape[-2:]
    first, apart = keys[:1], keys.stride(0)
    functions.call("energies", asked, first, weight, out, *shape, apart)


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
