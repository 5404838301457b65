"""Lines that a translation is scored on alone, of the right text."""

from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.subsets import read_known_lines
from contextnmt.files import write_json


def test_lines_are_numbers_of_the_text(tmp_path: Path) -> None:
    write_json(tmp_path / "known.json", {"sentences": 3, "lines": [1, 3]})
    assert read_known_lines(tmp_path / "known.json", 3) == [1, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"sentences": 4, "lines": [1]}, "of a text of 4 sentences, and the reference has 3"),
        ({"sentences": 3, "lines": [0, 1]}, "make it from this text"),
        ({"sentences": 3, "lines": [2, 2]}, "make it from this text"),
        ({"sentences": 3, "lines": [4]}, "make it from this text"),
        ({"sentences": 3}, "not a file of `contextnmt known-lines`"),
        ([1, 2], "not a file of `contextnmt known-lines`"),
    ],
)
def test_lines_of_another_text_are_refused(tmp_path: Path, content: object, message: str) -> None:
    write_json(tmp_path / "known.json", content)
    with pytest.raises(UserError, match=message):
        read_known_lines(tmp_path / "known.json", 3)
