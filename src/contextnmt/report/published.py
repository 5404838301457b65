"""The numbers that the papers print, kept beside this module as commented CSV files."""

import csv
from pathlib import Path

from contextnmt.files import read_lines

FOLDER = Path(__file__).parent


def published(name: str) -> list[dict[str, str]]:
    """The rows of a file like ``paper/choi2017_table4.csv``, every value as it is printed.

    Lines that begin with ``#`` give the source.
    """
    lines = read_lines(FOLDER / name)
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))
