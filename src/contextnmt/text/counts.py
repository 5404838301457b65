"""How often a text has each word: a table as large as its vocabulary."""

from collections import Counter
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.progress import progress
from contextnmt.text.pieces import tokens_of


def count_words(text: Path) -> Counter[str]:
    """How often each word occurs in `text`, one tokenized sentence a line."""
    counts: Counter[str] = Counter()
    for line in progress(read_lines(text), f"count {text}", "lines"):
        counts.update(tokens_of(line))
    return counts


def read_counts(path: Path) -> dict[str, int]:
    """word -> count, in the order of the file. Raises UserError, naming the line, if malformed."""
    counts = {}
    for number, line in enumerate(read_lines(path), start=1):
        word, tab, count = line.rpartition("\t")
        if not (tab and count.isdecimal()):
            raise UserError(f"{path}, line {number}: expected a word, a tab and a count: {line!r}")
        counts[word] = int(count)
    return counts
