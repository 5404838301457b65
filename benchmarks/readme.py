"""Tables of measured BLEU, for README.md and docs/results.md: the papers' beside published/.

Example: python benchmarks/readme.py
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pages import table

from contextnmt.errors import UserError
from contextnmt.evaluation.seed_variance import seed_variance
from contextnmt.files import read_lines, write_lines
from contextnmt.report.published import published_bleu

ROOT = Path(__file__).parents[1]
MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
BEAM = "12"


class Score(NamedTuple):
    """A BLEU: the mean of the seeds and their standard deviation, which one seed does not have."""

    mean: float
    deviation: float | None = None
    seeds: int = 1


#: BLEU of each system, by its name.
Column = dict[str, Score]

#: Where the BLEU of a column is from: the papers and a language pair, or a file of published/, a
#: language pair and a text.
PAPER_FR, PAPER_DE = "paper en-fr", "paper en-de"
DEMO_FR, DEMO_DE = "demo_scores.md en-fr test", "demo_scores.md en-de test"
BUSINESS = "business_en-de.md en-de dynamics365-test"
MULTI30K = "multi30k_gpu.md en-de test_2016_flickr"
LAWS = "canada_laws.md en-fr laws-test"

#: The table of each experiment: its title, the heads of its columns, and where they are from.
SECTIONS = {
    "choi2017": (
        "Choi et al. 2017 (paper: Table 4)",
        "En-Fr: paper | demo | En-De: paper | demo | business | multi30k | En-Fr: laws",
        [PAPER_FR, DEMO_FR, PAPER_DE, DEMO_DE, BUSINESS, MULTI30K, LAWS],
    ),
    "bahdanau2015": (
        "Bahdanau et al. 2015 (paper: Table 1)",
        "En-Fr: paper | demo | laws | En-De: business | multi30k",
        [PAPER_FR, DEMO_FR, LAWS, BUSINESS, MULTI30K],
    ),
    "chen2017": (
        "Chen et al. 2017 (a reconstruction without the paper's tables)",
        "En-Fr: demo | En-De: demo",
        [DEMO_FR, DEMO_DE],
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
#: Columns of the summary: their heads, and where they are from.
SUMMARY_HEAD = "paper: En-Fr | paper: En-De | business: En-De | Multi30k: En-De | laws: En-Fr"
SUMMARY_HEAD += " | demo: En-Fr | demo: En-De"
SUMMARY = [PAPER_FR, PAPER_DE, BUSINESS, MULTI30K, LAWS, DEMO_FR, DEMO_DE]


@cache
def systems(experiment: str) -> dict[str, dict[str, Any]]:
    """The systems of an experiment, by name, as its configuration has them."""
    path = ROOT / "workflow" / "experiments" / f"{experiment}.yaml"
    return yaml.safe_load(path.read_text())["experiments"][experiment]["systems"]


def papers(pair: str) -> Column:
    """Test BLEU of a language pair as the papers print it."""
    return {
        row["system"]: Score(float(row["test"]))
        for experiment in SECTIONS
        for row in published_bleu(experiment)
        if row["pair"] == pair and row["beam"] in ("", BEAM)  # a paper may tell none
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
            scores[row[1]] = Score(float(mean), float(deviation) if deviation else None, count)
    if not scores:
        raise UserError(f"{path}: no BLEU of {pair}, {text}, beam {BEAM}; run scores.py again")
    return scores


def difference(column: Column, better: str, worse: str) -> str:
    """The difference of two systems, with the half-width of its 95 % interval over seeds if
    there are several seeds; empty if one is missing."""
    if not {better, worse} <= column.keys():
        return ""
    one, other = column[better], column[worse]
    shown = f"{round(one.mean, 2) - round(other.mean, 2):+.2f}"
    compared = next(found for found in map(systems, SECTIONS) if {better, worse} <= found.keys())
    # As in the report of a paper, whose other systems share in the variance.
    deviations = {system: score.deviation for system, score in column.items() if system in compared}
    variance = seed_variance(deviations, min(one.seeds, other.seeds))
    return f"{shown} ± {variance.margin(better, worse):.2f}" if variance else shown


def cell(column: Column, system: str, first: str) -> str:
    """A score and its difference to that of the first system; empty if there is none."""
    if system not in column:
        return ""
    score = f"{column[system].mean:.2f}"
    change = difference(column, system, first)
    return f"{score} ({change.split()[0]})" if system != first and change else score


def column(folder: Path, origin: str) -> Column:
    """The numbers of a column, from the papers or from a file in `folder`."""
    file, pair, *text = origin.split()
    return measured(folder / file, pair, *text) if text else papers(pair)


def summary(folder: Path) -> Iterator[str]:
    """The lines of the table of differences."""
    columns = [column(folder, origin) for origin in SUMMARY]
    rows = (
        [name, *(difference(each, *pair) for each in columns)] for name, pair in DIFFERENCES.items()
    )
    yield from ["", *table(["", *SUMMARY_HEAD.split(" | ")], rows, words=1), ""]


def tables(folder: Path) -> Iterator[str]:
    """The lines of the tables of all systems, each with its title."""
    for experiment, (title, head, origins) in SECTIONS.items():
        compared = systems(experiment)
        first, columns = next(iter(compared)), [column(folder, origin) for origin in origins]
        rows = (
            [entry["label"], *(cell(each, system, first) for each in columns)]
            for system, entry in compared.items()
        )
        yield from ["", f"**{title}**", "", *table(["system", *head.split(" | ")], rows)]
    yield ""


#: What stands between the marks of each page.
PAGES = {"README.md": summary, "docs/results.md": tables}


def filled(page: str, text: str, folder: Path) -> str:
    """The `text` of a page with the tables of `folder` between its two marks.

    Raises UserError if the marks are missing.
    """
    begin, end = MARKS
    before, _, block = text.partition(begin)
    _, found, after = block.partition(end)
    if not found:
        raise UserError(f"{page}: the marks {begin} and {end} are missing: put them back")
    return "\n".join([before + begin, *PAGES[page](folder), end + after])


def main() -> None:
    """Write the tables into the pages."""
    for page in PAGES:
        text = "\n".join(read_lines(ROOT / page))
        new = filled(page, text, ROOT / "benchmarks" / "published")
        write_lines(ROOT / page, new.split("\n"))


if __name__ == "__main__":
    main()
