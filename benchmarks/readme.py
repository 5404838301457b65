"""Tables of measured BLEU, for README.md and docs/results.md: the papers' beside published/.

Example: python benchmarks/readme.py
"""

import re
from collections import Counter
from collections.abc import Iterator
from math import hypot, sqrt
from pathlib import Path
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


class Score(NamedTuple):
    """A BLEU: the mean of the seeds and its standard error, which one seed does not have."""

    mean: float
    error: float | None = None


#: BLEU of each system, by its name.
Column = dict[str, Score]


#: The table of each experiment: its heading, and its columns. A column has a heading, a file (of
#: published/, or printed numbers), and what is meant of it: a language pair and, of ours, a text.
SECTIONS = {
    "choi2017": (
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
    "bahdanau2015": (
        "Bahdanau et al. 2015 (paper: Table 1)",
        [
            ("En-Fr: paper", "bahdanau2015_table1.csv", "en-fr"),
            ("demo", "demo_scores.md", "en-fr test"),
            ("laws", "canada_laws.md", "en-fr laws-test"),
            ("En-De: business", "business_en-de.md", "en-de dynamics365-test"),
            ("multi30k", "multi30k_gpu.md", "en-de test_2016_flickr"),
        ],
    ),
    "chen2017": (
        "Chen et al. 2017 (reconstruction: the paper's scores are not available)",
        [
            ("En-Fr: demo", "demo_scores.md", "en-fr test"),
            ("En-De: demo", "demo_scores.md", "en-de test"),
        ],
    ),
}

#: Rows of the summary: what is compared, and the systems of the difference.
DIFFERENCES = {
    "attention (RNNsearch-50 − RNNencdec-50)": ("rnnsearch-50", "rnnencdec-50"),
    "long sentences in training (RNNsearch-50 − RNNsearch-30)": ("rnnsearch-50", "rnnsearch-30"),
    "context (+C − Baseline)": ("context", "baseline"),
    "symbols (+S − Baseline)": ("symbol", "baseline"),
    "both (+C+S − Baseline)": ("context-symbol", "baseline"),
    "subwords (+BPE − Baseline)": ("bpe", "baseline"),
    "context after subwords (+BPE+C − +BPE)": ("bpe-context", "bpe"),
    "both after subwords (+BPE+C+S − +BPE)": ("bpe-context-symbol", "bpe"),
}
#: Columns of the summary.
SUMMARY = [
    ("paper: En-Fr", ("choi2017_table4.csv", "bahdanau2015_table1.csv"), "en-fr"),
    ("paper: En-De", ("choi2017_table4.csv",), "en-de"),
    ("business: En-De", ("business_en-de.md",), "en-de dynamics365-test"),
    ("Multi30k: En-De", ("multi30k_gpu.md",), "en-de test_2016_flickr"),
    ("laws: En-Fr", ("canada_laws.md",), "en-fr laws-test"),
    ("demo: En-Fr", ("demo_scores.md",), "en-fr test"),
    ("demo: En-De", ("demo_scores.md",), "en-de test"),
]


def paper(file: str, pair: str) -> Column:
    """Test BLEU of a language pair as a paper prints it."""
    return {
        row["system"]: Score(float(row["test"]))
        for row in published(f"paper/{file}")
        if row["pair"] == pair and row["beam"] in PRINTED and row["system"]
    }


def measured(path: Path, pair: str, text: str) -> Column:
    """BLEU of a language pair and text in a file that `scores.py` wrote.

    Raises UserError if the file is missing or has no such row.
    """
    rows = [line.strip("| ").split(" | ") for line in read_lines(path)]
    seeds = Counter(row[0].rpartition("/")[0] for row in rows)  # of the table of trainings
    scores = {}
    for row in rows:
        if row[:1] + row[2:4] == [pair, text, BEAM]:
            mean, _, deviation = row[4].partition(" ± ")
            count = seeds[f"{pair}/{row[1]}"]
            error = float(deviation) / sqrt(count) if deviation else None
            scores[row[1]] = Score(float(mean), error)
    if not scores:
        raise UserError(f"{path}: no BLEU of {pair}, {text}, beam {BEAM}; run scores.py again")
    return scores


def difference(column: Column, better: str, worse: str) -> str:
    """The difference of two systems with its standard error; empty if one is missing."""
    if not {better, worse} <= column.keys():
        return ""
    one, other = column[better], column[worse]
    shown = f"{round(one.mean, 2) - round(other.mean, 2):+.2f}"
    if one.error is None or other.error is None:
        return shown
    return f"{shown} ± {hypot(one.error, other.error):.2f}"


def cell(column: Column, system: str, first: str) -> str:
    """A score and its difference to that of the first system; empty if there is none."""
    if system not in column:
        return ""
    score = f"{column[system].mean:.2f}"
    change = difference(column, system, first)
    return f"{score} ({change.split()[0]})" if system != first and change else score


def column(folder: Path, file: str, what: str) -> Column:
    """The numbers of a column, from `folder` or from a paper."""
    if file.endswith(".csv"):
        return paper(file, what)
    pair, text = what.split()
    return measured(folder / file, pair, text)


def scores(experiment: str, folder: Path) -> list[str]:
    """The lines of a table, ours from the files in `folder`."""
    _, heads = SECTIONS[experiment]
    columns = [column(folder, file, what) for _, file, what in heads]
    path = ROOT / "workflow" / "experiments" / f"{experiment}.yaml"
    systems = yaml.safe_load(path.read_text(encoding="utf-8"))["experiments"][experiment]["systems"]
    first = next(iter(systems))
    rows = (
        [entry["label"], *(cell(each, system, first) for each in columns)]
        for system, entry in systems.items()
    )
    return table(["system", *(heading for heading, *_ in heads)], rows)


def summary(folder: Path) -> Iterator[str]:
    """The lines of the table of differences."""
    columns: list[Column] = []
    for _, files, what in SUMMARY:
        columns.append({})
        for file in files:
            columns[-1] |= column(folder, file, what)
    rows = (
        [name, *(difference(each, *pair) for each in columns)] for name, pair in DIFFERENCES.items()
    )
    yield from ["", *table(["", *(heading for heading, *_ in SUMMARY)], rows, words=1), ""]


def tables(folder: Path) -> Iterator[str]:
    """The lines of the tables of all systems, each with its heading."""
    for experiment, (heading, _) in SECTIONS.items():
        yield from ["", f"**{heading}**", "", *scores(experiment, folder)]
    yield ""


#: What stands between the marks of each page.
PAGES = {"README.md": summary, "docs/results.md": tables}


def filled(page: str, text: str, folder: Path) -> str:
    """The `text` of a page with the tables of `folder` between its two marks.

    Raises UserError if the marks are missing.
    """
    begin, end = MARKS
    block = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not block.search(text):
        raise UserError(f"{page}: the marks {begin} and {end} are missing: put them back")
    lines = "\n".join([begin, *PAGES[page](folder), end])
    return block.sub(lambda _: lines, text, count=1)


def main() -> None:
    """Write the tables into the pages."""
    for page in PAGES:
        text = "\n".join(read_lines(ROOT / page))
        new = filled(page, text, ROOT / "benchmarks" / "published")
        write_lines(ROOT / page, new.split("\n"))


if __name__ == "__main__":
    main()
