"""How often a text has each word: a table as large as its vocabulary."""

from collections import Counter
from pathlib import Path

from contextnmt.corpus.counts import counted_words
from contextnmt.files import read_lines
from contextnmt.progress import progress
from contextnmt.text.pieces import tokens_of


def count_words(*texts: Path) -> Counter[str]:
    """How often each word occurs in `texts`, one tokenized sentence a line."""
    counts: Counter[str] = Counter()
    for text in texts:
        for line in progress(read_lines(text), f"count {text}", "lines"):
            counts.update(tokens_of(line))
    return counts


def read_counts(path: Path) -> dict[str, int]:
    """word -> count, in the order of the file. Raises UserError, naming the line, if malformed."""
    return dict(counted_words(path))
