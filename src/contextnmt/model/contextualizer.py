"""Contextualized word embeddings: Choi et al. 2017, sec. 3.3, eq. (5)."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from contextnmt.configuration.model import ContextualizerSettings
from contextnmt.model.arithmetic import Linear
from contextnmt.model.gru import BiasedEmbedding


class Contextualizer(nn.Module):
    """Two gates on the embeddings, computed once from the bag of source words.

        c^x = 1/T sum_t NN(1(w_t))
        x_t <- x_t * sigmoid(W_x c^x + b_x)     y_t <- y_t * sigmoid(W_y c^x + b_y)

    NN is a stack of tanh layers, applied word by word before the average. Its input is the one-hot
    source word 1(w_t), so the first layer is a table of its own; if `shared`, the input is the
    source embedding x_t instead (A11). The same two gates serve every position.
    """

    def __init__(self, embedding: int, words: int, settings: ContextualizerSettings) -> None:
        """`embedding`: size m of the gated vectors; `words`: size of the source vocabulary."""
        super().__init__()
        self.end_of_sentence = settings.end_of_sentence
        own = settings.table == "own"
        self.embedding = BiasedEmbedding(words, settings.layers[0]) if own else None
        sizes = settings.layers if own else (embedding, *settings.layers)
        self.layers = nn.ModuleList(Linear(size, following) for size, following in pairwise(sizes))
        self.source_gate = nn.Linear(sizes[-1], embedding)
        self.target_gate = nn.Linear(sizes[-1], embedding)

    def forward(self, words: Tensor, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the source and the target gate of each sentence, [batch, embedding] each.

        `words` [batch, time] are source ids, end-of-sentence last, `embedded` [batch, time,
        embedding] their source embeddings; `lengths` [batch] count end-of-sentence.
        """
        context = embedded if self.embedding is None else torch.tanh(self.embedding(words))
        for layer in self.layers:
            context = torch.tanh(layer(context))  # [batch, time, layer]
        counted = lengths if self.end_of_sentence else (lengths - 1).clamp(min=1)
        positions = torch.arange(words.size(1), device=words.device)
        real = (positions < counted.unsqueeze(1)).to(context.dtype)  # [batch, time]
        mean = (context * real.unsqueeze(2)).sum(1) / counted.unsqueeze(1)  # [batch, C]
        return torch.sigmoid(self.source_gate(mean)), torch.sigmoid(self.target_gate(mean))
