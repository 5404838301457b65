"""Stage *download*: one file of a corpus, from the nearest place that has it."""

import shutil
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from tqdm.utils import CallbackIOWrapper

from contextnmt.configuration.keys import CorpusFile
from contextnmt.configuration.values import json_object, read
from contextnmt.corpus.archive import difference
from contextnmt.corpus.transfer import Part, UnavailableError, open_part, part_path, transfer
from contextnmt.errors import UserError
from contextnmt.files import atomic_path
from contextnmt.progress import bar

HTTP = ("http://", "https://")


def places(url: str, mirrors: list[str]) -> Iterator[Path | str]:
    """Places to look for the file, in order: the mirrors' copies of `url`, then `url` itself.

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
    """Copy `place` to `out`; raises UnavailableError if it is another file or cannot be read."""
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
        print(f"{url}: {problem}: its pieces do not fit: fetched anew", file=sys.stderr)
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
            f"fetch it from {wanted.url}"
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
        str, typer.Option(help="What it is, as JSON: `url`, `sha256` or `md5`, `bytes` if known.")
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
        Path | None, typer.Option(help="Folder that may have it already.")
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
    wanted = read(CorpusFile, file, json_object(file, entry))
    if wanted.url is None:
        raise UserError(f"{file}: no file to fetch: it needs url, and sha256 or md5")
    if out.is_file() and difference(out, wanted.digests, wanted.bytes) is None:
        return
    candidates = list(places(wanted.url, mirror or []))
    if hand_placed is None or not place_by_hand(file, hand_placed, wanted, out):
        fetch_nearest(file, wanted, candidates, out)
    part_path(out).unlink(missing_ok=True)
