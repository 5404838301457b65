"""What target words contribute to the decoder's step, computed once for each word."""

import torch
from torch import Tensor, nn

from contextnmt.model.device import answers
from contextnmt.model.scratch import Scratch


class WordTable:
    """W E y of each matrix W and each target word y that search has written, where it depends on y
    alone.

    A row is computed when its word first comes: a short text has few words. So there are at most as
    many rows as words in the vocabulary, the matrices' outputs wide: at the sizes of WMT14 20 kB
    each, 600 MB in all. A GPU computes all of them at once, in milliseconds, since which are
    missing is for it to say.
    """

    def __init__(self, embedding: nn.Embedding, *weights: Tensor) -> None:
        """`embedding` E of size m, `weights` W [d, m] each."""
        self.embedding, self.weights = embedding, weights
        words, device = len(embedding.weight), embedding.weight.device
        self.tables = [weight.new_empty(words, len(weight)) for weight in weights]
        self.known = torch.zeros(words, dtype=torch.bool, device=device)
        self.scratch = Scratch()
        self.complete = not answers(device)
        if self.complete:
            self._compute(torch.arange(words, device=device))

    def _compute(self, words: Tensor) -> None:
        """Fill the rows of `words` [n]."""
        embedded = self.embedding(words)
        for table, weight in zip(self.tables, self.weights, strict=True):
            table[words] = embedded @ weight.t()
        self.known[words] = True

    def of(self, words: Tensor) -> list[Tensor]:
        """The rows of `words` [B, K], of each matrix: [B, K, d]; lost at the next call."""
        flat = words.flatten()
        if not self.complete:
            new = torch.unique(flat[~self.known[flat]])
            if len(new):
                self._compute(new)
        found = []
        for number, table in enumerate(self.tables):
            to = self.scratch.of(str(number), (len(flat), table.size(1)), table)
            torch.index_select(table, 0, flat, out=to)
            found.append(torch.unflatten(to, 0, words.shape))
        return found
