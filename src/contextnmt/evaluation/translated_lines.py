"""The lines of a translation, and a gap in the place of its scores if it is damaged."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import decode_lines, open_binary


class GapError(UserError):
    """The reason why a translation has no numbers: those of others can be had all the same."""


@contextmanager
def gap_in(scores: dict[str, Any], name: str) -> Iterator[None]:
    """Turn a GapError in the block into a gap: an entry of `scores`, and a warning on stderr."""
    try:
        yield
    except GapError as gap:
        scores[name] = {"gap": str(gap)}
        print(f"warning: no scores of {name}: {gap}", file=sys.stderr)


def translated_lines(hypothesis: Path, other: Path | str, count: int) -> list[str]:
    """The lines of `hypothesis`, as many as what it is held against has: `count`; `other` is that
    file, or what to call it.

    Raises GapError if it is damaged or has another number of lines, and another UserError if there
    is no such file.
    """
    with open_binary(hypothesis) as stream:
        try:
            lines = list(decode_lines(stream, str(hypothesis)))
        except UserError as damage:
            raise GapError(str(damage)) from None
    if len(lines) != count:
        raise GapError(f"{hypothesis} has {len(lines)} lines and {other} has {count}")
    return lines
