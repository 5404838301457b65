"""Translations that a search has found: ranked, and kept where the model computes."""

import dataclasses
from collections.abc import Sequence
from operator import attrgetter

import torch
from torch import Tensor


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """A translation: its ids without end-of-sentence, and its log-probability in nats.

    The score of one that is `finished` counts its end-of-sentence; one that is not was cut off at
    the length limit (A19).
    """

    ids: list[int]
    score: float
    finished: bool = True

    @property
    def normalised(self) -> float:
        """The score per symbol, end-of-sentence counted, as the authors' code divides it (A18)."""
        return self.score / max(1, len(self.ids) + self.finished)


def best_normalised(hypotheses: Sequence[Hypothesis]) -> Hypothesis:
    """The best of a sentence's `hypotheses` by score per symbol (A18); of equal ones the first."""
    return max(hypotheses, key=attrgetter("normalised"))


class Found:
    """At most `width` translations of each sentence, in the order in which they were found."""

    def __init__(self, sentences: int, width: int, steps: int, like: Tensor) -> None:
        """Make room for `sentences`, and for `steps` symbols of each translation.

        `like` has the type and the device of the scores.
        """
        shape = (sentences, width + 1)  # the last place takes what is dropped
        self.none = width
        self.scores = like.new_full(shape, -torch.inf)
        self.lengths = like.new_zeros(shape, dtype=torch.long)  # without end-of-sentence
        self.words = like.new_zeros(*shape, steps, dtype=torch.long)
        self.counts = like.new_zeros(sentences, dtype=torch.long)
        self.finished = like.new_ones(shape, dtype=torch.bool)

    def add(
        self,
        sentences: Tensor,
        words: Tensor,
        scores: Tensor,
        ends: Tensor,
        finished: bool = True,
    ) -> None:
        """Keep the hypotheses of `sentences` [R] that end now, where `ends` [R, K].

        `words` [R, K, steps] are theirs, end-of-sentence last if they are `finished`, and `scores`
        [R, K].
        """
        counts = self.counts[sentences].unsqueeze(1) + ends.cumsum(1)
        self.counts[sentences] = counts[:, -1]
        at = (sentences.unsqueeze(1), torch.where(ends, counts - 1, self.none))
        self.scores[at], self.finished[at] = scores, finished
        self.lengths[at] = words.size(2) - finished
        self.words[:, :, : words.size(2)][at] = words

    def best_first(self, most: int | None) -> list[list[Hypothesis]]:
        """At most so many of each sentence, best first; of equal ones the first that was found.

        Where there is none, since every word was forbidden, one without words stands for it.
        """
        nothing = Hypothesis([], -torch.inf, finished=False)
        scores, order = self.scores[:, : self.none].sort(dim=1, descending=True, stable=True)
        order = order[:, :most]
        words = self.words.take_along_dim(order.unsqueeze(2), dim=1)
        lengths, finished = (each.gather(1, order) for each in (self.lengths, self.finished))
        columns = (each.tolist() for each in (scores[:, :most], words, lengths, finished))
        found = [
            [
                Hypothesis(ids[:length], score, ended)
                for score, ids, length, ended in zip(*rows, strict=True)
                if score > -torch.inf
            ]
            for rows in zip(*columns, strict=True)
        ]
        return [each or [nothing] for each in found]
