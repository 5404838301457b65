"""Beam search for many sentences at once."""

import dataclasses

import torch
from torch import Tensor

from contextnmt.model.decoder import State
from contextnmt.model.translator import PADDING, Encoded, Translator


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """A translation: its ids without end-of-sentence, and its log-probability in nats."""

    ids: list[int]
    score: float


@torch.inference_mode()
def beam_search(model: Translator, source: Tensor, width: int, end: int) -> list[Hypothesis]:
    """The likeliest translation that a beam of `width` finds for each row of `source` [B, S].

    As in the authors' code (spec sec. 2.7): no length normalisation (A18); a translation has at
    least half as many symbols as its source and at most three times as many, end-of-sentence
    counted (A19); the beam of a sentence shrinks by one with each translation that ends. A sentence
    whose best ended translation is no worse than its best open one is done: longer ones only get
    less likely. `end` is the end-of-sentence id. With `width` 1 this is greedy search.
    """
    model.eval()
    search = Search(model, source, width, end)
    while len(search.rows):
        search.step()
    return search.best


class Search:
    """The open hypotheses of all sentences that are not done, side by side.

    Row r of every tensor is a sentence, slot k one of its hypotheses, best first; a slot that holds
    none has the score minus infinity. Rows of sentences that are done are dropped.
    """

    def __init__(self, model: Translator, source: Tensor, width: int, end: int) -> None:
        self.model, self.width, self.end = model, width, end
        self.encoded: Encoded = model.encode(source)
        lengths = (source != PADDING).sum(1)
        self.shortest, self.longest = lengths // 2, 3 * lengths  # [B]
        self.rows = torch.arange(len(source), device=source.device)  # [R], sentence numbers
        self.state: State = self.encoded.start
        self.scores = torch.zeros(len(source), 1, device=source.device)  # [R, K]
        self.words = source.new_empty(len(source), 1, 0)  # [R, K, steps so far]
        self.slots = torch.full_like(lengths, width)  # [R], hypotheses still to end
        self.best = [Hypothesis([], -torch.inf) for _ in range(len(source))]
        self.ended = torch.full_like(self.scores[:, 0], -torch.inf)  # [R], best ended score

    def step(self) -> None:
        """Write one word more of every open hypothesis."""
        logits, context, _ = self.model.predict(self.state, self.encoded)
        steps = self.words.size(2) + 1
        costs = torch.log_softmax(logits, dim=2)  # [R, K, V]
        early = (steps <= self.shortest[self.rows]).view(-1, 1)
        costs[:, :, self.end].masked_fill_(early, -torch.inf)
        totals = self.scores.unsqueeze(2) + costs
        width = min(self.width, totals.size(1) * totals.size(2))
        scores, flat = totals.flatten(1).topk(width, dim=1)  # [R, K]
        origin = flat // costs.size(2)
        word = flat % costs.size(2)
        # A sentence that has ended n translations goes on with the best `width` - n candidates.
        outside = torch.arange(width, device=flat.device) >= self.slots.unsqueeze(1)
        scores = scores.masked_fill(outside, -torch.inf)
        words = torch.cat([take(self.words, origin), word.unsqueeze(2)], dim=2)
        ends = (word == self.end) & (scores > -torch.inf)
        self._finish(words, scores, ends)
        self.slots = self.slots - ends.sum(1)
        scores = scores.masked_fill(ends, -torch.inf)

        self._last(words, scores, steps)
        top = scores.amax(1)
        going = (top > self.ended) & (self.slots > 0) & (steps < self.longest[self.rows])
        self._advance(going.nonzero().squeeze(1), scores, words, origin, word, context)

    def _finish(self, words: Tensor, scores: Tensor, ends: Tensor) -> None:
        """Keep the best of the translations that end now, where it beats those before."""
        score, slot = scores.masked_fill(~ends, -torch.inf).max(1)
        for row in (score > self.ended).nonzero().squeeze(1).tolist():
            ids = words[row, slot[row], :-1].tolist()
            self.best[int(self.rows[row])] = Hypothesis(ids, float(score[row]))
        self.ended = torch.maximum(self.ended, score)

    def _last(self, words: Tensor, scores: Tensor, steps: int) -> None:
        """At the length limit, a sentence that ended no translation takes its best open one."""
        cut = (steps >= self.longest[self.rows]) & (self.ended == -torch.inf)
        for row in cut.nonzero().squeeze(1).tolist():
            slot = int(scores[row].argmax())
            ids = words[row, slot].tolist()
            self.best[int(self.rows[row])] = Hypothesis(ids, float(scores[row, slot]))

    def _advance(
        self,
        going: Tensor,
        scores: Tensor,
        words: Tensor,
        origin: Tensor,
        word: Tensor,
        context: Tensor,
    ) -> None:
        """Move the states of the sentences `going` on to their chosen words."""
        if len(going) < len(self.rows):
            self.encoded = self.encoded.select(going)
            self.rows, self.slots, self.ended = (
                tensor[going] for tensor in (self.rows, self.slots, self.ended)
            )
        self.scores, self.words = scores[going], words[going]
        origin, word, context = origin[going], word[going], context[going]
        state = self.state.select(going, origin)
        self.state = self.model.advance(state, word, take(context, origin), self.encoded)


def take(tensor: Tensor, slots: Tensor) -> Tensor:
    """The `slots` [R, K] of each row of `tensor` [R, K', d]: [R, K, d]."""
    return tensor.gather(1, slots.unsqueeze(2).expand(-1, -1, tensor.size(2)))
