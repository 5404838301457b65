"""Tables about symbols: what they replace, how right they are, what becomes of them, and BLEU by
the choice of symbols.

Tables 2 and 3 are those of Choi et al. 2017.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from itertools import groupby, zip_longest
from operator import getitem, itemgetter
from pathlib import Path
from typing import Any

from contextnmt.corpus.counts import count_words
from contextnmt.evaluation.coverage import statistics
from contextnmt.progress import progress
from contextnmt.report.gaps import reason_lines
from contextnmt.report.published import published, published_in
from contextnmt.report.results import (
    ALL,
    DICTIONARY,
    LANGUAGES,
    SYMBOL_TYPES,
    Results,
    pair_title,
    read_record,
)
from contextnmt.report.scores import scores_of
from contextnmt.report.scores import summary as bleu_summary
from contextnmt.report.tables import (
    NONE,
    PAPER,
    Block,
    Cell,
    Columns,
    Row,
    Table,
    block_of,
    shown,
)
from contextnmt.text.pieces import tokens_of
from contextnmt.text.restore import OUTCOMES, restore_tokens
from contextnmt.text.symbol_tables import Rule, read_rules
from contextnmt.text.symbols import Side, symbolize_pair

TABLE2_NOTES = [
    "The way of the training text: tokenized, then symbolized with both sentences in sight. "
    "^^ marks a piece that belongs to the word before it. The paper prints the French text with a "
    "blank after l', which is the tokenizer's; here it is without.",
    "No word counts take part, so that the table says the same whatever the corpus. They decide "
    "only whether a capital at the start of a sentence is a name (A28 in docs/decisions.md), here "
    "of The, Les and Trakhtenberg, of which the first two have no partner on the other side.",
    "Section 6.3 prints translations; here they are symbolized, and restored from what the symbols "
    "stand for in the source alone, without a rule dictionary. No model takes part.",
]


def table2(results: Results) -> Table:
    """Symbolize the example sentences of the paper and set the result beside the paper's.

    It says the same of all `results`.
    """
    table = Table([], [], TABLE2_NOTES)
    for example in published("paper/choi2017_table2.csv"):
        rows = rows_of(example)
        table.data.extend(rows)
        table.blocks.append(example_block(example, rows))
    return table


def rows_of(example: dict[str, str]) -> list[dict[str, Any]]:
    """Both sides of an example, source first: its texts here and in the paper, and differences.

    ``paper`` is the symbolized text of the paper, None where it prints none; ``restored`` is what
    the symbols are replaced by in the end. ``difference`` compares ``symbolized`` with ``paper``
    and ``restored`` with ``tokenized``, empty if all are equal.
    """
    from contextnmt.corpus.tokenize import Tokenizer

    source, target = example["pair"].split("-")
    languages = {"source": source, "target": target}
    tokenized = {side: Tokenizer(languages[side]).line(example[side]) for side in languages}
    done = symbolize_pair(
        tokenized["source"], tokenized["target"], Side(source, {}), Side(target, {})
    )
    copies = {symbol.name: symbol.source for symbol in done.symbols}
    rows = []
    for side, pieces in {"source": done.source, "target": done.target}.items():
        symbolized, restored = " ".join(pieces), " ".join(restore_tokens(pieces, copies))
        printed = example[f"{side}_symbolized"]
        rows.append(
            {
                "example": example["example"],
                "pair": example["pair"],
                "language": languages[side],
                "text": example[side],
                "tokenized": tokenized[side],
                "paper": printed or None,
                "symbolized": symbolized,
                "restored": restored,
                "difference": difference(symbolized, printed or symbolized)
                or difference(restored, tokenized[side]),
            }
        )
    return rows


def difference(here: str, there: str) -> str:
    """The first word in which two texts differ, in words; empty if they are equal."""
    words = zip_longest(here.split(" "), there.split(" "), fillvalue="nothing")
    for number, (word, other) in enumerate(words, start=1):
        if word != other:
            return f"differs at word {number}: {word}, not {other}"
    return ""


def example_block(example: dict[str, str], rows: list[dict[str, Any]]) -> Block:
    """The table of one example, source first: the steps from each text on, as far as they tell."""
    cells = []
    for row in rows:
        equal = f"({row['difference'] or 'equal, word by word'})"
        steps = {"text": Cell(row["text"])}
        if row["paper"]:
            steps |= {"paper": Cell(row["paper"]), "here": Cell(row["symbolized"], equal)}
        else:
            steps["here"] = Cell(row["symbolized"])
            if row is rows[-1]:  # the translation
                steps["restored"] = Cell(row["restored"], equal)
        language = LANGUAGES[row["language"]]
        cells += [(f"{language}: {step}", [cell]) for step, cell in steps.items()]
    title = f"{example['example']}: {pair_title(example['pair'])}"
    return Block(title, [("sentence",)], cells, text_columns=1)


#: Quantity of a side -> its name, its form, and its place in a file of `coverage`.
WORDS = {
    "unique_words": ("unique words", "{:,}", ["unique_words"]),
    "total_words": ("total words", "{:,}", ["total_words"]),
    "coverage_percent": ("coverage (%)", "{:.1f}", ["coverage_percent"]),
    "kept_words": ("total words, pairs kept", "{:,}", ["kept_words"]),
    "kept_coverage_percent": ("coverage, pairs kept (%)", "{:.1f}", ["kept_coverage_percent"]),
}
#: Likewise of the symbols of a side.
SYMBOLS = {
    f"{name.removesuffix('s')}_percent": (name, "{:.2f}", ["symbol_percent", kind])
    for kind, name in SYMBOL_TYPES.items()
}
#: Quantities of `WORDS` that a file of `pairs` has, by side.
KEPT = ("kept_words", "kept_coverage_percent")
#: Likewise of the sentence pairs, in a file of `pairs`.
PAIRS = {
    "pairs": ("all", "{:,}", ["read"]),
    "pairs_empty": ("dropped: empty side", "{:,}", ["dropped", "empty"]),
    "pairs_too_long": ("dropped: too long", "{:,}", ["dropped", "length"]),
    "pairs_unknown": ("dropped: unknown words", "{:,}", ["dropped", "unknown"]),
    "pairs_kept": ("kept", "{:,}", ["kept"]),
    "pairs_kept_by_all": ("kept by all systems", "{:,}", ["kept_by_all"]),
}
#: Before and after symbolization: keys of both files, and the table's columns.
WHEN = ("before", "after")

#: Language pair, language (None: of sentence pairs) and quantity -> row of the data of Table 3.
Rows = dict[tuple[str, str | None, str], dict[str, Any]]


def table3(results: Results) -> Table:
    """Set words, coverage and pairs before and after symbolization beside the paper's."""
    paper: Rows = {
        (row["pair"], row["language"], row["quantity"]): row
        for row in published_in(results.name, "words")
    }
    pairs = results.all_pairs
    words, counts = (
        {pair: read_record(path) for pair, path in results.of_pairs(stage, pairs).items()}
        for stage in ("coverage", "pairs")
    )
    rows: Rows = {
        (pair, language, quantity): {
            "pair": pair,
            "language": language,
            "quantity": quantity,
            **{when: reduce(getitem, place, content[when]) for when in WHEN},
            **{f"{PAPER}_{when}": printed.get(when) for when in WHEN},
        }
        for pair in pairs
        for language in [*pair.split("-"), None]
        for content in [of_side(pair, language, words, counts) if language else counts[pair]]
        for quantity, (_, _, place) in (WORDS | SYMBOLS if language else PAIRS).items()
        for printed in [paper.get((pair, language, quantity), {})]
    }
    notes = table3_notes(results.vocabulary_size, paper, counts)
    return Table(table3_blocks(pairs, rows), list(rows.values()), notes)


