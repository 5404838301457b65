"""The numbers that the papers print, kept beside this module as commented CSV files."""

import csv
from pathlib import Path

from contextnmt.files import read_lines

FOLDER = Path(__file__).parent

#: Experiment -> its paper's BLEU table, its tables of trainings and of words with and without
#: symbols, or, where the tables are lost, the gain that the abstract tells. An empty `beam` is one
#: that the paper does not tell; a row with a `label` is one that the paper has for comparison and
#: no system here stands for.
PAPERS = {
    ("choi2017", "bleu"): "paper/choi2017_table4.csv",
    ("choi2017", "words"): "paper/choi2017_table3.csv",
    ("bahdanau2015", "bleu"): "paper/bahdanau2015_table1.csv",
    ("bahdanau2015", "trainings"): "paper/bahdanau2015_table2.csv",
    ("bahdanau2015", "words"): "paper/bahdanau2015_text.csv",
    ("chen2017", "headline"): "paper/chen2017_headline.csv",
}


def published(name: str) -> list[dict[str, str]]:
    """The rows of a file like ``paper/choi2017_table4.csv``, every value as it is printed.

    Lines that begin with ``#`` give the source.
    """
    lines = read_lines(FOLDER / name)
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def published_in(experiment: str, table: str) -> list[dict[str, str]]:
    """The rows of a table of the paper; none if it has no such table."""
    name = PAPERS.get((experiment, table))
    return published(name) if name else []


def published_bleu(experiment: str) -> list[dict[str, str]]:
    """The rows of the paper's BLEU table; all have a `label`."""
    return [{"label": "", **row} for row in published_in(experiment, "bleu")]


def headline(experiment: str) -> str:
    """The gain that the abstract of a paper tells whose tables are lost; empty for the others."""
    return "".join(
        f"The paper's one certain number: +{row['gain']} BLEU on average over {row['over']}, on "
        f"{row['data_set']}, another data set than those here."
        for row in published_in(experiment, "headline")
    )
