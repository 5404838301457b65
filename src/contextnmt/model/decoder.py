"""The recurrent decoder, in the order of the authors' code (A5)."""

from typing import NamedTuple

import torch
from torch import Tensor, nn


class State(NamedTuple):
    """The decoder's memory for `width` hypotheses of each sentence, [batch, width, hidden] each."""

    hidden: Tensor
    cell: Tensor


class Decoder(nn.Module):
    """An LSTM without peepholes whose input is the word just written and its context (A36).

    s_i = LSTM(s_{i-1}, E y_i, c_i): the state takes in a word after it was predicted, together with
    the context that predicted it. s_0 = tanh(W_s backward h_1 + b), the initial cell is zero.
    """

    def __init__(self, embedding: int, hidden: int, annotation: int) -> None:
        super().__init__()
        self.initial = nn.Linear(hidden, hidden)  # W_s
        self.word = nn.Linear(embedding, 4 * hidden)
        self.context = nn.Linear(annotation, 4 * hidden, bias=False)
        self.recurrent = nn.Linear(hidden, 4 * hidden, bias=False)

    def start(self, backward: Tensor) -> State:
        """The state before the first word, from the backward encoder state [batch, hidden]."""
        hidden = torch.tanh(self.initial(backward)).unsqueeze(1)
        return State(hidden, torch.zeros_like(hidden))

    def step(self, state: State, word: Tensor, context: Tensor) -> State:
        """One step. `word` [batch, width, 4 hidden] is `self.word(E y_i)`, which training computes
        for all steps at once; `context` is c_i [batch, width, annotation]."""
        gates = word + self.context(context) + self.recurrent(state.hidden)
        into, forget, out, candidate = gates.chunk(4, dim=2)
        cell = forget.sigmoid() * state.cell + into.sigmoid() * candidate.tanh()
        return State(out.sigmoid() * cell.tanh(), cell)
