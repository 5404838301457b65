"""A finished table, and its files: CSV, Markdown, LaTeX, and JSON for the page.

A table is kept twice: `data` holds its numbers, one a row, in full precision (the CSV file);
`blocks` holds what a reader sees, rounded and set beside the paper's numbers (the other files).
Excerpts from the text that it is about go to the page alone."""

import csv
import io
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from tabulate import tabulate

from contextnmt.errors import UserError
from contextnmt.files import atomic, read_json, write_json

#: A row of the data of a table, or of another record of a run.
Row = dict[str, Any]

#: Characters of a side that are shown: some of what cleaning removes is longer than a page.
LENGTH = 500

#: Characters without a shape.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class SentencePair:
    """Both sides, and where they stand: ``europarl-v7, line 17``."""

    place: str
    source: str
    target: str


@dataclass(frozen=True)
class Excerpt:
    """A few sentence pairs of a language pair (``en-fr``), and what they have in common."""

    title: str
    pair: str
    sentence_pairs: list[SentencePair]


def sentence_pair(place: str, source: str, target: str) -> SentencePair:
    """A pair as it is shown: long sides cut off, control characters by their number."""
    return SentencePair(place, readable(source), readable(target))


def readable(text: str) -> str:
    """The first `LENGTH` characters of `text`; a control character becomes ``\\x85``."""
    end = "…" if len(text) > LENGTH else ""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text[:LENGTH]) + end


#: A cell without a value.
NONE = "–"

#: Behind a value that is marked; an asterisk ends the name of a system.
MARK = "†"

#: The column label of numbers that are the paper's; the page sets them apart.
PAPER = "paper"

#: Marks around the best of a column until it is written: characters that Unicode leaves to
#: programs for their own use, and that no text is to have.
BOLD = ("\ufdd0", "\ufdd1")

#: Characters with a meaning in LaTeX, or missing in its default fonts -> its commands for them.
LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {
        "\\": r"\textbackslash ",
        "~": r"\textasciitilde ",
        "^": r"\textasciicircum ",
        BOLD[0]: r"\textbf{",
        BOLD[1]: "}",
        "→": r"$\to$",
        "−": "$-$",
        "±": r"$\pm$",
        MARK: r"$^\dagger$",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        NONE: "--",
    }
)

#: Markdown's marks that words of a corpus may hold.
MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*<|"} | dict.fromkeys(BOLD, "**"))


@dataclass(frozen=True)
class Cell:
    """One place of a table: a value, a remark on it (a spread, a count) or none.

    `best` says that the value is the best of its column, `marked` that it has a dagger, which a
    note of the table explains.
    """

    text: str
    remark: str = ""
    best: bool = False
    marked: bool = False

    @property
    def value(self) -> str:
        """The value with its mark."""
        return self.text + (MARK if self.marked else "")

    @property
    def plain(self) -> str:
        """Value, mark and remark, as one text."""
        return self.with_best("", "")

    def with_best(self, before: str, after: str) -> str:
        """The value and its remark; one that is the best of its column is marked on both sides."""
        value = f"{before}{self.value}{after}" if self.best else self.value
        return f"{value} {self.remark}".rstrip()


@dataclass(frozen=True)
class Block:
    """One rectangle of a table.

    `columns` are tuples of labels, from the widest heading down, all equally long; each of `rows`
    is a label, no two alike, and as many cells as there are columns. The first `text_columns`
    columns hold words, not numbers.
    """

    title: str
    columns: Sequence[tuple[str, ...]]
    rows: list[tuple[str, list[Cell]]]
    text_columns: int = 0


@dataclass(frozen=True)
class Table:
    """The blocks that are shown, the tidy `data` behind them (a dict a row), notes, excerpts."""

    blocks: list[Block]
    data: list[Row]
    notes: list[str]
    excerpts: list[Excerpt] = field(default_factory=list)


def texts_of(table: Table) -> dict[str, str]:
    """The table as CSV, Markdown and LaTeX (booktabs), by suffix."""
    notes = [f"*{note.translate(MARKDOWN)}*" for note in table.notes]
    comments = [f"% {note}" for note in table.notes]
    texts = {
        "csv": csv_text(list(dict.fromkeys(chain(*table.data))), table.data),
        "md": "\n\n".join([*map(_markdown, table.blocks), *notes]),
        "tex": "\n".join([*map(_latex, table.blocks), *comments]),
    }
    return {suffix: text.rstrip("\n") + "\n" for suffix, text in texts.items()}


