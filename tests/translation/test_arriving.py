"""Lines from a file descriptor: whole, in order, and no later than they have to be."""

import gzip
import os
import threading

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.translation.arriving import GZIP, LINES, arriving


def read(path, content):
    path.write_bytes(content)
    with path.open("rb") as stream:
        return list(arriving(stream.fileno()))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("arriving") / "text"


@given(st.binary().map(lambda content: content.replace(b"x", b"\n")))
def test_any_bytes_are_lines(path, content):
    assume(not content.startswith(GZIP))
    expected = content.removesuffix(b"\n").split(b"\n") if content else []
    found = [line for lines in read(path, content) for line in lines]
    decoded = [line.decode("utf-8", errors="replace") for line in expected]
    assert found == [line.removeprefix("\ufeff" * (n == 0)) for n, line in enumerate(decoded)]


@pytest.mark.parametrize("size", [1, 2, 30])
def test_compressed_text_is_refused_however_it_comes(size):
    """Bytes that UTF-8 cannot begin with, so that no text is refused."""
    reading, writing = os.pipe()
    packed = gzip.compress(b"one\ntwo\n")
    os.write(writing, packed[:size])
    if size == 1:
        later = threading.Timer(0.1, os.write, (writing, packed[1:]))
        later.start()
    with pytest.raises(UserError, match=r"standard input: compressed by gzip: `zcat FILE \| "):
        next(arriving(reading))
    with pytest.raises(UnicodeDecodeError):
        packed[:2].decode()
    if size == 1:
        later.join()
    os.close(writing)
    os.close(reading)


def test_many_lines_come_in_lists(path):
    lists = read(path, b"".join(b"%d\n" % number for number in range(3 * LINES + 1)))
    assert [line for lines in lists for line in lines] == list(map(str, range(3 * LINES + 1)))
    assert max(map(len, lists)) == LINES


def test_a_long_line_stays_whole(path):
    [[first, second]] = read(path, b"a" * 3_000_000 + b"\nb")
    assert (len(first), second) == (3_000_000, "b")


def test_a_line_comes_as_soon_as_it_is_there():
    reading, writing = os.pipe()
    lines = arriving(reading)
    os.write(writing, b"one\ntw")
    assert next(lines) == ["one"]
    os.write(writing, b"o\n\nthree")
    assert next(lines) == ["two", ""]
    os.close(writing)
    assert next(lines) == ["three"]
    assert list(lines) == []
    os.close(reading)
