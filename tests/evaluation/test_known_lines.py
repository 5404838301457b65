"""Sentence pairs without unknown words: the subset of the column "No UNK"."""

import math
from collections import Counter
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.coverage import known_lines
from contextnmt.evaluation.score import read_known_lines
from contextnmt.files import read_json, write_json, write_lines
from contextnmt.text.vocabulary import Vocabulary

#: Source, reference, and whether a model with the words of `found` knows all of both.
PAIRS = [
    ("the cat sleeps", "le chat dort", True),
    ("the dog sleeps", "le chat dort", False),
    ("the cat sleeps", "le chien dort", False),
    ("the dog sleeps", "le chien dort", False),
    ("the  cat", "le chat dort dort", True),
    ("the <unk>", "le chat", False),
    ("the cat", "le </s>", False),
    ("The cat", "le chat", False),
    ("", "", True),
]


def found(folder: Path, source: list[str], reference: list[str]) -> Path:
    """The file that `known_lines` writes."""
    texts, vocabularies = [folder / "text.en", folder / "text.fr"], []
    for path, lines, words in zip(
        texts, (source, reference), ("the cat sleeps", "le chat dort"), strict=True
    ):
        write_lines(path, lines)
        counts = Counter(words.split())
        vocabularies.append(path.with_name(f"{path.name}.tsv"))
        Vocabulary.most_frequent(counts, 10).write(vocabularies[-1], counts)
    known_lines(*texts, *vocabularies, folder / "known.json")
    return folder / "known.json"


def test_both_sides_of_a_line_are_known(tmp_path: Path) -> None:
    path = found(tmp_path, [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS])
    expected = [number for number, pair in enumerate(PAIRS, 1) if pair[2]]
    assert read_json(path) == {"sentences": 9, "source": 5, "reference": 6, "lines": expected}
    assert read_known_lines(path, len(PAIRS)) == expected


def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_known_lines(found(tmp_path, ["a dog"], ["un chien"]), 1) == []


def test_sides_of_different_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"text.en has 2 lines and .*text.fr has 1: the two sides"):
        found(tmp_path, ["the cat", "the"], ["le chat"])


NO_FILE = "not a file of `contextnmt known-lines`"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"sentences": 4, "lines": [1, 4]}, "of a text of 4 sentences, and the reference has 3"),
        ({"sentences": 3, "lines": [0, 1]}, NO_FILE),
        ({"sentences": 3, "lines": [2, 2]}, NO_FILE),
        ({"sentences": 3, "lines": [4]}, NO_FILE),
        ({"sentences": 3}, NO_FILE),
        ({"sentences": 3, "lines": [math.inf]}, NO_FILE),
        ([1, 2], NO_FILE),
    ],
)
def test_lines_of_another_text_are_refused(tmp_path: Path, content: object, message: str) -> None:
    write_json(tmp_path / "known.json", content)
    with pytest.raises(UserError, match=message):
        read_known_lines(tmp_path / "known.json", 3)
