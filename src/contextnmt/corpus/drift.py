"""Where the two sides of a parallel text run apart, if one of them has lost or gained lines.

From there on, lines of other sentences stand side by side, which shows in their lengths and in
their numbers. The drift is the point at which "a pair before it, none after it" is most likely:
the maximum of the summed log-likelihood ratios of both readings, line by line.
"""

import math
import re
from bisect import bisect
from collections.abc import Iterable

NUMBER = re.compile(r"\d+")

#: Bounds of the difference in length, |ln((a + 10) / (b + 10))| in characters, and the weights
#: between them: ln(share of pairs / share of lines a few places off), from six real corpora,
#: English with French and German: law, parliament, manuals, the Bible, a sample of WMT14.
LENGTH_BOUNDS = (0.1, 0.2, 0.35, 0.6, 1.0)
LENGTH_WEIGHTS = (1.3, 1.0, 0.3, -0.9, -2.7, -3.7)
#: The same for lines with numbers, if both have the same ones and if not.
SAME_NUMBERS, OTHER_NUMBERS = 3.4, -1.6

#: How much likelier than "no drift" it has to be: e to the power of it.
CERTAINTY = 8.0


def weight(source: str, target: str) -> float:
    """How much likelier two lines are as a pair than side by side by chance; natural logarithm."""
    difference = abs(math.log((len(source) + 10) / (len(target) + 10)))
    total = LENGTH_WEIGHTS[bisect(LENGTH_BOUNDS, difference)]
    numbers = sorted(NUMBER.findall(source)), sorted(NUMBER.findall(target))
    if any(numbers):
        total += SAME_NUMBERS if numbers[0] == numbers[1] else OTHER_NUMBERS
    return total


def first_drift(pairs: Iterable[tuple[str, str]]) -> tuple[int, str, str] | None:
    """The line from which on two sides do not fit, counted from 1, with its text on both sides.

    It may be a few lines off. None if it cannot be told: the sides fit to the end of the shorter
    one, or too few lines tell.
    """
    total = best = 0.0
    found = None
    for number, (source, target) in enumerate(pairs, start=1):
        if total >= best:
            best, found = total, (number, source, target)
        total += weight(source, target)
    return found if best - total > CERTAINTY else None
