"""Nearest words along the axes of local charts, as in Table 1 of Choi et al. 2017."""

from pathlib import Path
from typing import Any

from contextnmt.report.charts import Charts, read_charts
from contextnmt.report.experiment import LANGUAGES, Experiment, parse_experiment
from contextnmt.report.gaps import gap_notes
from contextnmt.report.published import published
from contextnmt.report.staleness import stale_notes
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Table, write_table

#: Printed words, by word and axis (from 1), in their order.
Printed = dict[tuple[str, int], list[str]]
AXES = (1, 2)

NOTES = [
    "Of the 100 words nearest to a word (Euclidean, itself included), those five whose positions "
    "on a principal axis of the 100 are nearest to its own, in the order along the axis; the word "
    "in brackets. An axis read from its other end is the same axis.",
    "The paper charts the CBOW vectors of Hill et al. 2015, of another and much larger text. Other "
    "vectors have other neighbours: compare only whether the two axes separate meanings.",
]


def local_charts_table(charts: list[Path], experiment: str, out: Path) -> None:
    """Tabulate the words along the axes of local charts, the paper's beside them."""
    about = parse_experiment(experiment)
    printed: Printed = {
        (row["word"], int(row["axis"])): row["neighbours"].split(" ")
        for row in published("paper/choi2017_table1.csv")
    }
    found = list(read_charts(about, charts))
    blocks = [block(about, each, printed) for each in found]
    data = [row for each in found for row in rows_of(each, printed)]
    write_table(out, Table(blocks, data, NOTES + gap_notes(about) + stale_notes(about)))


def block(about: Experiment, found: Charts, printed: Printed) -> Block:
    """The table of one pair: two rows a word, a column for the paper and for each kind of vectors.

    The paper's words are English: beside another source language there is no column for them.
    """
    source = found.pair.split("-")[0]
    columns: list[tuple[str, ...]] = [(found.labels[name],) for name in found.of]
    if has_paper(found):
        columns.insert(0, (PAPER,))
    rows = []
    for word in found.words:
        for axis in AXES:
            cells = [cell(found.of[name][word], word, axis) for name in found.of]
            if has_paper(found):
                words = printed.get((word, axis))
                cells.insert(0, Cell(bracketed(words, word) if words else NONE))
            rows.append((f"{word}, axis {axis}", cells))
    title = f"{about.pair_title(found.pair)}: {LANGUAGES.get(source, source)} words"
    return Block(title, columns, rows, text_columns=len(columns))


def has_paper(found: Charts) -> bool:
    """Whether the paper charts words of this source language."""
    return found.pair.startswith("en-")


def cell(chart: dict[str, Any], word: str, axis: int) -> Cell:
    """The words along an axis, or, on the first one, why there are none."""
    if "gap" in chart:
        return Cell(NONE, f"({chart['gap']})" if axis == AXES[0] else "")
    return Cell(bracketed(chart["axes"][axis - 1]["words"], word))


def bracketed(words: list[str], word: str) -> str:
    """Words along an axis with the word inspected in brackets, as the paper prints them."""
    return " ".join(f"({each})" if each == word else each for each in words)


def rows_of(found: Charts, printed: Printed) -> list[dict[str, Any]]:
    """One row for each word along each axis, with its position there; a gap is one row."""
    rows = []
    for word in found.words:
        for axis in AXES:
            about = {"pair": found.pair, "word": word, "axis": axis}
            if has_paper(found):
                rows += [
                    {**about, "vectors": PAPER, "order": order, "neighbour": each}
                    for order, each in enumerate(printed.get((word, axis), ()), start=1)
                ]
            for name, charts in found.of.items():
                rows += [{**about, "vectors": name, **row} for row in row_of(charts[word], axis)]
    return rows


def row_of(chart: dict[str, Any], axis: int) -> list[dict[str, Any]]:
    """What a chart says of one axis."""
    if "gap" in chart:
        return [{"gap": chart["gap"]}]
    neighbours = {each["word"]: each for each in chart["neighbours"]}
    along = chart["axes"][axis - 1]
    return [
        {
            "order": order,
            "neighbour": word,
            "position": neighbours[word]["position"][axis - 1],
            "squared_distance": neighbours[word]["squared_distance"],
            "variance_percent": along["variance_percent"],
        }
        for order, word in enumerate(along["words"], start=1)
    ]
