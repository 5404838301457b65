"""BLEU by the length of the source sentence: what Figure 2 of Bahdanau et al. 2015 shows.

The paper tells neither how it groups sentences nor whose length it means. Here the length is that
of the source in words, and there are two groupings: bins of ten words, the last one open (over 50),
and a running window of 200 sentences for a smooth curve. BLEU is that of the corpus which a group
is; its confidence band comes from drawing sentences of the same group (Koehn 2004).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.evaluation.bleu_statistics import Statistics, corpus_bleu
from contextnmt.evaluation.outputs import (
    Lengths,
    Translations,
    read_translations,
    source_lengths,
)
from contextnmt.evaluation.resampling import CONFIDENCE, bootstrap, interval
from contextnmt.files import write_json

#: A group of sentences: shortest and longest length in words; None: no limit.
Span = tuple[int, int | None]

#: The bins; an empty source is in the first one.
BINS: list[Span] = [(0, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, None)]
#: Sentences of a running window, at least.
WINDOW = 200
#: Resamples of each group.
RESAMPLES = 1000


def length_scores(
    name: Annotated[str, typer.Option(help="name of the translations, TEXT.beamN")],
    source: Annotated[Path, typer.Option(help="source, tokenized words")],
    reference: Annotated[list[Path], typer.Option(help="reference, tokenized words; repeatable")],
    system: Annotated[list[str], typer.Option(help="system of a translation; repeatable")],
    seed: Annotated[list[int], typer.Option(help="seed of a translation; one for each --system")],
    hypothesis: Annotated[list[Path], typer.Option(help="translation; one for each --system")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Score translations by the length of their source, with intervals of 95 percent.

    A system that lacks translations gets the reason instead of scores.

    Example: contextnmt length-scores --name test.beam12 --source test.en.gz --reference test.fr.gz
    --system rnnsearch-50 --seed 1 --hypothesis restore/en-fr/rnnsearch-50/1/test.beam12.gz
    --out length-scores.json
    """
    found = read_translations(name, reference, system, seed, hypothesis)
    write_json(out, content(found, source_lengths(source, reference[0], found)))


def content(found: Translations, lengths: Lengths) -> dict[str, Any]:
    """Return the content of the file (docs/formats.md). `lengths` [sentences]: source words."""
    groups = {"bins": BINS, "windows": list(windows(lengths))}
    systems = found.gaps | {system: {kind: [] for kind in groups} for system in found.statistics}
    described: dict[str, list[dict[str, Any]]] = {kind: [] for kind in groups}
    for kind, spans in groups.items():
        for span in spans:
            inside = within(lengths, span)
            mean = float(lengths[inside].mean()) if inside.any() else None
            group = {"from": span[0], "to": span[1], "sentences": int(inside.sum())}
            described[kind].append({**group, "mean_length": mean})
            for system, entry in scores(found.statistics, inside).items():
                systems[system][kind].append(entry)
    return {
        **found.described(RESAMPLES),
        "confidence_percent": CONFIDENCE,
        "window": WINDOW,
        **described,
        "systems": systems,
    }


def windows(lengths: Lengths) -> Iterator[Span]:
    """The running windows: each run of `WINDOW` sentences in the order of their lengths.

    A window has all sentences of the lengths it begins and ends with, so that it does not depend on
    how sentences of one length follow each other. None if there are fewer sentences than that.
    """
    ordered = np.sort(lengths)
    last = len(ordered) - WINDOW
    spans = [(int(ordered[at]), int(ordered[at + WINDOW - 1])) for at in range(last + 1)]
    yield from dict.fromkeys(spans)


def within(lengths: Lengths, span: Span) -> npt.NDArray[np.bool_]:
    """Which sentences are of a group [sentences]."""
    low, high = span
    return (lengths >= low) & (lengths <= (np.inf if high is None else high))


def scores(
    statistics: dict[str, npt.NDArray[np.int64]], inside: npt.NDArray[np.bool_]
) -> dict[str, dict[str, Any]]:
    """BLEU of each system on one group of sentences, the mean of its seeds, with its interval.

    All are None where the group has no sentence.
    """
    if not statistics or not inside.any():
        nothing = dict.fromkeys(("bleu", "bleu_of_seeds", "interval"))
        return {system: {**nothing} for system in statistics}
    counts: Statistics = np.stack([each[:, inside] for each in statistics.values()])
    bleu = corpus_bleu(counts.sum(axis=-2))
    resampled = bootstrap(counts, RESAMPLES).mean(axis=-1)
    return {
        system: {
            "bleu": float(bleu[place].mean()),
            "bleu_of_seeds": bleu[place].tolist(),
            "interval": interval(resampled[:, place]),
        }
        for place, system in enumerate(statistics)
    }
