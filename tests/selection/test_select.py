import gzip
from collections import Counter
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.files import read_lines, read_pairs, write_pairs
from contextnmt.selection.select import select

NEWS = [("a b a", "é"), ("c\u200bd b", "f g g")]
EUROPARL = [("b", "g é"), ("", "z"), ("b a", "é")]


@pytest.fixture
def outs(tmp_path: Path) -> list[Path]:
    return [tmp_path / name for name in ("train.en.gz", "train.fr.gz", "counts.en.tsv", "c.fr.tsv")]


def write(folder: Path, name: str, pairs: list[tuple[str, str]]) -> tuple[Path, Path]:
    sides = folder / f"{name}.en.gz", folder / f"{name}.fr.gz"
    write_pairs(*sides, pairs)
    return sides


def test_all_pairs_pass_in_order_and_are_counted(tmp_path: Path, outs: list[Path]) -> None:
    news, europarl = write(tmp_path, "news", NEWS), write(tmp_path, "europarl", EUROPARL)
    select([news[0], europarl[0]], [news[1], europarl[1]], *outs)
    assert list(read_pairs(outs[0], outs[1])) == NEWS + EUROPARL
    assert outs[2].read_text() == "b\t4\na\t3\nc\u200bd\t1\n"
    assert outs[3].read_text() == "g\t3\né\t3\nf\t1\nz\t1\n"


def test_the_counts_are_those_of_the_text(tmp_path: Path, outs: list[Path]) -> None:
    words = [str(n * n % 97) for n in range(2000)]
    text = [(" ".join(words[n : n + 7]), words[n]) for n in range(0, 2000, 7)]
    source, target = write(tmp_path, "text", text)
    select([source], [target], *outs)
    entries = [line.split("\t") for line in read_lines(outs[2])]
    assert {word: int(count) for word, count in entries} == Counter(words)
    assert entries == sorted(entries, key=lambda entry: (-int(entry[1]), entry[0]))


def test_the_same_text_gives_the_same_bytes(tmp_path: Path, outs: list[Path]) -> None:
    source, target = write(tmp_path, "news", NEWS)
    again = [tmp_path / "again" / path.name for path in outs]
    select([source], [target], *outs)
    select([source], [target], *again)
    assert [path.read_bytes() for path in outs] == [path.read_bytes() for path in again]
    assert gzip.decompress(outs[0].read_bytes()).endswith(b"\n")


def test_every_corpus_needs_both_sides(tmp_path: Path, outs: list[Path]) -> None:
    source, target = write(tmp_path, "news", NEWS)
    with pytest.raises(UserError, match="--source is given 2 times and --target 1 times"):
        select([source, source], [target], *outs)


def test_sides_of_unequal_length_leave_nothing(tmp_path: Path, outs: list[Path]) -> None:
    source, _ = write(tmp_path, "news", NEWS)
    _, target = write(tmp_path, "europarl", EUROPARL)
    with pytest.raises(UserError, match=r"has 2 lines and .* has 3"):
        select([source], [target], *outs)
    assert not any(path.exists() for path in outs)
