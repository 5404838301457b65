"""Reading and writing files so that nothing half-written is ever taken for finished.

A *line* ends at LF alone, everywhere in this project: CR, VT, FF, U+0085 and U+2028 are ordinary
characters of a line (str.splitlines would cut there and drift the two sides of a corpus apart).
Text is UTF-8; a path that ends in ``.gz`` is compressed, with no time stamp inside, so that equal
text gives equal bytes.
"""

import bz2
import contextlib
import errno
import fcntl
import glob
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import stat
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from contextnmt.errors import UserError

#: Advice about an operating-system error while writing, by errno.
REMEDIES = {
    errno.ENOSPC: "the disk is full: free some space, then run the same command again",
    errno.EDQUOT: "the disk quota is used up: free some space, then run the same command again",
    errno.EFBIG: "larger than a file may be here: raise `ulimit -f`, or choose another folder",
    errno.EACCES: "the folder is not writable: mend its permissions or choose another one",
    errno.EPERM: "the folder is not writable: mend its permissions or choose another one",
    errno.EROFS: "the file system is read-only: choose another folder",
    errno.ENOTDIR: "a part of the path is a file, not a folder: choose another folder",
    errno.EEXIST: "a part of the path is a file, not a folder: choose another folder",
    errno.ENAMETOOLONG: "the name is too long: choose a shorter one",
    errno.EMFILE: "too many files are open at once: choose fewer parts, or raise `ulimit -n`",
    errno.EISDIR: "there is a folder of that name: choose another name",
}

#: Pattern of a whole number in a table. Python refuses to read numbers of thousands of digits.
COUNT = "[0-9]{1,18}"

#: Level 1 is three times as fast as the default and costs a tenth more disk on corpus text.
COMPRESSION = 1

#: First bytes, as a pattern -> the program that packed so, and how the standard library opens it.
PACKED: dict[bytes, tuple[str, Any]] = {
    rb"\x1f\x8b": ("gzip", gzip.open),
    rb"BZh[1-9]1AY&SY": ("bzip2", bz2.open),
    rb"\xfd7zXZ\0": ("xz", lzma.open),
    rb"\x28\xb5\x2f\xfd": ("zstd", None),
    rb"PK(\x03\x04|\x05\x06)": ("zip", None),
    rb"7z\xbc\xaf\x27\x1c": ("7-Zip", None),
    rb"Rar!\x1a\x07": ("RAR", None),
    rb"\x04\x22\x4d\x18": ("lz4", None),
    rb"\x1f\x9d": ("compress", None),
}

#: Errors of the standard library at damaged data; those of the disk have a number.
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)

#: Byte order marks of other encodings than UTF-8, the longer ones first.
BYTE_ORDER_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x84\x31\x95\x33": "GB18030",
    **dict.fromkeys((b"+/v8", b"+/v9", b"+/v+", b"+/v/"), "UTF-7"),
}
BYTE_ORDER_MARK = "\ufeff"

#: Bytes by which a file is known: a tar archive says so at byte 257.
HEAD = 512

#: Bytes of a line, and of a JSON file, at most: what does not end must not fill the memory.
LONGEST_LINE, LARGEST_JSON = 1 << 27, 1 << 30


def packing(head: bytes) -> tuple[str, Any]:
    """The program that packed a file with these first bytes ("" for none), and its opener."""
    return next((found for start, found in PACKED.items() if re.match(start, head)), ("", None))


def is_tar(head: bytes) -> bool:
    """Whether a file with these first bytes is a tar archive."""
    return head[257:262] == b"ustar"


def refuse_other(head: bytes, name: str) -> None:
    """Raise UserError if the beginning of a text tells that it is not in UTF-8: it is an archive or
    packed in a way that the standard library cannot read, or by its byte order mark or NULs."""
    program, opener = packing(head)
    if is_tar(head) or (program and not opener):
        several = f"write {name}::MEMBER, or " if program in ("", "zip") else ""
        raise UserError(
            f"{name}: packed by {program or 'tar'}: {several}unpack it, and name what was in it"
        )
    encoding = next((e for mark, e in BYTE_ORDER_MARKS.items() if head.startswith(mark)), None)
    if encoding is None and 0.01 < head.count(0) / max(len(head), 1) < 0.8 and head.count(0) > 1:
        encoding = encoding_by_nuls(head)
    if encoding:
        raise UserError(f"{name}: in {encoding}: convert it: `iconv -f {encoding} -t UTF-8`")


