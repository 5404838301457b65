"""Members of archives, and segments of SGM."""

import contextlib
import gzip
import io
import random
import tarfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.corpus.archive import ALWAYS_ALLOWED, open_members, segments
from contextnmt.errors import UserError

pytestmark = pytest.mark.memory(64 << 20)


def entry(name: str, size: int = 0) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.size = size
    return made


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with two texts."""
    path = tmp_path / "c.tgz"
    with tarfile.open(path, "w:gz") as opened:
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


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE]
)
def test_what_is_no_plain_file_is_refused(tmp_path: Path, kind: bytes) -> None:
    special = entry("special")
    special.type, special.linkname = kind, "b.txt"
    with tarfile.open(tmp_path / "c.tar", "w") as opened:
        opened.addfile(special)
    with pytest.raises(UserError, match="::special: a link, a device or the like"):
        list(open_members(tmp_path / "c.tar", ["special"]))


def test_a_missing_member_is_told_with_its_neighbours(archive: Path) -> None:
    with pytest.raises(UserError, match=r"c\.tgz::d/c\.txt: no such member; .*d/a\.txt"):
        list(open_members(archive, ["d/a.txt", "d/c.txt"]))


def test_a_bomb_is_refused_by_its_declared_size(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tgz"
    for names in (["bomb"], ["bomb", "text"]):  # wanted, and in the way of what is wanted
        with gzip.open(path, "wb") as packed:
            packed.write(entry("bomb", 8 << 30).tobuf())
        with pytest.raises(
            UserError, match=r"bomb\.tgz: up to its member 'bomb' it unpacks to more"
        ):
            list(open_members(path, names[-1:]))
    with tarfile.open(path, "w:gz") as opened:
        opened.addfile(entry("text", ALWAYS_ALLOWED // 8), io.BytesIO(bytes(ALWAYS_ALLOWED // 8)))
    _, stream = next(open_members(path, ["text"]))
    assert stream.read(1) == b"\0"


def blocks(
    kind: bytes, content: bytes = b"", size: int | None = None, name: str = "header"
) -> bytes:
    """A header of this type and what it announces."""
    header = entry(name, len(content) if size is None else size)
    header.type = kind
    return header.tobuf() + content + bytes(-len(content) % tarfile.BLOCKSIZE)


def record(key: str, value: str) -> bytes:
    """A record of pax; its length counts its own two digits."""
    return f"{len(key) + len(value) + 5} {key}={value}\n".encode()


TEXT, NEXT = (blocks(tarfile.REGTYPE, b"a", name=f"./{name}") for name in ("text", "next"))


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        (blocks(b"L", b"", 1 << 30), "a header of 1073741824 bytes"),
        (blocks(b"x", b"", 1 << 30), "a header of 1073741824 bytes"),
        (blocks(b"g", b"", 1 << 30), "a header of 1073741824 bytes"),
        (blocks(b"L", bytes(600_000)) * 2, "a header of 600000 bytes"),  # both of one entry
        (blocks(b"x", b"2 " * 499_999 + b"2="), "a damaged record"),  # hours, in old Python
        (blocks(b"x", b"11 path=ab\n9"), "a damaged record"),
        (blocks(b"x", b"999 path=ab\n"), "a damaged record"),
        (blocks(b"x", record("size", "-5000")), "an entry of b'-5000' bytes"),
        (blocks(b"L", b"text") + bytes(1024), "a name without a file"),
    ],
)
def test_a_header_that_is_damaged_or_large_is_refused(
    tmp_path: Path, headers: bytes, message: str
) -> None:
    path = tmp_path / "c.tgz"
    path.write_bytes(gzip.compress(headers + TEXT))
    with pytest.raises(UserError, match=rf"c\.tgz: damaged or cut off \({message}"):
        list(open_members(path, ["text"]))


def test_headers_for_all_entries_fill_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "c.tgz"
    with gzip.open(path, "wb", 1) as packed:
        for number in range(100, 120):
            keys = (record(f"{number}.{key:06}", "") for key in range(40_000))
            packed.write(blocks(tarfile.XGLTYPE, b"".join(keys)) + NEXT)
        packed.write(TEXT)
    assert [stream.read() for _, stream in open_members(path, ["text"])] == [b"a"]


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_names_have_any_letters_and_many(tmp_path: Path, form: int) -> None:
    name = f"a folder/{'é=' * 200}\n1"
    with tarfile.open(tmp_path / "c.tar", "w", format=form) as opened:
        opened.addfile(entry(name, 1), io.BytesIO(b"a"))
        opened.addfile(entry("b", 1), io.BytesIO(b"b"))
    found = [(n, s.read()) for n, s in open_members(tmp_path / "c.tar", ["b", name])]
    assert found == [(name, b"a"), ("b", b"b")]


def sparse_map(blocks_after: int) -> bytes:
    """An entry of GNU's older form with so many blocks of 21 pieces each."""
    header = bytearray(entry("text", 1).tobuf())
    header[156:157], header[482] = tarfile.GNUTYPE_SPARSE, 1
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    block = (b"00000001001\0" * 42)[:504] + b"\1" + bytes(7)
    return bytes(header) + block * blocks_after + bytes(512) + TEXT[512:]


