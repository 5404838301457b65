"""Stage *extract*: the two sides of a parallel text, out of whatever they were packed in."""

import contextlib
import difflib
import gzip
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import atomic, decode_lines, open_binary, sha256
from contextnmt.progress import progress

BYTE_ORDER_MARK = "\ufeff"
ARCHIVES = (".tar", ".tar.gz", ".tgz")


@contextlib.contextmanager
def open_member(archive: Path, member: str) -> Iterator[IO[bytes]]:
    """Open one file of a tar archive, itself uncompressed if its name ends in ``.gz``.

    The archive is read from its start up to the member; nothing is unpacked. Raises UserError if
    the archive is damaged or has no such file, and at names that lead out of the archive.
    """
    if PurePosixPath(member).is_absolute() or ".." in PurePosixPath(member).parts:
        raise UserError(f"{archive}::{member}: unsafe name: it leads out of the archive")
    try:
        with open_binary(archive) as raw, tarfile.open(fileobj=raw, mode="r|*") as opened:
            stream = find_member(opened, archive, member)
            yield gzip.GzipFile(fileobj=stream) if member.endswith(".gz") else stream  # type: ignore[misc]
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{archive}: damaged tar archive ({error}): fetch it again") from None


def find_member(opened: tarfile.TarFile, archive: Path, member: str) -> IO[bytes]:
    """The regular file `member` of an opened archive; UserError names its neighbours if none."""
    names = []
    for entry in opened:
        names.append(entry.name.removeprefix("./"))
        if names[-1] == member.removeprefix("./"):
            stream = opened.extractfile(entry) if entry.isfile() else None
            if stream is None:
                raise UserError(f"{archive}::{member}: not a regular file")
            return stream
    near = difflib.get_close_matches(member, names, n=5, cutoff=0) or ["nothing"]
    raise UserError(f"{archive}::{member}: no such member; the archive has {', '.join(near)}")


def file_of(side: str) -> Path:
    """The file or archive of ``FILE`` or ``ARCHIVE::MEMBER``."""
    return Path(side.partition("::")[0])


def check_digest(file: Path, expected: str | None) -> None:
    """Raise UserError if `file` is there but its SHA-256 is not the `expected` one, if any."""
    if expected is None or not file.is_file():
        return
    found = sha256(file)
    if found != expected:
        raise UserError(
            f"{file}: not the expected file: expected SHA-256 {expected}, got {found}: delete it "
            "and fetch it again; if its publisher has changed it, correct `sha256`"
        )


def read_side(side: str) -> Iterator[str]:
    """The lines of ``FILE`` or ``ARCHIVE::MEMBER``, without a byte order mark.

    Raises UserError, naming file, member and line, if the text is missing, damaged or not UTF-8.
    """
    name, _, member = side.partition("::")
    if name.endswith(ARCHIVES) and not member:
        raise UserError(f"{name}: an archive holds several files: write {name}::MEMBER")
    packed = open_member(Path(name), member) if member else open_binary(Path(name))
    with packed as stream:
        for number, line in enumerate(decode_lines(stream, side)):
            yield line.removeprefix(BYTE_ORDER_MARK) if number == 0 else line


def copy_lines(lines: Iterable[str], out: IO[str]) -> int:
    """Write `lines` to `out`, each ended by LF, and return how many there were."""
    count = 0
    for line in lines:
        out.write(line + "\n")
        count += 1
    return count


def check_counts(source: str, target: str, counts: list[int], expected: int | None) -> None:
    """Raise UserError unless both sides have the same, expected, positive number of lines."""
    found = f"{source} has {counts[0]} lines and {target} has {counts[1]}"
    if counts[0] != counts[1]:
        raise UserError(f"{found}: the two sides of a parallel text need as many as each other")
    if counts[0] == 0:
        raise UserError(f"{found}: an empty text is of no use; check the names of its files")
    if expected is not None and counts[0] != expected:
        raise UserError(f"{found}: {expected} were expected; correct `lines` or the files")


def extract(
    source: Annotated[str, typer.Option(help="Source side: FILE, FILE.gz or ARCHIVE::MEMBER.")],
    target: Annotated[str, typer.Option(help="Target side, in the same way.")],
    source_out: Annotated[Path, typer.Option(help="Source side to write, one sentence a line.")],
    target_out: Annotated[Path, typer.Option(help="Target side to write.")],
    lines: Annotated[int | None, typer.Option(help="Lines that both sides must have.")] = None,
    source_sha256: Annotated[
        str | None, typer.Option(help="SHA-256 that the source side's file must have.")
    ] = None,
    target_sha256: Annotated[
        str | None, typer.Option(help="SHA-256 that the target side's file must have.")
    ] = None,
) -> None:
    """Take both sides of one parallel text out of a tar archive or a plain or gzip file.

    A line ends at LF alone. Text must be UTF-8; a byte order mark is removed and nothing else
    changed. Both sides must have the same number of lines, which must be --lines where given.
    A file with another SHA-256 than the one given is refused before it is read.

    Example: contextnmt extract --source corpus.tgz::train.en --target corpus.tgz::train.fr
    --source-out train.en.gz --target-out train.fr.gz --lines 2007723
    """
    digests = {file_of(source): source_sha256, file_of(target): target_sha256}
    for file, digest in digests.items():
        check_digest(file, digest)
    with atomic(source_out) as source_stream, atomic(target_out) as target_stream:
        counts = [
            copy_lines(progress(read_side(side), f"extract {out.name}", "lines", lines), stream)
            for side, out, stream in (
                (source, source_out, source_stream),
                (target, target_out, target_stream),
            )
        ]
        check_counts(source, target, counts, lines)
