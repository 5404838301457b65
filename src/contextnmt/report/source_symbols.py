"""Tables about symbols that are made from the source alone (A26): how right they are, what becomes
of them in translations, and BLEU by their choice.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from contextnmt.corpus.counts import count_words
from contextnmt.evaluation.coverage import statistics
from contextnmt.report.gaps import reason_lines
from contextnmt.report.results import (
    ALL,
    DICTIONARY,
    SYMBOL_TYPES,
    Results,
    pair_title,
    read_record,
)
from contextnmt.report.scores import scores_of
from contextnmt.report.scores import summary as bleu_summary
from contextnmt.report.tables import (
    Block,
    Cell,
    Row,
    Table,
    block_of,
    shown,
)
from contextnmt.text.pieces import tokens_of
from contextnmt.text.restore import OUTCOMES

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

#: Error and reason -> what the tables call the reason.
REASONS = {
    ("false", "absent"): "not in the target: translated, converted or left out",
    ("false", "similar"): "a similar word in the target: inflected or spelt otherwise",
    ("false", "repeated"): "the target has it less often than the source",
    ("false", "unpaired"): "in the target, but not paired with it",
    ("false", "extent"): "with both sides, the symbol covers fewer or more words",
    ("false", "type"): "with both sides, some words belong to a symbol of another type",
    ("false", "limit"): "with both sides, no more symbols of the type are allowed",
    ("missed", "unseen"): "never capitalized in training",
    ("missed", "unlikely"): "mostly no symbol in training",
    ("missed", "numeral"): "taken for Roman numerals in the target",
    ("missed", "extent"): "from the source alone, the symbol covers fewer or more words",
    ("missed", "type"): "from the source alone, some words belong to a symbol of another type",
    ("missed", "limit"): "from the source alone, no more symbols of the type are allowed",
}

SCORE_NOTES = [
    "Both sides: the symbols that the training text would have for these sentences. Right is a "
    "symbol of the same type for the same words; one for fewer or more words counts as false and "
    "as missed.",
]


def symbol_scores_table(results: Results) -> Table:
    """Tabulate precision and recall of symbols made without the target (A26)."""
    table = Table([], [], SCORE_NOTES)
    for pair, path in results.of_pairs("symbol-scores", results.all_pairs).items():
        content = read_record(path)
        rows = [
            {
                "pair": pair,
                "text": text,
                "type": kind,
                **{quantity: scores[quantity] for quantity in QUANTITIES},
                **{f"{error}_{reason}": scores[error].get(reason, 0) for error, reason in REASONS},
            }
            for text in dict.fromkeys([*results.dev[pair], *results.test[pair]])
            for kind in TYPES
            for scores in [content["texts"][text]["types"][kind]]
        ]
        table.data.extend(rows)
        labelled = [(f"{row['text']}: {TYPES[row['type']]}", row) for row in rows]
        table.blocks.append(block_of(pair_title(pair), QUANTITIES, labelled))
        if content["errors"]:
            table.blocks.append(reasons_block(pair, rows))
    return table


def reasons_block(pair: str, rows: list[dict[str, Any]]) -> Block:
    """How many decisions of one pair are wrong for which reason, over all texts, by type."""
    counts = {of: dict.fromkeys(TYPES, 0) for of in REASONS}
    for row in rows:
        for error, reason in REASONS:
            counts[error, reason][row["type"]] += row[f"{error}_{reason}"]
    columns = {kind: ((name,), "{:,}") for kind, name in TYPES.items()}
    lines = [(f"{of[0]}: {REASONS[of]}", found) for of, found in counts.items() if found["all"]]
    return block_of(f"{pair_title(pair)}: wrong decisions", columns, lines)


ERROR_NOTES = [
    "The most frequent ones of each pair, over all texts. False: a symbol from the source alone, "
    "but not with both sides; missed: the reverse. Place: text and line of the example.",
]

#: Keys of a wrong decision in the scores; headings of its table, and what stands below them.
ERROR_KEYS = ("type", "surface", "error", "reason", "count", "text", "line", "source", "target")
ERROR_COLUMNS: dict[str, Callable[[dict[str, Any]], str]] = {
    "words": lambda error: " ".join(error["surface"].split()),  # no line break inside
    "type": lambda error: TYPES[error["type"]],
    "wrong": itemgetter("error"),
    "because": lambda error: REASONS[error["error"], error["reason"]],
    "place": lambda error: f"{error['text']}:{error['line']}",
    "source": itemgetter("source"),
    "target": itemgetter("target"),
    "count": lambda error: f"{error['count']:,}",
}


def symbol_errors_table(results: Results) -> Table:
    """Tabulate what goes wrong most often in symbols made without the target."""
    table = Table([], [], ERROR_NOTES)
    for pair, path in results.of_pairs("symbol-scores", results.all_pairs).items():
        errors = [{key: error[key] for key in ERROR_KEYS} for error in read_record(path)["errors"]]
        table.data.extend({"pair": pair, **error} for error in errors)
        if errors:
            columns = [(column,) for column in ERROR_COLUMNS]
            rows = [
                (f"{rank}", [Cell(text(error)) for text in ERROR_COLUMNS.values()])
                for rank, error in enumerate(errors, start=1)
            ]
            table.blocks.append(Block(pair_title(pair), columns, rows, len(columns) - 1))
    return table


def restoration_table(results: Results) -> Table:
    """Tabulate what became of the symbols in the translations: replaced, dropped, missing.

    Those of the first test text at the widest beam, of each system whose text has symbols, of all
    seeds together. A system that is not finished has dashes.
    """
    symbolic = [system.id for system in results.systems if "sym" in system.view]
    counts: dict[tuple[str, str], Counter[str]] = {}
    for run, path in results.of_runs("restore", "/restored.json").items():
        if run.system not in symbolic:
            continue
        found = read_record(path)[f"{results.test[run.pair][0]}.beam{results.beam}"]
        of_system = counts.setdefault((run.pair, run.system), Counter())
        of_system.update({outcome: found[outcome] for outcome in OUTCOMES})
    columns = {outcome: ((outcome,), "{:,}") for outcome in OUTCOMES}
    blocks = []
    for pair in results.pairs:
        labels = results.labels(pair)
        rows = [(labels[system], counts.get((pair, system), Counter())) for system in symbolic]
        blocks.append(block_of(results.pair_title(pair), columns, rows))
    data = [
        {"pair": pair, "system": system, "outcome": outcome, "symbols": found[outcome]}
        for (pair, system), found in counts.items()
        for outcome in OUTCOMES
    ]
    notes = [
        "Rule: replaced by what the training text has for it, where that is no copy of the source; "
        "copy: replaced by a copy; dropped: the source sentence has no such symbol; missing: the "
        "translation left it out.",
        "Each occurrence of a symbol in a translation counts.",
    ]
    if len(results.seeds) > 1:
        notes.append(f"Of {len(results.seeds)} seeds together.")
    return Table(blocks, data, notes)


#: Choice of the symbols of a test text -> its name in the data, and its heading.
CHOICE_NAMES = {
    "": ("threshold", "threshold {:g}"),
    ALL: ("all", "all (threshold 0)"),
    DICTIONARY: ("dictionary", "rule dictionary"),
}

ABLATION_NOTES = [
    "First column: as in all other tables; a name or acronym becomes a symbol if its rate of being "
    "one in training is at least text.symbol_threshold. All: every capitalized word, the first of "
    "a sentence too, and every acronym. Rule dictionary: the names and acronyms that it has rules "
    "for, of overlapping names the longest. Numbers are symbols in all columns.",
    "Symbols: share of the words of the symbolized source, before subwords. A name of several "
    "words is one symbol.",
]


def ablation_table(results: Results) -> Table:
    """Tabulate BLEU by the choice of symbols in the test texts (A26), at the widest beam.

    A system that is not finished, or has not translated with another choice, has dashes.
    """
    data = [
        ablation_row(results, pair, system, text, choice)
        for pair, system in results.ablated
        if pair in results.pairs
        for text in results.test[pair]
        for choice in CHOICE_NAMES
    ]
    sources = results.symbolized_sources().items()
    shares = {(*of, CHOICE_NAMES[choice][0]): symbol_percent(p) for (*of, choice), p in sources}
    for row in data:
        row["symbol_percent"] = shares.get((row["pair"], row["text"], row["choice"]))
    of_pairs = groupby(data, key=itemgetter("pair"))
    blocks = [ablation_block(results, pair, list(rows)) for pair, rows in of_pairs]
    gaps = [
        f"No score: {pair_title(row['pair'])}, {row['text']}, {row['choice']}, "
        f"{results.labels(row['pair'])[row['system']]}: {row['gap']}."
        for row in data
        if "gap" in row
    ]
    without = reason_lines(results, results.ablation_gaps)
    gaps += [f"Not translated with the other choices: {line}" for line in without]
    return Table(blocks, data, ABLATION_NOTES + gaps)


def ablation_row(results: Results, pair: str, system: str, text: str, choice: str) -> Row:
    """A row of data: BLEU of a system, of all seeds, with a choice of the symbols of a text.

    One without a score has a `gap`, the reason, if the file of scores tells it.
    """
    files = results.ablation_scores() if choice else results.scores()
    name = f"{text}.beam{results.beam}{choice}"
    of_seeds = (path for run, path in files.items() if run[:2] == (pair, system))
    entries = [read_record(path)[name] for path in of_seeds]
    row: Row = {"pair": pair, "text": text, "system": system, "beam": results.beam}
    row |= {"choice": CHOICE_NAMES[choice][0], **bleu_summary("bleu", scores_of(entries, "bleu"))}
    gaps = dict.fromkeys(entry["gap"] for entry in entries if "gap" in entry)
    return row | ({"gap": "; ".join(gaps)} if gaps else {})


def ablation_block(results: Results, pair: str, rows: list[Row]) -> Block:
    """The table of a pair: BLEU of each text and system, then the share of symbols in each text."""
    labels = results.labels(pair)
    columns = {
        name: ((heading.format(results.symbol_threshold),), "{:.2f}")
        for name, heading in CHOICE_NAMES.values()
    }
    records: dict[str, dict[str, Any]] = {}
    for row in rows:
        deviation = row["bleu_deviation"]
        remark = "" if deviation is None else f"± {deviation:.2f}"
        bleu = replace(shown(row["bleu"], "{:.2f}"), remark=remark)
        records.setdefault(f"{row['text']}: {labels[row['system']]}", {})[row["choice"]] = bleu
    for row in rows:
        share = records.setdefault(f"{row['text']}: symbols (%)", {})
        share[row["choice"]] = row["symbol_percent"]
    return block_of(results.pair_title(pair), columns, records.items())


def symbol_percent(path: Path) -> float | None:
    """The share of symbols in the words of a symbolized text; None if it has no words."""
    counts = count_words(path, words=tokens_of)
    return sum(statistics(counts, 1)["symbol_percent"].values()) if counts else None