@pytest.mark.parametrize(
    "made",
    [
        sparse_map(30_000),
        blocks(b"x", record("GNU.sparse.map", "0,0") + record("GNU.sparse.size", "60000000"))
        + TEXT,
        blocks(b"x", record("GNU.sparse.major", "1") + record("GNU.sparse.name", "text"))
        + blocks(tarfile.REGTYPE, b"9999999999\n" + b"1\n" * 9999),
    ],
    ids=["1988", "0.1", "1.0"],
)
def test_a_sparse_file_is_refused(tmp_path: Path, made: bytes) -> None:
    """Its zeros stand nowhere in the archive, and its map may be of any size."""
    path = tmp_path / "sparse.tgz"
    path.write_bytes(gzip.compress(made))
    with pytest.raises(UserError, match="not a plain file"):
        list(open_members(path, ["text"]))
    path.write_bytes(gzip.compress(made + NEXT))
    assert [stream.read() for _, stream in open_members(path, ["next"])] == [b"a"]


#: Laid out as the test sets of WMT are.
FILE = """<refset setid="newstest2014" srclang="any" trglang="fr">
<doc sysid="ref" docid="1-bbc" genre="news" origlang="en">
<hl><seg id="1">R&amp;D: 1 &lt; 2 &#8211; &quot;oui&quot;</seg></hl>
<p>
  <SEG id="2" >  Deux\tblancs \r</SEG>
<seg id="3">Une phrase
qui va
  plus loin.</seg><seg id="4"></seg>
<seg
id="5">lost: its mark is on two lines</seg>
</p>
</doc>
</refset>
"""


def test_segments_are_taken_line_by_line() -> None:
    assert list(segments(FILE, "f.sgm")) == [
        'R&D: 1 < 2 – "oui"',
        "Deux blancs",
        "Une phrase qui va plus loin.",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&amp;lt;", "&lt;"),  # decoded once
        ("AT&T &copy; &param=1 &amp", "AT&T &copy; &param=1 &amp"),
        ("l&apos;&#233;t&#xE9;&#10;b&#x2028;c", "l'été b c"),
        ("&#xD800; &#0; &#99999999;", "\ufffd \ufffd &#99999999;"),
    ],
)
def test_entities_are_decoded_once_and_only_those_of_xml(text: str, expected: str) -> None:
    assert list(segments(f"<seg>{text}</seg>", "f.sgm")) == [expected]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_was_marked_up_comes_back_on_as_many_lines(texts: list[str]) -> None:
    escaped = (t.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for t in texts)
    file = "<doc>\n" + "".join(f'<seg id="{n}">{t}</seg>\n' for n, t in enumerate(escaped))
    assert list(segments(file, "f.sgm")) == [" ".join(text.split()) for text in texts]


@pytest.mark.parametrize(
    "file", ["<doc>\n<seg id=1>one\n<seg id=2>two</seg>", "<doc>\n<seg id=1>one\n</doc>"]
)
def test_a_segment_without_an_end_is_named(file: str) -> None:
    with pytest.raises(UserError, match=r"f\.sgm, line 2: a <seg> without </seg>"):
        list(segments(file, "f.sgm"))


def seconds(text: str) -> float:
    """The shortest time of the processor that the segments of a text take, or its refusal."""
    found = []
    for _ in range(3):
        before = time.process_time()
        with contextlib.suppress(UserError):
            list(segments(text, "f.sgm"))
        found.append(time.process_time() - before)
    return min(found)


@pytest.mark.parametrize("before", ["", "<seg>"])
@pytest.mark.parametrize("after", ["", "</seg>"])
@pytest.mark.parametrize(
    "unit", ["<seg", "<seg ", "<seg\n", "</seg", "</seg ", "<seg>", "<seg>a</seg>", "<", " ", "&#1"]
)
def test_time_grows_as_the_text_does(unit: str, before: str, after: str) -> None:
    count = 1 << 10
    while (short := seconds(before + unit * count + after)) < 0.002 and count < 1 << 16:
        count *= 2
    longer = seconds(before + unit * 4 * count + after)
    assert longer < max(10 * short, 0.02)  # 16 times as long if it grew by the square
