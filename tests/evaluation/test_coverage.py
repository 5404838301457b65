"""Words and coverage before and after symbolization."""

import json
from collections import Counter
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import coverage, statistics
from contextnmt.files import write_lines


def test_table_3_is_counted(tmp_path: Path) -> None:
    write_lines(tmp_path / "before.gz", ["in 1999 Bob ran", "in 2004 Eve ran"])
    write_lines(tmp_path / "after.gz", ["in <N>_1 <S>_1 ran", "in <N>_1 <S>_1 ran"])
    out = tmp_path / "coverage.json"
    coverage(["en"], [tmp_path / "before.gz"], [tmp_path / "after.gz"], 2, out)
    result = json.loads(out.read_text())["en"]
    assert result["before"] == {
        "unique_words": 6,
        "total_words": 8,
        "coverage_percent": 50,
        "symbol_percent": {"N": 0, "S": 0, "C": 0},
    }
    assert result["after"] == {
        "unique_words": 4,
        "total_words": 8,
        "coverage_percent": 50,
        "symbol_percent": {"N": 25, "S": 25, "C": 0},
    }


def test_a_vocabulary_larger_than_the_text_covers_it() -> None:
    assert statistics(Counter(["a", "b", "c"]), 30_000)["coverage_percent"] == 100


def test_symbols_inside_words_and_other_brackets_are_not_counted() -> None:
    words = Counter({"<N>_1": 1, "^^<C>_2": 1, "x<S>_1": 1, "<X>_1": 1, "<N>": 1})
    assert statistics(words, 1)["symbol_percent"] == {"N": 20, "S": 0, "C": 20}


def test_an_empty_text_is_reported(tmp_path: Path) -> None:
    write_lines(tmp_path / "empty", [])
    with pytest.raises(UserError, match="no words"):
        coverage(["en"], [tmp_path / "empty"], [tmp_path / "empty"], 2, tmp_path / "out")


def test_a_side_needs_both_texts(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="2 --language, 1 --before"):
        coverage(["en", "fr"], [Path("a")], [Path("a"), Path("b")], 2, tmp_path / "out")
