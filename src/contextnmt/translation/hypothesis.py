"""A translation that a search has found, and how translations of a sentence are ranked."""

import dataclasses
from collections.abc import Sequence


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
