"""How often a text has each word, counted or read from a table."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import COUNT, read_lines, write_lines
from contextnmt.progress import progress


def count_words(*texts: Path, words: Callable[[str], Iterable[str]] = str.split) -> Counter[str]:
    """How often each word occurs in `texts` together: a table as large as their vocabulary.

    `words` cuts a line, which is a tokenized sentence.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for line in progress(read_lines(text), f"count {text}", "lines"):
            counts.update(words(line))
    return counts


def counted_words(path: Path) -> Iterator[tuple[str, int]]:
    """The words in a table and their counts, in its order, one at a time.

    Raises UserError, naming the line, if it is no table of words and counts.
    """
    for number, line in enumerate(read_lines(path), start=1):
        word, tab, count = line.rpartition("\t")
        if not (tab and re.fullmatch(COUNT, count)):
            raise UserError(
                f"{path}, line {number}: expected a word, a tab and a count: {line[:80]!r}"
            )
        yield word, int(count)


def read_counts(path: Path) -> dict[str, int]:
    """word -> count, in the order of the file. Raises UserError, naming the line, if malformed."""
    return dict(counted_words(path))


def summed_counts(paths: Iterable[Path]) -> Counter[str]:
    """The sum of several tables, in memory: some 150 bytes a distinct word.

    Raises UserError, naming file and line, if one is no table of words and counts.
    """
    totals: Counter[str] = Counter()
    for path in paths:
        for word, count in progress(counted_words(path), f"add {path.name}", "words"):
            totals[word] += count
    return totals


def write_counts(path: Path, counts: Counter[str]) -> None:
    """Write a line ``word TAB count`` for each word, by descending count, then by word."""
    words = sorted(counts)
    words.sort(key=counts.__getitem__, reverse=True)  # words of equal count stay in their order
    write_lines(path, (f"{word}\t{counts[word]}" for word in words))
