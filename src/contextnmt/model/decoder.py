"""The recurrent decoders, in the order of Bahdanau's code (A5).

s_i = RNN(s_{i-1}, E y_i, c_i): the state takes in a word after it was predicted, together with the
context that predicted it. s_0 = tanh(W_s h + b), where h is the backward encoder state at position
1, or without attention the last forward one.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from contextnmt.model.arithmetic import Linear
from contextnmt.model.gru import GRUCell
from contextnmt.model.units import GRUUnit, LSTMUnit, Memory, Unit


class State(NamedTuple):
    """The state of a hypothesis: its next word depends on this and on the source alone."""

    memory: Memory
    previous: Tensor  # [batch, width, size], E y_{i-1}, zero before the first word
    history: Tensor | None  # [batch, width, 2 window, embedding], for a smoother: words before


class Decoder(nn.Module):
    """A recurrent unit that begins with s_0; its gates have g inputs, from word and context."""

    unit: type[Unit]

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.initial = nn.Linear(hidden, hidden)  # W_s

    def start(self, summary: Tensor) -> Memory:
        """Return the memory before the first word, from an encoder state [batch, hidden].

        s_0 has the type of the weights, even where matrices are multiplied in 16 bits, and so have
        all later states: their roundings would add up (A46).
        """
        start = torch.tanh(self.initial(summary)).unsqueeze(1)
        return self.unit.start(start.to(self.initial.weight.dtype))


class LSTMDecoder(Decoder):
    """An LSTM without peepholes; its initial cell is zero (A36); g is 4 hidden."""

    unit = LSTMUnit

    def __init__(self, size: int, hidden: int, annotation: int) -> None:
        super().__init__(hidden)
        self.word = Linear(size, 4 * hidden)
        self.context = nn.Linear(annotation, 4 * hidden, bias=False)
        self.recurrent = nn.Linear(hidden, 4 * hidden, bias=False)

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """The weights of `unit`."""
        return (self.recurrent.weight,)

    @property
    def entering(self) -> tuple[Tensor, Tensor]:
        """The matrix of the words [g, size], and the biases [g]."""
        return self.word.weight, self.word.bias

    def project(self, embedded: Tensor) -> Tensor:
        """Return what words [batch, time, size] contribute to the gates, for all steps at once."""
        return self.word(embedded)  # type: ignore[no-any-return]

    def step(self, memory: Memory, word: Tensor, context: Tensor) -> Memory:
        """Return the memory after a step.

        `word` [batch, width, g] is `project(E y_i)`; `context` [batch, width, annotation] is c_i.
        """
        hidden, cell = memory
        gates = word + self.context(context) + self.recurrent(hidden)
        into, forget, out, candidate = gates.chunk(4, dim=2)
        cell = forget.sigmoid() * cell + into.sigmoid() * candidate.tanh()
        return out.sigmoid() * cell.tanh(), cell


class GRUDecoder(Decoder):
    """The unit of Bahdanau et al. 2015 with two inputs (A.2.2); g is 3 hidden.

    Properties and methods are those of `LSTMDecoder`.
    """

    unit = GRUUnit

    def __init__(self, size: int, hidden: int, annotation: int) -> None:
        super().__init__(hidden)
        self.cell = GRUCell(size, hidden)
        self.context = nn.Linear(annotation, 3 * hidden, bias=False)  # C, C_z, C_r

    @property
    def weights(self) -> tuple[Tensor, ...]:
        return self.cell.weights

    @property
    def entering(self) -> tuple[Tensor, Tensor]:
        return self.cell.entering

    def project(self, embedded: Tensor) -> Tensor:
        return self.cell.project(embedded)

    def step(self, memory: Memory, word: Tensor, context: Tensor) -> Memory:
        return (self.cell(word + self.context(context), memory[0]),)


#: A decoder by the name of its cell.
DECODERS: dict[str, type[LSTMDecoder] | type[GRUDecoder]] = {
    "lstm": LSTMDecoder,
    "gru": GRUDecoder,
}
