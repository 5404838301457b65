"""Raw text as corpora bring it: bytes become blocks of whole lines of good UTF-8.

A line ends at LF alone. CR, VT, FF, U+0085, U+2028, NUL and characters without width are ordinary
characters of a line and are left to the tokenizer, which treats them as Moses does.
"""

import sys
from collections.abc import Iterator
from typing import IO

from contextnmt.corpus.archive import BLOCK, damage_told
from contextnmt.errors import UserError

BYTE_ORDER_MARK = "\ufeff"

#: Bytes. A file whose lines end at CR alone is one line, and would fill the memory.
LONGEST_LINE = 1 << 24

#: Of so many lines, one may be invalid UTF-8; where more are, the text is in another encoding.
LINES_TO_AN_INVALID_ONE = 1000


def read_blocks(stream: IO[bytes], name: str, most: int) -> Iterator[bytes]:
    """The bytes of `stream` in blocks that end at a line's end; the last one gets its LF.

    `name` is for messages. Raises UserError if the data are damaged, hold more than `most` bytes,
    or have a line of more than LONGEST_LINE bytes.
    """
    lines = 0
    size = 0
    while True:
        with damage_told(f"{name}, after line {lines}"):
            block = stream.read(BLOCK)
            if block and not block.endswith(b"\n"):
                block += stream.readline(LONGEST_LINE)
        if not block:
            return
        size += len(block)
        if size > most:
            raise UserError(
                f"{name}: more than {most} bytes come out of so small a file: not read, since no "
                "text shrinks so much"
            )
        lines += block.count(b"\n")
        if len(block) - block.rfind(b"\n") > LONGEST_LINE:
            raise UserError(
                f"{name}, line {lines + 1}: longer than {LONGEST_LINE} bytes: not a text, or its "
                "lines do not end at LF: convert it"
            )
        yield block if block.endswith(b"\n") else block + b"\n"


class Decoder:
    """Bytes to characters; in a few invalid lines, U+FFFD takes the place of what is invalid.

    Corpora of the web hold single broken lines among millions, which clean may drop by
    ``drop_garbled``; to stop there would help nobody.
    """

    def __init__(self, name: str) -> None:
        """`name` is for messages."""
        self.name = name
        self.lines = 0
        self.invalid = 0
        self.first = ""

    def decode(self, block: bytes) -> str:
        """The text of a block of whole lines."""
        try:
            text = block.decode("utf-8")
        except UnicodeDecodeError:
            lines = block.removesuffix(b"\n").split(b"\n")
            numbered = enumerate(lines, start=self.lines + 1)
            text = "".join(f"{self.decode_line(number, line)}\n" for number, line in numbered)
        if self.lines == 0:
            text = text.removeprefix(BYTE_ORDER_MARK)
        self.lines += text.count("\n")
        return text

    def decode_line(self, number: int, line: bytes) -> str:
        """The text of a line that may be invalid."""
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            self.invalid += 1
            self.first = self.first or (
                f"{self.name}, line {number}: invalid UTF-8 (byte "
                f"{error.object[error.start]:#04x} at position {error.start})"
            )
            return line.decode("utf-8", errors="replace")

    def finish(self) -> None:
        """Tell of invalid lines on stderr; raise UserError if they are too many."""
        if self.invalid * LINES_TO_AN_INVALID_ONE > self.lines:
            found = f"{self.invalid} of {self.lines} lines are"
            raise UserError(f"{self.first}: {found}: convert the file to UTF-8")
        if self.invalid:
            print(
                f"warning: {self.first}; U+FFFD stands for what is invalid in {self.invalid} of "
                f"{self.lines} lines",
                file=sys.stderr,
            )


def decode_blocks(stream: IO[bytes], name: str, most: int) -> Iterator[str]:
    """The text of `stream` in blocks of whole lines, each ended by LF.

    The first one lacks its byte order mark. Raises UserError, see `read_blocks` and `Decoder`.
    """
    decoder = Decoder(name)
    for block in read_blocks(stream, name, most):
        yield decoder.decode(block)
    decoder.finish()
