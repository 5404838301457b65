"""How fast the text stages are on one core, and how much memory they take: Markdown tables.

Each stage runs as its command: on the first pairs of a parallel text, on those again and again
until they are as many as the whole text has, and on the whole text. In the second run no table of
words grows, so its memory shows whether anything else does. The libraries that the stages wrap are
timed on the same text, and what they make of it is compared with what the commands made.

Example: python benchmarks/text.py --source train.en.gz --target train.fr.gz
--source-language en --target-language fr --out benchmarks/published/text.md
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from pages import made_by, publish, table
from sacremoses import MosesTokenizer
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from contextnmt.corpus.tokenize import REMEMBERED_CHUNKS, Tokenizer
from contextnmt.files import count_lines, read_lines, read_pairs, write_pairs
from contextnmt.text import names
from contextnmt.text.binarize import IDS, SIDES
from contextnmt.text.bpe import REMEMBERED_WORDS, SYMBOL, segmenter
from contextnmt.text.counts import read_counts
from contextnmt.text.rates import Rates, read_rates
from contextnmt.text.rules import read_rules
from contextnmt.text.symbolize import in_order
from contextnmt.text.vocabulary import UNK

#: Merges that bpe learns, and words of a language that get an id, as in the paper.
MERGES = WORDS = 30_000

#: What is run, in this order, in a folder with the text in raw.*.
COMMANDS = {
    "tokenize": "tokenize --source raw.source.gz --target raw.target.gz"
    " --source-language {source} --target-language {target}"
    " --source-out tok.source.gz --target-out tok.target.gz",
    "select": "select --source tok.source.gz --target tok.target.gz"
    " --source-out sel.source.gz --target-out sel.target.gz"
    " --source-counts-out counts.source.tsv --target-counts-out counts.target.tsv"
    " --selected-out selected.json",
    "symbolize": "symbolize --source sel.source.gz --target sel.target.gz"
    " --source-language {source} --target-language {target}"
    " --source-counts counts.source.tsv --target-counts counts.target.tsv"
    " --out sym",
    "bpe, learning": f"bpe --text sel.source.gz --merges {MERGES} --codes-out codes",
    "bpe, cutting": "bpe --text sel.source.gz --codes codes --out bpe.source.gz",
    "binarize": "binarize --source sel.source.gz --target sel.target.gz"
    f" --vocabulary-size {WORDS} --out ids",
}

#: Of the whole text, sacremoses, which remembers nothing, gets so many pairs.
SAMPLE = 10_000

#: The name of the text as a whole.
WHOLE = "whole"

#: Why a table has so many entries: it never has more, or the whole text has so many.
LIMIT, HERE = "limit", "as many as this text has"

NOTES = """
First: the first pairs of the text; repeated: those again and again, so that no table of words
grows; whole: all of it. One core is in use; `bpe` runs on the source side alone. Pairs/s/core: by
CPU seconds, the start of Python included. What stands beside a command reads the same files but
writes none, in a Python that runs already; sacremoses gets a sample of the pairs, which it does not
have to read. Tables: of one language, and of the Python objects alone, without the room between.
"""

#: Runs a command and prints its seconds by the clock, its processor seconds and its largest memory.
#: A process of its own, since Linux counts the memory of whoever starts a command as the command's.
LAUNCHER = """
import json, os, sys, time
started = time.monotonic()
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
seconds = time.monotonic() - started, usage.ru_utime + usage.ru_stime
print(json.dumps([*seconds, usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)]))
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Text(NamedTuple):
    """A parallel text in a folder, where the commands leave what they make of it."""

    name: str
    pairs: int
    folder: Path

    def read(self, kind: str) -> Iterator[tuple[str, str]]:
        """The pairs of raw.*, tok.* or sel.*."""
        return read_pairs(self.folder / f"{kind}.source.gz", self.folder / f"{kind}.target.gz")


class Cost(NamedTuple):
    """What a command took on a text."""

    command: str
    text: str
    pairs: int
    wall: float  # seconds
    cpu: float  # seconds
    megabytes: float  # largest resident set

    @property
    def rate(self) -> float:
        """Pairs a second and core."""
        return self.pairs / self.cpu


class Peer(NamedTuple):
    """Another program at the work of a command."""

    command: str
    name: str
    pairs: int
    agrees: bool  # does it make the same of them?
    rate: float  # pairs a second and core


class Table(NamedTuple):
    """A table that a command keeps in memory."""

    command: str
    name: str
    size: float  # bytes an entry
    entries: int
    why: str  # so many: LIMIT or HERE


def prepare(name: str, folder: Path, pairs: Iterable[tuple[str, str]]) -> Text:
    """Write `pairs` into a new folder."""
    count = write_pairs(folder / "raw.source.gz", folder / "raw.target.gz", pairs)
    return Text(name, count, folder)


