"""Stage *download*: one file of a corpus, from the nearest place that has it.

`overview` and `watch` are about all downloads of a run together: what they take and ask for, and
how far they have come.
"""

import shutil
import textwrap
import time
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from tqdm import tqdm
from tqdm.utils import CallbackIOWrapper

from contextnmt.configuration.keys import CorpusFile
from contextnmt.configuration.values import json_object, read
from contextnmt.corpus.archive import difference
from contextnmt.corpus.transfer import Part, UnavailableError, open_part, part_path, transfer
from contextnmt.errors import UserError
from contextnmt.files import atomic_path
from contextnmt.progress import bar, say, size

HTTP = ("http://", "https://")

#: Seconds between two lines about the progress.
INTERVAL = 30.0
#: Columns of the overview.
WIDTH = 100
#: Keys of a corpus that are shown before it is fetched -> what they are headed by.
NOTES = {"terms": "Terms of use", "cite": "Please cite"}


def places(urls: list[str], mirrors: list[str]) -> Iterator[Path | str]:
    """Places to look for the file, in order: the mirrors' copies of `urls`, then `urls`.

    Raises UserError if a mirror is neither a URL nor a folder, or if an address is damaged.
    """
    below = []
    for url in urls:
        try:
            address = urllib.parse.urlsplit(url)
        except ValueError as error:
            raise UserError(f"{url}: no address of a file ({error}): correct `url`") from None
        below.append(f"{address.hostname}/{address.path.lstrip('/')}")
    for mirror in mirrors:
        if mirror.startswith(HTTP):
            yield from (f"{mirror.rstrip('/')}/{path}" for path in below)
        elif not Path(mirror).is_dir():
            raise UserError(f"{mirror}: no such mirror folder: correct its name or leave it out")
        else:
            yield from (Path(mirror) / path for path in below)
    yield from urls


def copy(place: Path, wanted: CorpusFile, out: Path) -> None:
    """Copy `place` to `out`; raises UnavailableError if it is another file or cannot be read."""
    if place.exists() and not place.is_file():
        raise UnavailableError("a folder, a pipe or a device, not a file")  # a pipe may never end
    try:
        with place.open("rb") as source, atomic_path(out) as copied:
            size = place.stat().st_size
            with copied.open("wb") as stream, bar(f"copy {out.name}", "B", size) as shown:
                shutil.copyfileobj(CallbackIOWrapper(shown.update, source), stream)
            if problem := difference(copied, wanted.digests, wanted.bytes):
                raise UnavailableError(f"not the expected file: {problem}")
    except FileNotFoundError:
        raise UnavailableError("no such file") from None
    except OSError as error:
        raise UnavailableError(f"cannot be read ({error.strerror})") from None


def fetch(url: str, wanted: CorpusFile, part: Part) -> None:
    """Fetch `url` into `part`; raises UnavailableError if it is not the file wanted."""
    transfer(url, part)
    problem = difference(part.path, wanted.digests, wanted.bytes)
    if problem and not part.whole:
        # Its pieces may stem from two servers, or the first one from another entry or a crash.
        say(f"{url}: {problem}: its pieces do not fit: fetched anew")
        part.clear()
        transfer(url, part)
        problem = difference(part.path, wanted.digests, wanted.bytes)
    if problem:
        part.clear()
        raise UnavailableError(f"not the expected file: {problem}")


def place_by_hand(file: str, folder: Path, wanted: CorpusFile, out: Path) -> bool:
    """Copy the file of that name in `folder` to `out`, and return whether there is one.

    Raises UserError if there is no such folder, or the file there is not the one wanted.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder for --hand-placed: correct it or leave it out")
    if not (folder / file).exists():
        return False
    try:
        copy(folder / file, wanted, out)
    except UnavailableError as error:
        raise UserError(
            f"{file}: {folder / file}: {error}: put the right file there, or remove this one to "
            f"fetch it from {wanted.addresses[0]}"
        ) from None
    return True


def fetch_nearest(file: str, wanted: CorpusFile, candidates: list[Path | str], out: Path) -> None:
    """Make `out` from the first of `candidates` that has the file wanted.

    Raises UserError if none has; what was wrong at each of them is said before.
    """
    with open_part(out, wanted.bytes) as part:  # one place goes on where another one broke off
        for place in candidates:
            try:
                if isinstance(place, Path):
                    copy(place, wanted, out)
                else:
                    fetch(place, wanted, part)
                    part.finish()
                return
            except UnavailableError as error:
                say(f"{place}: {error}")
    raise UserError(
        f"{file}: no place has it: try again, or fetch it by hand (on a machine with Internet "
        "access) and add `--config hand_placed=FOLDER` to the call; if its publisher has changed "
        "it, correct its entry in `corpora`"
    )


def download(
    file: Annotated[str, typer.Option(help="The file's name in the corpus.")],
    entry: Annotated[
        str, typer.Option(help="The file as JSON: `url`, `sha256` or `md5`, `bytes` if known.")
    ],
    out: Annotated[Path, typer.Option(help="Where to write the file.")],
    mirror: Annotated[
        list[str] | None,
        typer.Option(
            help="Mirror: a URL or folder that holds the file at HOST/PATH, taken from the file's "
            "own URLs. Repeatable; mirrors are tried in order, before those URLs."
        ),
    ] = None,
    hand_placed: Annotated[
        Path | None, typer.Option(help="Folder that may have the file already.")
    ] = None,
) -> None:
    """Fetch one file of a corpus and check its digests.

    A transfer that breaks off is tried again, with growing pauses, and goes on where it stopped;
    so does this command after it was killed. Partial data are kept in a hidden file beside --out;
    it becomes --out once its digests match. Nothing is fetched if --out is there, with the right
    digests. Without Internet access, put a copy into the folder of --hand-placed or of --mirror.

    Example: contextnmt download --file val.en.gz --entry '{"url": "https://example.org/val.en.gz",
    "sha256": "0a1b..."}' --out download/val.en.gz --hand-placed downloads
    """
    wanted = read(CorpusFile, file, json_object(file, entry))
    if not wanted.addresses:
        raise UserError(f"{file}: no file to fetch: it needs url, and sha256 or md5")
    if out.is_file() and difference(out, wanted.digests, wanted.bytes) is None:
        return
    candidates = list(places(wanted.addresses, mirror or []))
    if hand_placed is None or not place_by_hand(file, hand_placed, wanted, out):
        fetch_nearest(file, wanted, candidates, out)
    part_path(out).unlink(missing_ok=True)


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
    lines = [f"Files to download: {len(files)}, {size(sum(sizes))} in all{rest}."]
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
            say(meter)
        last = now
