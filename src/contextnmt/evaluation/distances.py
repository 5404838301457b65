"""How far the vectors of one word in several contexts are from each other."""

from typing import Any

import numpy
from numpy.typing import NDArray

#: Rows of numbers.
Vectors = NDArray[numpy.float64]

#: Measures of a distance, by the keys of what `compare` finds.
MEASURES = ("cosine", "euclidean")


def distances(vectors: Vectors) -> tuple[Vectors, Vectors]:
    """The cosine and the Euclidean distances [n, n] of `vectors` [n, size].

    The cosine distance, 1 - cos, is half the squared distance of the vectors scaled to length 1:
    in this form it is exactly 0 between equal vectors. A vector of zeros stays one.
    """
    lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    units = numpy.divide(vectors, lengths, out=numpy.zeros_like(vectors), where=lengths > 0)
    return apart(units) ** 2 / 2, apart(vectors)


def apart(vectors: Vectors) -> Vectors:
    """The Euclidean distances [n, n], row by row, since n times n vectors may not fit in memory."""
    return numpy.stack([numpy.linalg.norm(vectors - vector, axis=1) for vector in vectors])


def masked_distances(words: Vectors, masks: Vectors) -> Vectors:
    """The cosine and the Euclidean distances [2, n, n] of n contexts, means over some words.

    A word's distances are those of its masked vectors: `words` [words, m] are the vectors, `masks`
    [n, m] multiply each of them in the n contexts.
    """
    found: Vectors = numpy.array([distances(word * masks) for word in words]).mean(0)
    return found


def compare(measured: Vectors, senses: list[str]) -> dict[str, Any]:
    """The distances of all pairs of contexts, those of one sense apart from those of two.

    `measured` [2, n, n] are the cosine and the Euclidean distances of a word in n contexts, and
    `senses` its meanings there; an empty one is not known. Gives for ``same``, ``different`` and
    ``unknown`` senses the number of ``pairs`` and the means of both distances (None of no pair),
    and the ``separation`` (None without both): the share of comparisons of a pair of different
    senses with one of the same in which the former is farther by cosine, a tie being half of one.
    0.5 is what contexts would give that have nothing to do with the sense.
    """
    cosine, euclidean = measured
    first, second = numpy.triu_indices(len(senses), 1)
    names = numpy.array([*senses, ""])[:-1]  # never an array without a type
    known = (names[first] != "") & (names[second] != "")
    same = names[first] == names[second]
    kinds = {"same": known & same, "different": known & ~same, "unknown": ~known}
    found: dict[str, Any] = {
        kind: {
            "pairs": int(chosen.sum()),
            **{
                measure: float(values[first, second][chosen].mean()) if chosen.any() else None
                for measure, values in zip(MEASURES, (cosine, euclidean), strict=True)
            },
        }
        for kind, chosen in kinds.items()
    }
    of_pairs = cosine[first, second]
    return found | {"separation": separation(of_pairs[kinds["same"]], of_pairs[kinds["different"]])}


def separation(near: Vectors, far: Vectors) -> float | None:
    """The probability that one of `far` is greater than one of `near`, a tie being half of one.

    The statistic of Mann and Whitney as a share. None if there are none of either.
    """
    if not len(near) or not len(far):
        return None
    ordered = numpy.sort(near)
    below = numpy.searchsorted(ordered, far, "left") + numpy.searchsorted(ordered, far, "right")
    return float(below.sum() / (2 * len(near) * len(far)))