def measure(text: Text, command: str, arguments: list[str]) -> Cost:
    """Run a command in the text's folder."""
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, sys.executable, "-m", "contextnmt", *arguments],
        cwd=text.folder,
        stdout=subprocess.PIPE,
        check=True,
    )
    return Cost(command, text.name, text.pairs, *json.loads(done.stdout))


def sacremoses_tokenize(
    languages: list[str], pairs: list[tuple[str, str]]
) -> Iterator[tuple[str, ...]]:
    """The tokens that sacremoses makes of `pairs`."""
    sides = [MosesTokenizer(language) for language in languages]
    for pair in pairs:
        both = zip(sides, pair, strict=True)
        yield tuple(" ".join(side.tokenize(line, escape=False)) for side, line in both)


def subword_nmt_learn(text: Path) -> Iterator[str]:
    """The lines of the file of codes that subword-nmt learns from a text."""
    codes = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe(read_lines(text), codes, MERGES)
    yield from codes.getvalue().removesuffix("\n").split("\n")


def subword_nmt_cut(text: Path, codes: Path) -> Iterator[str]:
    """The subwords that subword-nmt makes of a text."""
    with codes.open(encoding="utf-8") as stream:
        yield from map(BPE(stream, glossaries=[SYMBOL]).segment, read_lines(text))


def plain_ids(text: Path) -> np.ndarray:
    """The ids of the words of a text, by a loop over its words and with all of them in memory."""
    counts: dict[str, int] = {}
    for line in read_lines(text):
        for word in line.split():
            counts[word] = counts.get(word, 0) + 1
    known = sorted(counts, key=lambda word: (-counts[word], word))[:WORDS]
    ids = {word: number for number, word in enumerate(known, start=UNK + 1)}
    numbers = []
    for line in read_lines(text):
        for word in line.split():
            numbers.append(ids.get(word, UNK))
    return np.array(numbers, IDS)


def compare(
    command: str, name: str, pairs: int, theirs: Iterable[Any], ours: Iterable[Any]
) -> Peer:
    """Time how `theirs` comes about, and compare it with `ours`, what the command made."""
    started = time.process_time()
    made = list(theirs)
    rate = pairs / (time.process_time() - started)
    return Peer(command, name, pairs, made == list(ours), rate)


