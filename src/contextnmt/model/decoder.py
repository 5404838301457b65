"""The recurrent decoders, in the order of Bahdanau's code (A5).

s_i = RNN(s_{i-1}, E y_i, c_i): the state takes in a word after it was predicted, together with the
context that predicted it. s_0 = tanh(W_s h + b), where h is the backward encoder state at position
1, or without attention the last forward one.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from contextnmt.model.gru import GRUCell
from contextnmt.model.products import Linear
from contextnmt.model.rows import Kept
from contextnmt.model.units import GRUUnit, LSTMUnit, Memory


class State(NamedTuple):
    """All that the next word of a hypothesis depends on, besides the source."""

    memory: Memory
    previous: Tensor  # [batch, width, size], E y_{i-1}, zero before the first word
    history: Tensor | None  # [batch, width, 2 window, embedding], for a smoother: words before

    def keep(self, kept: Kept) -> "State":
        """Return the state of some of the sentences; this one is overwritten."""
        return State(
            tuple(map(kept.of, self.memory)),
            kept.of(self.previous),
            None if self.history is None else kept.of(self.history),
        )


def initial_state(initial: nn.Linear, summary: Tensor) -> Tensor:
    """Return s_0 = tanh(W_s h + b) [batch, 1, hidden] from h [batch, hidden].

    It has the type of the weights, even where matrices are multiplied in 16 bits, and so have all
    later states: their roundings would add up (A46).
    """
    return torch.tanh(initial(summary)).unsqueeze(1).to(initial.weight.dtype)


class LSTMDecoder(nn.Module):
    """An LSTM without peepholes; its initial cell is zero (A36)."""

    unit = LSTMUnit

    def __init__(self, size: int, hidden: int, annotation: int) -> None:
        super().__init__()
        self.initial = nn.Linear(hidden, hidden)  # W_s
        self.word = Linear(size, 4 * hidden)
        self.context = nn.Linear(annotation, 4 * hidden, bias=False)
        self.recurrent = nn.Linear(hidden, 4 * hidden, bias=False)

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """The weights of `unit`."""
        return (self.recurrent.weight,)

    @property
    def entering(self) -> tuple[Tensor, Tensor]:
        """The matrix of the words [4 hidden, size], and the biases [4 hidden]."""
        return self.word.weight, self.word.bias

    def start(self, summary: Tensor) -> Memory:
        """Return the memory before the first word, from an encoder state [batch, hidden]."""
        hidden = initial_state(self.initial, summary)
        return hidden, torch.zeros_like(hidden)

    def project(self, embedded: Tensor) -> Tensor:
        """Return what words [batch, time, size] contribute to the gates, for all steps at once."""
        return self.word(embedded)  # type: ignore[no-any-return]

    def step(self, memory: Memory, word: Tensor, context: Tensor) -> Memory:
        """Return the memory after a step.

        `word` [batch, width, 4 hidden] is `project(E y_i)`; `context` [batch, width, annotation] is
        c_i.
        """
        return self.move(memory, word + self.context(context))

    def move(self, memory: Memory, inputs: Tensor) -> Memory:
        """Do the step, given the sum of word and context [batch, width, 4 hidden]."""
        hidden, cell = memory
        gates = inputs + self.recurrent(hidden)
        into, forget, out, candidate = gates.chunk(4, dim=2)
        cell = forget.sigmoid() * cell + into.sigmoid() * candidate.tanh()
        return out.sigmoid() * cell.tanh(), cell


class GRUDecoder(nn.Module):
    """The unit of Bahdanau et al. 2015 with two inputs, the word and its context (A.2.2)."""

    unit = GRUUnit

    def __init__(self, size: int, hidden: int, annotation: int) -> None:
        super().__init__()
        self.initial = nn.Linear(hidden, hidden)  # W_s
        self.cell = GRUCell(size, hidden)
        self.context = nn.Linear(annotation, 3 * hidden, bias=False)  # C, C_z, C_r

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """The weights of `unit`."""
        return self.cell.weights

    @property
    def entering(self) -> tuple[Tensor, Tensor]:
        """Input weights [3 hidden, size] and biases [3 hidden]; see `LSTMDecoder.entering`."""
        return self.cell.entering

    def start(self, summary: Tensor) -> Memory:
        """Start as `LSTMDecoder.start`."""
        return (initial_state(self.initial, summary),)

    def project(self, embedded: Tensor) -> Tensor:
        """Project as `LSTMDecoder.project`: [batch, time, 3 hidden]."""
        return self.cell.project(embedded)

    def step(self, memory: Memory, word: Tensor, context: Tensor) -> Memory:
        """Step as `LSTMDecoder.step`, with `word` [batch, width, 3 hidden]."""
        return self.move(memory, word + self.context(context))

    def move(self, memory: Memory, inputs: Tensor) -> Memory:
        """Step as `LSTMDecoder.move`, with `inputs` [batch, width, 3 hidden]."""
        return (self.cell(inputs, memory[0]),)


#: A decoder by the name of its cell.
DECODERS: dict[str, type[LSTMDecoder] | type[GRUDecoder]] = {
    "lstm": LSTMDecoder,
    "gru": GRUDecoder,
}
