"""Words and coverage before and after symbolization."""

from pathlib import Path
from typing import Any

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import coverage
from contextnmt.files import read_json, write_lines


def run(
    folder: Path, counts: tuple[list[str], ...], text: tuple[list[str], ...], words: int
) -> list[dict[str, Any]]:
    """The coverage of each side: counts of its words, and its symbolized text in two parts."""
    tables = [folder / "counts.en", folder / "counts.fr"]
    parts = [[folder / f"{side}.{part}.gz" for part in (1, 2)] for side in ("en", "fr")]
    for side, lines in enumerate(text):
        write_lines(tables[side], counts[side])
        write_lines(parts[side][0], lines[:1])
        write_lines(parts[side][1], lines[1:])
    coverage("en", "fr", *tables, *parts, words, folder / "coverage.json")
    content = read_json(folder / "coverage.json")
    assert [*content] == ["en", "fr"]
    return [*content.values()]


def test_table_3_is_counted(tmp_path: Path) -> None:
    counts = ["in\t2", "ran\t2", "1999\t1", "2004\t1", "Bob\t1", "Eve\t1"]
    text = ["in <N>_1 <S>_1 ran", "in <N>_1 <S>_1 ran"]
    first, second = run(tmp_path, (counts, counts), (text, text), 2)
    assert first == second
    assert first["before"] == {
        "unique_words": 6,
        "total_words": 8,
        "coverage_percent": 50,
        "symbol_percent": {"N": 0, "S": 0, "C": 0},
    }
    assert first["after"] == {
        "unique_words": 4,
        "total_words": 8,
        "coverage_percent": 50,
        "symbol_percent": {"N": 25, "S": 25, "C": 0},
    }


def test_each_side_has_its_own_words(tmp_path: Path) -> None:
    """And a vocabulary may be larger than a text, whose other brackets are no symbols."""
    text = ["<N>_1", "^^<C>_2", "x<S>_1 <X>_1 <N>"]
    first, second = run(tmp_path, (["a\t3"], ["un\t1", "deux\t1"]), (["a"], text), 1)
    assert [side["before"]["coverage_percent"] for side in (first, second)] == [100, 50]
    assert first["after"]["symbol_percent"] == {"N": 0, "S": 0, "C": 0}
    assert second["after"]["symbol_percent"] == {"N": 20, "S": 0, "C": 20}
    _, second = run(tmp_path, (["a\t3"], ["un\t1", "deux\t1"]), (["a"], text), 30_000)
    assert second["before"]["coverage_percent"] == 100


@pytest.mark.parametrize(
    ("counts", "text", "name"),
    [([], ["a"], "counts.en"), (["a\t0"], ["a"], "counts.en"), (["a\t1"], [], "en.1.gz")],
)
def test_a_side_without_words_is_reported(
    tmp_path: Path, counts: list[str], text: list[str], name: str
) -> None:
    with pytest.raises(UserError, match=f"{name}: no words"):
        run(tmp_path, (counts, ["a\t1"]), (text, ["a"]), 2)


def test_a_language_is_that_of_one_side(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="both 'en'"):
        coverage("en", "en", tmp_path, tmp_path, [tmp_path], [tmp_path], 2, tmp_path)
