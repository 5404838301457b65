"""How long a training takes to start on a large text, and its memory: a Markdown table.

The text is made up: random ids, written to a temporary folder (8 bytes a word pair, 3 GB for the
12 million pairs of WMT14 at 30 words a side). The model is small: what is measured is the data. The
system is asked to forget the files before the first start, which reads them from the disk.

Example: python benchmarks/startup.py --out benchmarks/published/startup.md
"""

import os
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import typer
from pages import made_by, publish, table

from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import TrainingSettings
from contextnmt.files import write_lines
from contextnmt.text.binarize import binarize
from contextnmt.text.vocabulary import SPECIALS, UNK
from contextnmt.training.journal import peak_memory
from contextnmt.training.loop import Training

#: Pairs that are made up at a time.
BLOCK = 1 << 18
#: Different words, those of the small model's vocabulary.
WORDS = 50
#: One word of so many is unknown.
RARE = 30

MODEL = ModelSettings(embedding=16, hidden=16, alignment=16, maxout=16)

NOTES = """
Start: the data opened, every pair held against the limits of length and unknown words, the model
built. First update: with the largest batch before it, and the permutation of an epoch. Next epoch:
another permutation. Arrays: the most memory that numpy and Python held at a time, in all and for
each pair; the first row has modules in it that are loaded late. Process: the most that the system
counted, mapped pages of the files included, which it takes back when it needs them.
"""


class Start(NamedTuple):
    """Seconds of a training's first steps, and the most bytes of arrays and MB of the process."""

    start: float
    first: float
    epoch: float
    arrays: int
    process: float


def write_text(folder: Path, pairs: int, words: int) -> None:
    """A binarize folder with so many training pairs, of one to 2 `words` - 1 words a side.

    Beside it, `source` and `target` are the dev text.
    """
    lines = [" ".join(f"w{(line + i) % WORDS}" for i in range(5)) for line in range(WORDS)]
    for name in ("source", "target"):
        write_lines(folder / name, lines)
    data = folder / "data"
    binarize([folder / "source"], [folder / "target"], vocabulary_size=WORDS, out=data)
    for seed, side in enumerate(("source", "target")):
        rng = np.random.default_rng(seed)
        lengths = rng.integers(1, 2 * words, size=pairs, dtype=np.int16)
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        ids = (random_ids(rng, int(block.sum())) for block in blocks(lengths))
        write_array(data / f"train.{side}.ids.npy", np.dtype(np.int32), int(offsets[-1]), ids)
        write_array(data / f"train.{side}.offsets.npy", offsets.dtype, pairs + 1, [offsets])


def blocks(lengths: npt.NDArray[np.int16]) -> Iterator[npt.NDArray[np.int16]]:
    """`lengths` in parts."""
    for start in range(0, len(lengths), BLOCK):
        yield lengths[start : start + BLOCK]


def random_ids(rng: np.random.Generator, count: int) -> npt.NDArray[np.int32]:
    """Ids of words, some of them unknown."""
    ids = rng.integers(len(SPECIALS), len(SPECIALS) + WORDS, size=count, dtype=np.int32)
    ids[rng.integers(RARE, size=count, dtype=np.int8) == 0] = UNK
    return ids


def write_array(
    path: Path, kind: np.dtype, length: int, parts: Iterator[npt.NDArray] | list[npt.NDArray]
) -> None:
    """A one-dimensional .npy file, part by part, that the system then forgets."""
    header = {"descr": kind.str, "fortran_order": False, "shape": (length,)}
    with path.open("wb") as out:
        np.lib.format.write_array_header_1_0(out, header)
        for each in parts:
            out.write(each.data)
        out.flush()
        os.fsync(out.fileno())
        if hasattr(os, "posix_fadvise"):  # not on every system
            os.posix_fadvise(out.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measure(folder: Path) -> Start:
    """Start a training on the text in `folder`, make an update, and go to the next epoch."""
    recipe = TrainingSettings(unknown_limit=0.1, max_updates=1, validate_every=1)
    with tempfile.TemporaryDirectory() as state:
        tracemalloc.start()
        began = monotonic()
        training = Training(
            *(folder / "data", ([folder / "source"], [folder / "target"]), MODEL, recipe, 1),
            *(Path(state, "state"), Path(state, "board")),
        )
        training.resume()
        started = monotonic()
        training.rehearse()
        training.step()
        updated = monotonic()
        training.batches.rows(training.batches.per_epoch)
        ended = monotonic()
        arrays = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        training.journal.close()
    memory = peak_memory(training.device)["memory_mb"]
    return Start(started - began, updated - started, ended - updated, arrays, memory)


def row(name: str, pairs: int, took: Start) -> list[str]:
    """The row of a start."""
    seconds = [f"{each:.1f}" for each in (took.start, took.first, took.epoch)]
    arrays = [f"{took.arrays / 2**20:,.0f}", f"{took.arrays / pairs:.1f}"]
    return [name, *seconds, *arrays, f"{took.process:,.0f}"]


def main(
    pairs: Annotated[int, typer.Option(help="training pairs", min=1)] = 12_000_000,
    words: Annotated[int, typer.Option(help="words a side, on average", min=1)] = 30,
    folder: Annotated[Path | None, typer.Option(help="where the text is written")] = None,
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Write a text, start a training on it twice, and remove it."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        write_text(Path(made), pairs, words)
        rows = [
            row(name, pairs, measure(Path(made)))
            for name in ("from the disk", "from the system's cache")
        ]
    head = [f"{pairs:,} pairs", "start (s)", "first update (s)", "next epoch (s)"]
    head += ["arrays (MB)", "arrays (bytes a pair)", "process (MB)"]
    lines = [
        *("# How a training starts on a large text", ""),
        *made_by("python benchmarks/startup.py", "numpy", "torch"),
        *("", " ".join(NOTES.split()), ""),
        *table(head, rows, words=1),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
