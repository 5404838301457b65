"""The recurrent encoders: Choi et al. 2017, sec. 2; Bahdanau et al. 2015, A.2.1 and A.2.2."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from contextnmt.model.arithmetic import aligned, is_cpu
from contextnmt.model.gru import GRUCell
from contextnmt.model.padding import Packed
from contextnmt.model.units import GRUUnit, LSTMUnit, stacked, unroll


class LSTM(nn.LSTM):
    """The weights of torch's LSTM, with which `unit` runs."""

    unit = LSTMUnit
    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__(size, hidden, batch_first=True)

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """The weights of `unit`."""
        return (reordered(self.weight_hh_l0),)

    @property
    def entering(self) -> tuple[Tensor, Tensor]:
        """The matrix of the embeddings [4 hidden, size], and the biases [4 hidden]."""
        return reordered(self.weight_ih_l0), reordered(self.bias_ih_l0 + self.bias_hh_l0)


def reordered(gates: Tensor) -> Tensor:
    """Move the candidate behind the output gate: torch has it before, `LSTMUnit` after."""
    into, forget, candidate, out = gates.chunk(4)
    return torch.cat([into, forget, out, candidate])


class GRU(nn.Module):
    """The unit of Bahdanau et al. run over sentences from a state of zeros."""

    unit = GRUUnit

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.cell = GRUCell(size, hidden)

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """The weights of `unit`."""
        return self.cell.weights

    @property
    def entering(self) -> tuple[Tensor, Tensor]:
        """Input weights [3 hidden, size] and biases [3 hidden]; see `LSTM.entering`."""
        return self.cell.entering


#: A network that reads a sentence in one direction, by the name of its cell.
NETWORKS: dict[str, type[LSTM] | type[GRU]] = {"lstm": LSTM, "gru": GRU}


def side_by_side(
    networks: Sequence[LSTM | GRU], embedded: Sequence[Tensor], sizes: Sequence[int]
) -> Tensor:
    """Return all states [D, words, hidden] of D networks of one size, which start from zeros.

    Each network reads its own `embedded` [words, size], `sizes` of them a step (see `Packed`).
    """
    matrix, bias = stacked([network.entering for network in networks])
    read, matrix = aligned(torch.stack(list(embedded)), matrix)
    inputs = torch.baddbmm(bias.unsqueeze(1), read, matrix.transpose(1, 2))
    weights = stacked([network.weights for network in networks])
    start = weights[0].new_zeros(len(networks), sizes[0], weights[0].size(2))
    return unroll(networks[0].unit, inputs, start, sizes, weights)


class Encoder(nn.ModuleDict):
    """Networks by direction and cell: `forward_lstm`, say."""

    ways: tuple[str, ...]

    def __init__(self, size: int, hidden: int, cell: str) -> None:
        super().__init__({f"{way}_{cell}": NETWORKS[cell](size, hidden) for way in self.ways})

    def states(self, embedded: Tensor, lengths: Tensor) -> list[Tensor]:
        """Return the states [batch, time, hidden] of each network, at the positions of their words.

        `embedded` is [batch, time, size], `lengths` [batch] the number of real positions. States
        start from zero; those in the padding mean nothing.
        """
        packed = Packed(lengths, embedded.size(1), padded=not is_cpu(embedded.device))
        words = [packed.pack(embedded, way) for way in range(len(self))]
        states = side_by_side(list(self.values()), words, packed.sizes)  # type: ignore[arg-type]
        return [packed.unpack(each, way) for way, each in enumerate(states)]


class BidirectionalEncoder(Encoder):
    """A forward and a backward network whose states, side by side, annotate each position."""

    ways = ("forward", "backward")

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return annotations [batch, time, 2 hidden] and the backward state at position 1 [batch,
        hidden]; the arguments are those of `states`."""
        forward, backward = self.states(embedded, lengths)
        return torch.cat([forward, backward], dim=2), backward[:, 0]


class ForwardEncoder(Encoder):
    """The encoder of RNN Encoder-Decoder: one network, whose last state stands for the sentence."""

    ways = ("forward",)

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the state at the last real position, twice: as the only annotation [batch, 1,
        hidden], and as that from which the decoder starts [batch, hidden]."""
        [states] = self.states(embedded, lengths)
        last = states[torch.arange(len(lengths), device=lengths.device), lengths - 1]
        return last.unsqueeze(1), last
