"""The layers of a translator as search takes them: without gradients, in memory that is reused."""

import math

import torch
from torch import Tensor, nn

from contextnmt.model.output_loss import with_bias, with_one
from contextnmt.model.rows import take

#: Words of a block, whose best word stands for all of them at first.
BLOCK = 64

#: Likeliest words whose logits are computed again in 32 bits, where all are computed in 16: the
#: probabilities of all words depend on them.
LIKELIEST = 8


class Scratch:
    """Buffers by name, each as large as the largest tensor that was asked for.

    The operating system would zero the pages of a new tensor, which takes longer than to fill it.
    """

    def __init__(self) -> None:
        self._held: dict[str, Tensor] = {}

    def of(self, name: str, shape: tuple[int, ...], like: Tensor) -> Tensor:
        """Return a tensor of any content, which the next call with `name` reuses.

        It has the type and the device of `like`.
        """
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.numel() < size or held.dtype != like.dtype:
            held = self._held[name] = like.new_empty(size)
        return held[:size].view(shape)


class OutputLayer:
    """A copy of the output layer, by far the largest matrix of search.

    Its bias is a column, and padding rows, up to a multiple of `BLOCK`, have the bias minus
    infinity.
    """

    def __init__(self, layer: nn.Linear, bf16: bool) -> None:
        """`layer` [words, size]; with `bf16` it is multiplied in bfloat16 (A46)."""
        self.matrix = with_bias(layer.weight, layer.bias, layer.weight.dtype, BLOCK)  # [words', k]
        self.rounded = self.matrix.bfloat16() if bf16 else None
        self.scratch = Scratch()

    def log_probabilities(self, features: Tensor) -> Tensor:
        """Return log p [N, words'] from `features` [N, size], in their type.

        words' counts the padding rows too. The next call reuses the tensor.
        """
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
        """Compute the likeliest `logits` [N, words'] again in 32 bits, from `rows` [N, k]."""
        none = logits.new_zeros(len(logits), 1)
        words = best_words(logits.unsqueeze(1), none, LIKELIEST)[2]  # [N, LIKELIEST]
        weights = torch.unflatten(self.matrix.index_select(0, words.flatten()), 0, words.shape)
        # Not `bmm`, which takes seven times as long for so many so small matrices.
        logits.scatter_(1, words, weights.mul_(rows.unsqueeze(1)).sum(2))


def best_words(logs: Tensor, scores: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the `width` best continuations of each row, or all K V if there are fewer, best first.

    `scores` [R, K] are those of the hypotheses, `logs` [R, K, V] the log-probabilities of the next
    words. V is a multiple of `BLOCK`, filled up with minus infinity. Returns the new scores, the
    places of the hypotheses that are continued, and the words, [R, width] each. An impossible
    continuation has the score minus infinity, any place, and word 0.

    The best ones lie in the blocks with the best words, so only `width` blocks are sorted.
    """
    blocks = torch.unflatten(logs, 2, (-1, BLOCK))  # [R, K, n, BLOCK]
    peaks = blocks.amax(3).add_(scores.unsqueeze(2))
    number = peaks.size(2)
    block = peaks.flatten(1).topk(min(width, peaks[0].numel()), sorted=False).indices
    found = take(blocks.flatten(1, 2), block)  # [R, width at most, BLOCK]
    found += scores.gather(1, block // number).unsqueeze(2)
    best, chosen = found.flatten(1).topk(min(width, found[0].numel()))
    block = block.gather(1, chosen // BLOCK)
    word = (block % number * BLOCK + chosen % BLOCK).masked_fill_(best == -torch.inf, 0)
    return best, block // number, word
