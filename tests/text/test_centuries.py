"""Which numbers count a century that French writes in Roman numerals."""

import pytest

from contextnmt.text.pieces import split_pieces
from contextnmt.text.symbols import is_century


@pytest.mark.parametrize(
    ("line", "centuries"),
    [
        ("in the 15th century", [15]),
        ("the 10th - 11th centuries and 5 men", [10, 11]),
        ("the 11th , 12th , and 13th centuries", [11, 12, 13]),
        ("a 21st-century economy", [21]),
        ("the 20th Century Fox", []),
        ("on the 15th day of the century", []),
        ("15 centuries", []),
        ("the 15th", []),
    ],
)
def test_centuries(line: str, centuries: list[int]) -> None:
    pieces = split_pieces(line)
    found = [
        int(piece)
        for place, piece in enumerate(pieces)
        if piece.isdecimal() and is_century(pieces, place + 1, "en", "fr")
    ]
    assert found == centuries


@pytest.mark.parametrize("languages", [("en", "de"), ("fr", "en")])
def test_other_languages_keep_the_digits(languages: tuple[str, str]) -> None:
    assert not is_century(split_pieces("in the 15th century"), 3, *languages)
