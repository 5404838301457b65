import errno
import gzip
import io
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextnmt.corpus.counts import read_counts
from contextnmt.errors import UserError
from contextnmt.files import (
    atomic,
    atomic_path,
    count_lines,
    decode_lines,
    file_digest,
    read_json,
    read_lines,
    read_pairs,
    write_json,
    write_lines,
    write_pairs,
)
from contextnmt.selection import language_model
from contextnmt.text import vocabulary
from contextnmt.text.lexicon import read_lexicon
from contextnmt.text.rates import read_rates

#: One line each, although str.splitlines would cut them.
ODD_LINES = [
    "a\rb",
    "a\r",
    "\x0b",
    "a\x0cb",
    "\x1c\x1d\x1e",
    "\x85",
    "\u2028a\u2029",
    "",
    "é 火 😀",
]


@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_a_line_ends_at_lf_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / "new" / "folder" / name
    assert write_lines(path, ODD_LINES) == len(ODD_LINES)
    assert list(read_lines(path)) == ODD_LINES
    assert count_lines(path) == len(ODD_LINES)
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    assert content == "".join(line + "\n" for line in ODD_LINES).encode()


@pytest.mark.parametrize(("content", "lines"), [(b"a\n\nb", ["a", "", "b"]), (b"", [])])
def test_a_last_line_without_lf_is_a_line(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    (tmp_path / "text").write_bytes(content)
    assert list(read_lines(tmp_path / "text")) == lines


@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_invalid_utf8_names_file_line_and_byte(tmp_path: Path, name: str) -> None:
    with atomic(tmp_path / name, "wb") as out:
        out.write(b"fine\nd\xe9j\xe0\n")
    with pytest.raises(
        UserError, match=rf"{name}, line 2: invalid UTF-8 \(byte 0xe9 at position 1\)"
    ):
        list(read_lines(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "message"),
    [("text", "text: no such file"), ("x.gz", "x.gz: no such file"), ("", "cannot be read")],
)
def test_missing_and_unreadable_files_are_named(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        count_lines(tmp_path / name)


@pytest.mark.parametrize("kind", ["cut", "flipped", "page"])
def test_a_damaged_gzip_file_is_never_taken_for_a_short_one(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "text.gz"
    write_lines(path, (str(n * n * 7919 % 100003) for n in range(20000)))
    content = path.read_bytes()
    half, flipped = len(content) // 2, bytes(byte ^ 0xFF for byte in content)
    damaged = {
        "cut": content[:half],
        "flipped": content[:half] + flipped[half : half + 200] + content[half + 200 :],
        "page": b"<html>Not found</html>",
    }
    path.write_bytes(damaged[kind])
    with pytest.raises(
        UserError, match=r"text\.gz: damaged packed file after line \d+ .*fetch it again"
    ):
        count_lines(path)


def test_what_has_no_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("LONGEST_LINE", "LARGEST_JSON"):
        monkeypatch.setattr(f"contextnmt.files.{limit}", 1 << 16)
    path = tmp_path / "endless"
    path.write_bytes(b"first\n" + b"a" * (1 << 16) + b"\n")
    with pytest.raises(UserError, match=r"endless, line 2: longer than 65536 bytes: give a text"):
        count_lines(path)
    with pytest.raises(UserError, match=r"endless: larger than 65536 bytes: not JSON"):
        read_json(path)


@pytest.mark.parametrize(
    "read",
    [
        read_counts,
        read_lexicon,
        vocabulary.Vocabulary.read,
        language_model.Vocabulary.read,
        lambda path: list(read_rates(path)),
    ],
)
def test_a_message_shows_the_beginning_of_a_long_line_alone(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    (tmp_path / "text").write_text("word " * 10_000 + "\n")
    with pytest.raises(UserError, match=r"line 1: .*word word") as caught:
        read(tmp_path / "text")
    assert len(str(caught.value)) < 400


class BrokenDisk(io.RawIOBase):
    """A file of which only the beginning can be read."""

    beginning = b"line\n"

    def readable(self) -> bool:
        return True

    def readinto(self, place: Any) -> int:
        if not self.beginning:
            raise OSError(errno.EIO, "Input/output error")
        place[: len(self.beginning)], self.beginning = self.beginning, b""
        return 5


def test_a_disk_that_fails_on_the_way_is_told() -> None:
    with pytest.raises(
        UserError, match=r"^text: cannot be read after line 1 \(Input/output error\)"
    ):
        list(decode_lines(io.BufferedReader(BrokenDisk()), "text"))


def test_a_file_whose_digest_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="text: no such file"):
        file_digest(tmp_path / "text")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="pipe: a folder, a pipe or a device"):
        file_digest(tmp_path / "pipe")
    monkeypatch.setattr(Path, "open", lambda *_: io.BufferedReader(BrokenDisk()))
    (tmp_path / "text").touch()
    with pytest.raises(UserError, match=r"text: cannot be read \(Input/output error\): check its"):
        file_digest(tmp_path / "text")


@pytest.mark.parametrize(("left", "right"), [(3, 5), (5, 3), (0, 1)])
def test_unequal_sides_say_both_counts(tmp_path: Path, left: int, right: int) -> None:
    source, target = tmp_path / "t.en", tmp_path / "t.fr.gz"
    write_lines(source, ["a"] * left)
    write_lines(target, ["b"] * right)
    with pytest.raises(UserError, match=rf"t\.en has {left} lines and .*t\.fr\.gz has {right}:"):
        list(read_pairs(source, target))


def test_pairs_come_back_as_written(tmp_path: Path) -> None:
    pairs = list(zip(ODD_LINES, reversed(ODD_LINES), strict=True))
    sides = tmp_path / "t.en.gz", tmp_path / "t.fr"
    assert write_pairs(*sides, iter(pairs)) == len(pairs)
    assert list(read_pairs(*sides)) == pairs


@pytest.mark.parametrize(("name", "mode"), [("text", "w"), ("text.gz", "wb"), ("text.gz", "w")])
def test_a_block_that_fails_leaves_the_old_file(tmp_path: Path, name: str, mode: str) -> None:
    path = tmp_path / name
    write_lines(path, ["old"])
    with pytest.raises(KeyboardInterrupt), atomic(path, mode) as out:
        out.write("new\n" * 100_000 if mode == "w" else b"new\n" * 100_000)
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == [path]
    assert list(read_lines(path)) == ["old"]


def test_a_new_file_removes_what_killed_processes_left_of_it_and_nothing_else(
    tmp_path: Path,
) -> None:
    path = tmp_path / "text[1]"
    abandoned = tmp_path / ".text[1]=abcd_123.part"
    others = [".text[1].part", ".text[1]x=abcd_123.part", ".text1=abcd_123.part", "text[1].part"]
    for name in [abandoned.name, *others]:
        (tmp_path / name).touch()
    with atomic_path(path) as living:
        write_lines(path, ["a"])
        assert living.exists()
        living.write_text("b\n")
    assert list(read_lines(path)) == ["b"]
    assert {each.name for each in tmp_path.iterdir()} == {path.name, *others}


def test_equal_text_gives_equal_bytes(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        write_lines(tmp_path / name, ODD_LINES)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_lines(tmp_path / "text", ["a"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "text").stat().st_mode) == 0o640


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
@pytest.mark.parametrize(("name", "lines"), [("text", 1), ("text.gz", 1), ("text.gz", 200_000)])
def test_a_full_disk_is_explained_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, lines: int
) -> None:
    make = tempfile.mkstemp

    def make_on_full_disk(**arguments: Any) -> tuple[int, str]:
        handle, path = make(**arguments)
        Path(path).unlink()
        Path(path).symlink_to("/dev/full")
        return handle, path

    monkeypatch.setattr(tempfile, "mkstemp", make_on_full_disk)
    with pytest.raises(UserError, match=rf"{name}: cannot be written, the disk is full: free some"):
        write_lines(tmp_path / name, (str(n * n) for n in range(lines)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "message"),
    [(errno.EACCES, "not writable"), (errno.EROFS, "read-only"), (errno.EDQUOT, "quota")],
)
def test_a_folder_that_takes_no_files_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, message: str
) -> None:
    def refuse(**_: Any) -> tuple[int, str]:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    with pytest.raises(UserError, match=f"cannot be written, the .*{message}"):
        write_lines(tmp_path / "text", ["a"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("file/folder/text", "a part of the path is a file, not a folder"),
        ("folder", "there is a folder of that name"),
        (".", "there is a folder of that name"),
        ("pipe", "a pipe or a device"),
        ("a" * 300, "too long"),
        ("/proc/folder/x", "no file can be made here: choose another folder"),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match=message):
        write_lines(tmp_path / name, ["a"])
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder", "pipe"}
    assert (tmp_path / "pipe").is_fifo()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_lines(tmp_path / "link", ["a"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text(encoding="utf-8") == "a\n"


def test_a_link_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(UserError, match="link: a link that another user made"):
        write_lines(tmp_path / "link", ["a"])
    assert (tmp_path / "file").read_text() == "mine"


def test_json_is_sorted_and_named_where_it_is_broken(tmp_path: Path) -> None:
    content = {"b": [1, None, "é"], "a": {"\u2028": 0.5}}
    write_json(tmp_path / "x.json", content)
    assert read_json(tmp_path / "x.json") == content
    assert (tmp_path / "x.json").read_text().startswith('{\n "a"')
    (tmp_path / "bad.json").write_text('{\n"a": }')
    with pytest.raises(UserError, match=r"bad\.json: not JSON \(.*line 2"):
        read_json(tmp_path / "bad.json")
    (tmp_path / "cut.json").write_bytes(gzip.compress(b"{}")[:-1])
    with pytest.raises(UserError, match=r"cut\.json: damaged packed file"):
        read_json(tmp_path / "cut.json")
