"""The gated recurrent unit of Bahdanau et al. 2015, A.1.1, as their code has it (A7)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class GRUCell(nn.Module):
    """One step of the unit, whose reset gate comes before the recurrent matrix.

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

    def project(self, inputs: Tensor) -> Tensor:
        """What inputs [..., size] contribute, W x, W_z x and W_r x side by side: [..., 3 hidden].

        It depends on no state, so it is computed for all steps at once.
        """
        return torch.cat([self.candidate(inputs), self.gates(inputs)], dim=-1)

    def forward(self, projected: Tensor, state: Tensor) -> Tensor:
        """h_i [..., hidden] from `projected` [..., 3 hidden] and h_{i-1} [..., hidden].

        The state keeps its precision where matrices are multiplied in a lower one (A46): its
        roundings would add up.
        """
        hidden = state.size(-1)
        candidate, gates = torch.split(projected, [hidden, 2 * hidden], dim=-1)
        gates = torch.sigmoid(gates + self.recurrent_gates(state))
        update, reset = gates.chunk(2, dim=-1)
        candidate = torch.tanh(candidate + self.recurrent_candidate(reset * state))
        candidate, update = candidate.to(state.dtype), update.to(state.dtype)
        return torch.lerp(state, candidate, update)  # (1 - z) h + z h~


class GRU(nn.Module):
    """The unit run over sentences from a state of zeros."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.cell = GRUCell(size, hidden)

    def forward(self, embedded: Tensor) -> Tensor:
        """All states [batch, time, hidden] of `embedded` [batch, time, size]."""
        return side_by_side([self.cell], [embedded])[0]


def side_by_side(cells: Sequence[GRUCell], embedded: Sequence[Tensor]) -> Tensor:
    """All states [D, batch, time, hidden] of D units of one size, from states of zeros, each over
    its own `embedded` [batch, time, size].

    One product of matrices a step serves all of them. Those of the state lie in memory as they
    multiply: as `Linear` has them, they take three times as long at a batch of 40 (MKL).
    """
    each = zip(cells, embedded, strict=True)
    projected = torch.stack([cell.project(inputs) for cell, inputs in each], dim=1)
    hidden = projected.size(3) // 3
    gates_of = torch.stack([cell.recurrent_gates.weight.t() for cell in cells])
    candidate_of = torch.stack([cell.recurrent_candidate.weight.t() for cell in cells])
    state, states = gates_of.new_zeros(len(cells), len(projected), hidden), []
    for step in projected.unbind(2):  # [batch, D, 3 hidden]
        candidate, gates = torch.split(step.transpose(0, 1), [hidden, 2 * hidden], dim=2)
        gates = torch.sigmoid(torch.baddbmm(gates, state, gates_of))
        update, reset = gates.chunk(2, dim=2)
        candidate = torch.tanh(torch.baddbmm(candidate, reset * state, candidate_of))
        # The state keeps its precision, as in `GRUCell` (A46).
        state = torch.lerp(state, candidate.to(state.dtype), update.to(state.dtype))
        states.append(state)
    return torch.stack(states, dim=2)