def encoding_by_nuls(head: bytes) -> str | None:
    """The encoding of a text whose first bytes have NULs where ASCII has them in it."""
    zeros = [4 * head[place::4].count(0) / len(head) for place in range(4)]
    if min(zeros[2:]) > 0.9 or min(zeros[:2]) > 0.9:
        return "UTF-32LE" if zeros[3] > zeros[0] else "UTF-32BE"
    # In UTF-16 a line's end has one in any language; without one, text in ASCII tells.
    ends, odd = head[:-1].count(b"\n"), zeros[1] + zeros[3] - zeros[0] - zeros[2]
    pairs = Counter(head[place : place + 2] for place in range(0, len(head), 2))
    for encoding, more, end in (("UTF-16LE", odd, b"\n\0"), ("UTF-16BE", -odd, b"\0\n")):
        if pairs[end] * 2 > ends or (not ends and more > 0.5):
            return encoding
    return None


def unpacked(file: Path | IO[bytes], head: bytes, name: str) -> IO[bytes]:
    """Open a file, or a stream in one, that has these first bytes, uncompressed.

    A gzip file is known by its name too: so a damaged one is not taken for a text.
    """
    opener = packing(head)[1]
    if not opener and head and name.lower().endswith((".gz", ".tgz")) and not is_tar(head):
        opener = gzip.open
    if opener:
        return opener(file, "rb")  # type: ignore[no-any-return]
    return file.open("rb") if isinstance(file, Path) else file


def open_binary(path: Path) -> IO[bytes]:
    """Open `path` for reading bytes, uncompressed if it is packed by gzip, bzip2 or xz.

    Raises UserError if there is no such file or it cannot be read.
    """
    try:
        stream = path.open("rb")
        head = stream.peek(HEAD)[:HEAD]
        if not path.is_file():  # a pipe cannot be opened twice
            return unpacked(stream, head, str(path))
        stream.close()
        return unpacked(path, head, str(path))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None


def refuse_special(path: Path) -> None:
    """Raise UserError if there is something else than a file: a pipe would be waited for."""
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: a folder, a pipe or a device, not a file: name a file")


def decode_lines(stream: IO[bytes], name: str) -> Iterator[str]:
    """The lines of a binary stream without their LF, one at a time, nor a byte order mark at its
    start; `name` is for messages.

    Raises UserError, naming the line, at invalid UTF-8, at a damaged or cut-off packed stream, and
    at a line of more than LONGEST_LINE bytes.
    """
    done = 0
    try:
        if isinstance(stream, io.BufferedIOBase) and hasattr(stream, "peek"):
            refuse_other(stream.peek(HEAD)[:HEAD], name)
        while line := stream.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise too_long(name, done + 1)
            if not done:
                line = line.removeprefix(BYTE_ORDER_MARK.encode())
            yield line.removesuffix(b"\n").decode("utf-8")
            done += 1
    except UnicodeDecodeError as error:
        raise UserError(
            f"{name}, line {done + 1}: invalid UTF-8 (byte {error.object[error.start]:#04x} at "
            f"position {error.start}): convert the file to UTF-8"
        ) from None
    except DAMAGE as error:
        raise damaged(name, error, f" after line {done}") from None


def too_long(name: str, line: int) -> UserError:
    """The error at a line of more than LONGEST_LINE bytes."""
    advice = "give a text, with an LF at the end of each line"
    return UserError(f"{name}, line {line}: longer than {LONGEST_LINE} bytes: {advice}")


