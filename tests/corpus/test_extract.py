import gzip
import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from contextnmt.corpus.extract import extract
from contextnmt.errors import UserError
from contextnmt.files import read_lines

ENGLISH = "Hello.\nTwo\u2028in one\x0b, \x85 and\r more.\n\nEnd"
FRENCH = "Bonjour.\nDeux\u2028en un.\n\nFin\n"


def tar(path: Path, members: dict[str, bytes]) -> Path:
    """Write a tar archive, compressed unless its name ends in .tar."""
    with tarfile.open(path, "w" if path.suffix == ".tar" else "w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


@pytest.fixture
def outs(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "out" / "train.en.gz", tmp_path / "out" / "train.fr.gz"


def assert_no_output(outs: tuple[Path, Path]) -> None:
    assert not outs[0].parent.exists() or not list(outs[0].parent.iterdir())


@pytest.mark.parametrize("name", ["corpus.tar", "corpus.tgz", "corpus.tar.gz"])
def test_members_of_an_archive(tmp_path: Path, outs: tuple[Path, Path], name: str) -> None:
    archive = tar(
        tmp_path / name,
        {
            "other": b"\xff" * 5000,
            "./training/text.fr": FRENCH.encode(),
            "training/text.en.gz": gzip.compress(ENGLISH.encode()),
        },
    )
    extract(f"{archive}::training/text.en.gz", f"{archive}::training/text.fr", *outs, lines=4)
    assert list(read_lines(outs[0])) == ENGLISH.split("\n")
    assert gzip.decompress(outs[1].read_bytes()).decode() == FRENCH


def test_plain_and_gzip_files_lose_only_their_byte_order_mark(
    tmp_path: Path, outs: tuple[Path, Path]
) -> None:
    (tmp_path / "text.en").write_bytes("\ufeffa \ufeff b\r\nc".encode())
    (tmp_path / "text.fr.gz").write_bytes(gzip.compress("\ufeffd\n\ufeffe\n".encode()))
    extract(str(tmp_path / "text.en"), str(tmp_path / "text.fr.gz"), *outs)
    assert gzip.decompress(outs[0].read_bytes()).decode() == "a \ufeff b\r\nc\n"
    assert gzip.decompress(outs[1].read_bytes()).decode() == "d\n\ufeffe\n"


def test_invalid_utf8_names_member_and_line(tmp_path: Path, outs: tuple[Path, Path]) -> None:
    archive = tar(tmp_path / "c.tgz", {"t.en": b"a\nb\n", "t.fr": b"a\nd\xe9j\xe0\n"})
    with pytest.raises(UserError, match=r"c\.tgz::t\.fr, line 2: invalid UTF-8 .*0xe9"):
        extract(f"{archive}::t.en", f"{archive}::t.fr", *outs)
    assert_no_output(outs)


@pytest.mark.parametrize(
    ("english", "french", "lines", "message"),
    [
        (b"a\nb\n", b"a\n", None, r"t\.en has 2 lines and .*t\.fr has 1: the two sides"),
        (b"a\nb\n", b"a\nb\n", 3, r"t\.en has 2 lines .*: 3 were expected"),
        (b"", b"", None, "empty text"),
    ],
)
def test_line_counts_are_checked(
    tmp_path: Path,
    outs: tuple[Path, Path],
    english: bytes,
    french: bytes,
    lines: int | None,
    message: str,
) -> None:
    (tmp_path / "t.en").write_bytes(english)
    (tmp_path / "t.fr").write_bytes(french)
    with pytest.raises(UserError, match=message):
        extract(str(tmp_path / "t.en"), str(tmp_path / "t.fr"), *outs, lines=lines)
    assert_no_output(outs)


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ("c.tgz::text.frr", r"no such member; the archive has text\.fr"),
        ("c.tgz::../text.fr", "unsafe name"),
        ("c.tgz::/text.fr", "unsafe name"),
        ("c.tgz::link", "not a regular file"),
        ("c.tgz", "c.tgz::MEMBER"),
        ("missing.tgz::text.fr", "missing.tgz: no such file"),
        ("missing.fr", "missing.fr: no such file"),
        ("cut.tgz::text.fr", "cut.tgz: damaged tar archive"),
        ("cut.tar.gz::text.fr", "cut.tar.gz::text.fr: damaged gzip file after line"),
        ("page.tgz::text.fr", "page.tgz: damaged tar archive"),
        ("page.gz", "page.gz: damaged gzip file"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path,
    outs: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    side: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    noise = "".join(f"{n * n * 7919 % 100003}\n" for n in range(20000)).encode()
    whole = tar(tmp_path / "c.tgz", {"text.fr": noise})
    for name in ("cut.tgz", "cut.tar.gz"):
        (tmp_path / name).write_bytes(whole.read_bytes()[:20000])
    with tarfile.open(tmp_path / "c.tgz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("text.fr"))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    for name in ("page.tgz", "page.gz"):
        (tmp_path / name).write_text("<html>Not found</html>")
    with pytest.raises(UserError, match=message):
        extract(side, side, *outs)
    assert_no_output(outs)


def test_a_file_with_another_digest_is_refused_before_it_is_read(
    tmp_path: Path, outs: tuple[Path, Path]
) -> None:
    paths = tmp_path / "t.en", tmp_path / "t.fr"
    for path, content in zip(paths, (ENGLISH, FRENCH), strict=True):
        path.write_text(content, newline="")
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
    sides = f"{paths[0]}", f"{paths[1]}"
    for wrong, options in (
        (paths[0], {"source_sha256": "0" * 64, "target_sha256": digests[1]}),
        (paths[1], {"source_sha256": digests[0], "target_sha256": "0" * 64}),
    ):
        with pytest.raises(UserError) as caught:
            extract(*sides, *outs, **options)
        for part in (f"{wrong}: ", "0" * 64, "delete it"):
            assert part in str(caught.value)
        assert_no_output(outs)
    extract(*sides, *outs, source_sha256=digests[0], target_sha256=digests[1])
    assert outs[0].is_file()
