"""Files of a corpus as they are published: their digests, members of archives, raw text.

Archives are read as streams: nothing is unpacked to disk. A line ends at LF alone. CR, NUL, U+0085,
U+2028 and the like are left to the tokenizer, which treats them as Moses does.

Of SGM, the format of the WMT test sets, the segments are the lines. It looks like XML and is not
well-formed: as in the readers of sacreBLEU and Moses, text is what stands between ``<seg …>``, all
on one line, and ``</seg>``.
"""

import contextlib
import difflib
import gzip
import hashlib
import html
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO

from contextnmt.errors import UserError
from contextnmt.files import (
    BYTE_ORDER_MARK,
    DAMAGE,
    HEAD,
    damaged,
    file_digest,
    open_binary,
    packing,
    refuse_other,
)
from contextnmt.progress import say
from contextnmt.tar import Entry

#: Kind of digest, a key of a corpus file -> its name in messages. MD5 is for files whose publishers
#: state no other.
NAMES = {"sha256": "SHA-256", "md5": "MD5"}

ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".zip")

#: Gzip packs a text to a third or a fifth. A file that unpacks to more than so many
#: times its size is no text but an archive bomb, made to fill disks; so many bytes may always come.
MOST_EXPANSION, ALWAYS_ALLOWED = 100, 1 << 26

#: Letters of a name that a message shows: in an archive, one may have millions.
SHOWN = 100

#: Names of an archive among which those like a missing one are sought.
NEIGHBOURS = 1000

#: Bytes. A file whose lines end at CR alone is one line, and would fill the memory.
LONGEST_LINE = 1 << 24

#: Of so many lines, one may be invalid UTF-8; where more are, the text is in another encoding.
LINES_TO_AN_INVALID_ONE = 1000

#: A segment and what ends it, which should be ``</seg>``.
SEGMENT = re.compile(
    r"<seg\b[^<>\n]*>(?P<text>.*?)(?P<end></seg\s*>|<seg\b[^<>\n]*>|\Z)", re.IGNORECASE | re.DOTALL
)

