"""HTML pages that need no other file: from templates, with style and script inside."""

import itertools
import re
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import jinja2

from contextnmt.files import atomic
from contextnmt.report.results import Results, pair_of, pair_title
from contextnmt.report.tables import NONE, PAPER, Block, signed

FOLDER = Path(__file__).parent

#: Columns of a table, and letters of a row of numbers, from which on remarks stand below their
#: numbers: else a row does not fit on a page.
WIDE, LETTERS = 8, 130
#: Letters of a row's label from which on it may take several lines.
LABEL = 48


@dataclass(frozen=True)
class Heading:
    """A cell of a table's head, and the columns and rows that it spans.

    `text`: words stand below it. `beam`: the beam width that the columns are of, if they are of
    one. `column`: the place of the cells in their rows if it stands right above one column, or 0.
    """

    label: str
    columns: int
    rows: int
    text: bool = False
    beam: str = ""
    column: int = 0


def heading_rows(block: Block) -> list[list[Heading]]:
    """The rows of a table's head; a label with nothing but empty ones below it spans them too."""
    rows = []
    for level in range(len(block.columns[0])):
        row, place = [], 0
        for labels, group in itertools.groupby(block.columns, key=itemgetter(slice(level + 1))):
            columns = list(group)
            below = columns[0][level + 1 :]
            if labels[-1]:
                spanned = 1 if any(below) else 1 + len(below)
                text = place < block.text_columns
                sortable = len(columns) == 1 and not any(below)
                column = place + 1 if sortable else 0  # the label of the row is 0
                beam = beam_of(columns[0])
                row.append(Heading(labels[-1], len(columns), spanned, text, beam, column))
            place += len(columns)
        rows.append(row)
    return rows


def beam_of(column: tuple[str, ...]) -> str:
    """The beam width that a column of a table is of, or an empty string."""
    found = re.fullmatch(r"beam (\d+)", column[0])
    return found[1] if found else ""


def is_wide(block: Block) -> bool:
    """Whether the remarks of a table stand below their numbers."""
    rows = ([label, *(cell.plain for cell in cells)] for label, cells in block.rows)
    longest = max((sum(map(len, row)) for row in rows), default=0)
    return len(block.columns) >= WIDE or (not block.text_columns and longest >= LETTERS)


#: Names that a template may use besides its content.
NAMES = {
    # Templates that others take in are named in Python, so that an edit of them re-runs reports.
    "BASE": "base.html.j2",
    "PARTS": "parts.html.j2",
    "TRY": "try_it.html.j2",
    "LABEL": LABEL,
    "NONE": NONE,
    "PAPER": PAPER,
    "beam_of": beam_of,
    "heading_rows": heading_rows,
    "is_wide": is_wide,
    "pair_of": pair_of,
    "signed": signed,
}


def render(template: str, content: dict[str, Any], out: Path) -> None:
    """Write the page that a template of this folder makes of `content`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        NAMES,
        style=(FOLDER / "page.css").read_text(encoding="utf-8"),
        script=(FOLDER / "page.js").read_text(encoding="utf-8"),
        try_script=(FOLDER / "try_it.js").read_text(encoding="utf-8"),
    )
    with atomic(out) as stream:
        stream.write(environment.get_template(template).render(content))


def filters(experiments: list[Results]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """The choices of a page about some experiments, where there is one: name, legend, and each
    value with its label.

    Of beam widths those that all of them have: any other would leave tables without a column.
    """
    pairs = {pair: pair_title(pair) for results in experiments for pair in results.pairs}
    beams = sorted(set.intersection(*(set(results.beams) for results in experiments)))
    widths = [(str(beam), str(beam)) for beam in beams]
    both = [("pair", "Language pair", list(pairs.items())), ("beam", "Beam width", widths)]
    return [each for each in both if len(each[2]) > 1]
