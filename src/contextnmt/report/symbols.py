"""What symbols stand for, how right those of the source alone are (A26), what became of them."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.progress import progress
from contextnmt.report.experiment import (
    SYMBOL_TYPES,
    Experiment,
    by_pair,
    by_run,
    match,
    pair_title,
)
from contextnmt.report.gaps import dashes, gap_notes
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import Block, Cell, Table, shown
from contextnmt.text.restore import OUTCOMES
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


def symbols_table(rules: list[Path], about: Experiment) -> Table:
    """Tabulate what symbols replace most often, by type, with its most frequent target."""
    files = match("rules", rules, lambda path: path.absolute().parent.name, about.pairs)
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
    return Table(blocks, data, NOTES)


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


#: Type of symbol, as the scores name it -> its name in the tables.
TYPES = SYMBOL_TYPES | {"all": "all"}

#: Quantity of the scores -> its heading, and how it is printed.
QUANTITIES = {
    "source_alone": (("symbols", "source alone"), "{:,}"),
    "both_sides": (("symbols", "both sides"), "{:,}"),
    "precision_percent": (("precision", ""), "{:.1f}"),
    "recall_percent": (("recall", ""), "{:.1f}"),
    "f1_percent": (("F1", ""), "{:.1f}"),
}

#: Error -> reason -> what the tables call it.
REASONS = {
    "false": {
        "absent": "not in the target: translated, converted or left out",
        "similar": "a similar word in the target: inflected or spelt otherwise",
        "repeated": "fewer times in the target",
        "unpaired": "in the target, but not paired",
        "extent": "fewer or more words with both sides",
        "type": "words of a symbol of another type with both sides",
        "limit": "too many symbols of the type with both sides",
    },
    "missed": {
        "unseen": "without a capital in training",
        "unlikely": "mostly text in training",
        "numeral": "taken for Roman numerals in the target",
        "extent": "fewer or more words from the source alone",
        "type": "words of a symbol of another type from the source alone",
        "limit": "too many symbols of the type from the source alone",
    },
}

#: Column of the numbers behind the table of scores -> its label in the table of reasons.
REASON_COLUMNS = {
    f"{error}_{reason}": f"{error}: {name}"
    for error, names in REASONS.items()
    for reason, name in names.items()
}

#: What the scores tell of a wrong decision, and the headings of what the table shows of it.
ERROR_KEYS = ("type", "surface", "error", "reason", "count", "text", "line", "source", "target")
ERROR_COLUMNS = ("words", "type", "wrong", "because", "place", "source", "target", "count")


def symbol_scores_table(symbol_scores: list[Path], about: Experiment) -> Table:
    """Tabulate precision and recall of symbols made without the target."""
    scores = Table([], [], SCORE_NOTES)
    for pair, rows, errors in read_scores(symbol_scores, about):
        scores.data.extend(rows)
        scores.blocks.append(score_block(pair, rows))
        if errors:
            scores.blocks.append(reason_block(pair, rows))
    return scores


def symbol_errors_table(symbol_scores: list[Path], about: Experiment) -> Table:
    """Tabulate what goes wrong most often in symbols made without the target."""
    table = Table([], [], ERROR_NOTES)
    for pair, _, errors in read_scores(symbol_scores, about):
        table.data.extend(errors)
        if errors:
            table.blocks.append(error_block(pair, errors))
    return table


def read_scores(
    paths: list[Path], about: Experiment
) -> Iterator[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """Each language pair with its scores, a row a type of a text, and its most frequent errors.

    Raises UserError if a file holds something else.
    """
    for pair, path in by_pair("symbol scores", paths, about).items():
        content = read_json(path)
        texts = dict.fromkeys([*about.dev[pair], *about.test[pair]])
        try:
            rows = [
                row
                for text in texts
                for row in score_rows(pair, text, content["texts"][text]["types"])
            ]
            errors = [
                {"pair": pair} | {key: row[key] for key in ERROR_KEYS} for row in content["errors"]
            ]
        except (KeyError, TypeError):
            raise UserError(
                f"{path}: not the symbol scores of {', '.join(texts)}: score this pair again"
            ) from None
        yield pair, rows, errors


SCORE_NOTES = [
    "Both sides: the symbols that the training text would have for these sentences. Right is a "
    "symbol of the same type for the same words; one for fewer or more words counts as false and "
    "as missed.",
]
ERROR_NOTES = [
    "The most frequent ones of each pair, over all texts. False: a symbol from the source alone, "
    "but not with both sides; missed: the reverse. Place: text and line of the example.",
]


def score_rows(pair: str, text: str, types: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One row for each type of a text: the scores, and how many are wrong for which reason."""
    for kind in TYPES:
        scores = types[kind]
        reasons = {
            f"{error}_{reason}": scores[error].get(reason, 0)
            for error, names in REASONS.items()
            for reason in names
        }
        yield {
            "pair": pair,
            "text": text,
            "type": kind,
            **{quantity: scores[quantity] for quantity in QUANTITIES},
            **reasons,
        }


