"""The recurrent encoders: Choi et al. 2017, sec. 2; Bahdanau et al. 2015, A.2.1 and A.2.2."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from contextnmt.model.device import is_cpu
from contextnmt.model.gru import GRUCell
from contextnmt.model.padding import Packed
from contextnmt.model.units import GRUUnit, LSTMUnit
from contextnmt.model.unroll import side_by_side


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


def network(encoder: nn.Module, name: str) -> LSTM | GRU:
    """Return the network of an encoder that has this name."""
    found = encoder.get_submodule(name)
    assert isinstance(found, LSTM | GRU)
    return found


def read(networks: Sequence[LSTM | GRU], embedded: Tensor, lengths: Tensor) -> list[Tensor]:
    """Return the states [batch, time, hidden] of each network, at the positions of their words.

    The first network reads the sentences of `embedded` [batch, time, size], which have `lengths`
    [batch], forward; the second one, if there is one, reads them backward. States start from zero;
    those in the padding mean nothing.
    """
    packed = Packed(lengths, embedded.size(1), padded=not is_cpu(embedded.device))
    words = [packed.pack(embedded, way) for way in range(len(networks))]
    states = side_by_side(networks, words, packed.sizes)
    return [packed.unpack(each, way) for way, each in enumerate(states)]


class BidirectionalEncoder(nn.Module):
    """A forward and a backward network whose states, side by side, annotate each source position.

    Both start from zero, and padding reaches no real position.
    """

    def __init__(self, size: int, hidden: int, cell: str) -> None:
        super().__init__()
        self.cell = cell
        self.add_module(f"forward_{cell}", NETWORKS[cell](size, hidden))
        self.add_module(f"backward_{cell}", NETWORKS[cell](size, hidden))

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return annotations [batch, time, 2 hidden] and the backward state at position 1 [batch,
        hidden].

        `embedded` is [batch, time, size], `lengths` [batch] the number of real positions.
        """
        networks = [network(self, f"{way}_{self.cell}") for way in ("forward", "backward")]
        forward, backward = read(networks, embedded, lengths)
        return torch.cat([forward, backward], dim=2), backward[:, 0]


class ForwardEncoder(nn.Module):
    """The encoder of RNN Encoder-Decoder: one network, whose last state stands for the sentence."""

    def __init__(self, size: int, hidden: int, cell: str) -> None:
        super().__init__()
        self.cell = cell
        self.add_module(f"forward_{cell}", NETWORKS[cell](size, hidden))

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the state at the last real position, twice: as the only annotation [batch, 1,
        hidden], and as that from which the decoder starts [batch, hidden].

        `embedded` and `lengths` are those of `BidirectionalEncoder.forward`.
        """
        [states] = read([network(self, f"forward_{self.cell}")], embedded, lengths)
        last = states[torch.arange(len(lengths), device=lengths.device), lengths - 1]
        return last.unsqueeze(1), last
