"""The words of a batch of sentences without its padding, as recurrent networks read them."""

import torch
from torch import Tensor
from torch.nn import functional

from contextnmt.model.filler import filler


class Packed:
    """The real positions of a batch, one step after another, the longest sentence first.

    So a step has the sentences that are long enough, and they are the first ones of the step
    before. To know how many they are, a GPU has to be waited for. `padded` has all sentences at
    each step instead, those that have ended with padding, which reaches no real position: then all
    batches of one shape are worked on in the same way.

    The words may be followed by filler (see `filler`): the first position again.
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
        #: Places in a tensor [batch time, ...], of reading forth and of reading back, then of the
        #: filler.
        self.ways = [functional.pad(way, (0, added)) for way in ways]

    def pack(self, tensor: Tensor, way: int) -> Tensor:
        """The words and the filler [rows, ...] of `tensor` [batch, time, ...], read forth (0) or
        back (1)."""
        return tensor.flatten(0, 1).index_select(0, self.ways[way])

    def before(self, tensor: Tensor) -> Tensor:
        """Of all words but those of the first step, the ones before them, from `tensor` [batch,
        time, ...]: [rows - batch, ...]. Of these a step has those that are not the last."""
        places = self.ways[0][self.sizes[0] :] - 1
        return tensor.flatten(0, 1).index_select(0, places.clamp(min=0))

    def unpack(self, rows: Tensor, way: int) -> Tensor:
        """[batch, time, ...] from the words of what `pack` gave, zero where nothing was read."""
        batch, time = self.shape
        empty = rows.new_zeros(batch * time, *rows.shape[1:])
        places, words = self.ways[way][: self.words], rows[: self.words]
        return torch.unflatten(empty.index_copy_(0, places, words), 0, self.shape)
