"""Contextualized word embeddings: Choi et al. 2017, sec. 3.3, eq. (5)."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from contextnmt.model.products import Linear
from contextnmt.model.settings import ContextualizerSettings


class Contextualizer(nn.Module):
    """Two gates on the embeddings, computed once from the bag of source words.

        c^x = 1/T sum_t NN(x_t)
        x_t <- x_t * sigmoid(W_x c^x + b_x)     y_t <- y_t * sigmoid(W_y c^x + b_y)

    NN is a stack of tanh layers on the source embedding x_t, applied word by word before the
    average (A11). The same two gates serve every position.
    """

    def __init__(self, embedding: int, settings: ContextualizerSettings) -> None:
        super().__init__()
        self.end_of_sentence = settings.end_of_sentence
        sizes = (embedding, *settings.layers)
        self.layers = nn.ModuleList(Linear(size, following) for size, following in pairwise(sizes))
        self.source_gate = nn.Linear(sizes[-1], embedding)
        self.target_gate = nn.Linear(sizes[-1], embedding)

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The gates of a batch.

        `embedded` [batch, time, embedding] are the source embeddings, end-of-sentence last;
        `lengths` [batch] count it. Returns the source and the target gate, [batch, embedding] each.
        """
        context = embedded
        for layer in self.layers:
            context = torch.tanh(layer(context))  # [batch, time, layer]
        words = lengths if self.end_of_sentence else (lengths - 1).clamp(min=1)
        positions = torch.arange(embedded.size(1), device=embedded.device)
        real = (positions < words.unsqueeze(1)).to(context.dtype)  # [batch, time]
        mean = (context * real.unsqueeze(2)).sum(1) / words.unsqueeze(1)  # [batch, C]
        return torch.sigmoid(self.source_gate(mean)), torch.sigmoid(self.target_gate(mean))
