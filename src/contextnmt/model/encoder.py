"""The bidirectional recurrent encoder: Choi et al. 2017, sec. 2; Bahdanau et al. 2015, A.2.1."""

import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    """A forward and a backward LSTM whose states, side by side, annotate each source position.

    Both start from zero. The backward network reads every sentence reversed within its own length,
    so that padding comes last for both and cannot reach a real position: no packing is needed, and
    the shapes depend on the padded size alone.
    """

    def __init__(self, embedding: int, hidden: int) -> None:
        super().__init__()
        self.forward_lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.backward_lstm = nn.LSTM(embedding, hidden, batch_first=True)

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Annotations [batch, time, 2 hidden] and the backward state at position 1 [batch, hidden].

        `embedded` is [batch, time, embedding], `lengths` [batch] the number of real positions.
        """
        positions = torch.arange(embedded.size(1), device=embedded.device)
        mirrored = lengths.unsqueeze(1) - 1 - positions  # [batch, time], negative in the padding
        mirrored = torch.where(mirrored < 0, positions, mirrored).unsqueeze(2)
        forward, _ = self.forward_lstm(embedded)
        backward, _ = self.backward_lstm(embedded.gather(1, mirrored.expand_as(embedded)))
        backward = backward.gather(1, mirrored.expand_as(backward))
        return torch.cat([forward, backward], dim=2), backward[:, 0]
