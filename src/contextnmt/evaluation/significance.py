"""Whether systems differ by more than other test sentences and other seeds explain.

Two tests of a difference in corpus BLEU, both two-sided, not corrected for how many are made: the
paired bootstrap (Koehn 2004), which draws test sets of the same size from this one, and approximate
randomization (Riezler and Maxwell 2005), which exchanges the translations of sentences at random.

The score of a system is the mean BLEU of its seeds. Sentences are drawn or exchanged with the
translations of all seeds at once: seeds share the test sentences, and three seeds drawn apart would
pass for a test set three times as long. So both tests are about other test sets and these models.
A second interval covers other seeds too (module seed_variance); one seed has none.

Bahdanau et al. 2015 show by curves, without a test, that an advantage grows with the length of the
sentence (sec. 5.2.2, Figure 2). Here the text is cut in two at the median length of the sources,
and the difference in BLEU on the long sentences is held against that on the short ones, in points.
Sentences are drawn from the whole text, so that the halves of a resample belong together.
"""

import statistics
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from contextnmt.errors import UserError
from contextnmt.evaluation.bleu_statistics import Statistics, corpus_bleu
from contextnmt.evaluation.outputs import (
    Lengths,
    Translations,
    read_translations,
    source_lengths,
)
from contextnmt.evaluation.resampling import (
    CONFIDENCE,
    ROUNDING,
    Floats,
    bootstrap,
    interval,
    p_bootstrap,
    swap,
)
from contextnmt.evaluation.seed_variance import SeedVariance, seed_variance, widened
from contextnmt.files import write_json

#: Resamples of the bootstrap, and tosses for each sentence in the randomization.
RESAMPLES = 10_000

#: Sentences that a half of a text has at least.
LEAST = 20


class Drawn(NamedTuple):
    """BLEU of each of `systems` on the parts of a text: all sentences, those with more words than
    `median`, and the others; or all alone.

    `scores` [parts, systems, seeds]; `resampled`, in every resample, means of the seeds [resamples,
    parts, systems].
    """

    systems: list[str]
    median: float
    scores: Floats
    resampled: Floats


