"""Tables about symbols in the training text: examples, what they change, and the rule dictionary.

Tables 2 and 3 are those of Choi et al. 2017.
"""

import heapq
from collections.abc import Iterable
from functools import reduce
from itertools import groupby, zip_longest
from operator import getitem
from typing import Any

from contextnmt.progress import progress
from contextnmt.report.published import published, published_in
from contextnmt.report.results import (
    LANGUAGES,
    SYMBOL_TYPES,
    Results,
    pair_title,
    read_record,
)
from contextnmt.report.tables import (
    NONE,
    PAPER,
    Block,
    Cell,
    Columns,
    Table,
    block_of,
    shown,
)
from contextnmt.text.restore import restore_tokens
from contextnmt.text.symbol_tables import Rule, read_rules
from contextnmt.text.symbols import Side, symbolize_pair

TABLE2_NOTES = [
    "Processed like the training text: tokenized, then symbolized from both sentences. "
    "^^ marks a piece that belongs to the word before it. The paper's French text has a blank "
    "after l', from the tokenizer; the row “French: text” has none.",
    "No word counts are used here, so the table is the same for every corpus. They only decide "
    "whether a capitalized first word is a name (A28 in docs/decisions.md). First words here are "
    "The, Les and Trakhtenberg; The and Les have no partner on the other side, so they are no "
    "names anyway.",
    "Section 6.3 prints translations; here they are symbolized, then each symbol is replaced by a "
    "copy of its source words, without a rule dictionary. No model takes part.",
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
        "Words: counted over all training pairs, and over the pairs that the limits keep, both "
        "without and with symbols. The paper does not say which pairs it counted. Its word counts "
        "fall by 12 to 13 %, more than symbols alone can explain; its “after” very probably counts "
        "the kept pairs only.",
        f"Coverage: share of all words that the {vocabulary_size:,} most frequent make up "
        f"(the paper: {', '.join(sizes)}).",
        "Sentence pairs: what the limits drop, each pair by its first reason. If training.filters "
        "is symbolized, word systems, too, count unknown words after symbolization; if own, before "
        "it (A14 in docs/decisions.md). Too long: a side of more than "
        f"{' or '.join(map(str, lengths))} words; after symbolization, digits and letters split "
        "apart count as separate words. Unknown words: their share of both sides' words together "
        f"is above {unknowns}.",
        "Kept by all systems: each in its own view of the text, subwords included. If "
        "training.filters is all, the systems train on these pairs alone.",
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
    "With German, nouns that both languages share are names too, since German capitalizes all "
    "nouns (the paper's rule; A29 in docs/decisions.md).",
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
