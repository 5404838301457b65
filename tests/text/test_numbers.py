"""Keys and formats of numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses.tokenize import nonbreaking_prefixes

from contextnmt.errors import UserError
from contextnmt.text.numbers import (
    FORMATS,
    grouped_key,
    number_format,
    reformat,
    ungrouped_key,
)


@pytest.mark.parametrize(
    ("number", "source", "target", "expected"),
    [
        ("1,234.5", "en", "de", "1.234,5"),
        ("1.234.567,5", "de", "en", "1,234,567.5"),
        ("1.234", "en", "en", "1.234"),
        ("1 234 567,89", "fr", "de", "1.234.567,89"),
        ("12,345", "fr", "en", "12.345"),
        ("3.11.7", "en", "fr", "3.11.7"),
        ("1234567.5", "en", "de", "1234567,5"),
        ("007", "en", "fr", "007"),
        ("1,23", "en", "de", "1,23"),
        ("1234,567", "en", "fr", "1234,567"),
        ("٣.٥", "en", "fr", "٣,٥"),
    ],
)
def test_reformats(number: str, source: str, target: str, expected: str) -> None:
    assert reformat(number, source, target) == expected


@pytest.mark.parametrize(
    ("number", "key"),
    [
        ("1,234", "1234"),
        ("1234", "1234"),
        ("1 234 567", "1234567"),
        ("1.234,56", "1234.56"),
        ("1234,56", "1234.56"),
        ("12.34", "12.34"),
        ("3.1416", "3.1416"),
        ("0.123", "0.123"),
        ("1234.567", "1234.567"),
        ("12,345.678", "12345.678"),
        ("1.5", "1.5"),
        ("007", "007"),
        ("12.05.2010", ""),
        ("3.11.7", ""),
        ("1,2,3", ""),
    ],
)
def test_delimiters_of_thousands_are_no_part_of_the_value(number: str, key: str) -> None:
    assert ungrouped_key(number) == key


def test_every_language_of_the_tokenizer_has_a_format() -> None:
    assert set(FORMATS) == set(nonbreaking_prefixes.available_langs.values())


@given(st.integers(0, 10**12), st.integers(0, 999), st.booleans(), st.permutations(sorted(FORMATS)))
def test_a_number_keeps_its_value_and_key(
    whole: int, part: int, has_part: bool, languages: list[str]
) -> None:
    def written(language: str) -> str:
        decimal, group = number_format(language)
        return f"{whole:,}".replace(",", group) + (f"{decimal}{part}" if has_part else "")

    first, second = languages[:2]
    assert reformat(written(first), first, second) == written(second)
    assert grouped_key(written(first)) == grouped_key(written(second))
    assert ungrouped_key(written(first)) == ungrouped_key(written(second))


def test_an_unknown_language_is_the_users_mistake() -> None:
    with pytest.raises(UserError, match=r"'xx'.*choose from en, ga"):
        number_format("xx")
