"""The recurrent encoders: Choi et al. 2017, sec. 2; Bahdanau et al. 2015, A.2.1 and A.2.2."""

import torch
from torch import Tensor, nn

from contextnmt.model.gru import GRU, side_by_side


class LSTM(nn.LSTM):
    """torch's LSTM from a state of zeros: [batch, time, size] to states [batch, time, hidden]."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__(size, hidden, batch_first=True)

    def forward(self, embedded: Tensor) -> Tensor:  # type: ignore[override]
        """The hidden states alone, as `GRU.forward` gives them."""
        return super().forward(embedded)[0]  # type: ignore[no-any-return]


#: What runs over a sentence in one direction, by the name of its cell.
NETWORKS: dict[str, type[LSTM] | type[GRU]] = {"lstm": LSTM, "gru": GRU}


class BidirectionalEncoder(nn.Module):
    """A forward and a backward network whose states, side by side, annotate each source position.

    Both start from zero. The backward network reads every sentence reversed within its own length,
    so that padding comes last for both and cannot reach a real position: no packing is needed, and
    the shapes depend on the padded size alone.
    """

    def __init__(self, size: int, hidden: int, cell: str) -> None:
        super().__init__()
        self.cell = cell
        self.add_module(f"forward_{cell}", NETWORKS[cell](size, hidden))
        self.add_module(f"backward_{cell}", NETWORKS[cell](size, hidden))

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Annotations [batch, time, 2 hidden] and the backward state at position 1 [batch, hidden].

        `embedded` is [batch, time, size], `lengths` [batch] the number of real positions.
        """
        positions = torch.arange(embedded.size(1), device=embedded.device)
        mirrored = lengths.unsqueeze(1) - 1 - positions  # [batch, time], negative in the padding
        mirrored = torch.where(mirrored < 0, positions, mirrored).unsqueeze(2)
        forward, backward = self._states(embedded, embedded.gather(1, mirrored.expand_as(embedded)))
        backward = backward.gather(1, mirrored.expand_as(backward))
        return torch.cat([forward, backward], dim=2), backward[:, 0]

    def _states(self, embedded: Tensor, mirrored: Tensor) -> tuple[Tensor, Tensor]:
        """All states of both networks [batch, time, hidden], each in its own direction."""
        one, other = (self.get_submodule(f"{way}_{self.cell}") for way in ("forward", "backward"))
        if isinstance(one, GRU) and isinstance(other, GRU):
            forward, backward = side_by_side([one.cell, other.cell], [embedded, mirrored])
        else:
            forward, backward = one(embedded), other(mirrored)
        return forward, backward


class ForwardEncoder(nn.Module):
    """The encoder of RNN Encoder-Decoder: one network, whose last state stands for the sentence."""

    def __init__(self, size: int, hidden: int, cell: str) -> None:
        super().__init__()
        self.cell = cell
        self.add_module(f"forward_{cell}", NETWORKS[cell](size, hidden))

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The state at the last real position, as the only annotation [batch, 1, hidden] and as
        what the decoder starts from [batch, hidden]. `embedded` and `lengths` as above."""
        states = self.get_submodule(f"forward_{self.cell}")(embedded)
        last = states[torch.arange(len(lengths), device=lengths.device), lengths - 1]
        return last.unsqueeze(1), last