#: A part of a test set in XML: the source, a reference, a translation, and by whom it is.
PART = re.compile(r"<(?P<end>/?)(?P<kind>src|ref|hyp)\b(?P<about>[^<>]*)>", re.IGNORECASE)
BY = re.compile(r"""\b(?:translator|system)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)

#: The five entities of XML and numbers of characters. HTML's two thousand others and those without
#: a semicolon stay as they are: a text about web pages may mean them.
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")

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
        digest = file_digest(path, partial(hashlib.new, kind, usedforsecurity=False))
        if digest != expected[kind]:
            return f"expected {NAMES[kind]} {expected[kind]}, got {digest} ({found} bytes)"
    return None


@contextlib.contextmanager
def damage_reported(name: str) -> Iterator[None]:
    """Turn what is raised at damaged archives and packed files into a UserError about `name`."""
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, RecursionError, *DAMAGE) as error:
        if isinstance(error, OSError) and error.errno:
            raise damaged(name, error) from None
        plain = ", or take .gz off the name of a plain file"
        advice = "fetch it again" + (plain if isinstance(error, gzip.BadGzipFile) else "")
        raise UserError(f"{name}: damaged or cut off ({error}): {advice}") from None


def open_members(archive: Path, members: Iterable[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """Each of `members` once, in the order of the archive: its name and its bytes.

    A tar archive is read once, from its start to the last of them. Each has to be read before the
    next one is asked for. Raises UserError if the archive is damaged, an archive bomb or without
    such a file, and at links, devices and sparse files.
    """
    wanted = {member.removeprefix("./"): member for member in members}
    if is_zip(archive):
        yield from open_zip_members(archive, wanted)
        return
    names: list[str] = []
    with (
        damage_reported(str(archive)),
        open_binary(archive) as packed,
        tarfile.open(fileobj=packed, mode="r|", bufsize=BLOCK, tarinfo=Entry) as opened,
    ):
        for entry in opened:
            # Whoever reads past a member has it unpacked too.
            if entry.offset_data + entry.size > most_bytes(archive):
                raise UserError(
                    f"{archive}: up to its member {entry.name[:SHOWN]!r} it unpacks to more than "
                    f"{MOST_EXPANSION} times its size: not read, since no text shrinks so much"
                )
            opened.members.clear()  # type: ignore[attr-defined]  # tarfile keeps them all
            name = entry.name.removeprefix("./")
            names += [repr(name[:SHOWN])] * (len(names) < NEIGHBOURS)
            if name in wanted:
                # A sparse file may declare any size and come out as zeros, without a byte in it.
                plain = entry.isreg() and not entry.issparse()
                stream = opened.extractfile(entry) if plain else None
                if stream is None:
                    raise UserError(
                        f"{archive}::{name}: a link, a device or the like, not a plain file"
                    )
                yield wanted.pop(name), stream
            if not wanted:
                return
    raise no_member(archive, wanted, names)


def no_member(archive: Path, wanted: Iterable[str], names: Iterable[str]) -> UserError:
    """The error at an archive with members of other names than those wanted."""
    missing = next(iter(wanted))
    near = difflib.get_close_matches(missing, names, n=5, cutoff=0) or ["nothing"]
    return UserError(f"{archive}::{missing}: no such member; the archive has {', '.join(near)}")


def is_zip(archive: Path) -> bool:
    """Whether a file is a zip archive; not if it cannot be read."""
    try:
        with archive.open("rb") as stream:
            return packing(stream.read(HEAD))[0] == "zip"
    except OSError:
        return False


def open_zip_members(archive: Path, wanted: dict[str, str]) -> Iterator[tuple[str, IO[bytes]]]:
    """Do what `open_members` does, of a zip archive; `wanted` is emptied."""
    try:
        with damage_reported(str(archive)), zipfile.ZipFile(archive) as opened:
            entries = {entry.filename.removeprefix("./"): entry for entry in opened.infolist()}
            found = [name for name in entries if name in wanted]
            for name, stream in zip(
                found, map(opened.open, [entries[name] for name in found]), strict=True
            ):
                with stream:
                    yield wanted.pop(name), stream
    except RuntimeError as error:  # encrypted, or packed in a way that Python does not know
        raise UserError(f"{archive}: {error}: unpack it, and name what was in it") from None
    if wanted:
        raise no_member(archive, wanted, entries)


def most_bytes(packed: Path) -> int:
    """How many bytes may come out of a packed file."""
    return MOST_EXPANSION * packed.stat().st_size + ALWAYS_ALLOWED


def read_blocks(stream: IO[bytes], name: str, most: int) -> Iterator[bytes]:
    """The bytes of `stream` in blocks that end at a line's end; the last one gets its LF.

    `name` is for messages. Raises UserError if the data are damaged, hold more than `most` bytes,
    or have a line of more than LONGEST_LINE bytes.
    """
    lines = size = 0
    while True:
        with damage_reported(f"{name}, after line {lines}"):
            block = stream.read(BLOCK)
            if block and not block.endswith(b"\n"):
                block += stream.readline(LONGEST_LINE)
        if not block:
            return
        if not size:
            refuse_other(block, name)
        size += len(block)
        if size > most:
            raise UserError(
                f"{name}: unpacks to more than {most} bytes: refused, since no text of its packed "
                "size does"
            )
        lines += block.count(b"\n")
        if len(block) - block.rfind(b"\n") > LONGEST_LINE:
            raise UserError(
                f"{name}, line {lines + 1}: longer than {LONGEST_LINE} bytes: not a text, or its "
                "lines do not end at LF: convert it"
            )
        yield block if block.endswith(b"\n") else block + b"\n"


def decode_blocks(stream: IO[bytes], name: str, most: int) -> Iterator[str]:
    """The text of `stream` in blocks of whole lines, each ended by LF, without byte order marks:
    where files were joined, they stand anywhere.

    In a few invalid lines, U+FFFD takes the place of what is invalid, with a warning on stderr:
    corpora of the web hold single broken lines among millions, which clean may drop by
    ``drop_garbled``. Raises UserError if there are more, and as `read_blocks`.
    """
    lines = invalid = 0
    first = ""
    for block in read_blocks(stream, name, most):
        text = block.decode("utf-8", errors="replace")
        if "\ufffd" in text:
            for number, line in enumerate(block.split(b"\n"), start=lines + 1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as error:
                    invalid += 1
                    problem = f"byte {line[error.start]:#04x} at position {error.start}"
                    first = first or f"{name}, line {number}: invalid UTF-8 ({problem})"
        yield text.replace(BYTE_ORDER_MARK, "")
        lines += text.count("\n")
    if invalid * LINES_TO_AN_INVALID_ONE > lines:
        found = f"{invalid} of {lines} lines are"
        raise UserError(f"{first}: {found}: convert the file to UTF-8")
    if invalid:
        say(f"warning: {first}; U+FFFD stands for what is invalid in {invalid} of {lines} lines")


def segments(text: str, name: str) -> Iterator[str]:
    """The text of each ``<seg>`` of an SGM file, its entities decoded (A44), once.

    A segment may go over several lines; all its white space becomes single blanks. `name` is for
    messages. Raises UserError if one is not closed before the next one or the end.
    """
    for segment in SEGMENT.finditer(text):
        if not segment["end"].startswith("</"):
            line = text.count("\n", 0, segment.start()) + 1
            raise UserError(
                f"{name}, line {line}: a <seg> without </seg>: mend the file or fetch it again"
            )
        decoded = ENTITY.sub(lambda entity: html.unescape(entity[0]), segment["text"])
        yield " ".join(decoded.split())


def part_of(text: str, part: str, name: str) -> str:
    """The source, a reference or a translation of a test set in XML of WMT, with its segments.

    `part` is src, ref or hyp, of all translators the first, or with its name: ``ref.A``; "" is the
    whole file, which then must not have such parts. `name` is for messages. Raises UserError at
    another part.
    """
    found: dict[str, list[str]] = {}
    opened = None
    for tag in PART.finditer(text):
        if opened and tag["kind"].lower() == opened["kind"].lower() and tag["end"]:
            by = BY.search(opened["about"])
            key = opened["kind"].lower() + (f".{by[1]}" if by else "")
            found.setdefault(key, []).append(text[opened.end() : tag.start()])
            opened = None
        elif not tag["end"]:
            opened = tag
    key = part if part in found else next((k for k in found if k.split(".")[0] == part), None)
    if key is None and (part or found):
        has = f"it has {', '.join(found)}" if found else "it has no such parts"
        raise UserError(f"{name}::{part}: no such part; {has}: write one, such as {name}::src")
    return text if key is None else "".join(found[key])
