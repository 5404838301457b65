"""Count keys that are too many for memory: they spill to disk, and are merged in the end."""

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby, starmap
from typing import IO, NamedTuple

Key = tuple[str, ...]

#: Distinct keys in memory, about 200 bytes each, before they go to disk, sorted.
SPILL_KEYS = 1 << 20


class Counted(NamedTuple):
    """A key and how often it occurred."""

    key: Key
    frequency: int


class SpilledCounts:
    """Counts of keys: tuples of strings without tabs and line feeds.

    At most `spill_keys` distinct keys are held in memory; what is more lies in temporary files
    that vanish with the process. The result does not depend on `spill_keys`.
    """

    def __init__(self, spill_keys: int = SPILL_KEYS) -> None:
        self.spill_keys = spill_keys
        self.counts: dict[Key, int] = {}  # in the order of first occurrences
        self.spills: list[IO[str]] = []

    def add(self, key: Key) -> None:
        """Count `key` once."""
        counts = self.counts
        if key in counts:
            counts[key] += 1
        else:
            if len(counts) >= self.spill_keys:
                self.spill()
            self.counts[key] = 1

    def merged(self) -> Iterator[Counted]:
        """Every key once, in the order of `merge_counts`. Call it once, at the end."""
        return merge_counts([*map(read_spill, self.spills), self.in_memory()])

    def in_memory(self) -> Iterator[Counted]:
        """The keys in memory, sorted by group, those of one in the order of first occurrences."""
        for key in sorted(self.counts, key=lambda key: key[:-1]):
            yield Counted(key, self.counts[key])

    def spill(self) -> None:
        """Move the keys in memory to a new file on disk."""
        # newline="\n": a carriage return is a character of a word like any other
        file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        for key, frequency in self.in_memory():
            file.write("\t".join((*key, str(frequency))) + "\n")
        self.spills.append(file)
        self.counts = {}


def group_of(row: Counted) -> Key:
    """The group of a key: all of its strings but the last."""
    return row.key[:-1]


def merge_counts(tables: Iterable[Iterable[Counted]]) -> Iterator[Counted]:
    """Every key of `tables` once, its counts summed: sorted by group, as each of the tables is.

    The keys of one group come in the order in which they are seen first when the tables are read
    one after the other; only these are held in memory together.
    """
    rows = heapq.merge(*tables, key=group_of)  # of equal groups, that of the first table first
    for _, group in groupby(rows, key=group_of):
        sums: dict[Key, int] = {}
        for key, frequency in group:
            sums[key] = sums.get(key, 0) + frequency
        yield from starmap(Counted, sums.items())


def read_spill(file: IO[str]) -> Iterator[Counted]:
    """The rows of a file that `spill` wrote."""
    file.seek(0)
    for row in file:
        *key, frequency = row.removesuffix("\n").split("\t")
        yield Counted(tuple(key), int(frequency))
