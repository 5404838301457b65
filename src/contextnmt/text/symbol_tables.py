"""Tables with a header: a row a line, a tab between columns."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.text.pieces import SYMBOL

#: Columns of the table of symbols of a source without target, ``{text}.symbols.tsv.gz``: line
#: (from 1), symbol (``<S>_1``) and its words, separated by blanks. In the order of the text.
SYMBOLS_HEADER = "line\tsymbol\tsource"


def read_table(
    path: Path,
    header: str,
    row: str,
    is_row: Callable[[list[str]], bool],
    sorted_by: int = 0,
    unique: bool = False,
) -> Iterator[list[str]]:
    """The columns of each row of a table.

    `row` says what a row has, for messages, and `is_row` whether columns are that. Raises
    UserError, naming the line, at another header, at anything that is no row, and at a row that is
    not in its place by the first `sorted_by` columns, or `unique` and the second one with these.
    """
    lines = read_lines(path)
    if (first := next(lines, "")) != header:
        raise UserError(f"{path}, line 1: expected the header {header!r}, found {first!r}")
    last: list[str] = []
    for number, line in enumerate(lines, start=2):
        columns = line.split("\t")
        if len(columns) != header.count("\t") + 1 or not is_row(columns):
            raise UserError(
                f"{path}, line {number}: a row needs {row}, separated by tabs; this one is {line!r}"
            )
        if (key := columns[:sorted_by]) < last or (unique and key == last):
            raise UserError(
                f"{path}, line {number}: {' '.join(key)!r} comes after {' '.join(last)!r}: rows "
                f"are sorted by their first {sorted_by} columns{', none twice' * unique}: mend that"
            )
        last = key
        yield columns


def table_lines(header: str, rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a table, each with its LF."""
    yield f"{header}\n"
    for row in rows:
        yield "\t".join(map(str, row)) + "\n"


def read_symbols(path: Path) -> dict[int, dict[str, str]]:
    """Symbol -> source surface, for each line that has symbols, from a file of `symbolize`."""
    symbols: dict[int, dict[str, str]] = {}
    for line, symbol, surface in read_table(
        path,
        SYMBOLS_HEADER,
        "line (from 1), symbol and source",
        lambda row: bool(re.fullmatch("[1-9][0-9]*", row[0]) and SYMBOL.fullmatch(row[1])),
    ):
        symbols.setdefault(int(line), {})[symbol] = surface
    return symbols
