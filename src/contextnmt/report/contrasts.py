"""Differences of BLEU between systems, here and in the paper; what a method adds to a system."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contextnmt.report.experiment import Experiment, Method, System
from contextnmt.report.significance_table import significant
from contextnmt.report.tables import PAPER

#: BLEU that repeats of a system by Choi, Cho and Bengio differ by at most (A41).
REPEATS = 0.3


@dataclass(frozen=True)
class Difference:
    """The BLEU by which a system is better than the one `without`, on the first test text.

    `spread` is the standard deviation of the difference of two single runs, None of one seed;
    `paper` is the paper's difference on its own test text, None if it prints no such systems.
    `interval` is the confidence interval over test sentences, None if it was not tested whether
    chance explains the gain (a translation is missing); `significant` is the outcome.
    """

    present: System
    without: System
    gain: float
    spread: float | None
    paper: float | None
    interval: tuple[float, float] | None = None
    significant: bool = True

    @property
    def label(self) -> str:
        """``+BPE+C over +BPE``."""
        return f"{self.present.label} over {self.without.label}"

    @property
    def helps(self) -> bool | None:
        """Whether the first system is better; see `beyond_chance`."""
        return beyond_chance(self.gain, self.spread, self.significant)


def beyond_chance(gain: float, spread: float | None, significant: bool) -> bool | None:
    """Whether a gain in BLEU is one, False: a loss; None if, as printed, it may be chance.

    That is a gain within the variation between seeds, or, of one seed, within `REPEATS`: of the
    training; or one that the test sentences may have made.
    """
    chance = REPEATS if spread is None else spread
    beyond = round(abs(gain), 2) > chance and significant
    return gain > 0 if beyond else None


@dataclass(frozen=True, kw_only=True)
class Contrast(Difference):
    """What `method` adds: all that the two systems differ in."""

    method: Method


def contrasts(
    about: Experiment, data: list[dict[str, Any]], tests: list[dict[str, Any]], pair: str
) -> list[Contrast]:
    """All contrasts of the methods whose systems are there; as `differences` otherwise."""
    return [
        Contrast(**vars(each), method=method)
        for method in about.methods
        for each in differences(about, data, tests, pair, method.contrasts)
    ]


def differences(
    about: Experiment,
    data: list[dict[str, Any]],
    tests: list[dict[str, Any]],
    pair: str,
    compared: Iterable[tuple[str, str]],
) -> list[Difference]:
    """Those of the pairs of systems `compared` that both have a score, widest beam.

    `data` is that of the BLEU table, `tests` that of the table of significance.
    """
    test = [row for row in data if (row["pair"], row["split"]) == (pair, "test")]
    paper = {row["system"]: row for row in test if is_headline(about, row)}
    here = {
        row["system"]: row
        for row in test
        if (row["source"], row["text"], row["beam"]) == ("here", about.test[pair][0], about.beam)
        and row["bleu"] is not None
    }
    systems = {system.id: system for system in about.marked(pair)}
    tested = {
        (row["system"], row["baseline"]): row
        for row in tests
        if (row["pair"], row["text"]) == (pair, about.test[pair][0])
        and row["baseline"]
        and not row["gap"]
    }
    return [
        Difference(
            systems[present],
            systems[without],
            here[present]["bleu"] - here[without]["bleu"],
            spread(here[present]["bleu_deviation"], here[without]["bleu_deviation"]),
            paper[present]["bleu"] - paper[without]["bleu"]
            if {present, without} <= set(paper)
            else None,
            *outcome(tested.get((present, without))),
        )
        for present, without in compared
        if {present, without} <= set(here)
    ]


def outcome(row: dict[str, Any] | None) -> tuple[tuple[float, float] | None, bool]:
    """Interval and significance of a difference, from its row of the table of significance."""
    if row is None:
        return None, True
    return (row["low"], row["high"]), significant([row["p_bootstrap"], row["p_randomization"]])


def is_headline(about: Experiment, row: dict[str, Any]) -> bool:
    """Whether a row of `data` is the paper's, at the widest beam or one that it does not tell."""
    return row["source"] == PAPER and row["beam"] in (about.beam, None)


def spread(left: float | None, right: float | None) -> float | None:
    """Standard deviation of a difference, from those of its two sides."""
    return None if left is None or right is None else math.hypot(left, right)
