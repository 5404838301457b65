"""The output layer as search takes it, by far the largest of its matrices."""

import torch
from torch import Tensor, nn

from contextnmt.model.bias_column import with_bias, with_one
from contextnmt.model.candidates import BLOCK, best_words
from contextnmt.model.scratch import Scratch

#: Of how many words the logits are computed again in 32 bits, where all are computed in 16: of the
#: likeliest ones, on which the probabilities of all others depend, and from which search takes most
#: of what it goes on with.
LIKELIEST = 8


class OutputLayer:
    """A copy of the layer, with its bias as a column, and with words that there are not, up to a
    multiple of `BLOCK`, whose biases are minus infinity."""

    def __init__(self, layer: nn.Linear, bf16: bool) -> None:
        """`layer` [words, size]; with `bf16` it is multiplied in bfloat16 (A46)."""
        self.matrix = with_bias(layer.weight, layer.bias, layer.weight.dtype, BLOCK)  # [words', k]
        self.rounded = self.matrix.bfloat16() if bf16 else None
        self.scratch = Scratch()

    def log_probabilities(self, features: Tensor) -> Tensor:
        """Of the words [N, words'], where words' may be more than there are, from `features`
        [N, size]; in their type, lost at the next call."""
        rows = with_one(features, features.dtype)  # [N, k]
        shape = (len(rows), len(self.matrix))
        if self.rounded is None:
            logits = self.scratch.of("logits", shape, rows)
            torch.mm(rows, self.matrix.t(), out=logits)
        else:
            rough = self.scratch.of("rounded", shape, self.rounded)
            torch.mm(rows.to(rough.dtype), self.rounded.t(), out=rough)
            logits = self.scratch.of("logits", shape, rows).copy_(rough)
            self._mend(logits, rows)
        return torch.log_softmax(logits, -1, out=logits)

    def _mend(self, logits: Tensor, rows: Tensor) -> None:
        """Write the likeliest words' logits anew [N, words'], from what the matrix multiplies."""
        none = logits.new_zeros(len(logits), 1)
        words = best_words(logits.unsqueeze(1), none, LIKELIEST)[2]  # [N, LIKELIEST]
        weights = torch.unflatten(self.matrix.index_select(0, words.flatten()), 0, words.shape)
        # Not a product of matrices: of so many so small ones it takes seven times as long.
        logits.scatter_(1, words, weights.mul_(rows.unsqueeze(1)).sum(2))
