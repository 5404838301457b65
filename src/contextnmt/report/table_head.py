"""The head of a table on the page: its cells, what they span, the beam width that they are of."""

import itertools
import re
from dataclasses import dataclass
from operator import itemgetter

from contextnmt.report.tables import Block


@dataclass(frozen=True)
class Heading:
    """A cell of a table's head, the columns and rows it spans, whether words stand below it, and
    the beam width that the columns are of, if they are of one."""

    label: str
    columns: int
    rows: int
    text: bool = False
    beam: str = ""

    @property
    def scope(self) -> str:
        """What the cell is a heading of, in the words of HTML."""
        return "col" if self.columns == 1 else "colgroup"


def heading_rows(block: Block) -> list[list[Heading]]:
    """The rows of a table's head; a label with nothing but empty ones below it spans them too."""
    rows = []
    for level in range(len(block.columns[0])):
        row = []
        place = 0
        for labels, group in itertools.groupby(block.columns, key=itemgetter(slice(level + 1))):
            columns = list(group)
            below = columns[0][level + 1 :]
            if labels[-1]:
                spanned = 1 if any(below) else 1 + len(below)
                text = place < block.text_columns
                row.append(Heading(labels[-1], len(columns), spanned, text, beam_of(columns[0])))
            place += len(columns)
        rows.append(row)
    return rows


def beam_of(column: tuple[str, ...]) -> str:
    """The beam width that a column of a table is of, or an empty string."""
    found = re.fullmatch(r"beam (\d+)", column[0])
    return found[1] if found else ""
