"""What other trainings would make of a score: chance that seeds show, beside that of sentences.

The score of a run is taken as that of its system plus a chance of its training, normal and as great
for all systems of an experiment: of two or three seeds, one system alone would tell little about
it. Systems whose seeds vary far more than the others', by the test of Cochran (1941) for the
largest of several variances, as ISO 5725-2 applies it, stand for themselves: a training that failed
makes its own system's differences uncertain, and no others. Chances of sentences and of trainings
are independent, so the half-widths of their intervals add up by squares (Zou and Donner 2008).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

from scipy import special

from contextnmt.evaluation.resampling import CONFIDENCE

#: A variance is another one than those of the other systems if chance makes it so great less often.
OUTLIER = 0.01
#: The chance of finding a difference with as many seeds as are said to be needed.
POWER = 0.8
#: Seeds from which on a count of them is of no use.
MANY = 100

#: Both ends of an interval.
Interval = tuple[float, float]


@dataclass(frozen=True)
class Trainings:
    """The chance of training in a score of some systems, of `seeds` runs each.

    `deviation`: standard deviation of a run, pooled over all systems but those `apart`, which have
    their own ones there; `degrees`: its degrees of freedom.
    """

    deviation: float
    degrees: int
    seeds: int
    apart: Mapping[str, float]

    def margin(self, system: str, baseline: str = "") -> float:
        """Half-width of the interval of a difference of two systems' means; of one's, beside a
        fixed number, without `baseline`."""
        sides = [each for each in (system, baseline) if each]
        own = [self.apart[each] for each in sides if each in self.apart]
        pooled = len(sides) - len(own)
        widths = [half_width(self.seeds - 1) * deviation for deviation in own]
        widths += [half_width(self.degrees) * self.deviation * math.sqrt(pooled)] if pooled else []
        return math.hypot(*widths) / math.sqrt(self.seeds)


def half_width(degrees: int) -> float:
    """Standard errors to either side that hold a mean, by Student's t."""
    return float(special.stdtrit(degrees, 0.5 + CONFIDENCE / 200))


def trainings(deviations: Mapping[str, float | None], seeds: int) -> Trainings | None:
    """Pool the standard deviations over seeds of all systems; None of one seed, which has none."""
    known = {system: each for system, each in deviations.items() if each is not None}
    if seeds < 2 or not known:
        return None
    pool, apart = sorted(known, key=known.__getitem__), {}
    while len(pool) > 1 and is_outlier([known[each] ** 2 for each in pool], seeds - 1):
        outlier = pool.pop()
        apart[outlier] = known[outlier]
    deviation = math.sqrt(sum(known[each] ** 2 for each in pool) / len(pool))
    return Trainings(deviation, len(pool) * (seeds - 1), seeds, apart)


def is_outlier(variances: list[float], degrees: int) -> bool:
    """Whether the last of several variances, the greatest, is so by more than chance (Cochran)."""
    *others, greatest = variances
    usual = math.fsum(others) / len(others)
    if not usual:  # runs that are all alike tell nothing of chance
        return False
    p = special.fdtrc(degrees, degrees * len(others), greatest / usual)
    return bool(len(variances) * p < OUTLIER)


def widened(interval: Interval, difference: float, margin: float) -> Interval:
    """The interval of a difference over sentences and trainings: from that over sentences, and the
    half-width of that over trainings."""
    low, high = interval
    return (
        difference - math.hypot(max(0.0, difference - low), margin),
        difference + math.hypot(max(0.0, high - difference), margin),
    )


def seeds_needed(effect: float, interval: Interval, deviation: float) -> int | None:
    """Seeds of either system with which such an effect is found with a chance of `POWER`.

    `interval`: of a difference over sentences, which more seeds leave as it is; `deviation`: of a
    run. None if `MANY` do not suffice.
    """
    normal = NormalDist()
    certain = normal.inv_cdf(0.5 + CONFIDENCE / 200)
    sentences = (interval[1] - interval[0]) / (2 * certain)
    allowed = (abs(effect) / (certain + normal.inv_cdf(POWER))) ** 2 - sentences**2
    if allowed <= 0:
        return None
    seeds = max(2, math.ceil(2 * deviation**2 / allowed))
    return seeds if seeds <= MANY else None
