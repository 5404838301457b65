"""Test sets that were published twice, and the number of lines that tells which one a text is.

Of newstest2014 there is the full release (A38) and the official, filtered one. Both have the same
number of sentences in English and French, as far as is known; in English and German the filtered
one lacks some.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from contextnmt.errors import UserError

FULL, FILTERED = "newstest2014", "newstest2014-filtered"
#: Lines of the two releases in English and German.
LINES = {FULL: 3003, FILTERED: 2737}


def text_of(name: str) -> str:
    """The text of a translation, ``TEXT.beamN``."""
    return name.partition(".")[0]


def stated_lines(options: Iterable[str]) -> dict[str, int]:
    """The number of lines of each text, from ``TEXT=N``. Raises UserError at any other form."""
    stated = {}
    for option in options:
        match = re.fullmatch(r"([^=]+)=(\d+)", option)
        if not match:
            raise UserError(f"--lines {option}: write TEXT=NUMBER")
        stated[match[1]] = int(match[2])
    return stated


def check_release(
    name: str, reference: Path, lines: int, stated: int | None = None, language: str | None = None
) -> None:
    """Refuse the reference of `name` (TEXT.beamN) if it has another number of lines than the text.

    That number is `stated`. Without it, the two releases alone are told apart, each by the lines of
    the other: the full one in any language, the filtered one if the target `language` is German.
    Raises UserError with both numbers.
    """
    text = text_of(name)
    if stated is not None:
        if lines != stated:
            raise UserError(
                f"{reference} has {lines} lines, and {text} has {stated}: "
                "give the reference of this text, or mend the number"
            )
    elif text == FULL or (text == FILTERED and language == "de"):
        other = FILTERED if text == FULL else FULL
        if lines == LINES[other]:
            raise UserError(
                f"{reference} has {lines} lines, and {text} has {LINES[text]}: "
                f"this is the other release: name it {other}"
            )
