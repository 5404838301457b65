"""Entries of tar archives, read in little memory and time, whoever wrote their headers."""

import re
import tarfile
from typing import Self

#: Bytes that all headers of one entry may have together.
LONGEST_HEADERS = 1 << 20

#: Types of headers that say more about the entry after them: records of pax, and GNU's names.
RECORDS = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
FURTHER = (*RECORDS, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)

#: Beginning of a record of pax: its length in bytes, with these digits and the LF at its end.
LENGTH = re.compile(rb"([0-9]{1,7}) ")

#: Places, in the header of a sparse file and in a block of its map, of what is not 0 if another
#: block of the map follows (GNU).
MORE_AFTER_HEADER, MORE_AFTER_BLOCK = 482, 504


class Entry(tarfile.TarInfo):
    """An entry of an archive, for `tarfile.open(…, tarinfo=Entry)`: its type, name and size.

    tarfile by itself reads headers of any size into memory, and before Python 3.11.10 takes hours
    for some of a MiB (CVE-2024-6232).
    """

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """The next entry. Raises ReadError if its headers are damaged or too long."""
        stream = archive.fileobj
        assert stream
        start, told = stream.tell(), dict[bytes, bytes]()
        while True:
            header = stream.read(tarfile.BLOCKSIZE)
            try:
                entry = cls.frombuf(header, "utf-8", "surrogateescape")
            except tarfile.HeaderError as error:
                if stream.tell() <= start + tarfile.BLOCKSIZE:  # tarfile looks for the end here
                    raise
                raise tarfile.ReadError(f"a name without a file ({error})") from None
            if entry.type not in FURTHER:
                break
            if not 0 <= entry.size <= LONGEST_HEADERS - (stream.tell() - start):
                raise tarfile.ReadError(f"a header of {entry.size} bytes")
            content = stream.read(padded(entry.size))[: entry.size]
            if entry.type == tarfile.GNUTYPE_LONGNAME:
                told[b"path"] = content.partition(b"\0")[0]
            elif entry.type in RECORDS:
                told |= records(content)
        if name := told.get(b"GNU.sparse.name") or told.get(b"path"):
            entry.name = name.decode("utf-8", "surrogateescape")
        size = told.get(b"size", b"%d" % entry.size)
        if not re.fullmatch(rb"[0-9]{1,18}", size):
            raise tarfile.ReadError(f"an entry of {size[:20]!r} bytes")
        entry.size = int(size)
        if entry.type == tarfile.GNUTYPE_SPARSE or any(b"GNU.sparse." in key for key in told):
            entry.sparse = []  # type: ignore[assignment]
        more = entry.type == tarfile.GNUTYPE_SPARSE and header[MORE_AFTER_HEADER]
        while more:
            more = stream.read(tarfile.BLOCKSIZE).ljust(tarfile.BLOCKSIZE, b"\0")[MORE_AFTER_BLOCK]
        entry.offset, entry.offset_data = start, stream.tell()
        has_content = entry.isreg() or entry.type not in tarfile.SUPPORTED_TYPES
        archive.offset = entry.offset_data + padded(entry.size) * has_content
        return entry


def padded(size: int) -> int:
    """The bytes of the blocks that hold so many."""
    return -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def records(header: bytes) -> dict[bytes, bytes]:
    """The records ``LENGTH KEY=VALUE`` of a header of pax. Raises ReadError at any other."""
    found, start = {}, 0
    while start < len(header):
        length = LENGTH.match(header, start)
        end = start + int(length[1]) if length else 0
        key, equals, value = header[length.end() : end].partition(b"=") if length else (b"",) * 3
        if not equals or not value.endswith(b"\n") or end > len(header):
            raise tarfile.ReadError(f"a damaged record after {start} bytes of a header")
        found[key], start = value[:-1], end
    return found
