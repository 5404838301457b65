"""SGM, the format of the WMT test sets: marked up like XML, but not well-formed, so read by line.

As in the readers of sacreBLEU and Moses, text is what stands between ``<seg …>`` and ``</seg>``.
"""

import html
import re
from collections.abc import Iterable, Iterator

from contextnmt.errors import UserError

OPENING = re.compile(r"<seg\b[^>]*>", re.IGNORECASE)
CLOSING = re.compile(r"</seg\s*>", re.IGNORECASE)

#: The five entities of XML and numbers of characters. HTML's two thousand others and those without
#: a semicolon stay as they are: a text about web pages may mean them.
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")


def segments(lines: Iterable[str], name: str) -> Iterator[str]:
    """The text of each ``<seg>`` of an SGM file, on one line; `name` is for messages.

    A segment may go over several lines. Raises UserError if one is not closed before the next one
    or the end.
    """
    opened = 0
    parts: list[str] = []
    for number, line in enumerate(lines, start=1):
        position = 0
        while True:
            tag = (CLOSING if opened else OPENING).search(line, position)
            again = OPENING.search(line, position, tag.start() if tag else len(line))
            if opened and again:
                raise unclosed(name, opened)
            if opened:
                parts.append(line[position : tag.start() if tag else len(line)])
            if tag is None:
                break
            if opened:
                yield plain(" ".join(parts))
                parts.clear()
            opened = 0 if opened else number
            position = tag.end()
    if opened:
        raise unclosed(name, opened)


def unclosed(name: str, line: int) -> UserError:
    """The error about a segment that begins in `line`."""
    return UserError(
        f"{name}, line {line}: a <seg> without </seg>: mend the file or fetch it again"
    )


def plain(text: str) -> str:
    """`text` with its entities decoded (A44), once, and all white space as single blanks."""
    decoded = ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return " ".join(decoded.split())
