"""Stage *download*: one file of a corpus, from the nearest place that has it."""

import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.configuration.keys import CorpusFile
from contextnmt.configuration.values import json_object, read
from contextnmt.corpus.archive import difference
from contextnmt.corpus.transfer import (
    CHUNK,
    Part,
    UnavailableError,
    open_part,
    part_path,
    transfer,
)
from contextnmt.errors import UserError
from contextnmt.files import atomic_path
from contextnmt.progress import bar

HTTP = ("http://", "https://")


def parse_entry(file: str, text: str) -> CorpusFile:
    """The corpus file entry that the JSON `text` holds.

    Raises UserError at missing or unknown keys, and at a URL that is not of HTTP.
    """
    entry = read(CorpusFile, file, json_object(file, text))
    if entry.url is None:
        raise UserError(f"{file}: no file to fetch: it needs url, and sha256 or md5")
    return entry


def places(url: str, mirrors: list[str]) -> Iterator[Path | str]:
    """Where the file may be, in order: the mirrors' copies of `url`, then `url` itself.

    Raises UserError if a mirror is neither a URL nor a folder.
    """
    address = urllib.parse.urlsplit(url)
    below = f"{address.hostname}/{address.path.lstrip('/')}"
    for mirror in mirrors:
        if mirror.startswith(HTTP):
            yield f"{mirror.rstrip('/')}/{below}"
        elif not Path(mirror).is_dir():
            raise UserError(f"{mirror}: no such mirror folder: correct its name or leave it out")
        else:
            yield Path(mirror) / below
    yield url


def copy(place: Path, wanted: CorpusFile, out: Path) -> None:
    """Copy `place` to `out`, which takes its name only if it is the file that is wanted.

    Raises UnavailableError if it is another file, or cannot be read.
    """
    try:
        size = place.stat().st_size
        if wanted.bytes not in (None, size):
            raise UnavailableError(
                f"not the expected file: expected {wanted.bytes} bytes, got {size}"
            )
        with place.open("rb") as source, atomic_path(out) as copied:
            with copied.open("wb") as stream, bar(f"copy {out.name}", "B", size) as shown:
                while chunk := source.read(CHUNK):
                    stream.write(chunk)
                    shown.update(len(chunk))
            check(copied, wanted)
    except FileNotFoundError:
        raise UnavailableError("no such file") from None
    except OSError as error:
        raise UnavailableError(f"cannot be read ({error.strerror})") from None


def fetch(url: str, wanted: CorpusFile, part: Part) -> None:
    """Fetch `url` into `part`; raises UnavailableError if it is not the file wanted."""
    for last in (False, True):
        transfer(url, part)
        try:
            check(part.path, wanted)
            return
        except UnavailableError as error:
            part.clear()
            if part.whole:
                raise
            # Its halves may stem from two servers, or the first one from another entry or a crash.
            if last:
                raise UnavailableError(
                    "broken off twice, and the pieces do not fit together: the file there may "
                    "have changed meanwhile: try again"
                ) from None
            print(f"{url}: {error}: put together wrongly, so it is fetched anew", file=sys.stderr)


def check(path: Path, wanted: CorpusFile) -> None:
    """Raise UnavailableError, with what was expected and what came, unless `path` is `wanted`."""
    if problem := difference(path, wanted.digests, wanted.bytes):
        raise UnavailableError(f"not the expected file: {problem}")


def place_by_hand(file: str, folder: Path, wanted: CorpusFile, out: Path) -> bool:
    """Copy the file that lies under its name in `folder` to `out`, if there is one.

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
            f"{file}: {folder / file}: {error}: lay the right file there, or take this one away to "
            f"have it fetched from {wanted.url}"
        ) from None
    return True


def fetch_nearest(file: str, wanted: CorpusFile, candidates: list[Path | str], out: Path) -> None:
    """Make `out` from the first of `candidates` that has the file wanted.

    Raises UserError if none has, with what was wrong at each of them.
    """
    refused = []
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
                refused.append(f"{place}: {error}")
                print(refused[-1], file=sys.stderr)
    raise UserError(
        "\n  ".join([f"{file}: no place has it:", *refused])
        + "\nTry again, or fetch it by hand and name its folder by `hand_placed` (--hand-placed); "
        "if its publisher has changed it, correct its entry in `corpora`"
    )


def download(
    file: Annotated[str, typer.Option(help="The file's name in the corpus.")],
    entry: Annotated[
        str,
        typer.Option(help="What it is, as JSON: `url`, `sha256` or `md5` and, if known, `bytes`."),
    ],
    out: Annotated[Path, typer.Option(help="Where to write it.")],
    mirror: Annotated[
        list[str] | None,
        typer.Option(
            help="URL or folder below which it may lie at HOST/PATH of its own URL; looked at in "
            "the order given, before that URL."
        ),
    ] = None,
    hand_placed: Annotated[
        Path | None,
        typer.Option(help="Folder that may have it under its name; looked at first."),
    ] = None,
) -> None:
    """Fetch one file of a corpus and check its digests.

    A transfer that breaks off is tried again, with growing pauses, and goes on where it stopped;
    so does this command after it was killed. What has come lies in a hidden file beside --out,
    which takes its name only when its digests are right. If it lies there already, nothing is
    fetched. A machine without network needs a copy in the folder of --hand-placed or of --mirror.

    Example: contextnmt download --file val.en.gz --entry '{"url": "https://example.org/val.en.gz",
    "sha256": "0a1b..."}' --out download/val.en.gz --hand-placed downloads
    """
    wanted = parse_entry(file, entry)
    if out.is_file() and difference(out, wanted.digests, wanted.bytes) is None:
        return
    candidates = list(places(str(wanted.url), mirror or []))
    if hand_placed is None or not place_by_hand(file, hand_placed, wanted, out):
        fetch_nearest(file, wanted, candidates, out)
    part_path(out).unlink(missing_ok=True)
