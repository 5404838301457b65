"""benchmarks/selection.py: the commands run as they are written there, and the figures add up."""

import random
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.files import write_pairs

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "selection.py"))

CORPORA = {"laws": 400, "docs": 100}


def generate(letter: str, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Pairs of words that are mostly of one corpus."""
    generator = random.Random(seed)
    for _ in range(count):
        letters = generator.choices([letter, letter, "x"], k=8)
        words = " ".join(f"{each}{int(generator.expovariate(0.3))}" for each in letters)
        yield words, words.upper()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two corpora, and a folder without a training text."""
    place = tmp_path_factory.mktemp("corpora")
    for name, count in CORPORA.items():
        for seed, (text, pairs) in enumerate((("train", count), ("dev", 60), ("test", 30))):
            sides = (place / f"{name}_en-fr" / f"{text}.{lang}.gz" for lang in ("en", "fr"))
            write_pairs(*sides, generate(name[0], pairs, seed))
    (place / "tests_en-fr").mkdir()
    return sorted(place.iterdir())


def test_the_domain_is_found(
    folders: list[Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    SCRIPT["main"](folders, folders[0], tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert capfd.readouterr().out.endswith(page)
    rows = [line.strip("| ").split(" | ") for line in page.split("\n") if line.startswith("| ")]
    cells = {row[0]: row[1:] for row in rows}
    assert cells["docs"][0] == "100"
    assert cells["all"][:3] == ["500", "4,000", "4,000"]
    assert cells["all"][4:] == ["1,000", "100"]  # a quarter of the words; as many pairs as docs
    assert int(cells["docs"][5]) > 80
    assert f", {cells['docs'][5]} are from there: a precision of **{cells['docs'][5]}.0%**" in page
    perplexities = [row for row in rows if row[1].endswith("%")]
    assert len(perplexities) == 6
    assert [row[:2] for row in perplexities[:2]] == [["1,000", "25.0%"], ["500", "12.5%"]]
    for row in perplexities[:3]:
        assert float(row[4]) < float(row[5])
    for command, runs, read in (("sample", "1", "500"), ("cross-entropy", "2", "500")):
        assert cells[command][:2] == [runs, read]
    assert cells["select"][:2] == ["4", "1,000"]


def test_folders_that_do_not_fit_are_refused(folders: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a name like laws_en-fr"):
        SCRIPT["parse_pool"]([tmp_path / "laws"], folders[0])
    with pytest.raises(UserError, match=r"of one pair of languages, .*docs_en-fr among them"):
        SCRIPT["parse_pool"](folders[1:], folders[0])
