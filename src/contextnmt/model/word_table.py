"""What target words contribute to the decoder's step, computed once for each word."""

import torch
from torch import Tensor, nn


class WordTable:
    """W E y for each target word y that search has written, where it depends on y alone.

    A row is computed when its word first comes: a short text has few words. So there are at most as
    many rows as words in the vocabulary, the matrices' outputs wide: at the sizes of WMT14 20 kB
    each, 600 MB in all. A GPU computes all of them at once, in milliseconds: to be asked which are
    missing, it would have to end at every step what it was given.
    """

    def __init__(self, embedding: nn.Embedding, weight: Tensor) -> None:
        """`embedding` E of size m, `weight` W [d, m]."""
        self.embedding, self.weight = embedding, weight
        words = len(embedding.weight)
        self.rows = weight.new_empty(words, len(weight))
        self.known = torch.zeros(words, dtype=torch.bool, device=weight.device)
        self.complete = weight.device.type == "cuda"
        if self.complete:
            self._compute(torch.arange(words, device=weight.device))

    def _compute(self, words: Tensor) -> None:
        """Fill the rows of `words` [n]."""
        self.rows[words] = self.embedding(words) @ self.weight.t()
        self.known[words] = True

    def of(self, words: Tensor) -> Tensor:
        """The rows of `words` [B, K]: [B, K, d]."""
        flat = words.flatten()
        if not self.complete:
            new = torch.unique(flat[~self.known[flat]])
            if len(new):
                self._compute(new)
        return torch.unflatten(self.rows.index_select(0, flat), 0, words.shape)
