"""Translations that a search has found: ranked, and kept where the model computes."""

import dataclasses
from collections.abc import Sequence

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


def best_normalised(hypotheses: Sequence[Hypothesis]) -> int:
    """The place of the best of a sentence's `hypotheses`, one at least, by score per symbol (A18).

    Of equal ones the first, which has the better score if they are in the order of their scores.
    """
    return max(range(len(hypotheses)), key=lambda place: hypotheses[place].normalised)


class Found:
    """At most `width` translations of each sentence, in the order in which they were found."""

    def __init__(self, sentences: int, width: int, steps: int, like: Tensor) -> None:
        """None so far, of `sentences`; none will have more symbols than `steps`. The scores have
        the precision of `like`, and its device."""
        shape = (sentences, width + 1)  # the last place is for what is none
        self.none = width
        self.scores = like.new_full(shape, -torch.inf)
        self.lengths = like.new_zeros(shape, dtype=torch.long)  # without end-of-sentence
        self.words = like.new_zeros(*shape, steps, dtype=torch.long)
        self.counts = like.new_zeros(sentences, dtype=torch.long)
        self.finished = like.new_ones(sentences, dtype=torch.bool)

    def add(self, sentences: Tensor, words: Tensor, scores: Tensor, ends: Tensor) -> None:
        """Keep the hypotheses of `sentences` [R] that end now, where `ends` [R, K].

        `words` [R, K, steps] are theirs, end-of-sentence last, and `scores` [R, K].
        """
        counts = self.counts[sentences].unsqueeze(1) + ends.cumsum(1)
        self.counts[sentences] = counts[:, -1]
        self._put(sentences, torch.where(ends, counts - 1, self.none), words, scores, 1)

    def cut(self, sentences: Tensor, words: Tensor, scores: Tensor, cut: Tensor) -> None:
        """Keep the first hypothesis of the `sentences` [R] that are `cut` [R] off with none found.

        The others as in `add`, but for the end-of-sentence, which is not there.
        """
        self.counts[sentences] += cut
        self.finished[sentences] &= ~cut
        place = torch.where(cut, 0, self.none).unsqueeze(1)
        self._put(sentences, place, words[:, :1], scores[:, :1], 0)

    def _put(
        self, sentences: Tensor, places: Tensor, words: Tensor, scores: Tensor, end: int
    ) -> None:
        at = (sentences.unsqueeze(1), places)
        self.scores[at] = scores
        self.lengths[at] = words.size(2) - end
        self.words[:, :, : words.size(2)][at] = words

    def best_first(self, most: int | None) -> list[list[Hypothesis]]:
        """At most so many of each sentence, best first; of equal ones the first that was found.

        Where there is none, since every word was forbidden, one without words stands for it.
        """
        nothing = Hypothesis([], -torch.inf, finished=False)
        scores, order = self.scores[:, : self.none].sort(dim=1, descending=True, stable=True)
        order = order[:, :most]
        words = self.words.take_along_dim(order.unsqueeze(2), dim=1).tolist()
        columns = scores[:, :most].tolist(), words, self.lengths.gather(1, order).tolist()
        found = [
            [
                Hypothesis(ids[:length], score, finished)
                for score, ids, length in zip(*rows, strict=True)
                if score > -torch.inf
            ]
            for *rows, finished in zip(*columns, self.finished.tolist(), strict=True)
        ]
        return [each or [nothing] for each in found]
