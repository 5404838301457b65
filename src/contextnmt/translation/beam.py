"""Beam search for many sentences at once."""

import math

import torch
from torch import Tensor

from contextnmt.configuration.values import MINIMUM_LENGTH
from contextnmt.model.arithmetic import slices
from contextnmt.model.inference import Kept, best_words, take
from contextnmt.model.translator import Translator, length_limits
from contextnmt.translation.ensemble import Ensemble
from contextnmt.translation.hypothesis import Found, Hypothesis

#: Steps after which finished sentences are dropped. To ask which they are synchronizes a GPU.
LOOK = {"cpu": 1, "cuda": 8}

#: Most logits at once, by device: four bytes each, and two more in bfloat16. On a CPU a vocabulary
#: of up to 8,700 words needs no more; a larger one is scored in parts of the batch, which are still
#: large enough for matrix products at full speed.
LOGITS = {"cpu": 2**23, "cuda": 2**30}


@torch.inference_mode()
def beam_search(
    model: Translator | Ensemble,
    source: Tensor,
    width: int,
    end: int,
    forbidden: int | None = None,
    every: bool = False,
    minimum_length: float = MINIMUM_LENGTH,
) -> list[list[Hypothesis]]:
    """The likeliest translation that a beam of `width` finds for each row of `source` [B, S], or
    `every` one that it ends, best first: at most `width`.

    As in the authors' code (spec sec. 2.7): no length normalisation (A18); a translation has at
    least half as many symbols as its source, or another `minimum_length`, and at most three times
    as many, end-of-sentence counted (`length_limits`, A19); the beam of a sentence shrinks by one
    with each translation that ends. A sentence whose best ended translation is no worse than its
    best open one is done: longer ones only get less likely. For `every` translation, search goes on
    until the beam has shrunk to nothing or the limit is reached: the first one is the same. `end`
    is the end-of-sentence id, `forbidden` a word that is never written (the unknown word: spec sec.
    2.8). With `width` 1 this is greedy search.

    Where no translation ends within the limit, the authors' code starts again, first with the
    unknown word allowed, then with a beam of twice the width, up to 500. Here the best open
    translation is taken as it is (A19), not `finished`: so a width is what it says, 1 is greedy
    search, a forbidden word stays forbidden, and each sentence has a translation.
    """
    limits = length_limits(source, minimum_length)
    return Search(model, source, width, end, forbidden, limits, best=not every).run()


class Search:
    """The open hypotheses of all sentences that are not done, side by side.

    Row r of every tensor is a sentence, slot k one of its hypotheses, best first; a slot that holds
    none has the score minus infinity. So have all slots of a sentence that is done, until its row
    is dropped.
    """

    def __init__(
        self,
        model: Translator | Ensemble,
        source: Tensor,
        width: int,
        end: int,
        forbidden: int | None,
        limits: tuple[Tensor, Tensor],
        best: bool,
    ) -> None:
        self.model = model if isinstance(model, Ensemble) else Ensemble([model])
        self.width, self.end, self.forbidden = width, end, forbidden
        self.only_best = best  # a sentence is done once no other translation can be better
        self.encoded, self.states = self.model.encode(source)
        self.shortest, self.longest = limits  # [R]
        self.rows = torch.arange(len(source), device=source.device)  # [R], sentence numbers
        self.scores = self.states[0].previous.new_zeros(len(source), 1)  # [R, K]
        self.words = source.new_empty(len(source), 1, 0)  # [R, K, steps so far]
        self.slots = torch.full_like(self.longest, width)  # [R], hypotheses still to end
        self.ended = torch.full_like(self.scores[:, 0], -torch.inf)  # [R], best ended score

    def run(self) -> list[list[Hypothesis]]:
        """The hypotheses of each sentence, best first; of equal ones the first that ended."""
        look = LOOK[self.rows.device.type]
        limit = math.ceil(int(self.longest.max()) / look) * look
        self.found = Found(len(self.rows), self.width, limit, self.scores)
        while len(self.rows):
            self.step(self.words.size(2) + 1, look)
        return self.found.best_first(1 if self.only_best else None)

    def step(self, steps: int, look: int) -> None:
        """Write word number `steps` of every open hypothesis; if `look` divides it, drop the
        sentences that are done."""
        weights = self.model.attend(self.states, self.encoded)
        scores, origin, word = self._continue(weights, steps)
        self.words = torch.cat([take(self.words, origin), word.unsqueeze(2)], dim=2)
        # A sentence that has ended n translations goes on with the best `width` - n candidates.
        outside = torch.arange(scores.size(1), device=scores.device) >= self.slots.unsqueeze(1)
        scores = scores.masked_fill(outside, -torch.inf)
        ends = (word == self.end) & (scores > -torch.inf)
        self.found.add(self.rows, self.words, scores, ends)
        self.ended = torch.maximum(self.ended, scores.masked_fill(~ends, -torch.inf).amax(1))
        self.slots = self.slots - ends.sum(1)
        scores = scores.masked_fill(ends, -torch.inf)
        # A sentence that ended none within the limit takes its best open one, which is the first.
        last = steps >= self.longest
        cut = last & (self.ended == -torch.inf) & (scores[:, 0] > -torch.inf)
        cut = cut.unsqueeze(1)
        self.found.add(self.rows, self.words[:, :1], scores[:, :1], cut, finished=False)

        bound = self.ended if self.only_best else -torch.inf
        going = (scores.amax(1) > bound) & (self.slots > 0) & ~last
        self.scores = scores.masked_fill(~going.unsqueeze(1), -torch.inf)
        if steps % look == 0:
            kept = Kept(going)
            self._keep(kept)
            origin, word = kept.of(origin), kept.of(word)
            weights = [kept.of(each) for each in weights]
        self.states = self.model.advance(self.states, origin, word, weights, self.encoded)

    def _continue(self, weights: list[Tensor], steps: int) -> tuple[Tensor, Tensor, Tensor]:
        """The best continuations of each sentence from `best_words`, some sentences at a time."""
        features = self.model.features(self.states, weights, self.encoded)
        early = (steps <= self.shortest).view(-1, 1)
        found = []
        size = self.scores.size(1) * self.model.words
        for part in slices(len(early), size, LOGITS[early.device.type]):
            logs = self.model.predict([feature[part] for feature in features])
            logs[:, :, self.end].masked_fill_(early[part], -torch.inf)
            if self.forbidden is not None:
                logs[:, :, self.forbidden] = -torch.inf
            found.append(best_words(logs, self.scores[part], self.width))
        scores, origin, word = (torch.cat(each) for each in zip(*found, strict=True))
        return scores, origin, word

    def _keep(self, kept: Kept) -> None:
        """Go on with some of the sentences."""
        self.encoded, self.states = kept.of(self.encoded), kept.of(self.states)
        self.rows, self.slots = kept.of(self.rows), kept.of(self.slots)
        self.shortest, self.longest = kept.of(self.shortest), kept.of(self.longest)
        self.scores, self.ended = kept.of(self.scores), kept.of(self.ended)
        self.words = kept.of(self.words)