def of_side(
    pair: str, language: str, words: dict[str, Any], counts: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """The words of one side, from a file of `coverage` and one of `pairs`."""
    side = "source" if language == pair.split("-")[0] else "target"
    content: dict[str, dict[str, Any]] = words[pair][language]
    for when in WHEN:
        content[when].update({key: counts[pair][when][key][side] for key in KEPT})
    return content


def table3_blocks(pairs: list[str], rows: Rows) -> list[Block]:
    """The table of the paper for each language pair, its sentence pairs, and all shares."""

    def here(pair: str, language: str | None, quantity: str, form: str) -> list[Cell]:
        return [shown(rows[pair, language, quantity][when], form) for when in WHEN]

    words, dropped, shares = [], [], []
    for pair in pairs:
        lines = []
        for language in pair.split("-"):
            name = LANGUAGES.get(language, language)
            for quantity, (what, form, _) in WORDS.items():
                row = rows[pair, language, quantity]
                printed = [Cell(row[f"{PAPER}_{when}"] or NONE) for when in WHEN]
                lines.append((f"{name}: {what}", here(pair, language, quantity, form) + printed))
            after = [here(pair, language, key, form)[1] for key, (_, form, _) in SYMBOLS.items()]
            shares.append((f"{pair_title(pair)}: {name}", after))
        columns = [(source, when) for source in ("here", PAPER) for when in WHEN]
        words.append(Block(pair_title(pair), columns, lines))
        kept = [(what, here(pair, None, key, form)) for key, (what, form, _) in PAIRS.items()]
        title = f"{pair_title(pair)}: sentence pairs"
        dropped.append(Block(title, [(when,) for when in WHEN], kept))
    names = [(name,) for name, _, _ in SYMBOLS.values()]
    return [*words, *dropped, Block("Symbols in percent of all words", names, shares)]


def table3_notes(vocabulary_size: int, paper: Rows, counts: dict[str, Any]) -> list[str]:
    """Notes of Table 3; `counts`: the file of `pairs` of each pair."""
    sizes = {f"{int(row['vocabulary_size']):,}" for row in paper.values()}
    lengths = sorted({content["after"]["max_length"] for content in counts.values()})
    shares = {
        pair: f"{100 * content['after']['unknown_limit']:g} %" for pair, content in counts.items()
    }
    unknowns = ", ".join(f"{share} for {pair_title(pair)}" for pair, share in shares.items())
    if len(set(shares.values())) == 1:
        (unknowns,) = set(shares.values())
    return [
        "Words: of all pairs of the training text, and of those that a training with and without "
        "symbols keeps by its own text (training.filters: own). Which pairs the paper counted it "
        "does not say. Its words fall by 12 to 13 %, more than symbols alone take away: after "
        "symbolization it very probably counted the pairs kept.",
        f"Coverage: share of all words that the {vocabulary_size:,} most frequent make up "
        f"(the paper: {', '.join(sizes)}).",
        "Sentence pairs: what a training drops, each pair by its first reason. Too long: a side of "
        f"more than {' or '.join(map(str, lengths))} words, after symbolization with the pieces "
        f"that digits are split into; unknown words: more of both sides together than {unknowns}.",
        "Kept by all systems: in the view that each has of the text, so with subwords too; the "
        "systems train on these pairs alone if training.filters is all (A14 in docs/decisions.md).",
        "Symbols: of the symbolized text. A name of several words is one symbol.",
    ]


#: Words of each type that are shown, and what is shown of them.
COUNT = 100
RULE_COLUMNS: Columns = {"target": (("target",), "{}"), "count": (("count",), "{:,}")}

SYMBOLS_NOTES = [
    f"The {COUNT} most frequent of each type and pair; count: how often it became a symbol in the "
    "training text.",
    "Target: what stands for it most often on the other side, which is what restoration writes; in "
    "brackets how often, if not always.",
    "German writes all nouns with a capital, so nouns that both languages share are names here "
    "too, as the paper's rule has it (A29 in docs/decisions.md).",
]


def symbols_table(results: Results) -> Table:
    """Tabulate what symbols replace most often, by type, with its most frequent target."""
    table = Table([], [], SYMBOLS_NOTES)
    files = results.of_pairs("rule-dictionary", results.all_pairs, "/rules.tsv")
    for pair, path in files.items():
        rows = most_frequent(progress(read_rules(path), f"read {path}", "rules"))
        table.data.extend({"pair": pair, **row} for row in rows)
        for kind, name in SYMBOL_TYPES.items():
            if found := [(row["source"], shown_rule(row)) for row in rows if row["type"] == kind]:
                title = f"{pair_title(pair)}: {name}"
                table.blocks.append(block_of(title, RULE_COLUMNS, found, text_columns=1))
    return table


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


def shown_rule(row: dict[str, Any]) -> dict[str, Any]:
    """A row as it is shown: the target with how often it is one, if not always."""
    share = f"({row['target_count']:,})" if row["target_count"] < row["count"] else ""
    return {**row, "target": Cell(row["target"], share)}


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
    ("false", "repeated"): "fewer times in the target",
    ("false", "unpaired"): "in the target, but not paired",
    ("false", "extent"): "fewer or more words with both sides",
    ("false", "type"): "words of a symbol of another type with both sides",
    ("false", "limit"): "too many symbols of the type with both sides",
    ("missed", "unseen"): "without a capital in training",
    ("missed", "unlikely"): "mostly text in training",
    ("missed", "numeral"): "taken for Roman numerals in the target",
    ("missed", "extent"): "fewer or more words from the source alone",
    ("missed", "type"): "words of a symbol of another type from the source alone",
    ("missed", "limit"): "too many symbols of the type from the source alone",
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
        "A symbol counts as often as a translation has it.",
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
    "First column: as in all other tables; a name or acronym becomes a symbol if the training text "
    "makes it at least as likely as text.symbol_threshold says. All: every capitalized word, the "
    "first of a sentence too, and every acronym. Rule dictionary: the names and acronyms that it "
    "has rules for, of overlapping names the longest. Numbers are symbols in all columns.",
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
