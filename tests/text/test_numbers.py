"""Keys and formats of numbers."""

import pytest

from contextnmt.errors import UserError
from contextnmt.text.numbers import digits_key, grouped_key, number_format, reformat


@pytest.mark.parametrize(
    ("number", "source", "target", "expected"),
    [
        ("1,234.5", "en", "fr", "1 234,5"),
        ("1,234.5", "en", "de", "1.234,5"),
        ("1.234.567,5", "de", "en", "1,234,567.5"),
        ("1 234,56", "fr", "en", "1,234.56"),
        ("0.5", "en", "fr", "0,5"),
        ("2010", "en", "fr", "2010"),
        ("12.05.2010", "en", "de", "12.05.2010"),
        ("10,20", "en", "fr", "10,20"),
        ("1.234", "en", "en", "1.234"),
    ],
)
def test_reformats(number: str, source: str, target: str, expected: str) -> None:
    assert reformat(number, source, target) == expected


def test_keys() -> None:
    assert grouped_key("1.234,56") == grouped_key("1,234.56") == grouped_key("1 234,56")
    assert grouped_key("1,5") != grouped_key("15")
    assert digits_key("1,234") == digits_key("1234") == "1234"
    assert digits_key("1.5") == ""


def test_an_unknown_language_is_the_users_mistake() -> None:
    with pytest.raises(UserError, match=r"'xx'.*choose from de, en, fr"):
        number_format("xx")