def table_of(blocks: list[Block]) -> Table:
    """A table whose data is what is shown, all of it text: a row of a block is one of the data."""
    data = [
        {
            "table": block.title,
            "row": label,
            **{
                " ".join(filter(None, labels)): cell.plain
                for labels, cell in zip(block.columns, cells, strict=True)
            },
        }
        for block in blocks
        for label, cells in block.rows
    ]
    return Table(blocks, data, [])


def write_table(out: Path, table: Table) -> None:
    """Write `table` as `out` + ``.csv``, ``.md``, ``.tex`` (booktabs) and ``.json``."""
    for suffix, text in texts_of(table).items():
        with atomic(out.with_name(f"{out.name}.{suffix}")) as stream:
            stream.write(text)
    write_json(out.with_name(f"{out.name}.json"), TypeAdapter(Table).dump_python(table))


def read_table(path: Path) -> Table:
    """The table that `write_table` wrote as JSON. Raises UserError if it is something else."""
    try:
        return TypeAdapter(Table).validate_python(read_json(path))
    except ValidationError:
        raise UserError(f"{path}: not a table of this report: make it again") from None


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and, of two values or more, the sample standard deviation."""
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None


def rounded(values: Sequence[float], digits: int = 2) -> tuple[str, str]:
    """The mean of the values of all seeds, ``12.34``, and ``± 0.56`` if there are several."""
    mean, deviation = mean_and_deviation(values)
    return f"{mean:.{digits}f}", "" if deviation is None else f"± {deviation:.{digits}f}"


def as_printed(values: list[float]) -> float:
    """The rounded mean of the values of all seeds: scores that are printed alike are both best."""
    return float(rounded(values)[0])


def shown(value: float | None, form: str) -> Cell:
    """A number in the form of its row or column (``{:,}``), a dash for none."""
    return Cell(NONE if value is None else form.format(value))


def signed(value: float, digits: int = 2) -> str:
    """A difference with its sign, the minus as typeset: ``+1.20``, ``−0.35``."""
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")  # no minus before zero


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Rows as CSV, numbers with ten digits; what a row lacks is empty, other keys are left out."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {key: f"{each:.10g}" if isinstance(each, float) else each for key, each in row.items()}
        for row in rows
    )
    return text.getvalue()


def _markdown(block: Block) -> str:
    numbers = len(block.columns) - block.text_columns
    text = tabulate(
        [[text.translate(MARKDOWN) for text in row] for row in _rows(block)],
        ["", *(" ".join(filter(None, labels)) for labels in block.columns)],
        tablefmt="pipe",
        disable_numparse=True,
        colalign=[*["left"] * (1 + block.text_columns), *["right"] * numbers],
    )
    return f"**{block.title}**\n\n{text}"


def _in_latex(texts: Iterable[str]) -> str:
    """A row of LaTeX. A blank behind a command would be lost."""
    row = " & ".join(text.translate(LATEX) for text in texts)
    return re.sub(r"(\\text\w+ ) ", r"\1\\space ", row) + r" \\"


def _latex(block: Block) -> str:
    """A table of booktabs; a label of several columns, but for the lowest ones, spans them."""
    depth, count = len(block.columns[0]), len(block.columns)
    heads = [""] * depth
    for level in range(depth):
        for labels, same in groupby(block.columns, itemgetter(slice(level + 1))):
            label, span = labels[-1].translate(LATEX), len(list(same))
            spanning = level + 1 < depth and span > 1
            cells = [rf"\multicolumn{{{span}}}{{c}}{{{label}}}"] if spanning else [label] * span
            heads[level] += "".join(f" & {cell}" for cell in cells)
    words = rf"p{{{0.75 / count:.2f}\textwidth}}" * block.text_columns
    lines = [
        rf"\begin{{tabular}}{{l{words}{'r' * (count - block.text_columns)}}}",
        r"\toprule",
        rf"\multicolumn{{{1 + count}}}{{l}}{{{block.title.translate(LATEX)}}} \\",
        r"\midrule",
        *(rf"{head} \\" for head in heads),
        r"\midrule",
        *map(_in_latex, _rows(block)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _rows(block: Block) -> list[list[str]]:
    """Labels and cells as text, the best of a column between `BOLD`."""
    return [[label, *(cell.with_best(*BOLD) for cell in cells)] for label, cells in block.rows]