def damaged(name: object, error: Exception, place: str = "") -> UserError:
    """The error for the user at one of `DAMAGE`, at a `place` in a file."""
    if isinstance(error, OSError) and error.errno:
        return UserError(f"{name}: cannot be read{place} ({error.strerror}): check its disk")
    advice = "fetch it again, or take .gz off the name of a plain file"
    return UserError(f"{name}: damaged packed file{place} ({error}): {advice}")


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a text file without their LF, one at a time. Raises UserError as `decode_lines`
    does, and if there is no such file."""
    with open_binary(path) as stream:
        yield from decode_lines(stream, str(path))


def read_pairs(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """The lines of two files side by side.

    Raises UserError with both counts if one file has more lines than the other.
    """
    sides = (read_lines(source), read_lines(target))
    for number, (left, right) in enumerate(zip_longest(*sides), start=1):
        if left is None or right is None:
            rest = sum(1 for side in sides for _ in side)  # one of the two is at its end
            longer, shorter = number + rest, number - 1
            counts = (shorter, longer) if left is None else (longer, shorter)
            raise UserError(
                f"{source} has {counts[0]} lines and {target} has {counts[1]}: "
                "the two sides of a parallel text need as many lines as each other"
            )
        yield left, right


def count_lines(path: Path) -> int:
    """Number of lines of `path`, as `read_lines` counts them."""
    return sum(1 for _ in read_lines(path))


#: Suffix of a folder that is being made, beside the temporary file that is locked meanwhile.
FOLDER = ".folder"


def make_temporary(path: Path) -> tuple[int, Path]:
    """Make an empty file beside `path`; return its descriptor, which holds a lock on it, and it.

    No corpus file may have a ``=`` in its name, so the part of a download is never such a file.
    """
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}=", suffix=".part")
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.lexists(name):  # else another process took it for abandoned before the lock
            return handle, Path(name)
        os.close(handle)


def remove_abandoned(path: Path) -> None:
    """Remove the temporary files that killed processes left beside `path`, with their folders.

    A process that lives holds the lock on its own. Without locks nobody can tell: all stay. The
    folder of a temporary file has its name and the suffix of `FOLDER`: on NFS, no folder is locked.
    """
    for left in path.parent.glob(f".{glob.escape(path.name)}={'?' * 8}.part"):
        with contextlib.suppress(OSError):
            handle = os.open(left, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left.with_suffix(FOLDER), ignore_errors=True)
                left.unlink()
            finally:
                os.close(handle)


def open_plain(path: str, flags: int) -> int:
    """Open a file that is to be written, as `open` asks its opener to.

    Raises UserError if a link or the like lies there, which anybody may have laid in a folder that
    several users write.
    """
    try:
        # A pipe would be waited for.
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle
        os.close(handle)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise
    raise UserError(f"{path}: a link or the like, not a file: remove it")


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """The name of an empty file beside `path` that takes its place when the block ends well.

    Parent folders are made. If the block raises, nothing is left behind; what a killed process
    left is removed. Raises UserError if the disk is full or the folder is not writable.
    """
    temporary: Path | None = None
    handle = -1
    try:
        if path.is_symlink():
            if path.lstat().st_uid != os.geteuid():  # it may lead to a file that only we may write
                raise UserError(f"{path}: a link that another user made: remove it")
            path = Path(os.path.realpath(path))
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: a pipe or a device, which a file cannot take the place of")
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(path)
        handle, temporary = make_temporary(path)
        yield temporary
        with temporary.open("rb+") as raw:
            os.fsync(raw.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        elif isinstance(error, FileNotFoundError):  # its folder was made, or could not be
            raise UserError(
                f"{path.parent}: no file can be made here: choose another folder"
            ) from None
        if isinstance(error, OSError) and error.errno in REMEDIES:
            raise UserError(f"{path}: cannot be written, {REMEDIES[error.errno]}") from None
        raise
    finally:
        if handle >= 0:
            os.close(handle)  # not before the file has its name: until then the lock guards it


@contextlib.contextmanager
def open_made(path: Path, compressed: bool, mode: str) -> Iterator[IO[Any]]:
    """A stream into `path` that is on disk to its last byte when the block ends well."""
    with path.open("wb") as raw:
        with contextlib.ExitStack() as layers:
            stream: IO[Any] = raw
            if compressed:
                packed = gzip.GzipFile(
                    filename="", fileobj=raw, mode="wb", compresslevel=COMPRESSION, mtime=0
                )
                stream = layers.enter_context(io.BufferedWriter(packed, 1 << 16))  # type: ignore[type-var, assignment]
            if mode == "w":
                stream = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            yield stream
            stream.flush()
        raw.flush()
        os.fsync(raw.fileno())


@contextlib.contextmanager
def atomic_all(paths: Iterable[Path], mode: str = "w") -> Iterator[list[IO[Any]]]:
    """`atomic` for several files: none takes its place before all of them are written."""
    with contextlib.ExitStack() as places, contextlib.ExitStack() as streams:
        # The streams end first: no file takes its place before all are on disk.
        yield [
            streams.enter_context(
                open_made(places.enter_context(atomic_path(path)), path.suffix == ".gz", mode)
            )
            for path in paths
        ]


@contextlib.contextmanager
def atomic(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """`atomic_path` for content that this project makes: compressed if the name ends in ``.gz``.

    `mode` is ``w`` (UTF-8 text, lines end as written) or ``wb``.
    """
    with atomic_all([path], mode) as (stream,):
        yield stream


def write_lines(path: Path, lines: Iterable[str]) -> int:
    """Write `lines`, each ended by LF, and return how many there were."""
    count = 0
    with atomic(path) as out:
        for line in lines:
            out.write(line + "\n")
            count += 1
    return count


def write_pairs(source: Path, target: Path, pairs: Iterable[tuple[str, str]]) -> int:
    """Write the two sides of `pairs` line by line and return how many pairs there were."""
    count = 0
    with atomic_all([source, target]) as (source_out, target_out):
        for left, right in pairs:
            source_out.write(left + "\n")
            target_out.write(right + "\n")
            count += 1
    return count


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented JSON with sorted keys."""
    with atomic(path) as out:
        json.dump(content, out, ensure_ascii=False, indent=1, sort_keys=True)
        out.write("\n")


