"""The README's tables of what was measured: the papers' numbers beside those of published/.

Example: python benchmarks/readme.py
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import yaml
from pages import table

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.report.published import published

ROOT = Path(__file__).parents[1]
MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
BEAM = "12"
#: The widths whose numbers in a paper stand beside BEAM; a paper may tell none.
PRINTED = ("", BEAM)

#: BLEU of each system, by its name.
Column = dict[str, float]


class Section(NamedTuple):
    """The table of one experiment.

    A column has a heading, a file (of published/, or printed numbers), and what is meant of it: a
    language pair and, of ours, a text.
    """

    experiment: str
    heading: str
    columns: list[tuple[str, str, str]]


SECTIONS = [
    Section(
        "choi2017",
        "Choi et al. 2017 (paper: Table 4)",
        [
            ("En-Fr: paper", "choi2017_table4.csv", "en-fr"),
            ("demo", "demo_scores.md", "en-fr test"),
            ("En-De: paper", "choi2017_table4.csv", "en-de"),
            ("demo", "demo_scores.md", "en-de test"),
            ("business", "business_en-de.md", "en-de dynamics365-test"),
            ("multi30k", "multi30k_gpu.md", "en-de test_2016_flickr"),
            ("En-Fr: laws", "canada_laws.md", "en-fr laws-test"),
        ],
    ),
    Section(
        "bahdanau2015",
        "Bahdanau et al. 2015 (paper: Table 1)",
        [
            ("En-Fr: paper", "bahdanau2015_table1.csv", "en-fr"),
            ("demo", "demo_scores.md", "en-fr test"),
            ("laws", "canada_laws.md", "en-fr laws-test"),
            ("En-De: business", "business_en-de.md", "en-de dynamics365-test"),
            ("multi30k", "multi30k_gpu.md", "en-de test_2016_flickr"),
        ],
    ),
    Section(
        "chen2017",
        "Chen et al. 2017 (reconstruction: the paper's tables are not at hand)",
        [
            ("En-Fr: demo", "demo_scores.md", "en-fr test"),
            ("En-De: demo", "demo_scores.md", "en-de test"),
        ],
    ),
]


def paper(file: str, pair: str) -> Column:
    """Test BLEU of a language pair as a paper prints it."""
    return {
        row["system"]: float(row["test"])
        for row in published(f"paper/{file}")
        if row["pair"] == pair and row["beam"] in PRINTED and row["system"]
    }


def measured(path: Path, pair: str, text: str) -> Column:
    """BLEU of a language pair and text in a file that `scores.py` wrote: means of the seeds.

    Raises UserError if the file is missing or has no such row.
    """
    scores = defaultdict(list)
    for line in read_lines(path):
        match line.strip("| ").split(" | "):
            case [row_pair, system, row_text, beam, bleu, *_] if (row_pair, row_text, beam) == (
                pair,
                text,
                BEAM,
            ):
                scores[system].append(float(bleu.split()[0]))
    if not scores:
        raise UserError(f"{path}: no BLEU of {pair}, {text}, beam {BEAM}; run scores.py again")
    return {system: fmean(each) for system, each in scores.items()}


def cell(column: Column, system: str, first: str) -> str:
    """A score and its difference to that of the first system; empty if there is none."""
    if system not in column:
        return ""
    score = f"{column[system]:.2f}"
    if system == first or first not in column:
        return score
    return f"{score} ({round(column[system], 2) - round(column[first], 2):+.2f})"


def column(folder: Path, file: str, what: str) -> Column:
    """The numbers of a column, from `folder` or from a paper."""
    if file.endswith(".csv"):
        return paper(file, what)
    pair, text = what.split()
    return measured(folder / file, pair, text)


def scores(section: Section, folder: Path) -> list[str]:
    """The lines of a table, ours from the files in `folder`."""
    columns = [column(folder, file, what) for _, file, what in section.columns]
    path = ROOT / "workflow" / "experiments" / f"{section.experiment}.yaml"
    experiment = yaml.safe_load(path.read_text(encoding="utf-8"))["experiments"]
    systems = experiment[section.experiment]["systems"]
    first = next(iter(systems))
    rows = (
        [entry["label"], *(cell(each, system, first) for each in columns)]
        for system, entry in systems.items()
    )
    return table(["system", *(heading for heading, *_ in section.columns)], rows)


def tables(folder: Path) -> Iterator[str]:
    """The lines of all tables, each with its heading."""
    for section in SECTIONS:
        yield from ["", f"**{section.heading}**", "", *scores(section, folder)]
    yield ""


def filled(text: str, folder: Path) -> str:
    """`text` with the tables of `folder` between its two marks.

    Raises UserError if the marks are missing.
    """
    begin, end = MARKS
    block = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not block.search(text):
        raise UserError(f"README.md: the marks {begin} and {end} are missing: put them back")
    lines = "\n".join([begin, *tables(folder), end])
    return block.sub(lambda _: lines, text, count=1)


def main() -> None:
    """Write the tables into README.md."""
    readme = ROOT / "README.md"
    text = "\n".join(read_lines(readme))
    write_lines(readme, filled(text, ROOT / "benchmarks" / "published").split("\n"))


if __name__ == "__main__":
    main()
