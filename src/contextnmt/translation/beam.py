"""Beam search for many sentences at once."""

import torch
from torch import Tensor

from contextnmt.model.decoder import State
from contextnmt.model.translator import PADDING, Translator
from contextnmt.translation.ensemble import Ensemble
from contextnmt.translation.hypothesis import Hypothesis


@torch.inference_mode()
def beam_search(
    model: Translator | Ensemble, source: Tensor, width: int, end: int, forbidden: int | None = None
) -> list[Hypothesis]:
    """The likeliest translation that a beam of `width` finds for each row of `source` [B, S].

    As in the authors' code (spec sec. 2.7): no length normalisation (A18); a translation has at
    least half as many symbols as its source and at most three times as many, end-of-sentence
    counted (A19); the beam of a sentence shrinks by one with each translation that ends. A sentence
    whose best ended translation is no worse than its best open one is done: longer ones only get
    less likely. `end` is the end-of-sentence id, `forbidden` a word that is never written (the
    unknown word: spec sec. 2.8). With `width` 1 this is greedy search.

    Where no translation ends within the limit, the authors' code starts again, first with the
    unknown word allowed, then with a beam of twice the width, up to 500. Here the best open
    translation is taken as it is (A19), not `finished`: so a width is what it says, 1 is greedy
    search, a forbidden word stays forbidden, and each sentence has a translation.
    """
    return [found[0] for found in Search(model, source, width, end, forbidden, best=True).run()]


@torch.inference_mode()
def n_best(
    model: Translator | Ensemble, source: Tensor, width: int, end: int, forbidden: int | None = None
) -> list[list[Hypothesis]]:
    """All translations of each sentence that a beam of `width` ends, at most `width`, best first.

    The same search as `beam_search`, gone on with until the beam has shrunk to nothing or the
    length limit is reached, as in the authors' code: so the first one is what `beam_search` finds.
    A sentence without a finished translation has one, not `finished`.
    """
    return Search(model, source, width, end, forbidden, best=False).run()


class Search:
    """The open hypotheses of all sentences that are not done, side by side.

    Row r of every tensor is a sentence, slot k one of its hypotheses, best first; a slot that holds
    none has the score minus infinity. Rows of sentences that are done are dropped.
    """

    def __init__(
        self,
        model: Translator | Ensemble,
        source: Tensor,
        width: int,
        end: int,
        forbidden: int | None,
        best: bool,
    ) -> None:
        self.model = model if isinstance(model, Ensemble) else Ensemble([model])
        self.width, self.end, self.forbidden = width, end, forbidden
        self.only_best = best  # a sentence is done once no other translation can be better
        self.encoded = self.model.encode(source)
        lengths = (source != PADDING).sum(1)
        self.shortest, self.longest = lengths // 2, 3 * lengths  # [B]
        self.first_limit = int(self.longest.min())  # steps before that cut nothing off
        self.rows = torch.arange(len(source), device=source.device)  # [R], sentence numbers
        self.states: tuple[State, ...] = self.model.start(self.encoded)
        self.scores = torch.zeros(len(source), 1, device=source.device)  # [R, K]
        self.words = source.new_empty(len(source), 1, 0)  # [R, K, steps so far]
        self.slots = torch.full_like(lengths, width)  # [R], hypotheses still to end
        self.found: list[list[Hypothesis]] = [[] for _ in range(len(source))]
        self.ended = torch.full_like(self.scores[:, 0], -torch.inf)  # [R], best ended score

    def run(self) -> list[list[Hypothesis]]:
        """What is found for each sentence, best first; of equal ones the first that ended."""
        while len(self.rows):
            self.step()
        nothing = [Hypothesis([], -torch.inf, finished=False)]  # every word was forbidden
        return [sorted(found, key=lambda each: -each.score) or nothing for found in self.found]

    def step(self) -> None:
        """Write one word more of every open hypothesis."""
        costs, contexts = self.model.predict(self.states, self.encoded)  # [R, K, V]
        steps = self.words.size(2) + 1
        early = (steps <= self.shortest[self.rows]).view(-1, 1)
        costs[:, :, self.end].masked_fill_(early, -torch.inf)
        if self.forbidden is not None:
            costs[:, :, self.forbidden] = -torch.inf
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

        if steps >= self.first_limit:
            self._last(words, scores, steps)
        bound = self.ended if self.only_best else -torch.inf
        going = (scores.amax(1) > bound) & (self.slots > 0) & (steps < self.longest[self.rows])
        self._advance(going.nonzero().squeeze(1), scores, words, origin, word, contexts)

    def _finish(self, words: Tensor, scores: Tensor, ends: Tensor) -> None:
        """Keep the translations that end now."""
        rows, slots = ends.nonzero(as_tuple=True)
        self._keep(self.rows[rows], words[rows, slots, :-1], scores[rows, slots], finished=True)
        self.ended = torch.maximum(self.ended, scores.masked_fill(~ends, -torch.inf).amax(1))

    def _last(self, words: Tensor, scores: Tensor, steps: int) -> None:
        """At the length limit, a sentence that ended no translation takes its best open one."""
        cut = (steps >= self.longest[self.rows]) & (self.ended == -torch.inf)
        cut &= scores[:, 0] > -torch.inf  # the first slot is the best, as none has ended
        rows = cut.nonzero().squeeze(1)
        self._keep(self.rows[rows], words[rows, 0], scores[rows, 0], finished=False)

    def _keep(self, sentences: Tensor, words: Tensor, scores: Tensor, finished: bool) -> None:
        """Keep translations: their sentences [N], words [N, steps] and scores [N]."""
        if len(sentences):  # to ask a GPU for nothing takes its time too
            lists = (sentences.tolist(), words.tolist(), scores.tolist())
            for sentence, ids, score in zip(*lists, strict=True):
                self.found[sentence].append(Hypothesis(ids, score, finished))

    def _advance(
        self,
        going: Tensor,
        scores: Tensor,
        words: Tensor,
        origin: Tensor,
        word: Tensor,
        contexts: list[Tensor],
    ) -> None:
        """Move the states of the sentences `going` on to their chosen words."""
        if len(going) < len(self.rows):
            self.encoded = self.encoded.select(going)
            self.rows, self.slots, self.ended = (
                tensor[going] for tensor in (self.rows, self.slots, self.ended)
            )
        self.scores, self.words = scores[going], words[going]
        origin, word = origin[going], word[going]
        states = [state.select(going, origin) for state in self.states]
        contexts = [take(context[going], origin) for context in contexts]
        self.states = self.model.advance(states, word, contexts, self.encoded)


def take(tensor: Tensor, slots: Tensor) -> Tensor:
    """The `slots` [R, K] of each row of `tensor` [R, K', d]: [R, K, d]."""
    return tensor.gather(1, slots.unsqueeze(2).expand(-1, -1, tensor.size(2)))
