"""The vectors of words."""

import torch
from torch import Tensor, nn


class BiasedEmbedding(nn.Embedding):
    """E x + b: in Bahdanau's code the embedding is a layer like others, with a bias that all words
    share (spec sec. 2.3, item 6)."""

    def __init__(self, words: int, size: int) -> None:
        super().__init__(words, size)
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, words: Tensor) -> Tensor:
        """Return the vectors [..., size] of the ids `words` [...]."""
        return super().forward(words) + self.bias


#: The embedding that comes with a cell: the GRU is Bahdanau's code, the LSTM is Choi's (A36).
EMBEDDINGS: dict[str, type[nn.Embedding]] = {"lstm": nn.Embedding, "gru": BiasedEmbedding}
