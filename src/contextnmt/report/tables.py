"""A finished table, and its files: CSV, Markdown, LaTeX, and JSON for the page.

A table is kept twice: `data` holds its numbers, one per row, in full precision (the CSV file);
`blocks` holds what a reader sees, rounded and set beside the paper's numbers (the other files).
Excerpts from the text that it is about go to the page alone."""

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from contextnmt.errors import UserError
from contextnmt.files import atomic, read_json, write_json

if TYPE_CHECKING:
    from pandas import DataFrame

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

#: Characters that LaTeX's default fonts lack, in LaTeX's own words, and the marks of bold.
LATEX = {
    BOLD[0]: r"\textbf{",
    BOLD[1]: "}",
    "→": r"$\to$",
    "−": "$-$",
    "±": r"$\pm$",
    MARK: r"$^\dagger$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "≥": r"$\geq$",
    NONE: "--",
}

#: Characters with a meaning in LaTeX that a title may hold.
LATEX_MARKS = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
#: Beginnings of a row that LaTeX would take for an option of the line before it.
LATEX_OPTION = re.compile(r"^(?=\s*[\[*])", re.MULTILINE)

#: Characters with a meaning in Markdown, that of GitHub too, which words of a corpus may hold.
MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_<[|~$&"} | dict.fromkeys(BOLD, "**"))

#: Text that a spreadsheet would evaluate, numbers aside.
FORMULA = re.compile(r"[=+\-@\t\r](?!(?<=[+-])(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z)")


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

    `columns` are tuples of labels, from the widest heading down; empty labels make them equally
    long. Each of `rows` is a label, no two alike, and as many cells as there are columns. The first
    `text_columns` columns hold words, not numbers.
    """

    title: str
    columns: Sequence[tuple[str, ...]]
    rows: list[tuple[str, list[Cell]]]
    text_columns: int = 0

    def __post_init__(self) -> None:
        levels = max(map(len, self.columns), default=0)
        padded = [labels + ("",) * (levels - len(labels)) for labels in self.columns]
        object.__setattr__(self, "columns", padded)


#: Key of a record -> the labels of its column, and the form of its values (``{:,}``).
Columns = Mapping[str, tuple[tuple[str, ...], str]]


def block_of(
    title: str,
    columns: Columns,
    rows: Iterable[tuple[str, Mapping[str, Any]]],
    text_columns: int = 0,
) -> Block:
    """A block of records, each with its label; a `Cell` in a record is shown as it is."""
    shown_rows = [
        (label, [shown(record.get(key), form) for key, (_, form) in columns.items()])
        for label, record in rows
    ]
    return Block(title, [labels for labels, _ in columns.values()], shown_rows, text_columns)


@dataclass(frozen=True)
class Table:
    """The blocks that are shown, the tidy `data` behind them (a dict per row), notes, excerpts."""

    blocks: list[Block]
    data: list[dict[str, Any]]
    notes: list[str]
    excerpts: list[Excerpt] = field(default_factory=list)


def texts_of(table: Table) -> dict[str, str]:
    """The table as CSV, Markdown and LaTeX (booktabs), by suffix."""
    notes = [f"*{note.translate(MARKDOWN)}*" for note in table.notes]
    comments = [f"% {note}" for note in table.notes]
    frames = [*map(_frame, table.blocks)]
    texts = {
        "csv": _csv(table.data),
        "md": "\n\n".join([*map(_markdown, table.blocks, frames), *notes]),
        "tex": "\n".join([*map(_latex, table.blocks, frames), *comments]),
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
    """The mean of the values of all seeds, as a reader sees it: a difference that is not to be seen
    makes nobody the best."""
    return float(rounded(values)[0])


def shown(value: Any, form: str) -> Cell:
    """A value in the form of its row or column (``{:,}``), a dash for none; a cell as it is."""
    if isinstance(value, Cell):
        return value
    return Cell(NONE if value is None else form.format(value))


def signed(value: float, digits: int = 2) -> str:
    """A difference with its sign, the minus as typeset: ``+1.20``, ``−0.35``."""
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")  # no minus before zero


def csv_text(value: Any) -> Any:
    """A value for a CSV file: an apostrophe before text that a spreadsheet would evaluate."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def _csv(data: list[dict[str, Any]]) -> str:
    """The rows in full precision; a column of whole numbers stays one where some rows lack it."""
    from pandas import DataFrame

    rows = [{csv_text(key): csv_text(value) for key, value in row.items()} for row in data]
    frame = DataFrame(rows).convert_dtypes()
    return str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n"))


def _frame(block: Block) -> "DataFrame":
    """The cells as text, the best of a column between `BOLD`."""
    from pandas import DataFrame, Index, MultiIndex

    columns = MultiIndex.from_tuples(block.columns)
    return DataFrame(
        [[cell.with_best(*BOLD) for cell in cells] for _, cells in block.rows],
        index=Index([label for label, _ in block.rows]),
        columns=columns if columns.nlevels > 1 else columns.get_level_values(0),
        dtype=str,
    )


def _markdown(block: Block, frame: "DataFrame") -> str:
    frame = frame.map(lambda text: text.translate(MARKDOWN))
    frame.index = frame.index.map(lambda label: label.translate(MARKDOWN))
    frame.columns = [" ".join(filter(None, labels)).translate(MARKDOWN) for labels in block.columns]
    numbers = len(block.columns) - block.text_columns
    text = frame.to_markdown(
        disable_numparse=True,
        colalign=[*["left"] * (1 + block.text_columns), *["right"] * numbers],
    )
    return f"**{block.title.translate(MARKDOWN)}**\n\n{text}"


def _latex(block: Block, frame: "DataFrame") -> str:
    styler = frame.style.format(escape="latex")
    styler = styler.format_index(escape="latex").format_index(escape="latex", axis=1)
    words = rf"p{{{0.75 / len(block.columns):.2f}\textwidth}}" * block.text_columns
    numbers = "r" * (len(block.columns) - block.text_columns)
    text = styler.to_latex(hrules=True, multicol_align="c", column_format=f"l{words}{numbers}")
    title = block.title.translate(LATEX_MARKS)
    row = rf"\multicolumn{{{1 + len(block.columns)}}}{{l}}{{{title}}} \\"
    text = str(text).replace("\\toprule\n", f"\\toprule\n{row}\n\\midrule\n", 1)
    for character, command in LATEX.items():
        text = text.replace(character, command)
    return LATEX_OPTION.sub("{}", text)
