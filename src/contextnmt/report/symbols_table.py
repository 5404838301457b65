"""The words that symbols replace most often in the training text: what counts as a name (A29)."""

import heapq
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from contextnmt.progress import progress
from contextnmt.report.experiment import SYMBOL_TYPES, match, pair_title, parse_experiment
from contextnmt.report.tables import Block, Cell, Table, write_table
from contextnmt.text.rules import Rule, read_rules

#: Words of each type that are shown.
COUNT = 100

NOTES = [
    f"The {COUNT} most frequent of each type and pair; count: how often it became a symbol in the "
    "training text.",
    "Target: what stands for it most often on the other side, which is what restoration writes; in "
    "brackets how often, if not always.",
    "German writes all nouns with a capital, so nouns that both languages share are names here "
    "too, as the paper's rule has it (A29 in docs/decisions.md).",
]


def symbols_table(rules: list[Path], experiment: str, out: Path) -> None:
    """Tabulate what symbols replace most often, by type, with its most frequent target."""
    about = parse_experiment(experiment)
    files = match("--rules", rules, lambda path: path.absolute().parent.name, about.pairs)
    data = [
        {"pair": pair, **row}
        for pair, path in files.items()
        for row in most_frequent(progress(read_rules(path), f"read {path}", "rules"))
    ]
    blocks = [
        block(f"{pair_title(pair)}: {name}", rows)
        for pair in about.pairs
        for kind, name in SYMBOL_TYPES.items()
        if (rows := [row for row in data if (row["pair"], row["type"]) == (pair, kind)])
    ]
    write_table(out, Table(blocks, data, NOTES))


def most_frequent(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """The `COUNT` most frequent sources of each type, of equals the first by name.

    `rules` are sorted by type and source; no more than `COUNT` sources are held in memory.
    """
    found = []
    for _, of_kind in groupby(rules, key=lambda rule: rule.kind):
        sources = (summary(list(group)) for _, group in groupby(of_kind, lambda rule: rule.source))
        found += heapq.nsmallest(COUNT, sources, key=lambda row: (-row["count"], row["source"]))
    return found


def summary(rules: list[Rule]) -> dict[str, Any]:
    """The rules of one source: how often it became a symbol, and its most frequent target (A33)."""
    best = max(rules, key=lambda rule: rule.frequency)  # of equals the first
    return {
        "type": best.kind,
        "source": best.source,
        "target": best.target,
        "count": sum(rule.frequency for rule in rules),
        "target_count": best.frequency,
    }


def block(title: str, rows: list[dict[str, Any]]) -> Block:
    """The table of one type and pair."""
    shown = []
    for row in rows:
        other = row["target_count"] < row["count"]
        target = Cell(row["target"], f"({row['target_count']:,})" if other else "")
        shown.append((row["source"], [target, Cell(f"{row['count']:,}")]))
    return Block(title, [("target",), ("count",)], shown, text_columns=1)