def significance(
    name: Annotated[str, typer.Option(help="name of the translations, TEXT.beamN")],
    source: Annotated[Path, typer.Option(help="source, tokenized words")],
    reference: Annotated[list[Path], typer.Option(help="reference, tokenized words; repeatable")],
    system: Annotated[list[str], typer.Option(help="system of a translation; repeatable")],
    seed: Annotated[list[int], typer.Option(help="seed of a translation; one for each --system")],
    hypothesis: Annotated[list[Path], typer.Option(help="translation; one for each --system")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    contrast: Annotated[
        list[str] | None, typer.Option(help="SYSTEM:BASELINE to test; repeatable")
    ] = None,
) -> None:
    """Test the differences in BLEU between systems: paired bootstrap, approximate randomization.

    Also test whether they grow with the length of the source. Intervals are of 95 percent. A system
    that lacks translations gets the reason instead of scores.

    Example: contextnmt significance --name test.beam12 --source test.en.gz --reference test.fr.gz
    --system baseline --seed 1 --hypothesis restore/en-fr/baseline/1/test.beam12.gz
    --system context --seed 1 --hypothesis restore/en-fr/context/1/test.beam12.gz
    --contrast context:baseline --out significance.json
    """
    compared = [parse_contrast(each, system) for each in contrast or []]
    found = read_translations(name, reference, system, seed, hypothesis)
    write_json(out, content(found, compared, source_lengths(source, reference[0], found)))


def parse_contrast(text: str, systems: list[str]) -> tuple[str, str]:
    """The system and its baseline. Raises UserError unless both are among `systems`."""
    first, _, second = text.partition(":")
    if missing := [each for each in (first, second) if each not in systems]:
        raise UserError(
            f"--contrast {text}: no --system {missing[0]!r}: write SYSTEM:BASELINE, and give the "
            "translations of both"
        )
    return first, second


def content(
    found: Translations, contrasts: list[tuple[str, str]], lengths: Lengths | None = None
) -> dict[str, Any]:
    """Return the content of the file (docs/formats.md). `lengths` [sentences]: source words,
    without which there is no growth."""
    drawn = draw(found, lengths, RESAMPLES) if found.statistics else None
    scores = {name: scored(found, drawn, name) for name in drawn.systems} if drawn else {}
    variance = variance_of(drawn.systems, drawn.scores[0]) if drawn else None
    return {
        **found.described(RESAMPLES),
        "confidence_percent": CONFIDENCE,
        "seed_variance": asdict(variance) if variance else None,
        "systems": found.gaps | scores,
        "contrasts": [
            {"system": pair[0], "baseline": pair[1], **compare(found, pair, drawn, variance)}
            for pair in contrasts
        ],
    }


def variance_of(systems: list[str], scores: Floats) -> SeedVariance | None:
    """Return the seed variance of scores [systems, seeds]; None for one seed."""
    seeds = scores.shape[-1]
    deviations = scores.std(axis=-1, ddof=1).tolist() if seeds > 1 else [None] * len(systems)
    return seed_variance(dict(zip(systems, deviations, strict=True)), seeds)


def draw(found: Translations, lengths: Lengths | None, resamples: int) -> Drawn:
    """Resample what systems made of a text, one at least, and of its halves by length.

    `lengths` [sentences]: words of each source. There are no halves without them, and if one would
    have fewer than `LEAST` sentences.
    """
    counts = np.stack(list(found.statistics.values()))
    parts, median = [counts], 0.0
    if lengths is not None:
        median = float(np.median(lengths))
        long = lengths > median
        if long.sum() >= LEAST:
            # A half is the text with nothing in the other sentences: all parts are drawn together.
            parts += [counts * half[:, np.newaxis] for half in (long, ~long)]
    together = np.stack(parts)
    resampled = bootstrap(together, resamples).mean(axis=-1)
    return Drawn(list(found.statistics), median, corpus_bleu(together.sum(axis=-2)), resampled)


def scored(found: Translations, drawn: Drawn, system: str) -> dict[str, Any]:
    """BLEU of one system: mean and deviation of its seeds, and the interval by the bootstrap."""
    place = drawn.systems.index(system)
    of_seeds = drawn.scores[0, place].tolist()
    return {
        "bleu": statistics.fmean(of_seeds),
        "deviation": statistics.stdev(of_seeds) if len(of_seeds) > 1 else None,
        "bleu_of_seeds": of_seeds,
        "interval": interval(drawn.resampled[:, 0, place]),
        "notes": found.notes[system],
    }


def compare(
    found: Translations,
    contrast: tuple[str, str],
    drawn: Drawn | None,
    variance: SeedVariance | None,
) -> dict[str, Any]:
    """The difference between a system and its baseline with intervals and p values, or a gap.

    Its `growth` is null where one of the halves would be too small. `variance`: that of seeds.
    """
    gaps = [f"{each}: {found.gaps[each]['gap']}" for each in contrast if each in found.gaps]
    if gaps or not drawn:
        return {"gap": "; ".join(dict.fromkeys(gaps))}
    first, second = (found.statistics[each] for each in contrast)
    places = [drawn.systems.index(each) for each in contrast]
    differences = np.subtract(*drawn.resampled[:, 0, places].T)
    difference = mean_bleu(first) - mean_bleu(second)
    return {
        "difference": difference,
        **intervals(difference, differences, contrast, variance),
        "better_percent": 100 * float(np.mean(differences > ROUNDING)),
        "p_bootstrap": p_bootstrap(differences),
        "p_randomization": p_randomization(first, second, RESAMPLES),
        "growth": growth(drawn, contrast),
    }


def intervals(
    difference: float, resampled: Floats, contrast: tuple[str, str], variance: SeedVariance | None
) -> dict[str, Any]:
    """The interval of a difference over sentences, and over sentences and seeds; the second is
    None for one seed."""
    low, high = interval(resampled)
    both = variance and widened((low, high), difference, variance.margin(*contrast))
    return {"interval": [low, high], "interval_with_seeds": both and list(both)}


def mean_bleu(counts: Statistics) -> float:
    """Mean over seeds of corpus BLEU in percent; `counts` [seeds, sentences, COUNTS]."""
    return float(corpus_bleu(counts.sum(axis=-2)).mean())


def p_randomization(system: Statistics, baseline: Statistics, draws: int) -> float:
    """Two-sided p of approximate randomization (Riezler and Maxwell 2005).

    The share of random exchanges after which the BLEUs differ by as much as they do, or more, the
    exchange at hand counted as one. Both have counts [seeds, sentences, COUNTS].
    """
    first, second = swap(system, baseline, draws)
    differences = np.abs((first - second).mean(axis=-1))
    actual = abs(mean_bleu(system) - mean_bleu(baseline))
    return (1 + int(np.sum(differences >= actual - ROUNDING))) / (1 + draws)


def growth(drawn: Drawn, contrast: tuple[str, str]) -> dict[str, Any] | None:
    """By how much more the system is better than its baseline on the long half, with its interval
    and p; beside it the BLEU of both on either half, means of the seeds; None without halves."""
    if len(drawn.scores) == 1:
        return None
    places = [drawn.systems.index(each) for each in contrast]
    resampled = more(drawn.resampled[:, 1:, places])
    scores = drawn.scores[1:, places].mean(axis=-1)
    difference = float(more(scores))
    variance = variance_of(drawn.systems, drawn.scores[1] - drawn.scores[2])
    return {
        "median": drawn.median,
        "long": scores[0].tolist(),
        "short": scores[1].tolist(),
        "difference": difference,
        **intervals(difference, resampled, contrast, variance),
        "p_bootstrap": p_bootstrap(resampled),
    }


def more(scores: Floats) -> Floats:
    """The first system's advantage on the first half less that on the second: [..., 2, 2] to
    [...]."""
    advantage: Floats = scores[..., 0] - scores[..., 1]
    return advantage[..., 0] - advantage[..., 1]
