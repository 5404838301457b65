"""Unknown words, replaced by means of the attention."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines, write_lines
from contextnmt.translation.alignment_file import write_alignments
from contextnmt.translation.replace_unknown import replace_unknown

SOURCE = ["the frog saw Rosa yesterday", "", "frog"]
TRANSLATIONS = ["la UNK a vu UNK UNK", "", "UNK"]
LEXICON = ["frog\tgrenouille\t0.9\t5", "Rosa\tRosette\t0.4\t2"]


def matrix(rows: list[int], columns: int) -> np.ndarray:
    """Weights that are most on one column in each row."""
    weights = np.full((len(rows), columns), 0.5 / columns)
    weights[range(len(rows)), rows] += 0.5
    return weights


@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    """Those of a command over three sentences: the second is empty, the third one cut off."""
    last = matrix([0], 2)
    last[0] = [0.4, 0.6]  # most on the end of the sentence, which is no word
    paths = {
        "source": tmp_path / "test.en",
        "translation": tmp_path / "test.beam12.gz",
        "alignments": tmp_path / "test.beam12.alignments.npz",
        "lexicon": tmp_path / "lexicon.tsv",
    }
    write_lines(paths["source"], SOURCE)
    write_lines(paths["translation"], TRANSLATIONS)
    write_lines(paths["lexicon"], LEXICON)
    write_alignments(
        paths["alignments"], [matrix([0, 1, 2, 2, 3, 4, 5], 6), np.empty((0, 0)), last]
    )
    return {
        **{name: path if name == "lexicon" else [path] for name, path in paths.items()},
        "heuristic": [0, 1, 2],
        "out": [tmp_path / f"out/test.beam12.replaced{number}.gz" for number in range(3)],
        "statistics_out": tmp_path / "out/replaced.json",
    }


def test_each_heuristic_replaces_in_its_way(arguments: dict[str, Any]) -> None:
    replace_unknown(**arguments)
    assert [list(read_lines(path)) for path in arguments["out"]] == [
        ["la frog a vu Rosa yesterday", "", "frog"],
        ["la grenouille a vu Rosette yesterday", "", "grenouille"],
        ["la grenouille a vu Rosa yesterday", "", "grenouille"],
    ]
    counts = read_json(arguments["statistics_out"])
    assert counts == {
        f"test.beam12.replaced{heuristic}": {
            "unknown": 4,
            "words": 7,
            "looked_up": looked_up,
            "copied": 4 - looked_up,
        }
        for heuristic, looked_up in enumerate([0, 3, 2])
    }


def test_a_copy_needs_no_lexicon(arguments: dict[str, Any]) -> None:
    arguments |= {"lexicon": None, "heuristic": [0], "out": arguments["out"][:1]}
    replace_unknown(**arguments)
    assert next(read_lines(arguments["out"][0])) == "la frog a vu Rosa yesterday"


def test_symbols_are_copied_and_a_word_unk_comes_back(arguments: dict[str, Any]) -> None:
    write_lines(arguments["source"][0], ["the UNK saw <S>_1 yesterday", "", "frog"])
    replace_unknown(**arguments)
    for path in arguments["out"]:
        assert next(read_lines(path)) == "la UNK a vu <S>_1 yesterday"


def test_translations_keep_their_order(arguments: dict[str, Any], tmp_path: Path) -> None:
    for name in ("translation", "source"):
        other = tmp_path / f"other.{name}"
        write_lines(other, ["UNK"])
        arguments[name].append(other)
    write_alignments(tmp_path / "other.npz", [matrix([0, 1], 2)])
    arguments["alignments"].append(tmp_path / "other.npz")
    arguments["heuristic"] = [2, 0]
    arguments["out"] = [tmp_path / name for name in ("a2", "a0", "b2", "b0")]
    write_lines(arguments["source"][1], ["frog"])
    replace_unknown(**arguments)
    assert [list(read_lines(path))[-1] for path in arguments["out"]] == ["grenouille", "frog"] * 2


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("source", SOURCE[:2], "differ in length: the shortest has 2 lines"),
        ("translation", [*TRANSLATIONS, ""], "differ in length: the shortest has 3 lines"),
        ("source", ["the frog", "", "frog"], "line 1 has weights of 7 words on 6, and .* has 6"),
        ("translation", ["la UNK a vu UNK", "", "UNK"], "line 1 has weights of 7 words on 6"),
        ("translation", ["la UNK a vu UNK UNK", "UNK", "UNK"], "line 2 has weights of 0 words"),
        ("source", ["the frog saw Rosa yesterday", "", ""], "line 3 has weights of 1 words on 2"),
    ],
)
def test_what_does_not_fit_is_refused(
    arguments: dict[str, Any], name: str, lines: list[str], message: str
) -> None:
    write_lines(arguments[name][0], lines)
    with pytest.raises(UserError, match=message):
        replace_unknown(**arguments)
    assert not any(path.exists() for path in arguments["out"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": []}, "1 --translation, 1 --alignments, 0 --source"),
        ({"heuristic": [1]}, "1 --translation and 1 --heuristic need 1 --out, not 3"),
        ({"lexicon": None}, "give a --lexicon"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    arguments: dict[str, Any], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        replace_unknown(**(arguments | changes))
