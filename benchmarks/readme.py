"""The README's table of what was measured: the paper's numbers beside those of published/.

Example: python benchmarks/readme.py
"""

import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import yaml
from pages import table

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.report.published import published

ROOT = Path(__file__).parents[1]
MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
HEAD = ["system", "En-Fr: paper", "demo", "En-De: paper", "demo", "multi30k"]
BEAM = "12"

#: BLEU of each system, by its name.
Column = dict[str, float]


def paper(pair: str) -> Column:
    """Test BLEU of a language pair in the paper's Table 4."""
    rows = published("paper/choi2017_table4.csv")
    return {
        row["system"]: float(row["test"])
        for row in rows
        if row["pair"] == pair and row["beam"] == BEAM
    }


def measured(path: Path, pair: str, text: str) -> Column:
    """BLEU of a language pair and text in a file that `scores.py` wrote, the mean of the seeds.

    Raises UserError if the file is missing or has no such row.
    """
    scores = defaultdict(list)
    for line in read_lines(path):
        match line.strip("| ").split(" | "):
            case [row_pair, system, row_text, beam, bleu, _] if (row_pair, row_text, beam) == (
                pair,
                text,
                BEAM,
            ):
                scores[system].append(float(bleu))
    if not scores:
        raise UserError(f"{path}: no BLEU of {pair}, {text}, beam {BEAM}; run scores.py again")
    return {system: fmean(each) for system, each in scores.items()}


def cell(column: Column, system: str) -> str:
    """A score and its difference to the baseline; empty if there is none."""
    if system not in column:
        return ""
    score = f"{column[system]:.2f}"
    if system == "baseline":
        return score
    return f"{score} ({round(column[system], 2) - round(column['baseline'], 2):+.2f})"


def scores(folder: Path) -> list[str]:
    """The lines of the table, ours from the files in `folder`."""
    columns = [
        paper("en-fr"),
        measured(folder / "demo_scores.md", "en-fr", "test"),
        paper("en-de"),
        measured(folder / "demo_scores.md", "en-de", "test"),
        measured(folder / "multi30k.md", "en-de", "test_2016_flickr"),
    ]
    experiment = (ROOT / "workflow" / "experiments" / "choi2017.yaml").read_text(encoding="utf-8")
    systems = yaml.safe_load(experiment)["experiments"]["choi2017"]["systems"]
    rows = (
        [entry["label"], *(cell(column, system) for column in columns)]
        for system, entry in systems.items()
    )
    return table(HEAD, rows)


def filled(text: str, folder: Path) -> str:
    """`text` with the table of `folder` between its two marks.

    Raises UserError if the marks are missing.
    """
    begin, end = MARKS
    block = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not block.search(text):
        raise UserError(f"README.md: the marks {begin} and {end} are missing: put them back")
    lines = "\n".join([begin, *scores(folder), end])
    return block.sub(lambda _: lines, text, count=1)


def main() -> None:
    """Write the table into README.md."""
    readme = ROOT / "README.md"
    text = "\n".join(read_lines(readme))
    write_lines(readme, filled(text, ROOT / "benchmarks" / "published").split("\n"))


if __name__ == "__main__":
    main()
