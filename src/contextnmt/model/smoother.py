"""Context-aware smoothing: Chen et al. 2017. A word's vector V is made from those around it.

The two networks are the paper's, secs. 3.1 and 3.2; how they enter the model is a reconstruction
(spec sec. 3.5, A43).
"""

import torch
from torch import Tensor, nn

from contextnmt.configuration.model import SmootherSettings
from contextnmt.model.arithmetic import Linear

#: Words that a filter of the convolution spans, the paper's k.
FILTER = 3


class FCWM(nn.Module):
    """The feed-forward context-of-words model: V = tanh(W_1 [v_1 : ... : v_2n] + b_1), eq. (3)."""

    def __init__(self, embedding: int, window: int) -> None:
        super().__init__()
        self.words = Linear(2 * window * embedding, embedding)  # W_1

    def forward(self, context: Tensor) -> Tensor:
        """V [..., embedding] from the vectors of the context [..., 2 window, embedding]."""
        return torch.tanh(self.words(context.flatten(-2)))


class CCWM(nn.Module):
    """The convolutional context-of-words model, eqs. (5) to (9), k = 3.

        l_i = tanh(W_2 [u_i : u_{i+1} : u_{i+2}] + b_2)    P_l = max(l_{2l-1}, l_{2l})
        V = tanh(W_3 mean_l P_l + b_3)

    A window of n words has 2n - 2 maps l_i, always an even number, and n - 1 pools P_l.
    """

    def __init__(self, embedding: int, window: int) -> None:
        super().__init__()
        self.filters = Linear(FILTER * embedding, embedding)  # W_2
        self.pooled = Linear(embedding, embedding)  # W_3

    def forward(self, context: Tensor) -> Tensor:
        """V [..., embedding] from the vectors of the context [..., 2 window, embedding]."""
        spans = context.unfold(-2, FILTER, 1).transpose(-1, -2)  # [..., 2n - 2, k, embedding]
        maps = torch.tanh(self.filters(spans.flatten(-2)))  # [..., 2n - 2, embedding]
        pools = torch.unflatten(maps, -2, (-1, 2)).amax(-2)  # [..., n - 1, embedding]
        return torch.tanh(self.pooled(pools.mean(-2)))


NETWORKS: dict[str, type[FCWM] | type[CCWM]] = {"fcwm": FCWM, "ccwm": CCWM}


class Smoother(nn.Module):
    """V in the place of the vector of unknown words, or also beside the vector of every word.

    The context of a word is made of vectors as the embedding gives them, those of unknown words
    included; where it reaches over a border of the sentence, it has a learnt vector instead.
    """

    def __init__(self, embedding: int, settings: SmootherSettings) -> None:
        super().__init__()
        self.window = settings.window
        self.beside = settings.words == "all"
        self.size = 2 * embedding if self.beside else embedding  #: of the vectors that come out
        self.network = NETWORKS[settings.network](embedding, settings.window)
        self.border_embedding = nn.Parameter(torch.zeros(1, embedding))

    def forward(self, vectors: Tensor, unknown: Tensor, context: Tensor) -> Tensor:
        """Return vectors [..., size] for the recurrent network, from `vectors` [..., embedding].

        `unknown` [...] is true for unknown words; `context` is [..., 2 window, embedding]. A vector
        is v, or V for an unknown word; with all words smoothed it is [v : V], or [V : V].
        """
        smooth = self.network(context)  # V
        words = torch.where(unknown.unsqueeze(-1), smooth, vectors)
        return torch.cat([words, smooth], dim=-1) if self.beside else words

    def surroundings(self, vectors: Tensor, real: Tensor) -> Tensor:
        """Return the `window` words before and after each word of the source side, eq. (1).

        They are [batch, time, 2 window, embedding], from `vectors` [batch, time, embedding]; `real`
        [batch, time] is false in the padding.
        """
        n = self.window
        inside = torch.where(real.unsqueeze(2), vectors, self.border_embedding)
        outside = self.border(len(vectors), n)
        windows = torch.cat([outside, inside, outside], dim=1).unfold(1, 2 * n + 1, 1)
        windows = windows.transpose(2, 3)  # [batch, time, 2n + 1, embedding]
        return torch.cat([windows[:, :, :n], windows[:, :, n + 1 :]], dim=2)

    def history(self, vectors: Tensor) -> Tensor:
        """Return the 2 `window` words before each word of the target side.

        The words after it are not known. The shapes are those of `surroundings`.
        """
        before = torch.cat([self.border(len(vectors), 2 * self.window), vectors[:, :-1]], dim=1)
        return before.unfold(1, 2 * self.window, 1).transpose(2, 3)

    def border(self, batch: int, words: int) -> Tensor:
        """Return [batch, words, embedding], filled with the learnt vector."""
        return self.border_embedding.expand(batch, words, -1)
