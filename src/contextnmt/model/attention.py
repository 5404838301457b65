"""The alignment model: Bahdanau et al. 2015, A.1.2."""

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """Additive attention: e_ij = v_a . tanh(W_a s_{i-1} + U_a h_j), normalised over the source."""

    def __init__(self, hidden: int, annotation: int, alignment: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, alignment, bias=False)  # W_a
        self.key = nn.Linear(annotation, alignment, bias=False)  # U_a
        self.energy = nn.Linear(alignment, 1, bias=False)  # v_a

    def forward(
        self, state: Tensor, keys: Tensor, annotations: Tensor, padding: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The context vectors c_i and the weights alpha_i for `width` states of each sentence.

        `state` [batch, width, hidden]; `keys` = `key(annotations)` [batch, time, alignment], once
        for all steps; `annotations` [batch, time, annotation]; `padding` [batch, 1, time] is 0 at
        real positions and minus infinity elsewhere. `width` is 1 in training, the beam's in search.
        Returns [batch, width, annotation] and [batch, width, time].
        """
        query = self.query(state)  # [batch, width, alignment]
        hidden = torch.tanh(query.unsqueeze(2) + keys.unsqueeze(1))
        energies = self.energy(hidden).squeeze(3) + padding  # [batch, width, time]
        weights = torch.softmax(energies, dim=2)
        return weights @ annotations, weights