def read_json(path: Path) -> Any:
    """The content of a JSON file. Raises UserError if it is not JSON."""
    return parse_json(read_small(path), path)


def read_block(path: Path) -> dict[str, Any]:
    """The keys of a JSON file and their values. Raises UserError if it has something else."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a block of keys: make this file again")
    return content


def read_small(path: Path) -> bytes:
    """The content of a JSON file. Raises UserError if it cannot be read or has no end in sight."""
    refuse_special(path)
    with open_binary(path) as stream:
        try:
            content = stream.read(LARGEST_JSON + 1)
        except DAMAGE as error:
            raise damaged(path, error) from None
    if len(content) > LARGEST_JSON:
        raise UserError(f"{path}: larger than {LARGEST_JSON} bytes: not JSON: make this file again")
    return content


def parse_json(text: bytes | str, place: object, **options: Any) -> Any:
    """The content of JSON from a `place`: a file, or a file and line.

    `options` are those of `json.loads`. Raises UserError, naming the place, if it is not JSON.
    """
    try:
        return json.loads(text, **options)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place}: not JSON ({error}): make this file again") from None


def below(record: Any, *keys: str) -> Any:
    """The value under `keys` of nested dictionaries; None if there is none."""
    for key in keys:
        record = record.get(key) if isinstance(record, dict) else None
    return record


def file_digest(path: Path, kind: str | Callable[[], Any] = "sha256") -> str:
    """The digest of a file, of a `kind` of hashlib's. Raises UserError if it cannot be read."""
    refuse_special(path)
    open_binary(path).close()  # says so if there is no such file
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, kind).hexdigest()
    except OSError as error:
        raise damaged(path, error) from None


def check_recorded(path: Path, record: Path, key: str) -> None:
    """Raise UserError unless a file has the SHA-256 that a JSON file beside it holds at `key`.

    Where there is none, as in runs of earlier versions, nothing is checked.
    """
    digest = below(read_json(record), key)
    if digest is not None and file_digest(path) != digest:
        raise UserError(
            f"{path}: not the file that {record} was written for: damaged, or of another run: copy "
            "both again, or make both again"
        )
