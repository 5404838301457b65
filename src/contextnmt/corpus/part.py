"""What has come so far of a file that is being fetched, so that a later attempt goes on with it."""

import fcntl
import glob
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from contextnmt.errors import UserError
from contextnmt.files import REMEDIES, read_json, write_json

#: Hexadecimal digits in a part's name that stand for the file it is a part of.
DIGITS = 16


def part_path(out: Path, identity: str) -> Path:
    """Where the bytes of `out` are gathered: a hidden file beside it.

    `identity` is whatever tells the file from another of this name, as its URL and digest.
    """
    mark = hashlib.sha256(identity.encode()).hexdigest()[:DIGITS]
    return out.with_name(f".{out.name}.{mark}.part")


def parts_of(out: Path) -> list[Path]:
    """The partial files of `out` that are there, also those of another URL or digest."""
    return sorted(out.parent.glob(pattern(out)))


def remove_parts(out: Path) -> None:
    """Remove the partial files of `out` and the notes beside them."""
    for path in out.parent.glob(f"{pattern(out)}*"):
        path.unlink()


def pattern(out: Path) -> str:
    """What the names of all partial files of `out` match."""
    return f".{glob.escape(out.name)}.{'[0-9a-f]' * DIGITS}.part"


class Part:
    """The bytes of `out` that have come so far.

    `size` is the size of the whole file in bytes, if known. `whole` says whether all bytes came in
    one answer of a server, so that they cannot stem from two versions of the file. `origin` notes
    for the next attempt where the bytes are from: `url`, `validator` (what tells versions of the
    file there apart) and `bytes`, the size of the whole file by that server.
    """

    def __init__(self, out: Path, path: Path, stream: IO[bytes], size: int | None) -> None:
        self.out = out
        self.path = path
        self.note = path.with_name(f"{path.name}.json")
        self.size = size
        self.whole = False
        self._stream = stream
        self.origin: dict[str, Any] = read_json(self.note) if self.note.is_file() else {}
        if not self.origin:
            self.clear()

    @property
    def received(self) -> int:
        """How many bytes there are."""
        return os.fstat(self._stream.fileno()).st_size

    @property
    def expected(self) -> int | None:
        """Size of the whole file in bytes: as the caller said, or else the server."""
        return self.origin.get("bytes") if self.size is None else self.size

    def clear(self) -> None:
        """Forget all bytes."""
        self._stream.truncate(0)
        self.origin = {}

    def begin(self, url: str, validator: str | None, size: int | None) -> None:
        """Note where the next bytes come from; they are added to those that are there."""
        self.whole = self.received == 0
        self.origin = {"url": url, "validator": validator, "bytes": size}
        write_json(self.note, self.origin)

    def append(self, chunk: bytes) -> None:
        """Add bytes; from then on a kill of this process does not lose them.

        Raises UserError if they cannot be written.
        """
        rest = memoryview(chunk)
        try:
            while rest:
                rest = rest[os.write(self._stream.fileno(), rest) :]
        except OSError as error:
            if error.errno not in REMEDIES:
                raise
            raise UserError(
                f"{self.out}: cannot be written, {REMEDIES[error.errno]} (it goes on after the "
                f"{self.received} bytes that have come)"
            ) from None

    def finish(self) -> None:
        """Give the file, now complete and checked, its name."""
        os.fsync(self._stream.fileno())
        self.path.replace(self.out)


@contextmanager
def open_part(out: Path, identity: str, size: int | None) -> Iterator[Part]:
    """The part of `out`, made if it is not there and removed if it is empty in the end.

    It is for this process alone. Raises UserError if another process on this machine has it open.
    """
    path = part_path(out, identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without a buffer: what was written when this process is killed is in the file.
    with path.open("ab", buffering=0) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"{out}: another download writes it: wait for that or end it, then run the same "
                "command again"
            ) from None
        part = Part(out, path, stream, size)
        try:
            yield part
        finally:
            if part.received == 0:
                path.unlink(missing_ok=True)
                part.note.unlink(missing_ok=True)
