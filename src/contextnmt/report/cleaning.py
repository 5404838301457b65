"""What the stage *clean* removed from each training corpus, with the first pairs of each filter."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, match, pair_title
from contextnmt.report.tables import (
    NONE,
    Block,
    Cell,
    Excerpt,
    SentencePair,
    Table,
    sentence_pair,
    shown,
)

#: Filter -> what it drops, in the order in which a pair goes through them.
FILTERS = {
    "drop_empty": "a side without words",
    "drop_garbled": "broken encoding",
    "max_length": "a side with too many words",
    "max_ratio": "one side too long for the other",
    "drop_identical": "both sides the same",
    "wrong_language": "a side in the other side's language",
    "drop_duplicates": "a pair that came before in the same text",
}


#: Pairs shown of each filter and corpus.
EXAMPLES = 10


#: What is counted of a corpus -> sentence pairs: read, what each filter dropped, and kept.
Counts = dict[str, int]


#: Filter -> the first pairs that it dropped.
Dropped = dict[str, list[SentencePair]]


def cleaning_table(removed: list[Path], about: Experiment) -> Table:
    """Tabulate how many pairs of each training corpus cleaning removed, by filter.

    The corpora stand in the order in which they are given; the parts of one count together.
    """
    table = Table([], [], [])
    for pair, corpora in by_corpus("removed", removed, ".removed.json", about).items():
        read = {
            corpus: read_corpus(corpus, list(parts.values())) for corpus, parts in corpora.items()
        }
        counts = {corpus: counted for corpus, (counted, _) in read.items()}
        table.data.extend(
            {"pair": pair, "corpus": corpus, "quantity": quantity, "pairs": number}
            for corpus, counted in counts.items()
            for quantity, number in counted.items()
        )
        table.blocks.append(block(pair, counts))
        dropped = [pairs for _, pairs in read.values()]
        table.excerpts.extend(excerpts(pair, total(counts.values()), dropped))
    table.notes.extend(notes(table))
    return table


def read_corpus(corpus: str, files: list[Path]) -> tuple[Counts, Dropped]:
    """The counts of all parts of a corpus, and up to `EXAMPLES` pairs that each filter dropped.

    `files` are those of its parts in their order. Raises UserError if one is not of stage clean.
    """
    counts: Counter[str] = Counter()
    dropped: Dropped = {}
    for path in files:
        content = read_json(path)
        try:
            for name, entry in content["removed"].items():
                pairs = dropped.setdefault(name, [])
                new = entry["examples"][: EXAMPLES - len(pairs)]
                pairs += [example(corpus, counts["read"], pair) for pair in new]
            removed = {name: entry["count"] for name, entry in content["removed"].items()}
            counts.update({"read": content["read"], **removed, "kept": content["kept"]})
        except (KeyError, TypeError, AttributeError):
            raise UserError(f"{path}: not what clean removed: clean this text again") from None
    return {name: counts[name] for name in columns_of([counts])}, dropped


def example(corpus: str, before: int, pair: dict[str, Any]) -> SentencePair:
    """A pair that was dropped, from a part that has so many lines of the corpus `before` it."""
    place = f"{corpus}, line {before + pair['line']:,}"
    return sentence_pair(place, pair["source"], pair["target"])


def columns_of(corpora: Iterable[Counts]) -> list[str]:
    """``read``, the filters that are on for one of the corpora, in their order, and ``kept``."""
    found = {name for counts in corpora for name in counts}
    return ["read", *(name for name in FILTERS if name in found), "kept"]


def block(pair: str, corpora: dict[str, Counts]) -> Block:
    """The table of one pair; a filter that is off for a corpus has no count there."""
    columns = columns_of(corpora.values())
    rows = [(corpus, cells(counts, columns)) for corpus, counts in corpora.items()]
    if len(corpora) > 1:
        rows.append(("total", cells(total(corpora.values()), columns)))
    return Block(pair_title(pair), [*((name,) for name in columns), ("kept (%)",)], rows)


def cells(counts: Counts, columns: list[str]) -> list[Cell]:
    """One row: the numbers of pairs, and the share that is kept."""
    numbers = [shown(counts.get(name), "{:,}") for name in columns]
    share = 100 * counts["kept"] / counts["read"] if counts["read"] else None
    return [*numbers, shown(share, "{:.1f}")]


def total(corpora: Iterable[Counts]) -> Counts:
    """The counts of several corpora together."""
    summed: Counter[str] = Counter()
    for counts in corpora:
        summed.update(counts)
    return summed


def excerpts(pair: str, counts: Counts, corpora: list[Dropped]) -> Iterator[Excerpt]:
    """What each filter dropped of a pair's corpora, if anything; `counts`: of all of them."""
    for name, what in FILTERS.items():
        pairs = [example for dropped in corpora for example in dropped.get(name, [])]
        if pairs:
            title = f"{pair_title(pair)}, {name}: {what} ({len(pairs)} of {counts[name]:,} pairs)"
            yield Excerpt(title, pair, pairs)


def notes(table: Table) -> list[str]:
    """What a reader must know to read the table."""
    quantities = {row["quantity"] for row in table.data}
    on = [f"{name}: {what}" for name, what in FILTERS.items() if name in quantities]
    if not on:
        return ["No filter is on."]
    off = any(
        cell.text == NONE for block in table.blocks for _, cells in block.rows for cell in cells
    )
    return [
        "A pair counts for the first filter that drops it."
        + (f" {NONE}: the filter is off." if off else ""),
        f"Filters, in their order: {'; '.join(on)}.",
    ]


PART = re.compile(r"(?P<corpus>[^.]+)(\.[1-9]\d*of(?P<count>[1-9]\d*))?")


#: Corpus -> part -> file.
Corpora = dict[str, dict[str, Path]]


def by_corpus(option: str, paths: list[Path], suffix: str, about: Experiment) -> dict[str, Corpora]:
    """The files of each language pair: its corpora in the order given, their parts in their own.

    Raises UserError if a pair of the experiment has no file, if a file is of no such pair or not
    called after a part, or if a part of a corpus is missing or there twice.
    """
    found: dict[str, dict[str, list[Path]]] = {pair: {} for pair in about.pairs}
    for path in paths:
        pair = path.absolute().parent.name
        name = PART.fullmatch(part_of(path, suffix))
        if pair not in found:
            raise UserError(f"{option} {path}: {pair} is not a pair of the experiment")
        if name is None:
            raise UserError(
                f"{option} {path}: give files that are called CORPUS{suffix} or CORPUS.2of8{suffix}"
            )
        found[pair].setdefault(name["corpus"], []).append(path)
    missing = [pair for pair, corpora in found.items() if not corpora]
    if missing:
        raise UserError(f"{option}: no file for {', '.join(missing)}: make it and name it too")
    return {
        pair: {
            corpus: match(
                option, files, lambda path: part_of(path, suffix), parts_like(files[0], suffix)
            )
            for corpus, files in corpora.items()
        }
        for pair, corpora in found.items()
    }


def part_of(path: Path, suffix: str) -> str:
    """The part that a file is named after."""
    return path.name.removesuffix(suffix)


def parts_like(path: Path, suffix: str) -> list[str]:
    """All parts of the corpus that a file is of, in their order."""
    name = PART.fullmatch(part_of(path, suffix))
    assert name is not None
    if name["count"] is None:
        return [name["corpus"]]
    count = int(name["count"])
    return [f"{name['corpus']}.{number}of{count}" for number in range(1, count + 1)]
