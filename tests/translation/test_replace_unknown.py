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
    """Files of a command over three sentences: the second is empty, the third cut off."""
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
        "out": [tmp_path / "out/test.beam12.replaced.gz"],
        "statistics_out": tmp_path / "out/replaced.json",
    }


def test_the_aligned_word_is_looked_up_or_else_copied(arguments: dict[str, Any]) -> None:
    replace_unknown(**arguments)
    (out,) = arguments["out"]
    assert list(read_lines(out)) == ["la grenouille a vu Rosette yesterday", "", "grenouille"]
    counts = {"unknown": 4, "words": 7, "looked_up": 3, "copied": 1}
    assert read_json(arguments["statistics_out"]) == {"test.beam12.replaced": counts}


def test_symbols_are_copied_and_a_word_unk_comes_back(arguments: dict[str, Any]) -> None:
    write_lines(arguments["source"][0], ["the UNK saw <S>_1 yesterday", "", "frog"])
    replace_unknown(**arguments)
    assert next(read_lines(arguments["out"][0])) == "la UNK a vu <S>_1 yesterday"


def test_translations_keep_their_order(arguments: dict[str, Any], tmp_path: Path) -> None:
    for name in ("translation", "source"):
        other = tmp_path / f"other.{name}"
        write_lines(other, ["UNK"])
        arguments[name].append(other)
    write_alignments(tmp_path / "other.npz", [matrix([0, 1], 2)])
    arguments["alignments"].append(tmp_path / "other.npz")
    arguments["out"] = [tmp_path / "first", tmp_path / "second"]
    write_lines(arguments["source"][1], ["Rosa"])
    replace_unknown(**arguments)
    found = [list(read_lines(path))[-1] for path in arguments["out"]]
    assert found == ["grenouille", "Rosette"]
    assert list(read_json(arguments["statistics_out"])) == ["first", "second"]


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("source", SOURCE[:2], "the shortest has 2 lines"),
        ("translation", [*TRANSLATIONS, ""], "the shortest has 3 lines"),
        ("source", ["the frog", "", "frog"], "line 1: the weights are"),
        ("translation", ["la UNK a vu UNK UNK", "UNK", "UNK"], "line 2: the weights are"),
        ("source", ["the frog saw Rosa yesterday", "", ""], "line 3: the weights are"),
    ],
)
def test_what_does_not_fit_is_refused(
    arguments: dict[str, Any], name: str, lines: list[str], message: str
) -> None:
    write_lines(arguments[name][0], lines)
    with pytest.raises(UserError, match=message):
        replace_unknown(**arguments)
    assert not any(path.exists() for path in arguments["out"])
    with pytest.raises(UserError, match="1 --translation, 1 --alignments, 0 --source, 1 --out"):
        replace_unknown(**(arguments | {"source": []}))
