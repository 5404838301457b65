"""The results of a kit, back where it was packed."""

import hashlib
import json
import os
import shutil
import tarfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import atomic_path
from contextnmt.planning.collect import MANIFEST, digest

#: Folders of results/PRESET/ that tell of jobs and may be replaced by those of a later call.
PASSING = {"logs", "benchmarks"}
#: The largest manifest, in bytes: of some 100,000 files.
LARGEST = 2**24


def unpack(
    returned: Annotated[Path, typer.Argument(help="returned.tar.gz of a kit")],
    force: Annotated[bool, typer.Option("--force", help="replace results that differ")] = False,
) -> None:
    """Lay the results of a kit into results/ of this folder.

    Snakemake then goes on from there: it makes scores and reports of the translations without
    training again, unless something reads the weights and they were left behind. Nothing is
    written if a digest or name is wrong, or, without --force, if a result here differs. With
    --force, weights go that are of another training than the model.json returned.

    Example: contextnmt unpack returned.tar.gz
    """
    try:
        members = checked(returned, force)
        laid = {Path(member.name) for member in members}
        models = {
            path: digest(path) for path in laid if path.name == "model.json" and path.exists()
        }
        later = time.time() - max((member.mtime for member in members), default=0)
        for member, stream in streams(returned):
            with atomic_path(Path(member.name)) as path:
                with path.open("wb") as out:
                    shutil.copyfileobj(stream, out)
                # Younger than what is here, whatever the other machine's clock says.
                os.utime(path, (member.mtime + later,) * 2)
    except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as error:
        raise UserError(f"{returned}: cannot be read ({error}): copy it again") from None
    for model, before in models.items():
        if digest(model) != before:  # weights of another training
            for path in set(model.parent.iterdir()) - laid:
                if path.is_file():
                    path.unlink()
    print(f"{len(members)} files laid into results/")


def checked(returned: Path, force: bool) -> list[tarfile.TarInfo]:
    """The results in an archive. Raises UserError if one may not be laid here."""
    with tarfile.open(returned) as archive:
        first = archive.next()
        whole = first is not None and first.name == MANIFEST and first.size <= LARGEST
        listing = archive.extractfile(first) if first and whole else None
        if listing is None:
            raise UserError(f"{returned}: no results of a kit: it does not begin with {MANIFEST}")
        digests = json.load(listing)
        if not isinstance(digests, dict):
            raise UserError(f"{returned}: {MANIFEST}: not what a kit writes: copy it again")
    members = []
    for member, stream in streams(returned):
        stated, path = digests.pop(member.name, None), Path(member.name)
        if hashlib.file_digest(stream, "sha256").hexdigest() != stated:  # type: ignore[arg-type]
            raise UserError(f"{returned}: {path}: does not have its digest: copy it again")
        passing = force or path.parts[2] in PASSING or path.parent.name == "state"
        if not passing and path.is_file() and digest(path) != stated:
            raise UserError(f"{path}: differs from the one here: say --force to replace results")
        members.append(member)
    if digests:
        raise UserError(f"{returned}: {min(digests)}: missing: copy it again")
    return members


def streams(returned: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """The results in an archive with their content. Raises UserError at anything else."""
    with tarfile.open(returned) as archive:
        for member in archive:
            parts = PurePosixPath(member.name).parts
            if member.name == MANIFEST:
                continue
            plain = member.isreg() and not member.issparse() and "/".join(parts) == member.name
            if not plain or parts[:1] != ("results",) or ".." in parts or len(parts) < 3:
                raise UserError(f"{returned}: {member.name}: no file below results/: refused")
            stream = archive.extractfile(member)
            assert stream is not None
            yield member, stream
