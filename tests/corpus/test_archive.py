import gzip
import io
import random
import tarfile
from pathlib import Path

import pytest

from contextnmt.corpus.archive import ALWAYS_ALLOWED, open_members
from contextnmt.errors import UserError

TYPES = {
    "symlink": tarfile.SYMTYPE,
    "hard link": tarfile.LNKTYPE,
    "device": tarfile.CHRTYPE,
    "folder": tarfile.DIRTYPE,
}


def entry(name: str, size: int = 0) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.size = size
    return made


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with texts and files of other types."""
    path = tmp_path / "c.tgz"
    with tarfile.open(path, "w:gz") as opened:
        for name, kind in TYPES.items():
            special = entry(name)
            special.type, special.linkname = kind, "b.txt"
            opened.addfile(special)
        opened.addfile(entry("./d/b.txt", 1), io.BytesIO(b"b"))
        opened.addfile(entry("d/a.txt", 1), io.BytesIO(b"a"))
    return path


def test_members_come_once_in_the_order_of_the_archive(archive: Path) -> None:
    found = [(n, s.read()) for n, s in open_members(archive, ["d/a.txt", "d/b.txt"])]
    assert found == [("d/b.txt", b"b"), ("d/a.txt", b"a")]


def test_the_rest_of_an_archive_is_not_read(archive: Path) -> None:
    noise = random.Random(1).randbytes(1 << 20)
    with tarfile.open(archive, "w:gz") as opened:
        for name in ("a", "b"):
            opened.addfile(entry(name, len(noise)), io.BytesIO(noise))
    archive.write_bytes(archive.read_bytes()[: len(noise) * 3 // 2])
    assert [stream.read() for _, stream in open_members(archive, ["a"])] == [noise]
    with pytest.raises(UserError, match=r"c\.tgz: damaged or cut off"):
        list(open_members(archive, ["c"]))


@pytest.mark.parametrize("name", TYPES)
def test_what_is_no_plain_file_is_refused(archive: Path, name: str) -> None:
    with pytest.raises(UserError, match=f"::{name}: a link, a device or the like"):
        list(open_members(archive, [name]))


def test_a_missing_member_is_told_with_its_neighbours(archive: Path) -> None:
    with pytest.raises(UserError, match=r"c\.tgz::d/c\.txt: no such member; .*d/a\.txt"):
        list(open_members(archive, ["d/a.txt", "d/c.txt"]))


def test_a_bomb_is_refused_by_its_declared_size(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tgz"
    for names in (["bomb"], ["bomb", "text"]):  # wanted, and in the way of what is wanted
        with gzip.open(path, "wb") as packed:
            packed.write(entry("bomb", 8 << 30).tobuf())
        with pytest.raises(UserError, match=r"bomb\.tgz: up to its member bomb it unpacks to more"):
            list(open_members(path, names[-1:]))
    with tarfile.open(path, "w:gz") as opened:
        opened.addfile(entry("text", ALWAYS_ALLOWED // 8), io.BytesIO(bytes(ALWAYS_ALLOWED // 8)))
    _, stream = next(open_members(path, ["text"]))
    assert stream.read(1) == b"\0"


def test_a_name_of_any_size_is_not_read_into_memory(tmp_path: Path) -> None:
    path, name = tmp_path / "names.tgz", entry("././@LongLink", 1 << 30)
    name.type = tarfile.GNUTYPE_LONGNAME
    with gzip.open(path, "wb") as packed:
        packed.write(name.tobuf())
    with pytest.raises(UserError, match=r"names\.tgz: damaged .*a name of 1073741824 bytes"):
        list(open_members(path, ["text"]))


def test_a_sparse_file_is_refused(tmp_path: Path) -> None:
    """Its zeros stand nowhere in the archive."""
    path, sparse = tmp_path / "sparse.tar", entry("text")
    numbers = {"map": "0,0", "size": "60000000", "numblocks": "1"}
    sparse.pax_headers = {f"GNU.sparse.{key}": value for key, value in numbers.items()}
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as opened:
        opened.addfile(sparse)
    with pytest.raises(UserError, match="not a plain file"):
        list(open_members(path, ["text"]))
