"""Batches without their padding: the padding need not be computed.

`padding` [B, 1, S] is 0 at the words of B sentences and minus infinity behind them, as it is added
to energies. A GPU computes the padding too: to find its places would synchronize.

Filler rows keep the shapes of matrix products few. On a CPU, oneDNN compiles each product in
bfloat16 for its shape, which takes as long as the product, and hardly any two batches have as many
words. So the number of words is rounded up to a multiple; results of the filler are dropped.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from contextnmt.model.arithmetic import is_cpu

#: Rows are filled up to a multiple of this.
MULTIPLE = 128


def filler(rows: int, device: torch.device) -> int:
    """Return how many filler rows to add to `rows`, which are multiplied as autocast says."""
    compiled = device.type == "cpu" and torch.is_autocast_enabled("cpu")
    return -rows % MULTIPLE if compiled else 0


def with_filler(steps: Sequence[Tensor], like: Tensor, rows: int) -> Tensor:
    """Return the rows of all steps [D, B, n] in one tensor [D, rows, n], which ends with zeros.

    `like` [D, ..., n] has their type.
    """
    missing = rows - sum(each.size(1) for each in steps)
    return torch.cat([*steps, like.new_zeros(like.size(0), missing, like.size(2))], 1)


class Packed:
    """The real positions of a batch, one step after another, the longest sentence first.

    So a step has the sentences that are long enough: the first ones of the step before. With
    `padded`, each step has all sentences, and padding for those that have ended; it reaches no real
    position. A GPU needs this, since it would synchronize to count them.

    The words may be followed by `filler`, which repeats the first position.
    """

    def __init__(self, lengths: Tensor, time: int, padded: bool) -> None:
        """`lengths` [batch] of sentences in tensors [batch, `time`, ...]."""
        order = lengths.argsort(descending=True, stable=True)
        lengths = lengths[order]
        steps = torch.arange(time, device=lengths.device).unsqueeze(1)
        real = steps < lengths  # [time, batch]
        self.shape = len(lengths), time
        forward, backward = steps.expand_as(real), torch.where(real, lengths - 1 - steps, steps)
        #: Sentences of each step.
        self.sizes: list[int] = [len(lengths)] * time if padded else real.sum(1).tolist()
        #: How many they are.
        self.words = sum(self.sizes)
        added = 0 if padded else filler(self.words - len(lengths), lengths.device)
        places = [order * time + way for way in (forward, backward)]
        ways = [way.flatten() if padded else way[real] for way in places]
        #: Places in a tensor [batch time, ...]: in the order of reading forward and of reading
        #: backward, each with its filler.
        self.ways = [functional.pad(way, (0, added)) for way in ways]

    def pack(self, tensor: Tensor, way: int) -> Tensor:
        """Return words and filler [rows, ...] of `tensor` [batch, time, ...].

        `way` 0 reads the sentences forward, 1 backward.
        """
        return tensor.flatten(0, 1).index_select(0, self.ways[way])

    def before(self, tensor: Tensor) -> Tensor:
        """Return the word before each word, but for those of the first step: [rows - batch, ...].

        `tensor` is [batch, time, ...]. The last word of a sentence is before none.
        """
        places = self.ways[0][self.sizes[0] :] - 1
        return tensor.flatten(0, 1).index_select(0, places.clamp(min=0))

    def unpack(self, rows: Tensor, way: int) -> Tensor:
        """Return [batch, time, ...] from the `rows` of `pack`, zero where it read nothing."""
        batch, time = self.shape
        empty = rows.new_zeros(batch * time, *rows.shape[1:])
        places, words = self.ways[way][: self.words], rows[: self.words]
        return torch.unflatten(empty.index_copy_(0, places, words), 0, self.shape)


def of_words(function: Callable[[Tensor], Tensor], tensor: Tensor, padding: Tensor) -> Tensor:
    """Return [B, S, d'], which the function makes of the words of `tensor` [B, S, d].

    The padding is zero, or on a GPU what the function makes of it.
    """
    if not is_cpu(padding.device):
        return function(tensor)
    places = (padding.flatten() == 0).nonzero().squeeze(1)
    count = len(places)
    rows = functional.pad(places, (0, filler(count, places.device)))
    made = function(tensor.flatten(0, 1).index_select(0, rows))[:count]
    everywhere = made.new_zeros(padding.numel(), made.size(1))
    return torch.unflatten(everywhere.index_copy_(0, places, made), 0, tensor.shape[:2])


def lengths(padding: Tensor) -> list[int]:
    """Return how many positions of each sentence hold words; on a GPU, all of them count."""
    if not is_cpu(padding.device):
        return [padding.size(2)] * len(padding)
    return (padding == 0).sum(2).flatten().tolist()