def score_block(pair: str, rows: list[dict[str, Any]]) -> Block:
    """The scores of one pair by text and type."""
    return Block(
        pair_title(pair),
        [heading for heading, _ in QUANTITIES.values()],
        [
            (
                f"{row['text']}: {TYPES[row['type']]}",
                [shown(row[quantity], form) for quantity, (_, form) in QUANTITIES.items()],
            )
            for row in rows
        ],
    )


def reason_block(pair: str, rows: list[dict[str, Any]]) -> Block:
    """How many decisions of one pair are wrong for which reason, over all texts, by type."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts.update({(column, row["type"]): row[column] for column in REASON_COLUMNS})
    return Block(
        f"{pair_title(pair)}: wrong decisions",
        [(name,) for name in TYPES.values()],
        [
            (label, [shown(counts[column, kind], "{:,}") for kind in TYPES])
            for column, label in REASON_COLUMNS.items()
            if counts[column, "all"]
        ],
    )


def error_block(pair: str, errors: list[dict[str, Any]]) -> Block:
    """The table of one pair's most frequent wrong decisions, a row each."""
    return Block(
        pair_title(pair),
        [(column,) for column in ERROR_COLUMNS],
        [
            (
                f"{rank}",
                [
                    Cell(text)
                    for text in (
                        " ".join(row["surface"].split()),  # no line break inside
                        TYPES[row["type"]],
                        row["error"],
                        REASONS[row["error"]][row["reason"]],
                        f"{row['text']}:{row['line']}",
                        row["source"],
                        row["target"],
                        f"{row['count']:,}",
                    )
                ],
            )
            for rank, row in enumerate(errors, start=1)
        ],
        text_columns=len(ERROR_COLUMNS) - 1,
    )


#: Pair and system -> its symbols by what became of them, of all seeds together.
Counts = dict[tuple[str, str], Counter[str]]


def restoration_table(restored: list[Path], about: Experiment) -> Table:
    """Tabulate what became of the symbols in the translations: replaced, dropped, missing.

    Those of the first test text at the widest beam, of each system whose text has symbols.
    """
    symbolic = [system.id for system in about.systems if "sym" in system.view]
    counts: Counts = {}
    for run, path in by_run("restored", restored, about).items():
        if run.system in symbolic:
            name = f"{about.test[run.pair][0]}.beam{about.beam}"
            counts.setdefault((run.pair, run.system), Counter()).update(outcomes(path, name))
    blocks = [restoration_block(about, pair, symbolic, counts) for pair in about.pairs if symbolic]
    return Table(blocks, data(counts), notes(about))


def outcomes(path: Path, name: str) -> dict[str, int]:
    """The symbols of the translation `name` (``test.beam12``), by what became of them."""
    try:
        counts = read_json(path)[name]
        return {outcome: counts[outcome] for outcome in OUTCOMES}
    except (KeyError, TypeError):
        raise UserError(f"{path}: no symbols of {name} counted: restore this run again") from None


def restoration_block(about: Experiment, pair: str, symbolic: list[str], counts: Counts) -> Block:
    """The table of one language pair; a system that is not finished has dashes."""
    labels = about.labels(pair)
    rows = [
        (
            labels[name],
            dashes(len(OUTCOMES))
            if about.gap(pair, name)
            else [Cell(f"{counts[pair, name][outcome]:,}") for outcome in OUTCOMES],
        )
        for name in symbolic
    ]
    return Block(about.pair_title(pair), [(outcome,) for outcome in OUTCOMES], rows)


def data(counts: Counts) -> list[dict[str, Any]]:
    """One row for each pair, system and outcome."""
    return [
        {"pair": pair, "system": system, "outcome": outcome, "symbols": found[outcome]}
        for (pair, system), found in counts.items()
        for outcome in OUTCOMES
    ]


def notes(about: Experiment) -> list[str]:
    """What a reader must know to read the table."""
    lines = [
        "Rule: replaced by what the training text has for it, where that is no copy of the source; "
        "copy: replaced by a copy; dropped: the source sentence has no such symbol; missing: the "
        "translation left it out.",
        "A symbol counts as often as a translation has it.",
    ]
    if len(about.seeds) > 1:
        lines.append(f"Of {len(about.seeds)} seeds together.")
    return lines + gap_notes(about) + stale_notes(about)
