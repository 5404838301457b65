"""All downloads of a run together: what they take and ask for, and how far they have come."""

import sys
import textwrap
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from contextnmt.corpus.transfer import part_path

#: Seconds between two lines about the progress.
INTERVAL = 30.0
WIDTH = 100
#: Keys of a corpus that are shown before it is fetched -> what they are headed by.
NOTES = {"terms": "Terms of use", "cite": "Please cite"}


class Wanted(NamedTuple):
    """A file to fetch: its corpus, its path once it is there, and its size in bytes if known."""

    corpus: str
    path: Path
    bytes: int | None


def overview(files: list[Wanted], corpora: Mapping[str, Any]) -> str:
    """List the files to fetch, their size, and the terms and citations of their corpora.

    `corpora` are those of the configuration. A note that several of them share is shown once.
    """
    sizes = [file.bytes for file in files if file.bytes is not None]
    unknown = len(files) - len(sizes)
    rest = f", not counting {unknown} of unknown size" if unknown else ""
    total = tqdm.format_sizeof(sum(sizes), "B")
    lines = [f"Files to download: {len(files)}, {total} in all{rest}."]
    names = sorted({file.corpus for file in files})
    for key, heading in NOTES.items():
        notes: dict[str, list[str]] = {}
        for name in names:
            said = corpora[name].get(key, [])
            for note in [said] if isinstance(said, str) else said:
                notes.setdefault(note, []).append(name)
        lines += [f"{heading}:"] if notes else []
        for note, owners in notes.items():
            text = f"{', '.join(owners)}: {note}"
            lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def received(file: Wanted) -> int:
    """How many bytes of a file are there, in it or in its part."""
    for path in (part_path(file.path), file.path):
        try:
            return path.stat().st_size
        except FileNotFoundError:  # a part may just have become the file
            continue
    return 0


def watch(files: Iterable[Wanted], interval: float = INTERVAL) -> None:
    """Print a line about all downloads together now and then, until all files are there.

    Nothing is printed while nothing comes. A file of unknown size counts as large as what has come
    of it.
    """
    files = list(files)
    start, first = time.monotonic(), sum(map(received, files))
    last = first
    while not all(file.path.exists() for file in files):
        time.sleep(interval)
        now = sum(map(received, files))
        if now != last:
            done = sum(file.path.exists() for file in files)
            meter = tqdm.format_meter(
                now,
                sum(received(file) if file.bytes is None else file.bytes for file in files),
                time.monotonic() - start,
                prefix=f"downloads, {done} of {len(files)} files done",
                unit="B",
                unit_scale=True,
                initial=first,
            )
            print(meter, file=sys.stderr, flush=True)
        last = now
