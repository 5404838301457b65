"""Members of archives, and segments of SGM."""

import gzip
import io
import random
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.corpus.archive import ALWAYS_ALLOWED, open_members, segments
from contextnmt.errors import UserError


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
