"""Characters at which other programs break lines or stop, through extract and tokenize."""

from pathlib import Path

import pytest

from contextnmt.corpus.archive import LINES_TO_AN_INVALID_ONE
from contextnmt.corpus.extract import extract, read_side
from contextnmt.corpus.tokenize import tokenize
from contextnmt.errors import UserError
from contextnmt.files import read_lines

#: What parts words for the tokenizer, what it drops, and what is a token of its own.
BLANKS, DROPPED, TOKENS = "\r\x0b\x0c\x1c\x85\u2028\u2029\xa0", "\0\x1b", "\u200b\u200d\ufffd"


def prepared(folder: Path, source: bytes, target: bytes) -> list[tuple[list[str], list[str]]]:
    """The lines of both sides after extract and after tokenize."""
    raw, text, words = (
        [folder / f"{step}.{language}{gz}" for language in ("en", "fr")]
        for step, gz in (("raw", ""), ("text", ".gz"), ("words", ".gz"))
    )
    for path, content in zip(raw, (source, target), strict=True):
        path.write_bytes(content)
    extract(*map(str, raw), *([path] for path in text))
    tokenize(*text, "en", "fr", *words)
    return [(list(read_lines(en)), list(read_lines(fr))) for en, fr in (text, words)]


def test_no_character_but_lf_ends_a_line(tmp_path: Path) -> None:
    characters = BLANKS + DROPPED + TOKENS
    lines = ["first", *(f"a{c}b" for c in characters)]
    lines += [line for c in characters for line in (f"{c}a", f"a{c}")]
    target = [f"{number}" for number in range(len(lines))]
    text, words = prepared(tmp_path, "\n".join(lines).encode(), "\n".join(target).encode())
    assert text == (lines, target)
    assert words[1] == target
    assert len(words[0]) == len(lines)
    expected = ["a b"] * len(BLANKS) + ["ab"] * len(DROPPED) + [f"a {c} b" for c in TOKENS]
    assert words[0][: len(expected) + 1] == ["first", *expected]


def test_a_cr_at_a_lines_end_and_byte_order_marks_vanish(tmp_path: Path) -> None:
    (text, _), (words, _) = prepared(tmp_path, "\ufeffone\r\n\ufefftwo\n".encode(), b"un\ndeux\n")
    assert text == ["one\r", "two"]
    assert words == ["one", "two"]


def test_a_few_invalid_lines_are_mended_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [b"word"] * (2 * LINES_TO_AN_INVALID_ONE)
    lines[41], lines[1500] = b"d\xe9j\xe0 vu \xe2\x80", b"\xed\xa0\x80"
    (text, _), (words, _) = prepared(tmp_path, b"\n".join(lines), b"mot\n" * len(lines))
    assert text[41] == "d\ufffdj\ufffd vu \ufffd"
    assert "\ufffd" in words[41].split()
    assert text[42] == "word" and len(text) == len(lines)
    error = capsys.readouterr().err
    assert "raw.en, line 42: invalid UTF-8 (byte 0xe9 at position 1)" in error
    assert f"in 2 of {len(lines)} lines" in error


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.fr"
    for encoding, said in (
        ("latin-1", r"line 1: invalid UTF-8 .* of 5\d+ lines are: convert"),
        ("utf-16", "in UTF-16: convert it"),
    ):
        path.write_bytes("".join(f"ligne {n}, déjà vue\n" for n in range(5000)).encode(encoding))
        with pytest.raises(UserError, match=said):
            list(read_side(f"{path}"))


def test_a_file_with_cr_alone_at_its_lines_ends_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextnmt.corpus.archive.LONGEST_LINE", 1 << 16)
    path = tmp_path / "mac.en"
    path.write_bytes(b"short\n" + b"A line.\r" * (1 << 15))
    with pytest.raises(UserError, match=r"mac\.en, line 2: longer than 65536 bytes: .* at LF"):
        list(read_side(f"{path}"))
