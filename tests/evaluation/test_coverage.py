import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import coverage, pair_statistics, statistics
from contextnmt.files import write_lines
from contextnmt.text.binarize import binarize
from contextnmt.training import dataset
from contextnmt.training.dataset import training_pairs
from contextnmt.training.settings import PairFilter

#: As they are, and with symbols; the vocabularies below hold two words a side.
WORDS = (
    ["in 1999 Bob ran", "in 2004 Eve ran", "in in", "ran ran ran in ran ran", "x y"],
    ["en 1999 Bob alla", "en 2004 Eve alla", "en en", "alla en", "x"],
)
SYMBOLS = (
    ["in <N>_1 <S>_1 ran", "in <N>_1 <S>_1 ran", "in in", "ran ran ran in ran ran", "x y"],
    ["en <N>_1 <S>_1 alla", "en <N>_1 <S>_1 alla", "en en", "alla en", "x"],
)


def folder(path: Path, text: tuple[list[str], list[str]], words: int) -> Path:
    """What `binarize` writes for a text that is its own dev text."""
    for side, lines in zip(("source", "target"), text, strict=True):
        write_lines(path / side, lines)
    source, target = path / "source", path / "target"
    binarize(source, target, [source], [target], words, path)
    return path


@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    """What `coverage` is called with; before symbolization a side of a filter is tighter."""
    before, after = folder(tmp_path / "word", WORDS, 2), folder(tmp_path / "sym", SYMBOLS, 4)
    limits = {"max_length": 5, "unknown_limit": 0.4}
    return {
        "language": ["en", "fr"],
        "before": [before / "source", before / "target"],
        "after": [after / "source", after / "target"],
        "vocabulary_size": 2,
        "filter_before": json.dumps({"data": f"{before}", **limits}),
        "filter_after": json.dumps({"data": f"{after}", **limits}),
        "out": tmp_path / "coverage.json",
    }


def test_table_3_is_counted(arguments: dict[str, Any], tmp_path: Path):
    write_lines(tmp_path / "before.gz", ["in 1999 Bob ran", "in 2004 Eve ran"])
    write_lines(tmp_path / "after.gz", ["in <N>_1 <S>_1 ran", "in <N>_1 <S>_1 ran"])
    texts = {"before": [tmp_path / "before.gz"], "after": [tmp_path / "after.gz"]}
    coverage(**arguments | texts | {"language": ["en"]})
    result = json.loads(arguments["out"].read_text())["words"]["en"]
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


def test_pairs_are_counted_before_and_after(arguments: dict[str, Any]):
    coverage(**arguments)
    pairs = json.loads(arguments["out"].read_text())["pairs"]
    limits = {"max_length": 5, "unknown_limit": 0.4, "read": 5, "kept_by_all": None}
    # Half the words of the first two pairs are unknown, all of the last one's, and one is long.
    dropped = {"empty": 0, "length": 1, "unknown": 3}
    assert pairs["before"] == {**limits, "dropped": dropped, "kept": 1}
    dropped = {"empty": 0, "length": 1, "unknown": 1}
    assert pairs["after"] == {**limits, "dropped": dropped, "kept": 3}


def test_pairs_that_all_systems_keep_are_counted(arguments: dict[str, Any]):
    short = json.loads(arguments["filter_after"]) | {"max_length": 3, "unknown_limit": 1.0}
    coverage(**arguments | {"filter": [arguments["filter_after"], json.dumps(short)]})
    pairs = json.loads(arguments["out"].read_text())["pairs"]
    assert pairs["before"]["kept_by_all"] == pairs["after"]["kept_by_all"] == 1  # in in


@pytest.mark.parametrize("block", [1, 2, 5, 100])
def test_pairs_are_those_that_a_training_keeps(
    arguments: dict[str, Any], block: int, monkeypatch: pytest.MonkeyPatch
):
    """Whatever the size of the blocks in which they are counted."""
    limits = {
        name: PairFilter(**json.loads(arguments[f"filter_{name}"])) for name in ("before", "after")
    }
    trained = {
        name: training_pairs(each, [other for other in limits.values() if other != each])
        for name, each in limits.items()
    }
    monkeypatch.setattr("contextnmt.evaluation.coverage.BLOCK", block)
    monkeypatch.setattr(dataset, "BLOCK", block)
    counted = pair_statistics(limits, list(limits.values()))
    for name, pairs in trained.items():
        elsewhere = pairs.dropped.pop("elsewhere")
        assert counted[name]["dropped"] == pairs.dropped
        assert counted[name]["kept"] == len(pairs.rows) + elsewhere
        assert counted[name]["kept_by_all"] == len(pairs.rows)


def test_views_of_other_texts_are_reported(arguments: dict[str, Any], tmp_path: Path):
    folder(tmp_path / "sym", (["a"], ["b"]), 4)
    with pytest.raises(UserError, match=r"sym holds 1 training pairs and .*word 5: give folders"):
        coverage(**arguments)


@pytest.mark.parametrize("text", ["{", "5", '["data"]', "null"])
def test_a_filter_that_is_none_is_reported(arguments: dict[str, Any], text: str):
    with pytest.raises(UserError, match="not a JSON object"):
        coverage(**arguments | {"filter_before": text})


def test_a_vocabulary_larger_than_the_text_covers_it():
    assert statistics(Counter(["a", "b", "c"]), 30_000)["coverage_percent"] == 100


def test_symbols_inside_words_and_other_brackets_are_not_counted():
    words = Counter({"<N>_1": 1, "^^<C>_2": 1, "x<S>_1": 1, "<X>_1": 1, "<N>": 1})
    assert statistics(words, 1)["symbol_percent"] == {"N": 20, "S": 0, "C": 20}


def test_an_empty_text_is_reported(arguments: dict[str, Any], tmp_path: Path):
    write_lines(tmp_path / "empty", [])
    texts = {"language": ["en"], "before": [tmp_path / "empty"], "after": [tmp_path / "empty"]}
    with pytest.raises(UserError, match="no words"):
        coverage(**arguments | texts)


def test_a_side_needs_both_texts(arguments: dict[str, Any]):
    with pytest.raises(UserError, match="2 --language, 1 --before"):
        coverage(**arguments | {"before": [Path("a")]})
