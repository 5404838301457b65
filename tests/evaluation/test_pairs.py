"""Training pairs that the filters drop and keep, before and after symbolization."""

import json
from pathlib import Path
from typing import Any

import pytest

from contextnmt.configuration.training import PairFilter
from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import pairs
from contextnmt.files import read_json, write_lines
from contextnmt.text.binarize import binarize
from contextnmt.training.dataset import training_pairs

#: As they are, and with symbols; the vocabularies hold two and four words a side.
TEXTS = {
    "word": (
        ["in 1999 Bob ran", "in 2004 Eve ran", "in in", "ran ran ran in ran ran", "x y"],
        ["en 1999 Bob alla", "en 2004 Eve alla", "en en", "alla en", "x"],
    ),
    "sym": (
        ["in <N>_1 <S>_1 ran", "in <N>_1 <S>_1 ran", "in in", "ran ran ran in ran ran", "x y"],
        ["en <N>_1 <S>_1 alla", "en <N>_1 <S>_1 alla", "en en", "alla en", "x"],
    ),
}
LIMITS = {"max_length": 5, "unknown_limit": 0.4}


def write(folder: Path, text: tuple[list[str], list[str]], words: int) -> None:
    """Write the files of `binarize` of a text."""
    sides = [folder / side for side in ("source", "target")]
    for side, lines in zip(sides, text, strict=True):
        write_lines(side, lines)
    binarize([sides[0]], [sides[1]], words, folder)


@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    """Arguments of `pairs`."""
    for name, words in (("word", 2), ("sym", 4)):
        write(tmp_path / name, TEXTS[name], words)
    return {
        "filter_before": json.dumps({"data": f"{tmp_path / 'word'}", **LIMITS}),
        "filter_after": json.dumps({"data": f"{tmp_path / 'sym'}", **LIMITS}),
        "out": tmp_path / "pairs.json",
    }


def test_unknown_words_of_the_pairs_kept_are_not_covered(arguments: dict[str, Any]) -> None:
    lax = json.loads(arguments["filter_before"]) | {"unknown_limit": 0.5}
    pairs(**arguments | {"filter_before": json.dumps(lax)})
    before = json.loads(arguments["out"].read_text())["before"]
    assert before["kept_words"] == {"source": 10, "target": 10}
    assert before["kept_coverage_percent"] == {"source": 60.0, "target": 60.0}


@pytest.mark.parametrize("block", [1, 2, 100])
def test_pairs_are_counted_before_and_after(
    arguments: dict[str, Any], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size of the blocks makes no difference."""
    monkeypatch.setattr("contextnmt.training.dataset.BLOCK", block)
    pairs(**arguments)
    shared = {**LIMITS, "read": 5, "kept_by_all": None}
    # Half the words of the first two pairs are unknown, all of the last one's, and one is long.
    shared["kept_coverage_percent"] = {"source": 100.0, "target": 100.0}
    for name, unknown, kept, words in [("before", 3, 1, 2), ("after", 1, 3, 10)]:
        assert read_json(arguments["out"])[name] == {
            **shared,
            "dropped": {"empty": 0, "length": 1, "unknown": unknown},
            "kept": kept,
            "kept_words": {"source": words, "target": words},
        }


def test_pairs_that_all_systems_keep_are_those_that_their_trainings_keep(
    arguments: dict[str, Any],
) -> None:
    short = json.loads(arguments["filter_after"]) | {"max_length": 3, "unknown_limit": 1.0}
    pairs(**arguments | {"filter": [arguments["filter_after"], json.dumps(short)]})
    counted = read_json(arguments["out"])
    assert counted["before"]["kept_by_all"] == counted["after"]["kept_by_all"] == 1  # in in
    after, shorter = (PairFilter(**json.loads(arguments["filter_after"])), PairFilter(**short))
    kept = training_pairs(after, [shorter])
    elsewhere = kept.dropped.pop("elsewhere")
    assert (kept.dropped, len(kept.rows)) == (counted["after"]["dropped"], 1)
    assert counted["after"]["kept"] == 1 + elsewhere


def test_views_of_other_texts_are_reported(arguments: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path / "sym", (["a"], ["b"]), 4)
    with pytest.raises(UserError, match=r"sym holds 1 training pairs and .*word 5: give folders"):
        pairs(**arguments)


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("filter_before", "{", "filter-before: .*not JSON"),
        ("filter_after", '{"data": "x"}', "filter-after.max_length: missing"),
        ("filter", ["null"], "filter: .*a JSON object is needed"),
    ],
)
def test_a_filter_that_is_none_is_reported_with_its_option(
    arguments: dict[str, Any], option: str, text: str, message: str
) -> None:
    with pytest.raises(UserError, match=f"^--{message}"):
        pairs(**arguments | {option: text})
