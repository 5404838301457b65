"""The context of each step of the decoder: Bahdanau et al. 2015, A.1.2 and A.2.2."""

import torch
from torch import Tensor, nn

from contextnmt.model.attending import Attend
from contextnmt.model.decoder import GRUDecoder, LSTMDecoder
from contextnmt.model.device import fuses
from contextnmt.model.padding import Packed, of_words
from contextnmt.model.unroll import stacked, unroll


class Attention(nn.Module):
    """Additive attention: e_ij = v_a . tanh(W_a s_{i-1} + U_a h_j), normalised over the source."""

    def __init__(self, hidden: int, annotation: int, alignment: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, alignment, bias=False)  # W_a
        self.key = nn.Linear(annotation, alignment, bias=False)  # U_a
        self.energy = nn.Linear(alignment, 1, bias=False)  # v_a

    def prepare(self, annotations: Tensor, real: Tensor) -> tuple[Tensor, ...]:
        """Return the arguments of `forward` besides the state, for all steps.

        `annotations` [batch, time, annotation]; `real` [batch, time] is false in the padding.
        """
        padding = torch.zeros_like(real, dtype=annotations.dtype).masked_fill(~real, -torch.inf)
        padding = padding.unsqueeze(1)
        return of_words(self.key, annotations, padding), annotations, padding

    def forward(
        self, state: Tensor, keys: Tensor, annotations: Tensor, padding: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the contexts c_i and the weights alpha_i for `width` states of each sentence.

        They are [batch, width, annotation] and [batch, width, time]; `width` is the beam's in
        search. `state` s_{i-1} is [batch, width, hidden], `keys` U_a h_j [batch, time, alignment],
        `annotations` [batch, time, annotation]; `padding` [batch, 1, time] is 0 at real positions
        and minus infinity elsewhere.
        """
        hidden = torch.tanh(self.query(state).unsqueeze(2) + keys.unsqueeze(1))
        energies = self.energy(hidden).squeeze(3) + padding  # [batch, width, time]
        # The softmax has 32 bits where the energies have 16 (A46).
        exact = torch.promote_types(energies.dtype, torch.float32)
        weights = torch.softmax(energies.to(exact), dim=2)
        return weights @ annotations, weights

    def unroll(
        self,
        decoder: LSTMDecoder | GRUDecoder,
        packed: Packed,
        words: Tensor,
        state: Tensor,
        keys: Tensor,
        annotations: Tensor,
        padding: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return the states [N, hidden] that predict N words of training, and their contexts
        [N, annotation], in the order of `packed`, which is that of the target words.

        The sentences have to be in that order too, the longest target first. `words`
        [N - batch, gates] is `project` of `packed.before(E y)`, `state` s_0 [batch, 1, hidden]; the
        others come from `prepare`.
        """
        matrices = (self.query.weight, self.energy.weight, *stacked([decoder.weights]))
        lower = [each.to(words.dtype) for each in matrices]
        values = of_words(decoder.context, annotations, padding)
        first, source = (decoder.unit, words, state.squeeze(1)), (keys, values, padding, *lower)
        if fuses(words):  # all sentences have all steps
            from contextnmt.model.fused.recurrences import FusedAttend

            states, weights = FusedAttend.apply(*first, *source)  # type: ignore[no-untyped-call]
        else:
            states, weights = Attend.apply(*first, packed.sizes, *source)  # type: ignore[no-untyped-call]
        return states, packed.pack(packed.unpack(weights, 0) @ annotations, 0)


class FixedContext(nn.Module):
    """RNN Encoder-Decoder: "fix c_i to the last forward state", which aligns nothing (A.2.2)."""

    def prepare(self, annotations: Tensor, real: Tensor) -> tuple[Tensor, ...]:
        """Return the last forward state, which `annotations` [batch, 1, hidden] is."""
        return (annotations,)

    def forward(self, state: Tensor, last: Tensor) -> tuple[Tensor, None]:
        """Return c_i [batch, width, hidden] for `state` [batch, width, hidden], and no weights."""
        return last.expand(-1, state.size(1), -1), None

    def unroll(
        self,
        decoder: LSTMDecoder | GRUDecoder,
        packed: Packed,
        words: Tensor,
        state: Tensor,
        last: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return the states and contexts of `Attention.unroll`."""
        time = packed.shape[1]
        # Expanded: the gradients of rows that are taken twice would add up in any order.
        inputs = words + packed.before(decoder.context(last).expand(-1, time, -1))
        start = state.transpose(0, 1)  # [1, batch, hidden]: one direction
        weights = stacked([decoder.weights])
        after = unroll(decoder.unit, inputs.unsqueeze(0), start, packed.sizes[1:], weights)
        return torch.cat([start[0], after[0]]), packed.pack(last.expand(-1, time, -1), 0)
