import bz2
import gzip
import hashlib
import io
import lzma
import random
import tarfile
import tempfile
import zipfile
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.corpus.extract import extract, first_drift
from contextnmt.errors import UserError
from contextnmt.files import open_binary, read_lines

#: The parts of the source and of the target side to write.
Outs = tuple[list[Path], list[Path]]


def tarred(members: dict[str, bytes]) -> bytes:
    """A plain tar archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def tar(path: Path, members: dict[str, bytes]) -> Path:
    """Write a tar archive, compressed unless its name ends in .tar."""
    plain = tarred(members)
    path.write_bytes(plain if path.suffix == ".tar" else gzip.compress(plain))
    return path


def names(folder: Path, parts: int) -> Outs:
    return (
        [folder / f"train.{part}of{parts}.en.gz" for part in range(parts)],
        [folder / f"train.{part}of{parts}.fr.gz" for part in range(parts)],
    )


@pytest.fixture(params=[1, 3], ids="parts={}".format)
def outs(request: pytest.FixtureRequest, tmp_path: Path) -> Outs:
    return names(tmp_path / "out", request.param)


def written(outs: Outs) -> list[list[str]]:
    """The lines of both sides, all parts end to end."""
    return [[line for part in parts for line in read_lines(part)] for parts in outs]


def assert_no_output(outs: Outs) -> None:
    folder = outs[0][0].parent
    if len(outs[0]) > 1:  # all is checked before anything is written
        assert not folder.exists()
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.parametrize(
    ("texts", "lines", "message"),
    [
        ([b"a\nb\n", b"a\n"], None, r"t\.en has 2 lines and .*t\.fr has 1: the two sides"),
        ([b"a\nb\n", b"a\nb\n"], 3, r"t\.en has 2 lines .*: 3 were expected"),
        ([b"", b""], None, "empty text"),
    ],
)
def test_line_counts_are_checked(
    tmp_path: Path, outs: Outs, texts: list[bytes], lines: int | None, message: str
) -> None:
    (tmp_path / "t.en").write_bytes(texts[0])
    (tmp_path / "t.fr").write_bytes(texts[1])
    with pytest.raises(UserError, match=message):
        extract(str(tmp_path / "t.en"), str(tmp_path / "t.fr"), *outs, lines=lines)
    assert_no_output(outs)


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ("c.tgz::text.frr", r"no such member; the archive has 'text\.fr'"),
        ("c.tgz", "c.tgz::MEMBER"),
        ("missing.tgz::text.fr", "missing.tgz: no such file"),
        ("cut.tgz::text.fr", r"cut\.tgz::text\.fr, after line \d+: damaged or cut off .* fetch it"),
        ("page.tgz::text.fr", r"page\.tgz: damaged or cut off"),
        ("page.gz", r"page\.gz, after line 0: damaged or cut off"),
        ("c.tgz::bad.fr", r"c\.tgz::bad\.fr, line 2: invalid UTF-8 .*0xe9"),
        ("open.sgm", r"open\.sgm, line 1: a <seg> without </seg>"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, outs: Outs, monkeypatch: pytest.MonkeyPatch, side: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    noise = "".join(f"{n * n * 7919 % 100003}\n" for n in range(20000)).encode()
    whole = tar(tmp_path / "c.tgz", {"text.fr": noise, "bad.fr": b"a\nd\xe9j\xe0\n"})
    (tmp_path / "cut.tgz").write_bytes(whole.read_bytes()[:20000])
    (tmp_path / "open.sgm").write_text("<seg id=1>text\n")
    for name in ("page.tgz", "page.gz"):
        (tmp_path / name).write_text("<html>Not found</html>")
    with pytest.raises(UserError, match=message):
        extract(side, side, *outs)
    assert_no_output(outs)


def test_a_file_with_another_digest_is_refused_before_it_is_read(
    tmp_path: Path, outs: Outs
) -> None:
    paths = tmp_path / "t.en", tmp_path / "t.fr"
    for path in paths:
        path.write_text(f"{path.name}\n")
    sides = f"{paths[0]}", f"{paths[1]}"
    right = [
        f"{kind}:{hashlib.new(kind, path.read_bytes()).hexdigest()}"
        for kind, path in zip(("sha256", "md5"), paths, strict=True)
    ]
    for side, kind in enumerate(("sha256", "md5")):
        digests = [*right]
        digests[side] = f"{kind}:{'0' * len(right[side].partition(':')[2])}"
        with pytest.raises(UserError) as caught:
            extract(*sides, *outs, source_digest=digests[0], target_digest=digests[1])
        for part in (f"{paths[side]}: ", "00000000", "delete it", f"`{kind}`"):
            assert part in str(caught.value)
        assert_no_output(outs)
    with pytest.raises(UserError, match="crc32:0: not a digest: give one as sha256:…, md5:…"):
        extract(*sides, *outs, source_digest="crc32:0")
    kind, _, digest = right[1].partition(":")
    extract(*sides, *outs, source_digest=right[0], target_digest=f"{kind}:{digest.upper()}")
    assert written(outs) == [["t.en"], ["t.fr"]]


def test_the_layouts_of_wmt(tmp_path: Path, outs: Outs) -> None:
    """Compressed tar archives with folders, a plain tar that holds gz members, and SGM."""
    sgm = "<srcset>\n<seg id=1>{}</seg>\n<seg id=2>{}\n2</seg>\n</srcset>\n"
    english, french = b"one\ntwo 2", b"un\ndeux 2\n"
    layouts = {
        "wmt13.tgz": {"training/x.fr-en.fr": french, "training/x.fr-en.en": english},
        "un.tar.gz": {"other": b"\xff" * 5000, "./un.en": english, "./un.fr": french},
        "giga.tar": {"g.fr.gz": gzip.compress(french), "g.en.gz": gzip.compress(english)},
        "test.tgz": {
            "test/n-src.en.sgm": sgm.format("one", "two").encode(),
            "test/n-ref.fr.sgm": sgm.format("un", "deux").replace("\n", "\r\n").encode(),
        },
    }
    for name, members in layouts.items():
        archive = tar(tmp_path / name, members)
        source, target = (
            next(member.removeprefix("./") for member in members if f".{language}" in member[-7:])
            for language in ("en", "fr")
        )
        extract(f"{archive}::{source}", f"{archive}::{target}", *outs, lines=2)
        assert written(outs) == [["one", "two 2"], ["un", "deux 2"]]


@pytest.mark.parametrize("seen", ["both", "member", "neither"])
def test_test_sets_in_xml(tmp_path: Path, outs: Outs, seen: str) -> None:
    """Of IWSLT, a file a side; of WMT since 2021, one file with several references."""
    side = '<MTEval><{0}set><doc docid="1"><title>No</title><{1} id="1"> {2} &amp; 1 </{1}>\n'
    for name, words in {"t.en.xml": "one", "t.fr.XML": "un"}.items():
        (tmp_path / name).write_text(side.format("src", "seg" if words == "un" else "SEG", words))
    extract(f"{tmp_path / 't.en.xml'}", f"{tmp_path / 't.fr.XML'}", *outs)
    assert written(outs) == [["one & 1"], ["un & 1"]]

    xml = '<?xml version="1.0"?><dataset id="t"><collection><doc id="{0}" origlang="en">'
    xml += (
        '<src lang="en"><p><seg id="1">one {0}</seg></p>\n<p><seg id="2">&lt;two></seg></p></src>'
    )
    for translator in "BA":
        xml += f'<ref lang="fr" translator="{translator}"><p><seg id="1">{translator} {{0}}</seg>'
        xml += '<seg id="2">deux</seg></p></ref>'
    xml += '<hyp system="X" lang="fr"><seg id="1">no</seg></hyp></doc></collection></dataset>'
    content = "".join(map(xml.format, (1, 2))).encode()
    place = f"{tmp_path / 'w.xml'}"
    (tmp_path / "w.xml").write_bytes(content)
    if seen != "both":
        place = f"{tar(tmp_path / 'c.tgz', {'d/w.xml': content})}::d/w.xml"
    target = {"both": "ref", "member": "ref.A", "neither": "ref.C"}[seen]
    if seen == "neither":
        with pytest.raises(
            UserError, match=r"w\.xml::ref\.C: no such part; it has src, ref\.B, ref\.A"
        ):
            extract(f"{place}::src", f"{place}::{target}", *outs)
        with pytest.raises(UserError, match=r"it has src, .* such as .*w\.xml::src"):
            extract(place, place, *outs)
        return
    extract(f"{place}::src", f"{place}::{target}", *outs)
    name = "B" if seen == "both" else "A"
    assert written(outs) == [
        ["one 1", "<two>", "one 2", "<two>"],
        [f"{name} 1", "deux", f"{name} 2", "deux"],
    ]


def test_an_archive_with_both_sides_is_read_once_and_to_be_cut_twice(
    tmp_path: Path, outs: Outs, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tar(tmp_path / "c.tgz", {"t.fr": b"un\n", "t.en": b"one\n"})
    opened = []
    monkeypatch.setattr(
        "contextnmt.corpus.archive.open_binary",
        lambda path: opened.append(path) or open_binary(path),
    )
    extract(f"{archive}::t.en", f"{archive}::t.fr", *outs)
    assert opened == [archive] * (1 if len(outs[0]) == 1 else 2)
    assert written(outs) == [["one"], ["un"]]


@pytest.mark.parametrize("name", ["t.tsv.gz", "c.tgz::d/t.tsv"])
def test_columns_of_a_table(tmp_path: Path, outs: Outs, name: str) -> None:
    table = '7\tun\t"one\n8\t\ttwo\x85\tmore\n'.encode()
    tar(tmp_path / "c.tgz", {"d/t.tsv": table})
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(table))
    place = f"{tmp_path / name}"
    extract(place, place, *outs, source_column=3, target_column=2)
    assert written(outs) == [['"one', "two\x85"], ["un", ""]]
    before = {path.name: path.read_bytes() for path in outs[0][0].parent.iterdir()}
    with pytest.raises(UserError, match=r"t\.tsv.*, line 2: 4 columns .*, expected 3:"):
        extract(place, place, *outs, source_column=3, target_column=2, columns=3)
    with pytest.raises(UserError, match=r"t\.tsv.*, line 1: 3 columns .*, expected at least 4"):
        extract(place, place, *outs, source_column=4, target_column=2, columns=3)
    assert {path.name: path.read_bytes() for path in outs[0][0].parent.iterdir()} == before


def test_lines_counted_from_memory_are_a_warning(
    tmp_path: Path, outs: Outs, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t").write_bytes(b"a\nb\n")
    message = "t has 2 lines, not 3; that number was stated from memory"
    for recalled in (2, 3):
        extract(*[f"{tmp_path / 't'}"] * 2, *outs, lines_recalled=recalled)
        assert (message in capsys.readouterr().err) == (recalled == 3)
        assert len(written(outs)[1]) == 2


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


TEXT = "Žluťoučký kůň.\nZwei\u2028Köpfe.\n"
RAW = TEXT.encode()


@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("t.bz2", bz2.compress(RAW)),
        ("t.xz", lzma.compress(RAW)),
        ("t.txt", gzip.compress(RAW)),
        ("T.GZ", gzip.compress(RAW)),
        ("c.zip::d/t", zipped({"other": b"\xff", "d/t": RAW})),
        ("c.ZIP::t.gz", zipped({"./t.gz": gzip.compress(RAW)})),
        ("c.tar.xz::t", lzma.compress(tarred({"t": RAW}))),
        ("c.tbz2::t.xz", bz2.compress(tarred({"t.xz": lzma.compress(RAW)}))),
        ("c.tgz::t", tarred({"t": RAW})),
        ("c.bin::t", gzip.compress(tarred({"t": RAW}))),
        ("bom.txt", b"\xef\xbb\xbf" + RAW.replace(b"\n", b"\n\xef\xbb\xbf")),
    ],
)
def test_files_are_unpacked_by_their_first_bytes(
    tmp_path: Path, outs: Outs, monkeypatch: pytest.MonkeyPatch, place: str, content: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(place.partition("::")[0]).write_bytes(content)
    extract(place, place, *outs)
    assert written(outs)[0] == TEXT.split("\n")[: len(written(outs)[0])]


UTF16 = "convert it: `iconv -f UTF-16"


@pytest.mark.parametrize(
    ("place", "content", "message"),
    [
        ("t.zst", b"\x28\xb5\x2f\xfd rest", "packed by zstd: unpack it"),
        ("t.7z", b"7z\xbc\xaf\x27\x1c", "packed by 7-Zip: unpack it"),
        ("t.en", zipped({"t": RAW}), "packed by zip: write t.en::MEMBER"),
        ("c.zip", zipped({"t": RAW}), "several files: write c.zip::MEMBER"),
        ("c.zip::u", zipped({"t": RAW}), "c.zip::u: no such member; the archive has t"),
        ("c.zip::t", zipped({"t": RAW})[:-9], "c.zip: damaged or cut off"),
        ("c.gz", gzip.compress(tarred({"t": RAW})), "packed by tar: write c.gz::MEMBER, or"),
        ("t.xz", lzma.compress(RAW)[:-20], "t.xz, after line 0: damaged or cut off"),
        ("t.bz2", bz2.compress(RAW)[:-9], "t.bz2, after line 0: damaged or cut off"),
        ("t.gz", RAW, "take .gz off the name of a plain file"),
        ("t.txt", TEXT.encode("utf-16"), f"t.txt: in UTF-16: {UTF16} -t UTF-8`"),
        ("t.txt", b"\xfe\xff" + TEXT.encode("utf-16-be"), f"in UTF-16: {UTF16} "),
        ("t.txt", TEXT.encode("utf-16-le"), f"in UTF-16LE: {UTF16}LE"),
        ("t.txt", TEXT.encode("utf-16-be"), f"in UTF-16BE: {UTF16}BE"),
        ("t.txt", "\n".join(["一二三四五。"] * 9).encode("utf-16-le"), f"in UTF-16LE: {UTF16}LE"),
        ("t.txt", "a b".encode("utf-16-le"), f"in UTF-16LE: {UTF16}LE"),
        ("t.txt", TEXT.encode("utf-32"), "in UTF-32: "),
        ("t.txt", TEXT.encode("utf-32-le"), "in UTF-32LE: "),
        ("t.txt", TEXT.encode("utf-32-be"), "in UTF-32BE: "),
        ("t.gz", gzip.compress("\ufeff一".encode("gb18030")), "in GB18030: "),
    ],
)
def test_what_is_no_text_is_called_by_its_name(
    tmp_path: Path,
    outs: Outs,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    content: bytes,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(place.partition("::")[0]).write_bytes(content)
    with pytest.raises(UserError) as caught:
        extract(place, place, *outs)
    assert message in str(caught.value)
    assert_no_output(outs)


def test_single_nuls_make_no_other_encoding(tmp_path: Path, outs: Outs) -> None:
    lines = ["a\0b", "c", "\0", "Ein Satz\0.", *["Noch ein Satz."] * 20]
    (tmp_path / "t").write_text("".join(f"{line}\n" for line in lines))
    extract(*[f"{tmp_path / 't'}"] * 2, *outs)
    assert written(outs)[0] == lines[: len(written(outs)[0])]


def test_a_gzip_bomb_is_not_read_to_its_end(
    tmp_path: Path, outs: Outs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextnmt.corpus.archive.ALWAYS_ALLOWED", 1 << 20)
    bomb = gzip.compress(b"a\n" * (1 << 20))
    (tmp_path / "b.gz").write_bytes(bomb)
    (tmp_path / "b.zip").write_bytes(zipped({"b": b"a\n" * (1 << 20)}))
    places = f"{tmp_path / 'b.gz'}", f"{tar(tmp_path / 'b.tar', {'b.gz': bomb})}::b.gz"
    for place in (*places, f"{tmp_path / 'b.zip'}::b"):
        with pytest.raises(UserError, match=r"b(\.gz)?: unpacks to more than \d+ bytes"):
            extract(place, place, *outs)
        assert_no_output(outs)


def test_where_two_sides_run_apart_is_told(tmp_path: Path, outs: Outs) -> None:
    english = [f"This is sentence {n}, {'very ' * (n * n % 17)}long." for n in range(200)]
    french = [f"Phrase {n}, {'très ' * (n * n % 17)}longue." for n in range(200)]
    french[99:100] = french[99].split(", ")
    archive = tar(
        tmp_path / "c.tgz",
        {"t.en": "\n".join(english).encode(), "t.fr": "\n".join(french).encode()},
    )
    message = (
        r"t\.en has 200 lines and .*t\.fr has 201: .*run apart near line (99|100|101): "
        r"'This is sentence \d+, .* beside '"
    )
    with pytest.raises(UserError, match=message):
        extract(f"{archive}::t.en", f"{archive}::t.fr", *outs)
    assert_no_output(outs)


@settings(max_examples=30, deadline=None)
@given(
    lines=st.lists(st.text("ab\r\u2028", max_size=4), min_size=1, max_size=30),
    parts=st.integers(1, 9),
)
def test_parts_follow_each_other_and_are_as_equal_as_can_be(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], parts: int
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    target = [f"{number} {line}" for number, line in enumerate(lines)]
    members = {
        "t.en.gz": gzip.compress("".join(line + "\n" for line in lines).encode()),
        "t.fr": "".join(line + "\n" for line in target).encode(),
    }
    archive = tar(folder / "c.tar", members)
    outs = names(folder / "out", parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("contextnmt.corpus.archive.BLOCK", 7)  # blocks of one line to several
        extract(f"{archive}::t.en.gz", f"{archive}::t.fr", *outs)
    count = len(lines)
    borders = [part * count // parts for part in range(parts + 1)]
    for side, paths in zip((lines, target), outs, strict=True):
        for part, path in enumerate(paths):
            assert list(read_lines(path)) == side[borders[part] : borders[part + 1]]


def test_every_part_has_two_sides(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"a\nb\n")
    (source, target), place = names(tmp_path / "out", 2), f"{tmp_path / 't'}"
    with pytest.raises(UserError, match="2 --source-out, 1 --target-out: give one"):
        extract(place, place, source, target[:1])
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
@pytest.mark.parametrize(("side", "part", "lines"), [(0, 0, 3), (1, -1, 3), (1, 0, 20_000)])
def test_a_full_disk_leaves_no_part(
    tmp_path: Path,
    outs: Outs,
    monkeypatch: pytest.MonkeyPatch,
    side: int,
    part: int,
    lines: int,
) -> None:
    """Whether it is met while the parts are written or, if they are short, when they are closed."""
    make, full = tempfile.mkstemp, outs[side][part]

    def make_on_full_disk(**arguments: Any) -> tuple[int, str]:
        handle, path = make(**arguments)
        if full.name in arguments["prefix"]:
            Path(path).unlink()
            Path(path).symlink_to("/dev/full")
        return handle, path

    monkeypatch.setattr(tempfile, "mkstemp", make_on_full_disk)
    (tmp_path / "t").write_text("".join(f"{n * n * 7919 % 100003}\n" for n in range(lines)))
    with pytest.raises(UserError, match="cannot be written, the disk is full: free some space"):
        extract(*[f"{tmp_path / 't'}"] * 2, *outs)
    assert list((tmp_path / "out").iterdir()) == []


# Where two sides run apart


@pytest.fixture(scope="module", params=["canada-laws_en-fr", "wmt14-sample_en-de"])
def sides(request: pytest.FixtureRequest, shared: Path) -> tuple[list[str], list[str]]:
    """The first 1,000 pairs of a real corpus; one of them has a sixth of wrong ones."""
    folder = shared / "data" / request.param
    names = ["train.en.gz", f"train.{request.param[-2:]}.gz"]
    source, target = (list(islice(read_lines(folder / name), 1000)) for name in names)
    return source, target


@pytest.mark.parametrize("lines", [[20], [900], [200, 500, 800]])
@pytest.mark.parametrize("change", ["lost", "split"])
def test_the_first_lost_or_split_line_is_found(
    sides: tuple[list[str], list[str]], lines: list[int], change: str
) -> None:
    source, target = sides
    broken = []
    for number, text in enumerate(target, start=1):
        new = text.split(" ", 1) if change == "split" else []
        broken += new if number in lines else [text]
    for pairs in (zip(source, broken, strict=False), zip(broken, source, strict=False)):
        found = first_drift(pairs)
        assert found is not None
        assert abs(found[0] - lines[0]) <= 15


def test_where_the_sides_fit_there_is_no_drift(sides: tuple[list[str], list[str]]) -> None:
    assert first_drift(zip(*sides, strict=True)) is None
    assert first_drift([("a", "b"), ("c", "a much longer line")]) is None  # too few lines to tell
    assert first_drift(zip(sides[0][:700], sides[1], strict=False)) is None


def test_sides_that_never_fit_run_apart_at_the_start(sides: tuple[list[str], list[str]]) -> None:
    shuffled = random.Random(1).sample(sides[1], len(sides[1]))
    found = first_drift(zip(sides[0], shuffled, strict=True))
    assert found is not None
    assert found[0] <= 40
