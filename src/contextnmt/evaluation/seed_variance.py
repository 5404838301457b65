"""Seed variance: how much the score of a system varies between training runs.

A run's score is modelled as the mean of its system plus normal noise. Two or three seeds estimate
the variance of one system badly. So each variance is moderated: it is shrunk towards the common
variance of all systems, the more so, the more alike they are (Smyth 2004; limma does so for genes),
but never all the way: a few systems that look alike may still differ.
A system whose training failed must not widen the intervals of the others: Cochran's test (1941) for
the largest of several variances, also used by ISO 5725-2, sets it apart with its own variance.

Test sentences and seeds vary independently. The half-widths of their intervals therefore add up in
squares (Zou and Donner 2008).
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from scipy import optimize, special

from contextnmt.evaluation.resampling import CONFIDENCE

#: Level of the test that sets a system apart.
OUTLIER = 0.01
#: Probability of finding an effect with the seeds that are called needed.
POWER = 0.8
#: Most seeds that are recommended.
MANY = 100
#: Most that the common variance weighs, in variances of one system. Chosen so that equal systems of
#: the demo get a verdict in at most 5 % of cases (benchmarks/published/verdicts.md).
COMMON = 3
#: Lower bound of a variance, as a share of the median: its logarithm has to be finite.
LEAST = 1e-5

#: Both ends of an interval.
Interval = tuple[float, float]


@dataclass(frozen=True)
class SeedVariance:
    """The seed variance of a score, for some systems with `seeds` runs each.

    `deviations`: moderated standard deviation of a run by system, with `degrees` of freedom.
    Systems `apart` have their own, unmoderated.
    """

    deviations: Mapping[str, float]
    degrees: float
    seeds: int
    apart: Sequence[str]

    def margin(self, system: str, baseline: str = "") -> float:
        """Return the half-width of the interval of a difference between the means of two systems.

        Without `baseline`, that of one system beside a fixed number.
        """
        return self._margin([each for each in (system, baseline) if each], self.seeds)

    def _margin(self, systems: list[str], seeds: int) -> float:
        share = (seeds - 1) / (self.seeds - 1)
        widths = [
            half_width((seeds - 1) if each in self.apart else self.degrees * share)
            * self.deviations[each]
            for each in systems
        ]
        return math.hypot(*widths) / math.sqrt(seeds)

    def needed(self, effect: float, interval: Interval, system: str, baseline: str = "") -> str:
        """Return in words what finds such an effect with a probability of `POWER`.

        Such as ``4 seeds`` or ``more test sentences``; empty if there are enough seeds already.
        `interval` is that over sentences, which more seeds do not narrow.
        """
        systems = [each for each in (system, baseline) if each]
        sentences, beyond = (interval[1] - interval[0]) / 2, NormalDist().inv_cdf(POWER)

        def found(seeds: float, margin: float) -> bool:
            error = math.hypot(
                sentences / half_width(math.inf),
                math.hypot(*(self.deviations[each] for each in systems)) / math.sqrt(seeds),
            )
            return effect >= math.hypot(sentences, margin) + beyond * error

        for seeds in range(2, MANY + 1):
            if found(seeds, self._margin(systems, seeds)):
                return f"{seeds} seeds" if seeds > self.seeds else ""
        return f"more than {MANY} seeds" if found(math.inf, 0.0) else "more test sentences"


def half_width(degrees: float) -> float:
    """Return the half-width of a confidence interval in standard errors, by Student's t."""
    return float(special.stdtrit(min(degrees, 1e6), 0.5 + CONFIDENCE / 200))


def seed_variance(found: Mapping[str, float | None], seeds: int) -> SeedVariance | None:
    """Estimate the seed variance from each system's standard deviation; None for one seed."""
    deviations = {system: each for system, each in found.items() if each is not None}
    if seeds < 2 or not deviations:
        return None
    ordered = sorted(deviations, key=deviations.__getitem__)
    usual = len(ordered) // 2 + 1  # assumes that fewer than half of the systems fail
    while usual < len(ordered) and not is_outlier(
        [deviations[each] ** 2 for each in ordered[: usual + 1]], seeds - 1
    ):
        usual += 1
    variances, degrees = moderated([deviations[each] ** 2 for each in ordered[:usual]], seeds - 1)
    drawn = dict(zip(ordered, map(math.sqrt, variances), strict=False))
    return SeedVariance(deviations | drawn, degrees, seeds, ordered[usual:])


def is_outlier(variances: list[float], degrees: int) -> bool:
    """Whether the last of some variances, the largest, is an outlier (Cochran 1941)."""
    *others, greatest = variances
    usual = math.fsum(others) / len(others)
    if not usual:  # all runs of the others are equal
        return greatest > 0
    p = special.fdtrc(degrees, degrees * len(others), greatest / usual)
    return bool(len(variances) * p < OUTLIER)


def moderated(variances: Sequence[float], degrees: int) -> tuple[list[float], float]:
    """Moderate variances of `degrees` of freedom each (Smyth 2004, sec. 6.2).

    Return them with their degrees of freedom afterwards.
    """
    pooled, every = statistics.fmean(variances), float(degrees * len(variances))
    least, half = LEAST * statistics.median(variances), degrees / 2
    if len(variances) < 2 or not least:
        return [pooled] * len(variances), every
    logarithms = [
        math.log(max(least, each)) - special.digamma(half) + math.log(half) for each in variances
    ]
    beyond = statistics.variance(logarithms) - special.polygamma(1, half)
    most = COMMON * degrees
    prior, common = float(most), pooled
    if beyond > special.polygamma(1, most / 2):  # else they hardly differ
        prior = 2 * optimize.brentq(lambda x: special.polygamma(1, x) - beyond, 1e-3, most / 2)
        common = math.exp(
            statistics.fmean(logarithms) + special.digamma(prior / 2) - math.log(prior / 2)
        )
    drawn = [(prior * common + degrees * each) / (prior + degrees) for each in variances]
    return drawn, min(prior + degrees, every)


def widened(interval: Interval, difference: float, margin: float) -> Interval:
    """Widen the interval of a difference over sentences by the `margin` over seeds."""
    low, high = interval
    return (
        difference - math.hypot(max(0.0, difference - low), margin),
        difference + math.hypot(max(0.0, high - difference), margin),
    )
