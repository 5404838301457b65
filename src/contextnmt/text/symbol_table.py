"""What the symbols of a lone source text stand for: a table beside the text.

``{text}.symbols.tsv.gz`` has a header and the columns ``line`` (from 1), ``symbol`` (``<S>_1``) and
``source`` (the surface, words separated by blanks), in the order of the text.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.text.pieces import SYMBOL
from contextnmt.text.symbols import Symbol

HEADER = "line\tsymbol\tsource"


def symbol_row(line: int, symbol: Symbol) -> str:
    """The row of the table for a symbol of line `line`."""
    return f"{line}\t{symbol.name}\t{symbol.source}"


def read_symbol_table(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and its symbols (symbol -> source surface), of every line that has any.

    Raises UserError, naming the line of the table, at a malformed row and at a lower line number.
    """
    lines = read_lines(path)
    if (header := next(lines, "")) != HEADER:
        raise UserError(
            f"{path}, line 1: not a table of symbols: expected {HEADER!r}, found {header!r}"
        )
    for line, rows in groupby(symbol_rows(path, lines), key=lambda row: row[0]):
        yield line, {symbol: surface for _, symbol, surface in rows}


def symbol_rows(path: Path, lines: Iterator[str]) -> Iterator[tuple[int, str, str]]:
    """The rows after the header, checked."""
    last = 1
    for number, row in enumerate(lines, start=2):
        line, _, rest = row.partition("\t")
        symbol, tab, surface = rest.partition("\t")
        if not (tab and line.isdecimal() and int(line) >= last and SYMBOL.fullmatch(symbol)):
            raise UserError(
                f"{path}, line {number}: a row needs line (not lower than the row before), symbol "
                f"and source, separated by tabs; this one is {row!r}"
            )
        last = int(line)
        yield last, symbol, surface
