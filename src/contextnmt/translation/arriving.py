"""Lines as they arrive: many at a time from a file, one by one from somebody who types."""

import os
import select
from collections.abc import Iterator

from contextnmt.corpus.raw_text import BYTE_ORDER_MARK
from contextnmt.errors import UserError

#: Lines that come together at most, and bytes after which no more are waited for.
LINES = 1000
BYTES = 1 << 20

BLOCK = 1 << 16

#: What compressed data begins with, and no UTF-8.
GZIP = b"\x1f\x8b"


def arriving(descriptor: int) -> Iterator[list[str]]:
    """The lines that can be read from a file descriptor, in lists of `LINES` at most, none empty.

    A list ends where there is nothing more to read yet, so that no line waits for the next one. LF
    alone ends a line; the last one may lack it. U+FFFD takes the place of invalid UTF-8, and a byte
    order mark at the beginning goes, as in `contextnmt extract`. Raises UserError at gzip.
    """
    mark = BYTE_ORDER_MARK
    for lines in whole_lines(descriptor):
        for start in range(0, len(lines), LINES):
            some = lines[start : start + LINES]
            decoded = [line.decode("utf-8", errors="replace") for line in some]
            decoded[0] = decoded[0].removeprefix(mark)
            mark = ""
            yield decoded


def whole_lines(descriptor: int) -> Iterator[list[bytes]]:
    """The same as bytes, in lists that may be longer or empty.

    Raises UserError, before the first line, if what comes is compressed by gzip.
    """
    lines: list[bytes] = []
    beginning: list[bytes] = []  # of a line that has not ended
    ended, size, start = False, 0, b""
    while not ended:
        block = os.read(descriptor, BLOCK)
        start += block[: len(GZIP) - len(start)]
        if start == GZIP:
            raise UserError(
                "standard input: compressed by gzip: `zcat FILE | contextnmt translate …` reads it"
            )
        ended, size = not block, size + len(block)
        first, *others = block.split(b"\n")
        beginning.append(first)
        for other in others:
            lines.append(b"".join(beginning))
            beginning = [other]
        if ended and any(beginning):
            lines.append(b"".join(beginning))
        if ended or len(lines) >= LINES or size >= BYTES or not waiting(descriptor):
            yield lines
            lines, size = [], 0


def waiting(descriptor: int) -> bool:
    """Whether a read would return at once."""
    return bool(select.select([descriptor], [], [], 0)[0])
