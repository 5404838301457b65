"""Files of a corpus as they are published: their digests, and the members of tar archives.

Archives are read as streams: nothing is unpacked to disk.
"""

import contextlib
import difflib
import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO

from contextnmt.errors import UserError
from contextnmt.files import open_binary

#: Kind of digest, a key of a corpus file -> its name in messages. MD5 is for files whose publishers
#: state no other.
NAMES = {"sha256": "SHA-256", "md5": "MD5"}

ARCHIVES = (".tar", ".tar.gz", ".tgz")

#: What gzip makes of a text is a third to a fifth of it. A file that unpacks to more than so many
#: times its size is no text but an archive bomb, made to fill disks; so many bytes may always come.
MOST_EXPANSION, ALWAYS_ALLOWED = 100, 1 << 26

#: Letters of a name that a message shows: in an archive, one may have millions.
SHOWN = 100

#: Bytes read at a time; with much larger blocks, the C library keeps more and more memory.
BLOCK = 1 << 15


def difference(path: Path, expected: Mapping[str, str], size: int | None = None) -> str | None:
    """How `path` differs from the file with these digests by kind, in words; None if it does not.

    Its size in bytes is compared first, if that of the expected file is known.
    """
    found = path.stat().st_size
    if size is not None and found != size:
        return f"expected {size} bytes, got {found}"
    for kind in expected:
        with path.open("rb") as stream:
            made = partial(hashlib.new, kind, usedforsecurity=False)
            digest = hashlib.file_digest(stream, made).hexdigest()
        if digest != expected[kind]:
            return f"expected {NAMES[kind]} {expected[kind]}, got {digest} ({found} bytes)"
    return None


@contextlib.contextmanager
def damage_reported(name: str) -> Iterator[None]:
    """Turn what gzip and tar raise at damaged data into a UserError about the file `name`."""
    try:
        yield
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{name}: damaged or cut off ({error}): fetch it again") from None


def open_members(archive: Path, members: Iterable[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """Each of `members` once, in the order of the archive: its name and its bytes.

    The archive is read once, from its start to the last of them. Each has to be read before the
    next one is asked for. Raises UserError if the archive is damaged, an archive bomb or without
    such a file, and at links, devices and sparse files.
    """
    wanted = {member.removeprefix("./"): member for member in members}
    names = []
    with (
        damage_reported(str(archive)),
        open_binary(archive) as packed,
        tarfile.open(fileobj=packed, mode="r|", bufsize=BLOCK) as opened,
    ):
        for entry in opened:
            # Whoever reads past a member has it unpacked too.
            if entry.offset_data + entry.size > most_bytes(archive):
                raise UserError(
                    f"{archive}: its member {entry.name[:SHOWN]} unpacks to {entry.size} bytes, "
                    f"more than {MOST_EXPANSION} times the archive: not read, since no text "
                    "shrinks so much"
                )
            names.append(entry.name.removeprefix("./"))
            if names[-1] in wanted:
                yield wanted.pop(names[-1]), open_entry(archive, opened, entry)
            if not wanted:
                return
    missing = next(iter(wanted))
    near = difflib.get_close_matches(missing, names, n=5, cutoff=0) or ["nothing"]
    raise UserError(f"{archive}::{missing}: no such member; the archive has {', '.join(near)}")


def most_bytes(packed: Path) -> int:
    """How many bytes may come out of a packed file."""
    return MOST_EXPANSION * packed.stat().st_size + ALWAYS_ALLOWED


def open_entry(archive: Path, opened: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    """The bytes of a regular file of an opened archive; UserError if it is anything else."""
    # A sparse file may declare any size and come out as zeros, without a byte in the archive.
    stream = opened.extractfile(entry) if entry.isreg() and not entry.issparse() else None
    if stream is None:
        raise UserError(f"{archive}::{entry.name}: a link, a device or the like, not a plain file")
    return stream
