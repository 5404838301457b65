"""Whether what one system is better by than another grows with the length of the sentence.

Bahdanau et al. 2015 show it by curves (sec. 5.2.2, Figure 2), without a test. Here the text is cut
in two at the median length of the sources, and the difference in BLEU on the long sentences is held
against that on the short ones, both in points. Sentences are drawn from the whole text (Koehn
2004), so that the halves of a resample belong together.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from contextnmt.evaluation.bleu_statistics import corpus_bleu
from contextnmt.evaluation.resampling import Floats, bootstrap, interval, p_bootstrap
from contextnmt.evaluation.translations import Lengths, Translations

#: Sentences that a half has at least.
LEAST = 20


class Halves(NamedTuple):
    """BLEU of each system on the sentences with more words than `median` and on the others:
    `scores` [2, systems, seeds], and in every resample, the mean of the seeds,
    [resamples, 2, systems]."""

    median: float
    systems: list[str]
    scores: Floats
    resampled: Floats


def halves(found: Translations, lengths: Lengths, resamples: int) -> Halves | None:
    """Both halves; None if one of them has fewer than `LEAST` sentences, or nothing is translated.

    `lengths` [sentences]: words of each source.
    """
    median = float(np.median(lengths)) if len(lengths) else 0.0
    long = lengths > median
    if not found.statistics or long.sum() < LEAST:
        return None
    counts = np.stack(list(found.statistics.values()))
    # A half is the text with nothing in the other sentences, so that both are drawn together.
    parts: npt.NDArray[np.int64] = np.stack(
        [counts * part[:, np.newaxis] for part in (long, ~long)]
    )
    scores = corpus_bleu(parts.sum(axis=-2))
    resampled = bootstrap(parts, resamples).mean(axis=-1)
    return Halves(median, list(found.statistics), scores, resampled)


def growth(parts: Halves, contrast: tuple[str, str]) -> dict[str, Any]:
    """By how much more the system is better than its baseline on the long half, with its interval
    and p; beside it the BLEU of both on either half, means of the seeds. `spread` is the standard
    deviation of the difference between two single runs, None of one seed."""
    places = [parts.systems.index(each) for each in contrast]
    of_seeds = parts.scores[:, places]  # [2, 2, seeds]
    drawn = more(parts.resampled[..., places])
    scores, several = of_seeds.mean(axis=-1), of_seeds.shape[-1] > 1
    falls = (of_seeds[0] - of_seeds[1]).std(axis=-1, ddof=1) if several else None
    return {
        "median": parts.median,
        "long": scores[0].tolist(),
        "short": scores[1].tolist(),
        "difference": float(more(scores)),
        "spread": None if falls is None else float(np.hypot(*falls)),
        "interval": interval(drawn),
        "p_bootstrap": p_bootstrap(drawn),
    }


def more(scores: Floats) -> Floats:
    """The first system's advantage on the first half less that on the second: [..., 2, 2] to
    [...]."""
    advantage: Floats = scores[..., 0] - scores[..., 1]
    return advantage[..., 0] - advantage[..., 1]
