"""Count keys that are too many for memory: shard by shard, and merged in the end."""

import heapq
import tempfile
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import IO, NamedTuple

Key = tuple[str, ...]

#: Distinct keys in memory, about 200 bytes each, before they go to disk as one sorted shard.
SHARD_KEYS = 1 << 20


class Counted(NamedTuple):
    """A key, how often it occurred, and its rank in the order of first occurrences."""

    key: Key
    frequency: int
    first: int


class ShardedCounts:
    """Counts of keys: tuples of strings without tabs and line feeds.

    At most `shard_keys` distinct keys are held in memory; what is more lies in temporary files
    that vanish with the process. The result does not depend on `shard_keys`.
    """

    def __init__(self, shard_keys: int = SHARD_KEYS) -> None:
        self.shard_keys = shard_keys
        self.counts: dict[Key, int] = {}  # in the order of first occurrences
        self.shards: list[IO[str]] = []
        self.before = 0  # keys in earlier shards, repeated ones too: ranks go on from here

    def add(self, key: Key) -> None:
        """Count `key` once."""
        counts = self.counts
        if key in counts:
            counts[key] += 1
        else:
            if len(counts) >= self.shard_keys:
                self.spill()
            self.counts[key] = 1

    def merged(self) -> Iterator[Counted]:
        """Every key once, sorted, with its count over all shards. Call it once, at the end."""
        runs = [self.shard(), *map(read_shard, self.shards)]
        rows = heapq.merge(*runs, key=attrgetter("key"))
        for key, group in groupby(rows, key=attrgetter("key")):
            same = list(group)
            yield Counted(key, sum(row.frequency for row in same), min(row.first for row in same))

    def shard(self) -> Iterator[Counted]:
        """The keys in memory, sorted."""
        ranked = enumerate(self.counts.items(), start=self.before)
        return iter(sorted(Counted(key, frequency, rank) for rank, (key, frequency) in ranked))

    def spill(self) -> None:
        """Move the keys in memory to a new shard on disk."""
        # newline="\n": a carriage return is a character of a word like any other
        shard = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        for key, frequency, first in self.shard():
            shard.write("\t".join((*key, str(frequency), str(first))) + "\n")
        self.shards.append(shard)
        self.before += len(self.counts)
        self.counts = {}


def read_shard(shard: IO[str]) -> Iterator[Counted]:
    """The rows of a shard on disk."""
    shard.seek(0)
    for row in shard:
        *key, frequency, first = row.removesuffix("\n").split("\t")
        yield Counted(tuple(key), int(frequency), int(first))
