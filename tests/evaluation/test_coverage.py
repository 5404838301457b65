"""Words and coverage before and after symbolization."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import coverage, statistics
from contextnmt.files import write_lines


def run(folder: Path, counts: list[str], *after: list[str]) -> dict[str, Any]:
    """The coverage of a text whose two sides have the same words, symbolized in parts."""
    write_lines(folder / "counts.tsv.gz", counts)
    parts = [folder / f"part{number}.gz" for number in range(len(after))]
    for path, lines in zip(parts, after, strict=True):
        write_lines(path, lines)
    counted = folder / "counts.tsv.gz"
    coverage("en", "fr", counted, counted, parts, parts, 2, folder / "coverage.json")
    content: dict[str, Any] = json.loads((folder / "coverage.json").read_text())
    return content


def test_table_3_is_counted(tmp_path: Path) -> None:
    counts = ["in\t2", "ran\t2", "1999\t1", "2004\t1", "Bob\t1", "Eve\t1"]
    result = run(tmp_path, counts, ["in <N>_1 <S>_1 ran"], [], ["in <N>_1 <S>_1 ran"])
    assert result["en"] == result["fr"]
    assert result["en"]["before"] == {
        "unique_words": 6,
        "total_words": 8,
        "coverage_percent": 50,
        "symbol_percent": {"N": 0, "S": 0, "C": 0},
    }
    assert result["en"]["after"] == {
        "unique_words": 4,
        "total_words": 8,
        "coverage_percent": 50,
        "symbol_percent": {"N": 25, "S": 25, "C": 0},
    }


def test_each_side_has_its_own_words(tmp_path: Path) -> None:
    for name, lines in {"en": ["a\t3"], "fr": ["un\t1", "deux\t1"]}.items():
        write_lines(tmp_path / f"{name}.tsv", lines)
    out = tmp_path / "coverage.json"
    write_lines(tmp_path / "text.en", ["a a a"])
    write_lines(tmp_path / "text.fr", ["<N>_1", "<N>_2"])
    counts = (tmp_path / "en.tsv", tmp_path / "fr.tsv")
    coverage("en", "fr", *counts, [tmp_path / "text.en"], [tmp_path / "text.fr"], 1, out)
    result = json.loads(out.read_text())
    assert [result[side]["before"]["coverage_percent"] for side in ("en", "fr")] == [100, 50]
    assert [result[side]["after"]["symbol_percent"]["N"] for side in ("en", "fr")] == [0, 100]


def test_a_vocabulary_larger_than_the_text_covers_it() -> None:
    assert statistics(Counter(["a", "b", "c"]), 30_000)["coverage_percent"] == 100


def test_symbols_inside_words_and_other_brackets_are_not_counted() -> None:
    words = Counter({"<N>_1": 1, "^^<C>_2": 1, "x<S>_1": 1, "<X>_1": 1, "<N>": 1})
    assert statistics(words, 1)["symbol_percent"] == {"N": 20, "S": 0, "C": 20}


@pytest.mark.parametrize(
    ("counts", "text", "name"),
    [([], ["a"], "counts.tsv.gz"), (["a\t0"], ["a"], "counts.tsv.gz"), (["a\t1"], [], "part0.gz")],
)
def test_a_side_without_words_is_reported(
    tmp_path: Path, counts: list[str], text: list[str], name: str
) -> None:
    with pytest.raises(UserError, match=f"{name}: no words"):
        run(tmp_path, counts, text)


def test_a_language_is_that_of_one_side(tmp_path: Path) -> None:
    counts, text, out = tmp_path / "counts", [tmp_path / "text"], tmp_path / "out"
    with pytest.raises(UserError, match="both 'en'"):
        coverage("en", "en", counts, counts, text, text, 2, out)
