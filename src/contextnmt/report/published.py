"""The numbers that the papers print, kept beside this module as commented CSV files."""

import csv
from pathlib import Path

from contextnmt.files import read_lines

FOLDER = Path(__file__).parent

#: Experiment -> its paper's BLEU table. An empty `beam` is one that the paper does not tell; a row
#: with a `label` is one that the paper has for comparison and no system here stands for.
BLEU = {
    "choi2017": "paper/choi2017_table4.csv",
    "bahdanau2015": "paper/bahdanau2015_table1.csv",
}
#: Experiment -> its paper's table of trainings.
TRAININGS = {"bahdanau2015": "paper/bahdanau2015_table2.csv"}
#: Experiment whose paper's tables are lost -> the gain that its abstract tells.
HEADLINES = {"chen2017": "paper/chen2017_headline.csv"}


def published(name: str) -> list[dict[str, str]]:
    """The rows of a file like ``paper/choi2017_table4.csv``, every value as it is printed.

    Lines that begin with ``#`` give the source.
    """
    lines = read_lines(FOLDER / name)
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def published_bleu(experiment: str) -> list[dict[str, str]]:
    """The rows of the paper's BLEU table, none if there is no such table; all have a `label`."""
    rows = published(BLEU[experiment]) if experiment in BLEU else []
    return [{"label": "", **row} for row in rows]


def published_trainings(experiment: str) -> dict[str, dict[str, str]]:
    """The paper's facts on the training of each of its systems, none if it has no such table."""
    rows = published(TRAININGS[experiment]) if experiment in TRAININGS else []
    return {row["system"]: row for row in rows}


def headline(experiment: str) -> str:
    """The gain that the abstract of a paper tells whose tables are lost; empty for the others."""
    if experiment not in HEADLINES:
        return ""
    (row,) = published(HEADLINES[experiment])
    return (
        f"The paper's one certain number: +{row['gain']} BLEU on average over {row['over']}, on "
        f"{row['data_set']}, another data set than those here."
    )
