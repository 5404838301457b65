"""Text files out of tar archives, read as streams: nothing is unpacked to disk."""

import contextlib
import difflib
import gzip
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from contextnmt.errors import UserError
from contextnmt.files import open_binary

ARCHIVES = (".tar", ".tar.gz", ".tgz")

#: What gzip makes of a text is a third to a fifth of it. A file that unpacks to more than so many
#: times its size is no text but an archive bomb, made to fill disks and memories.
MOST_EXPANSION = 100
#: So many bytes may come out of any file: a small one may well repeat a line often.
ALWAYS_ALLOWED = 1 << 26

#: Bytes read at a time; with much larger blocks, the C library keeps more and more memory.
BLOCK = 1 << 15


def most_bytes(packed: int) -> int:
    """How many bytes may come out of `packed` bytes of gzip."""
    return MOST_EXPANSION * packed + ALWAYS_ALLOWED


@contextlib.contextmanager
def damage_told(name: str) -> Iterator[None]:
    """Turn what gzip and tar raise at damaged data into a UserError about the file `name`."""
    try:
        yield
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{name}: damaged or cut off ({error}): fetch it again") from None


def open_members(archive: Path, members: Iterable[str]) -> Iterator[tuple[str, IO[bytes], int]]:
    """Each of `members` once, in the order of the archive: its name, its bytes and their number.

    The archive is read once, from its start to the last of them. Each has to be read before the
    next one is asked for. Raises UserError if the archive is damaged, an archive bomb or without
    such a file, at names that lead out of it, and at links, devices and sparse files.
    """
    wanted = {member.removeprefix("./"): member for member in members}
    for name in wanted:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise UserError(f"{archive}::{name}: unsafe name: it leads out of the archive")
    names = []
    with damage_told(str(archive)), open_binary(archive) as packed:
        most = most_bytes(archive.stat().st_size)
        with tarfile.open(fileobj=packed, mode="r|", bufsize=BLOCK) as opened:
            for entry in opened:
                check_size(archive, entry, most)
                names.append(entry.name.removeprefix("./"))
                if names[-1] in wanted:
                    yield wanted.pop(names[-1]), open_entry(archive, opened, entry), entry.size
                if not wanted:
                    return
    missing = next(iter(wanted))
    near = difflib.get_close_matches(missing, names, n=5, cutoff=0) or ["nothing"]
    raise UserError(f"{archive}::{missing}: no such member; the archive has {', '.join(near)}")


def check_size(archive: Path, entry: tarfile.TarInfo, most: int) -> None:
    """Raise UserError if reading past `entry` takes more than `most` bytes out of the archive."""
    if entry.offset_data + entry.size > most:
        raise UserError(
            f"{archive}: its member {entry.name} unpacks to {entry.size} bytes, more than "
            f"{MOST_EXPANSION} times the archive: not read, since no text shrinks so much"
        )


def open_entry(archive: Path, opened: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    """The bytes of a regular file of an opened archive; UserError if it is anything else."""
    # A sparse file may declare any size and come out as zeros, without a byte in the archive.
    stream = opened.extractfile(entry) if entry.isreg() and not entry.issparse() else None
    if stream is None:
        raise UserError(f"{archive}::{entry.name}: a link, a device or the like, not a plain file")
    return stream
