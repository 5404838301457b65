"""Stage *survey*: what the filters of clean must know of a whole text, part by part.

How often each side has each word, and of each pair a fingerprint, by which it is known again.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.corpus.counts import write_counts
from contextnmt.errors import UserError
from contextnmt.files import atomic, open_binary, read_pairs
from contextnmt.progress import progress

#: Bytes of a fingerprint. Among the 4e7 pairs of WMT14 En-Fr, two different ones share one with a
#: probability of 4e-5.
WIDTH = 8
#: A fingerprint in memory and on disk.
FINGERPRINT = np.dtype(f"<u{WIDTH}")

Fingerprints = npt.NDArray[np.uint64]


class Survey(NamedTuple):
    """How often each side of a text has each word, and a fingerprint of each pair: [pairs].

    Equal words on both sides make an equal fingerprint. The two tables of words take some 120 bytes
    a distinct word, the fingerprints 8 bytes a pair.
    """

    source_counts: Counter[str]
    target_counts: Counter[str]
    fingerprints: Fingerprints


def survey_pairs(pairs: Iterable[tuple[str, str]]) -> Survey:
    """The survey of tokenized pairs."""
    source_counts, target_counts, digests = Counter[str](), Counter[str](), bytearray()
    for pair in pairs:
        source, target = map(str.split, pair)
        source_counts.update(source)
        target_counts.update(target)
        text = " ".join(source) + "\n" + " ".join(target)
        digests += hashlib.blake2b(text.encode(), digest_size=WIDTH).digest()
    return Survey(source_counts, target_counts, np.frombuffer(digests, FINGERPRINT))


def survey_files(source: Path, target: Path) -> Survey:
    """The survey of the pairs in two tokenized files."""
    return survey_pairs(progress(read_pairs(source, target), f"survey {source.name}", "pairs"))


def read_fingerprints(path: Path) -> Fingerprints:
    """The fingerprints of the pairs of a text: [pairs].

    Raises UserError if they are missing or the file holds anything else.
    """
    with open_binary(path) as stream:
        try:
            fingerprints: Fingerprints = np.load(stream, allow_pickle=False)
            if fingerprints.dtype != FINGERPRINT or fingerprints.ndim != 1:
                raise ValueError(f"{fingerprints.ndim} dimensions of {fingerprints.dtype}")
        except (ValueError, EOFError) as error:
            raise UserError(
                f"{path}: not a file of fingerprints ({error}): survey the text again"
            ) from None
    return fingerprints


def survey(
    source: Annotated[Path, typer.Option(help="Tokenized source side.")],
    target: Annotated[Path, typer.Option(help="Tokenized target side.")],
    source_counts_out: Annotated[Path, typer.Option(help="Word counts of the source to write.")],
    target_counts_out: Annotated[Path, typer.Option(help="Word counts of the target to write.")],
    fingerprints_out: Annotated[Path, typer.Option(help="Fingerprints of pairs to write (.npy).")],
) -> None:
    """Count the words of a part of a text and take a fingerprint of each pair.

    That is for clean, which judges a part by its whole text: whether a sentence has the words of
    the other language, and whether a pair came before. The counts are tables of word and count, by
    descending count and then by word; the fingerprints are 64-bit hashes, one a pair.

    Example: contextnmt survey --source train.1of2.en.gz --target train.1of2.fr.gz
    --source-counts-out 1of2.en.tsv --target-counts-out 1of2.fr.tsv --fingerprints-out
    1of2.fingerprints.npy
    """
    found = survey_files(source, target)
    write_counts(source_counts_out, found.source_counts)
    write_counts(target_counts_out, found.target_counts)
    with atomic(fingerprints_out, "wb") as stream:
        np.save(stream, found.fingerprints, allow_pickle=False)
