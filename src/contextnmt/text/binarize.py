"""Words to ids: the arrays that training reads.

For each of ``source`` and ``target``, two NumPy files, to be mapped into memory:
``train.{side}.ids.npy``, int32, the ids of all sentences one after the other without end of
sentence, and ``train.{side}.offsets.npy``, int64, n + 1 numbers for n sentences: sentence i is
``ids[offsets[i]:offsets[i + 1]]``. ``vocabulary.{side}.tsv`` names the ids
(`contextnmt.text.vocabulary`), and ``manifest.json``, written last, says what is in the folder and
what it was made from: ``sha256`` of a side is that of its text, uncompressed, each line ended by
LF, whatever parts it was given in.
"""

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar

import numpy as np
import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.files import atomic, read_lines, read_pairs, write_json
from contextnmt.progress import progress
from contextnmt.text.vocabulary import UNK, Vocabulary

SIDES = ("source", "target")

IDS = np.dtype("<i4")
OFFSETS = np.dtype("<i8")

#: Lines that are worked on at a time: what is done for each batch takes as long as for some words.
LINES_AT_A_TIME = 100

Item = TypeVar("Item")


def binarize(
    source: Annotated[list[Path], typer.Option(help="training text, source side; parts in order")],
    target: Annotated[list[Path], typer.Option(help="training text, target side; parts in order")],
    vocabulary_size: Annotated[int, typer.Option(help="words of each side that get an id")],
    out: Annotated[Path, typer.Option(help="folder to write")],
) -> None:
    """Choose the vocabularies and write the training text as ids.

    Example: contextnmt binarize --source train.en.gz --target train.fr.gz
    --vocabulary-size 30000 --out binarize/en-fr/word
    """
    one_of_each("part", source=source, target=target)
    (out / "manifest.json").unlink(missing_ok=True)  # until the new one, nothing is finished here
    pairs, *words = count(source, target)
    manifest: dict[str, Any] = {
        "train": {"pairs": pairs},
        "vocabulary": {"limit": vocabulary_size},
    }
    for side, files, counts in zip(SIDES, (source, target), words, strict=True):
        vocabulary = Vocabulary.most_frequent(counts, vocabulary_size)
        vocabulary.write(out / f"vocabulary.{side}.tsv", counts)
        manifest["vocabulary"][side] = {"words": len(vocabulary.words), "sha256": vocabulary.sha256}
        written = write_ids(out / f"train.{side}", files, pairs, counts.total(), vocabulary)
        manifest["train"][side] = written
    write_json(out / "manifest.json", manifest)


def count(source: list[Path], target: list[Path]) -> tuple[int, Counter[str], Counter[str]]:
    """How many sentence pairs the parts of a text have, and how often each word of either side.

    The tables are as large as the vocabulary of the text. Raises UserError if no pair has a word on
    both sides.
    """
    number, words, others = 0, Counter[str](), Counter[str]()
    usable = False
    pairs = chain.from_iterable(map(read_pairs, source, target))
    for some in batches(progress(pairs, "count training text", "pairs")):
        number += len(some)
        usable = usable or any(line.split() and other.split() for line, other in some)
        for counts, lines in zip((words, others), zip(*some, strict=True), strict=True):
            counts.update(chain.from_iterable(map(str.split, lines)))
    if not usable:
        raise UserError(
            f"{', '.join(map(str, [*source, *target]))}: the training text holds no sentence pair "
            "with words on both sides: look at the filters of the stages before"
        )
    return number, words, others


def batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    """All of `items`, `LINES_AT_A_TIME` of them at a time."""
    return iter(lambda: list(islice(items, LINES_AT_A_TIME)), [])


def write_ids(
    path: Path, files: list[Path], pairs: int, tokens: int, vocabulary: Vocabulary
) -> dict[str, Any]:
    """Write the ids and the offsets of one side; return the manifest's entry for them.

    `path` begins their names; `files` have so many `pairs` and `tokens`.
    """
    end = unknowns = 0
    digest = hashlib.sha256()  # of the text, not of the files: its parts change nothing
    with (
        array_file(Path(f"{path}.ids.npy"), IDS, tokens) as ids,
        array_file(Path(f"{path}.offsets.npy"), OFFSETS, pairs + 1) as offsets,
    ):
        offsets.write(np.array(end, OFFSETS).tobytes())
        lines = chain.from_iterable(map(read_lines, files))
        for some in batches(progress(lines, f"write {path.name}", "lines", pairs)):
            digest.update(("\n".join(some) + "\n").encode())
            sentences = [line.split() for line in some]
            numbers = np.array(vocabulary.encode(chain.from_iterable(sentences)), IDS)
            ends = end + np.cumsum(list(map(len, sentences)), dtype=OFFSETS)
            end = ends[-1]
            unknowns += int(np.count_nonzero(numbers == UNK))
            ids.write(numbers.tobytes())
            offsets.write(ends.tobytes())
    return {"tokens": tokens, "unknowns": unknowns, "sha256": digest.hexdigest()}


@contextlib.contextmanager
def array_file(path: Path, dtype: np.dtype[Any], length: int) -> Iterator[IO[bytes]]:
    """A file in NumPy's format for an array of `length` numbers, whose bytes the caller writes.

    Unlike a writable memory map, a full disk is here an error with a message, not a bus error.
    """
    header = {"descr": dtype.str, "fortran_order": False, "shape": (length,)}
    with atomic(path, "wb") as out:
        np.lib.format.write_array_header_1_0(out, header)
        yield out
