"""Translations of a test text, by one system or by several, each of several seeds.

A damaged one has a gap in the place of its scores, which tells the reason: the others are scored
and compared all the same.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from contextnmt.errors import UserError, one_of_each
from contextnmt.evaluation.bleu_statistics import NO_WORD, normalise_blanks, sentence_counts
from contextnmt.files import decode_lines, open_binary, read_lines
from contextnmt.progress import say

#: Words of each sentence of a text [sentences].
Lengths = npt.NDArray[np.int64]


class GapError(UserError):
    """The reason why a translation has no numbers: those of others can be had all the same."""


@contextmanager
def gap_in(scores: dict[str, Any], name: str, kind: type[UserError] = GapError) -> Iterator[None]:
    """Turn an error of `kind` into a gap: an entry of `scores`, and a warning on stderr."""
    try:
        yield
    except kind as gap:
        scores[name] = {"gap": str(gap)}
        say(f"warning: no scores of {name}: {gap}")


def translated_lines(hypothesis: Path, other: Path | str, count: int) -> list[str]:
    """The lines of `hypothesis`, as many as what it is held against has: `count`; `other` is that
    file, or what to call it.

    Raises GapError if it is damaged or has another number of lines, and another UserError if there
    is no such file.
    """
    with open_binary(hypothesis) as stream:
        try:
            lines = list(decode_lines(stream, str(hypothesis)))
        except UserError as damage:
            raise GapError(str(damage)) from None
    if len(lines) != count:
        raise GapError(f"{hypothesis} has {len(lines)} lines and {other} has {count}")
    return lines


@dataclass(frozen=True)
class Translations:
    """The translations of a text by all systems.

    `statistics`: counts of BLEU by system, int64 [seeds, sentences, COUNTS], of those whose
    translations are all there. `gaps`: why the others have none, as ``{"gap": reason}``.
    `notes`: what to know of a score.
    """

    name: str
    sentences: int
    seeds: list[int]
    statistics: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    gaps: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def described(self, resamples: int) -> dict[str, Any]:
        """Return the head of a file of scores: the text, and how often it was resampled."""
        return {
            "name": self.name,
            "sentences": self.sentences,
            "seeds": self.seeds,
            "resamples": resamples,
        }


def read_translations(
    name: str,
    references: Sequence[Path],
    system: Sequence[str],
    seed: Sequence[int],
    hypothesis: Sequence[Path],
) -> Translations:
    """The statistics of the systems' translations of the text `name`, as TEXT.beamN.

    A system has a gap if it lacks a seed that another system has, or if one of its translations is
    not there, is damaged, or has another number of lines than the references; each gap is also
    reported on stderr. Raises UserError if a reference cannot be read, is empty or of another
    length than the first, or if the lists do not fit together.
    """
    one_of_each("translation", system=system, seed=seed, hypothesis=hypothesis)
    runs = list(zip(system, seed, strict=True))
    for run in runs:
        if runs.count(run) > 1:
            raise UserError(f"--system {run[0]} --seed {run[1]}: given twice: name it once")
    reference, *others = references
    lines, *further = (list(read_lines(path)) for path in references)
    if not lines:
        raise UserError(f"{reference}: an empty reference: there is nothing to score against")
    for path, of_other in zip(others, further, strict=True):
        if len(of_other) != len(lines):
            raise UserError(
                f"{path} has {len(of_other)} lines and {reference} has {len(lines)}: give "
                "references of one text"
            )
    paths = dict(zip(runs, hypothesis, strict=True))
    found = Translations(name, len(lines), sorted(set(seed)))
    for each in dict.fromkeys(system):
        missing = [str(number) for number in found.seeds if (each, number) not in paths]
        with gap_in(found.gaps, each, UserError):
            if missing:
                lacking = ", ".join(missing)
                raise UserError(f"no translation of seed {lacking}, which other systems have")
            counts = {
                number: sentence_counts(
                    translated_lines(paths[each, number], reference, len(lines)), lines, *further
                )
                for number in found.seeds
            }
            found.statistics[each] = np.stack(list(counts.values()))
            empty = [number for number, of_seed in counts.items() if not of_seed[:, 0].any()]
            found.notes[each] = [f"seed {number}: {NO_WORD}" for number in empty]
    return found


def source_lengths(source: Path, reference: Path, found: Translations) -> Lengths:
    """The words of each sentence of `source`, the other side of `reference`.

    Raises UserError unless it has as many lines.
    """
    lines = normalise_blanks(read_lines(source))
    lengths = np.array([len(line.split()) for line in lines], dtype=np.int64)
    if len(lengths) != found.sentences:
        raise UserError(
            f"{source} has {len(lengths)} lines and {reference} has {found.sentences}: "
            "give the two sides of one text"
        )
    return lengths