def peers(text: Text, languages: list[str]) -> Iterator[Peer]:
    """The libraries at the work of the commands; a loop where there is none.

    They read the same files, but write none. sacremoses, which remembers nothing, gets a sample of
    the pairs, in memory; the others get all of them.
    """
    folder, step = text.folder, -(-text.pairs // SAMPLE)
    raw, tokens = (list(islice(text.read(kind), 0, None, step)) for kind in ("raw", "tok"))
    yield compare("tokenize", "sacremoses", len(raw), sacremoses_tokenize(languages, raw), tokens)
    source, codes = folder / "sel.source.gz", folder / "codes"
    learnt = subword_nmt_learn(source)
    yield compare("bpe, learning", "subword-nmt", text.pairs, learnt, read_lines(codes))
    cut = subword_nmt_cut(source, codes)
    ours = read_lines(folder / "bpe.source.gz")
    yield compare("bpe, cutting", "subword-nmt", text.pairs, cut, ours)
    loops = (plain_ids(folder / f"sel.{side}.gz").tobytes() for side in SIDES)
    ids = (np.load(folder / f"ids/train.{side}.ids.npy").tobytes() for side in SIDES)
    yield compare("binarize", "loop over words", text.pairs, loops, ids)


def grown(work: Callable[[], object]) -> int:
    """The most memory, in bytes, that `work` takes at a time."""
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def each_word(counts: Path, work: Callable[[str], object]) -> None:
    """Call `work` with each word of a table of counts."""
    for line in read_lines(counts):
        work(line.partition("\t")[0])


def count_rules(rules: Path) -> None:
    """Count the rows of a rule dictionary, as they were counted when it was made."""
    counts: Counter[tuple[str, ...]] = Counter()
    for rule in read_rules(rules):
        counts[rule[:3]] += 1
    deque(in_order(counts), maxlen=0)


def tables(text: Text, whole: Text, language: str, costs: list[Cost]) -> Iterator[Table]:
    """The tables of the commands, for the source alone where each language has its own.

    An entry is measured on `text`; those of subword-nmt, which would take minutes, are what the
    command takes more on `whole`, the last text of `costs`, than on `text`, their first.
    """
    counts, rules = text.folder / "counts.source.tsv", text.folder / "sym.rules.tsv"
    rates = text.folder / "sym.rates.tsv"
    tokenizer, segment = Tokenizer(language), segmenter(text.folder / "codes")
    words, all_words = count_lines(counts), count_lines(whole.folder / counts.name)
    rows, all_rows = (count_lines(each.folder / rules.name) - 1 for each in (text, whole))

    size = grown(lambda: deque(map(tokenizer.line, read_lines(text.folder / "raw.source.gz")), 0))
    chunks = tokenizer.chunk.cache_info().currsize
    yield Table("tokenize", "chunks remembered", size / chunks, REMEMBERED_CHUNKS, LIMIT)
    size = grown(lambda: read_counts(counts))
    yield Table("all but tokenize", "words and their counts", size / words, all_words, HERE)
    size = grown(lambda: count_rules(rules))
    yield Table("symbolize", "rules, and as many rates", size / rows, all_rows, HERE)
    size = grown(lambda: Rates(read_rates(rates), {}))
    rows, all_rows = (count_lines(each.folder / rates.name) - 1 for each in (text, whole))
    yield Table("symbolize, symbol-scores", "rates", size / rows, all_rows, HERE)
    size = grown(lambda: each_word(counts, names.word_class))
    yield Table("symbolize", "classes of words", size / words, names.REMEMBERED_WORDS, LIMIT)
    taken = [cost.megabytes for cost in costs if cost.command == "bpe, learning"]
    size = (taken[-1] - taken[0]) * (1 << 20) / (all_words - words)
    yield Table("bpe, learning", "words in pieces", size, all_words, HERE)
    size = grown(lambda: each_word(counts, segment))
    yield Table("bpe, cutting", "words remembered", size / words, REMEMBERED_WORDS, LIMIT)


def cell(value: str | bool | int | float) -> str:
    """A value in a table: three digits and more without decimals, no in bold."""
    match value:
        case str():
            return value
        case bool():
            return "yes" if value else "**no**"
        case _:
            return f"{value:,.1f}" if isinstance(value, float) and value < 100 else f"{value:,.0f}"


def section(head: str, rows: Iterable[Iterable[Any]]) -> list[str]:
    """A table, the titles of its columns between bars, and an empty line."""
    return [*table(head.split(" | "), (list(map(cell, row)) for row in rows), words=1), ""]


def report(costs: list[Cost], found: list[Peer], kept: list[Table]) -> list[str]:
    """The tables; peers are compared with the commands on the whole text."""
    costs = sorted(costs, key=lambda cost: list(COMMANDS).index(cost.command))
    ours = {cost.command: cost.rate for cost in costs if cost.text == WHOLE}
    return [
        *section(
            "command | text | pairs | seconds | CPU seconds | memory (MB) | pairs/s/core",
            ((*cost, cost.rate) for cost in costs),
        ),
        *section(
            "command | beside it | pairs | same output | pairs/s/core | ours | ratio",
            (
                (*peer, ours[peer.command], f"{ours[peer.command] / peer.rate:.2f}")
                for peer in found
            ),
        ),
        *section(
            "command | table | bytes an entry | entries | why so many | MB",
            ((*table, table.size * table.entries / (1 << 20)) for table in kept),
        ),
    ]


def stay_on_one_core() -> None:
    """Keep this process, and those that it starts, on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def main(
    source: Annotated[Path, typer.Option(help="source side of a text, not tokenized")],
    target: Annotated[Path, typer.Option(help="its target side")],
    source_language: Annotated[str, typer.Option(help="language code of the source, as en")],
    target_language: Annotated[str, typer.Option(help="language code of the target, as fr")],
    lines: Annotated[int, typer.Option(help="pairs of the short text")] = 10_000,
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Time the text stages on a parallel text, beside the libraries that they wrap."""
    short = islice(read_pairs(source, target), lines)
    again = islice(cycle(islice(read_pairs(source, target), lines)), count_lines(source))
    with tempfile.TemporaryDirectory() as folder:
        texts = [
            prepare("first", Path(folder, "first"), short),
            prepare("first, repeated", Path(folder, "repeated"), again),
            prepare(WHOLE, Path(folder, "whole"), read_pairs(source, target)),
        ]
        words = {"source": source_language, "target": target_language}
        costs = [
            measure(text, command, line.format(**words).split())
            for text in texts
            for command, line in COMMANDS.items()
        ]
        found = list(peers(texts[-1], [source_language, target_language]))
        kept = list(tables(texts[0], texts[-1], source_language, costs))
    command = (
        f"python benchmarks/text.py --source {source.parent.name}/{source.name} "
        f"--target {target.parent.name}/{target.name} --source-language {source_language} "
        f"--target-language {target_language} --lines {lines}"
    )
    about = [*made_by(command, "sacremoses", "subword-nmt"), "", " ".join(NOTES.split())]
    publish(["# The text stages", "", *about, "", *report(costs, found, kept)], out)


if __name__ == "__main__":
    stay_on_one_core()
    typer.run(main)
