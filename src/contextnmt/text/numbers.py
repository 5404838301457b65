"""Numbers as languages write them: the keys that match them, the change from one to another.

Source: Choi et al. 2017, appendix A ("we normalize the variations in writing a long digit such as
decimal marks and digit grouping delimiters").
"""

import re
from typing import NamedTuple

from contextnmt.errors import UserError

#: A run of digits with single decimal marks or group delimiters inside.
NUMBER = r"\d+(?:[.,]\d+)*"


class NumberFormat(NamedTuple):
    """How a language marks decimals and separates groups of three digits."""

    decimal: str
    group: str


POINT, COMMA, BLANK = (NumberFormat(".", ","), NumberFormat(",", "."), NumberFormat(",", " "))

#: All languages that the tokenizer knows.
FORMATS = {
    **dict.fromkeys(("en", "ga", "yue", "zh"), POINT),
    **dict.fromkeys(
        ("as", "bn", "gu", "hi", "kn", "ml", "mni", "mr", "or", "pa", "ta", "te"), POINT
    ),
    **dict.fromkeys(("ca", "de", "el", "es", "is", "it", "nl", "pt", "ro", "sl", "tdt"), COMMA),
    **dict.fromkeys(("cs", "et", "fi", "fr", "hu", "lt", "lv", "pl", "ru", "sk", "sv"), BLANK),
}

#: Decimal marks and group delimiters, all read as one class.
MARK = re.compile("[., ]")


def number_format(language: str) -> NumberFormat:
    """The format of `language`. Raises UserError if the language has none here."""
    if language not in FORMATS:
        raise UserError(
            f"language {language!r}: its way to write numbers is not known; "
            f"choose from {', '.join(FORMATS)} or add it to FORMATS in contextnmt/text/numbers.py"
        )
    return FORMATS[language]


def check_languages(source_language: str, target_language: str) -> None:
    """Raises UserError at a language that is not known, and if both are the same."""
    for language in (source_language, target_language):
        number_format(language)
    if source_language == target_language:
        raise UserError(
            f"--source-language and --target-language are both {source_language!r}: "
            "give the language of each side"
        )


def grouped_key(number: str) -> str:
    """The digit groups of `number` with every mark read as one: 1.234,56 and 1,234.56 are equal."""
    return MARK.sub(".", number)


def ungrouped_key(number: str) -> str:
    """The value of `number`, its thousands not delimited: 12,345 is 12345, and 12.34 is not 1234.

    The last mark is taken for a delimiter where it may be one: three digits stand after it, one to
    three before the first mark, not 0 alone, and all marks are the same. Empty for digits with
    marks that are no number: a date, a version, a list.
    """
    first, *groups = MARK.split(number)
    delimits = len(first) <= 3 and first != "0" and len(set(MARK.findall(number))) == 1
    decimals = groups.pop() if groups and not (delimits and len(groups[-1]) == 3) else ""
    if any(len(group) != 3 for group in groups) or (groups and len(first) > 3):
        return ""
    whole = "".join([first, *groups])
    return f"{whole}.{decimals}" if decimals else whole


def value_key(number: str) -> str:
    """The digit groups of `number` without zeros before them: 08 is 8, and 00 is 0."""
    return grouped_key(number).lstrip("0") or "0"


def reformat(number: str, source_language: str, target_language: str) -> str:
    """Write `number`, read as `source_language` writes it, as `target_language` does.

    A run of digits and marks that is no number of the source language (a date, a version, a list)
    is returned as it is. Raises UserError for a language without a known format.
    """
    source, target = number_format(source_language), number_format(target_language)
    decimal, group = re.escape(source.decimal), re.escape(source.group)
    found = re.fullmatch(rf"(\d{{1,3}}(?:{group}\d{{3}})+|\d+)(?:{decimal}(\d+))?", number)
    if found is None:
        return number
    whole = found[1].replace(source.group, target.group)
    return whole if found[2] is None else f"{whole}{target.decimal}{found[2]}"
