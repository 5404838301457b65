"""Memory that every step of search writes anew."""

import math

from torch import Tensor


class Scratch:
    """Tensors by name, each as large as the largest that was asked for.

    Large tensors that are freed at each step go back to the system, and come from it again as
    pages to be zeroed at their first touch, which takes longer than to compute what they hold.
    """

    def __init__(self) -> None:
        self._held: dict[str, Tensor] = {}

    def of(self, name: str, shape: tuple[int, ...], like: Tensor) -> Tensor:
        """A tensor of any content, lost at the next call with `name`; `like` has its type and
        its device."""
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.numel() < size or held.dtype != like.dtype:
            held = self._held[name] = like.new_empty(size)
        return held[:size].view(shape)
