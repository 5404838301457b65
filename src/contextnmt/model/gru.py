"""The embedding and the gated recurrent unit of Bahdanau's code (A7)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.model.arithmetic import aligned


class BiasedEmbedding(nn.Embedding):
    """E x + b: the embedding is a layer like others, with a bias that all words share (spec sec.
    2.3, item 6)."""

    def __init__(self, words: int, size: int) -> None:
        super().__init__(words, size)
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, words: Tensor) -> Tensor:
        """Return the vectors [..., size] of the ids `words` [...]."""
        return super().forward(words) + self.bias


class GRUCell(nn.Module):
    """One step of the unit (Bahdanau et al. 2015, A.1.1), which resets before the recurrent matrix.

        h_i = (1 - z_i) h_{i-1} + z_i h~_i     h~_i = tanh(W x_i + b + U [r_i h_{i-1}])
        z_i = sigmoid(W_z x_i + U_z h_{i-1})   r_i = sigmoid(W_r x_i + U_r h_{i-1})

    torch's own unit resets after the matrix and swaps z and 1 - z: another function. Only the
    candidate h~ has a bias (spec sec. 2.3, item 6).
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.candidate = nn.Linear(size, hidden)  # W
        self.gates = nn.Linear(size, 2 * hidden, bias=False)  # W_z, W_r
        self.recurrent_candidate = nn.Linear(hidden, hidden, bias=False)  # U
        self.recurrent_gates = nn.Linear(hidden, 2 * hidden, bias=False)  # U_z, U_r

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """The weights of its `GRUUnit`."""
        return self.recurrent_candidate.weight, self.recurrent_gates.weight

    @property
    def entering(self) -> tuple[Tensor, Tensor]:
        """W, W_z and W_r below each other [3 hidden, size], and the biases [3 hidden]."""
        bias = self.candidate.bias
        matrix = torch.cat([self.candidate.weight, self.gates.weight])
        return matrix, torch.cat([bias, bias.new_zeros(2 * len(bias))])

    def project(self, inputs: Tensor) -> Tensor:
        """Return W x + b, W_z x and W_r x side by side [..., 3 hidden], from x [..., size].

        They depend on no state, so they are computed for all steps at once.
        """
        matrix, bias = self.entering
        return functional.linear(*aligned(inputs, matrix), bias)

    def forward(self, projected: Tensor, state: Tensor) -> Tensor:
        """Return h_i [..., hidden] from `projected` [..., 3 hidden] and h_{i-1} [..., hidden].

        The state keeps its type where matrices are multiplied in 16 bits: its roundings would add
        up (A46).
        """
        hidden = state.size(-1)
        candidate, gates = torch.split(projected, [hidden, 2 * hidden], dim=-1)
        gates = torch.sigmoid(gates + self.recurrent_gates(state))
        update, reset = gates.chunk(2, dim=-1)
        candidate = torch.tanh(candidate + self.recurrent_candidate(reset * state))
        candidate, update = candidate.to(state.dtype), update.to(state.dtype)
        return torch.lerp(state, candidate, update)  # (1 - z) h + z h~
