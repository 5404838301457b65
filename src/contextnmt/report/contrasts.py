"""What one method adds to a system: differences of BLEU, here and in the paper."""

import math
from dataclasses import dataclass
from typing import Any

from contextnmt.report.experiment import Experiment, System
from contextnmt.report.tables import PAPER

#: BLEU that the authors' own repeats of a system differ by at most (A41).
REPEATS = 0.3

#: Method -> pairs of systems that differ in nothing else, (with it, without it).
METHODS = {
    "C": [("context", "baseline"), ("context-symbol", "symbol"), ("bpe-context", "bpe")],
    "S": [
        ("symbol", "baseline"),
        ("context-symbol", "context"),
        ("bpe-context-symbol", "bpe-context"),
    ],
    "BPE": [("bpe", "baseline"), ("bpe-context", "context")],
}


@dataclass(frozen=True)
class Contrast:
    """The BLEU that `method` adds to the system `without` it, on the first test text.

    `spread` is the standard deviation of the difference of two single runs, None of one seed;
    `paper` is the paper's difference on its own test text, None if it has no such systems.
    """

    method: str
    present: System
    without: System
    gain: float
    spread: float | None
    paper: float | None

    @property
    def helps(self) -> bool | None:
        """Whether the method helps; None if the gain, as printed, may be chance.

        That is a gain within the variation between seeds, or, of one seed, within `REPEATS`.
        """
        chance = REPEATS if self.spread is None else self.spread
        return None if round(abs(self.gain), 2) <= chance else self.gain > 0


def contrasts(about: Experiment, data: list[dict[str, Any]], pair: str) -> list[Contrast]:
    """All contrasts of the experiment's systems, from the `data` of Table 4, at the widest beam."""
    test = [row for row in data if (row["pair"], row["split"]) == (pair, "test")]
    test = [row for row in test if row["beam"] == about.beam]
    paper = {row["system"]: row for row in test if row["source"] == PAPER}
    here = {
        row["system"]: row
        for row in test
        if row["source"] != PAPER and row["text"] == about.test[pair][0]
    }
    systems = {system.id: system for system in about.systems}
    return [
        Contrast(
            method,
            systems[present],
            systems[without],
            here[present]["bleu"] - here[without]["bleu"],
            spread(here[present]["bleu_deviation"], here[without]["bleu_deviation"]),
            paper[present]["bleu"] - paper[without]["bleu"]
            if {present, without} <= set(paper)
            else None,
        )
        for method, pairs in METHODS.items()
        for present, without in pairs
        if {present, without} <= set(here)
    ]


def spread(left: float | None, right: float | None) -> float | None:
    """Standard deviation of a difference, from those of its two sides."""
    return None if left is None or right is None else math.hypot(left, right)
