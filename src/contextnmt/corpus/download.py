"""Stage *download*: one file of a corpus, from the nearest place that has it."""

import hashlib
import http.client
import json
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from contextnmt.errors import UserError
from contextnmt.files import atomic_bytes, sha256

#: Seconds without a byte after which a server counts as gone.
TIMEOUT = 60
CHUNK = 1 << 18
ADVICE = "try again, or lay the file into the folder of --hand-placed or of --mirror yourself"


@dataclass(frozen=True)
class Remote:
    """A file to fetch: its address, SHA-256 in hexadecimal and, if known, size in bytes."""

    url: str
    sha256: str
    bytes: int | None = None


def parse_entry(file: str, text: str) -> Remote:
    """The corpus file entry that the JSON `text` holds; UserError at missing or unknown keys."""
    try:
        return Remote(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{file}: not a corpus file entry ({error}): it needs `url`, `sha256` and, if known, "
            "`bytes`"
        ) from None


def locate(file: str, url: str, mirror: Path | None, hand_placed: Path | None) -> str:
    """Where to read from: the copy laid there by hand, else the mirror's, else `url` itself."""
    places = []
    if hand_placed is not None:
        places.append(hand_placed / file)
    if mirror is not None:
        if not mirror.is_dir():
            raise UserError(f"{mirror}: no such mirror folder: correct --mirror or leave it out")
        address = urllib.parse.urlsplit(url)
        places.append(mirror / (address.hostname or "") / address.path.lstrip("/"))
    copies = [place.resolve().as_uri() for place in places if place.is_file()]
    return copies[0] if copies else url


def read_chunks(file: str, origin: str) -> Iterator[bytes]:
    """The bytes at the URL `origin`, with a progress bar.

    Raises UserError if it cannot be reached or ends before the length that it promised.
    """
    try:
        with urllib.request.urlopen(origin, timeout=TIMEOUT) as stream:
            length = stream.headers["Content-Length"]
            promised = int(length) if length else None
            with tqdm(
                desc=f"download {file}",
                total=promised,
                unit="B",
                unit_scale=True,
                mininterval=0.2 if sys.stderr.isatty() else 30.0,
            ) as bar:
                while chunk := stream.read(CHUNK):
                    yield chunk
                    bar.update(len(chunk))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UserError(f"{file}: {origin} cannot be read ({error}): {ADVICE}") from None
    if promised is not None and bar.n < promised:
        raise UserError(f"{file}: {origin} broke off after {bar.n} of {promised} bytes: {ADVICE}")


def fetch(file: str, remote: Remote, origin: str, out: Path) -> None:
    """Copy `origin` to `out`, which takes its name only if it is the file that `remote` describes.

    Raises UserError at a wrong SHA-256; what came is thrown away.
    """
    digest = hashlib.sha256()
    size = 0
    with atomic_bytes(out) as stream:
        for chunk in read_chunks(file, origin):
            stream.write(chunk)
            digest.update(chunk)
            size += len(chunk)
        if digest.hexdigest() != remote.sha256:
            expected = "" if remote.bytes is None else f" ({remote.bytes} bytes)"
            raise UserError(
                f"{file}: {origin} is not the expected file: expected SHA-256 {remote.sha256}"
                f"{expected}, got {digest.hexdigest()} ({size} bytes): remove a damaged copy and "
                f"{ADVICE}; if its publisher has changed the file, correct `sha256`"
            )


def download(
    file: Annotated[str, typer.Option(help="The file's name in the corpus.")],
    entry: Annotated[
        str, typer.Option(help="What it is, as JSON: `url`, `sha256` and, if known, `bytes`.")
    ],
    out: Annotated[Path, typer.Option(help="Where to write it.")],
    mirror: Annotated[
        Path | None,
        typer.Option(help="Folder that may have it at HOST/PATH of the URL; looked at second."),
    ] = None,
    hand_placed: Annotated[
        Path | None,
        typer.Option(help="Folder that may have it under its name; looked at first."),
    ] = None,
) -> None:
    """Fetch one file of a corpus and check its SHA-256.

    A machine without network needs a copy of the file in the folder of --hand-placed or of
    --mirror. Wherever it comes from, the file takes its name only when its SHA-256 is right; if
    it lies there already, nothing is fetched.

    Example: contextnmt download --file val.en.gz --entry '{"url": "https://example.org/val.en.gz",
    "sha256": "0a1b..."}' --out download/val.en.gz --hand-placed downloads
    """
    wanted = parse_entry(file, entry)
    if not (out.is_file() and sha256(out) == wanted.sha256):
        fetch(file, wanted, locate(file, wanted.url, mirror, hand_placed), out)
