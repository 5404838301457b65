"""Training pairs that the filters drop and keep, before and after symbolization."""

import json
from pathlib import Path
from typing import Any

import pytest

from contextnmt.configuration.training import PairFilter
from contextnmt.errors import UserError
from contextnmt.evaluation.pairs import pair_statistics, pairs
from contextnmt.files import write_lines
from contextnmt.text.binarize import binarize
from contextnmt.training import dataset
from contextnmt.training.dataset import training_pairs

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
    """Files that `binarize` writes for a text."""
    for side, lines in zip(("source", "target"), text, strict=True):
        write_lines(path / side, lines)
    source, target = path / "source", path / "target"
    binarize([source], [target], words, path)
    return path


@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    """Arguments of `pairs`."""
    before, after = folder(tmp_path / "word", WORDS, 2), folder(tmp_path / "sym", SYMBOLS, 4)
    limits = {"max_length": 5, "unknown_limit": 0.4}
    return {
        "filter_before": json.dumps({"data": f"{before}", **limits}),
        "filter_after": json.dumps({"data": f"{after}", **limits}),
        "out": tmp_path / "pairs.json",
    }


def test_pairs_are_counted_before_and_after(arguments: dict[str, Any]) -> None:
    pairs(**arguments)
    counted = json.loads(arguments["out"].read_text())
    limits = {"max_length": 5, "unknown_limit": 0.4, "read": 5, "kept_by_all": None}
    # Half the words of the first two pairs are unknown, all of the last one's, and one is long.
    dropped = {"empty": 0, "length": 1, "unknown": 3}
    known = {"kept_coverage_percent": {"source": 100.0, "target": 100.0}}
    words = {"kept_words": {"source": 2, "target": 2}, **known}
    assert counted["before"] == {**limits, **words, "dropped": dropped, "kept": 1}
    dropped = {"empty": 0, "length": 1, "unknown": 1}
    words = {"kept_words": {"source": 10, "target": 10}, **known}
    assert counted["after"] == {**limits, **words, "dropped": dropped, "kept": 3}


def test_unknown_words_of_the_pairs_kept_are_not_covered(arguments: dict[str, Any]) -> None:
    lax = json.loads(arguments["filter_before"]) | {"unknown_limit": 0.5}
    pairs(**arguments | {"filter_before": json.dumps(lax)})
    before = json.loads(arguments["out"].read_text())["before"]
    assert before["kept_words"] == {"source": 10, "target": 10}
    assert before["kept_coverage_percent"] == {"source": 60.0, "target": 60.0}


def test_pairs_that_all_systems_keep_are_counted(arguments: dict[str, Any]) -> None:
    short = json.loads(arguments["filter_after"]) | {"max_length": 3, "unknown_limit": 1.0}
    pairs(**arguments | {"filter": [arguments["filter_after"], json.dumps(short)]})
    counted = json.loads(arguments["out"].read_text())
    assert counted["before"]["kept_by_all"] == counted["after"]["kept_by_all"] == 1  # in in


@pytest.mark.parametrize("block", [1, 2, 5, 100])
def test_pairs_are_those_that_a_training_keeps(
    arguments: dict[str, Any], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size of the blocks makes no difference."""
    limits = {
        name: PairFilter(**json.loads(arguments[f"filter_{name}"])) for name in ("before", "after")
    }
    trained = {
        name: training_pairs(each, [other for other in limits.values() if other != each])
        for name, each in limits.items()
    }
    monkeypatch.setattr("contextnmt.evaluation.pairs.BLOCK", block)
    monkeypatch.setattr(dataset, "BLOCK", block)
    counted = pair_statistics(limits, list(limits.values()))
    for name, kept in trained.items():
        elsewhere = kept.dropped.pop("elsewhere")
        assert counted[name]["dropped"] == kept.dropped
        assert counted[name]["kept"] == len(kept.rows) + elsewhere
        assert counted[name]["kept_by_all"] == len(kept.rows)


def test_views_of_other_texts_are_reported(arguments: dict[str, Any], tmp_path: Path) -> None:
    folder(tmp_path / "sym", (["a"], ["b"]), 4)
    with pytest.raises(UserError, match=r"sym holds 1 training pairs and .*word 5: give folders"):
        pairs(**arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ('["data"]', "a JSON object is needed"),
        ("null", "a JSON object is needed"),
        ('{"data": "x"}', "missing"),
        ('{"data": "x", "max_length": 0, "unknown_limit": 1}', "allowed: a whole number"),
    ],
)
@pytest.mark.parametrize("option", ["filter_before", "filter_after", "filter"])
def test_a_filter_that_is_none_is_reported_with_its_option(
    arguments: dict[str, Any], option: str, text: str, message: str
) -> None:
    value = [text] if option == "filter" else text
    name = f"--{option.replace('_', '-')}"
    with pytest.raises(UserError, match=rf"^{name}(\.max_length)?[: ].*{message}"):
        pairs(**arguments | {option: value})
