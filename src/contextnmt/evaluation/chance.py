"""What other trainings would make of a score: chance that seeds show, beside that of sentences.

The score of a run is taken as that of its system plus a chance of its training, which is normal. Of
two or three seeds, one system alone would tell little about its variance: so it is moderated, drawn
towards that of all systems by as much as these are alike (Smyth 2004, as limma does it for genes).
Systems whose seeds vary far more than the others' stand for themselves, by the test of Cochran
(1941) for the largest of several variances, which ISO 5725-2 uses too: a training that failed makes
its own system's differences uncertain, and no others. Chances of sentences and of trainings are
independent, so the half-widths of their intervals add up by squares (Zou and Donner 2008).
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from scipy import optimize, special

from contextnmt.evaluation.resampling import CONFIDENCE

#: A variance is another one than those of the other systems if chance makes it so great less often.
OUTLIER = 0.01
#: The chance of finding a difference with as many seeds as are said to be needed.
POWER = 0.8
#: Seeds from which on a count of them is of no use.
MANY = 100
#: Of the median of variances, the least that one counts as: its logarithm has to be finite.
LEAST = 1e-5

#: Both ends of an interval.
Interval = tuple[float, float]


@dataclass(frozen=True)
class Trainings:
    """The chance of training in a score of some systems, of `seeds` runs each.

    `deviations`: moderated standard deviations of a run, with `degrees` of freedom; of systems
    `apart` their own ones.
    """

    deviations: Mapping[str, float]
    degrees: float
    seeds: int
    apart: Sequence[str]

    def margin(self, system: str, baseline: str = "") -> float:
        """Half-width of the interval of a difference of two systems' means; of one's, beside a
        fixed number, without `baseline`."""
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
        """Seeds of each system with which such an effect is found with a chance of `POWER`.

        `interval`: of the difference over sentences, which more seeds leave as it is. Like ``4
        seeds``, ``more test sentences``; empty if the seeds that there are suffice.
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
    """Standard errors to either side that hold a mean, by Student's t."""
    return float(special.stdtrit(min(degrees, 1e6), 0.5 + CONFIDENCE / 200))


def trainings(found: Mapping[str, float | None], seeds: int) -> Trainings | None:
    """The chance of training by the standard deviations over seeds of all systems; None of one
    seed, which has none."""
    deviations = {system: each for system, each in found.items() if each is not None}
    if seeds < 2 or not deviations:
        return None
    ordered = sorted(deviations, key=deviations.__getitem__)
    usual = len(ordered) // 2 + 1  # that so many trainings fail is not to be expected
    while usual < len(ordered) and not is_outlier(
        [deviations[each] ** 2 for each in ordered[: usual + 1]], seeds - 1
    ):
        usual += 1
    variances, degrees = moderated([deviations[each] ** 2 for each in ordered[:usual]], seeds - 1)
    drawn = dict(zip(ordered, map(math.sqrt, variances), strict=False))
    return Trainings(deviations | drawn, degrees, seeds, ordered[usual:])


def is_outlier(variances: list[float], degrees: int) -> bool:
    """Whether the last of several variances, the greatest, is so by more than chance (Cochran)."""
    *others, greatest = variances
    usual = math.fsum(others) / len(others)
    if not usual:  # of runs that are all alike
        return greatest > 0
    p = special.fdtrc(degrees, degrees * len(others), greatest / usual)
    return bool(len(variances) * p < OUTLIER)


def moderated(variances: Sequence[float], degrees: int) -> tuple[list[float], float]:
    """Variances of `degrees` of freedom each, drawn towards their common one, and the degrees of
    freedom that they have then (Smyth 2004, sec. 6.2)."""
    pooled, every = statistics.fmean(variances), float(degrees * len(variances))
    least, half = LEAST * statistics.median(variances), degrees / 2
    if len(variances) < 2 or not least:
        return [pooled] * len(variances), every
    logarithms = [
        math.log(max(least, each)) - special.digamma(half) + math.log(half) for each in variances
    ]
    beyond = statistics.variance(logarithms) - special.polygamma(1, half)
    if beyond <= special.polygamma(1, every):  # alike, as far as can be told
        return [pooled] * len(variances), every
    prior = 2 * optimize.brentq(lambda x: special.polygamma(1, x) - beyond, 1e-3, every)
    common = math.exp(
        statistics.fmean(logarithms) + special.digamma(prior / 2) - math.log(prior / 2)
    )
    drawn = [(prior * common + degrees * each) / (prior + degrees) for each in variances]
    return drawn, min(prior + degrees, every)


def widened(interval: Interval, difference: float, margin: float) -> Interval:
    """The interval of a difference over sentences and trainings: from that over sentences, and the
    half-width of that over trainings."""
    low, high = interval
    return (
        difference - math.hypot(max(0.0, difference - low), margin),
        difference + math.hypot(max(0.0, high - difference), margin),
    )
