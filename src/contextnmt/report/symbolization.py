"""What symbolization does, as Tables 2 and 3 of Choi et al. 2017: to sentences, to the text."""

from itertools import zip_longest
from pathlib import Path
from typing import Any

from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import (
    LANGUAGES,
    SYMBOL_TYPES,
    Experiment,
    by_pair,
    pair_title,
)
from contextnmt.report.published import published
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Table, shown
from contextnmt.text.restore import restore_tokens
from contextnmt.text.rules import without_rule
from contextnmt.text.symbols import Side, symbolize_pair

NOTES = [
    "The way of the training text: tokenized, then symbolized with both sentences in sight. "
    "^^ marks a piece that belongs to the word before it. The paper prints the French text with a "
    "blank after l', which is the tokenizer's; here it is without.",
    "No word counts take part, so that the table says the same whatever the corpus. They decide "
    "only whether a capital at the start of a sentence is a name (A28 in docs/decisions.md), here "
    "of The, Les and Trakhtenberg, of which the first two have no partner on the other side.",
    "Section 6.3 prints translations; here they are symbolized, and restored from what the symbols "
    "stand for in the source alone, without a rule dictionary. No model takes part.",
]


def table2() -> Table:
    """Symbolize the example sentences of the paper and set the result beside the paper's."""
    data = [row for example in published("paper/choi2017_table2.csv") for row in rows_of(example)]
    names = dict.fromkeys((row["example"], row["pair"]) for row in data)
    blocks = [
        block(f"{name}: {pair_title(pair)}", [row for row in data if row["example"] == name])
        for name, pair in names
    ]
    return Table(blocks, data, NOTES)


def rows_of(example: dict[str, str]) -> list[dict[str, Any]]:
    """Both sides of an example, source first: its texts here and in the paper, and differences.

    ``paper`` is the symbolized text of the paper, None where it prints none; ``restored`` is what
    the symbols are replaced by in the end. ``difference`` compares ``symbolized`` with ``paper``
    and ``restored`` with ``tokenized``, empty if all are equal.
    """
    languages = example["pair"].split("-")
    texts = [example["source"], example["target"]]
    tokenized = [
        Tokenizer(language).line(text) for language, text in zip(languages, texts, strict=True)
    ]
    done = symbolize_pair(
        tokenized[0], tokenized[1], Side(languages[0], {}), Side(languages[1], {})
    )
    copies = {
        symbol.name: without_rule(symbol.kind, symbol.source, languages[0], languages[1])
        for symbol in done.symbols
    }
    rows = []
    for index, (side, pieces) in enumerate((("source", done.source), ("target", done.target))):
        symbolized, restored = " ".join(pieces), " ".join(restore_tokens(pieces, copies))
        printed = example[f"{side}_symbolized"]
        rows.append(
            {
                "example": example["example"],
                "pair": example["pair"],
                "language": languages[index],
                "text": texts[index],
                "tokenized": tokenized[index],
                "paper": printed or None,
                "symbolized": symbolized,
                "restored": restored,
                "difference": (difference(symbolized, printed) if printed else "")
                or difference(restored, tokenized[index]),
            }
        )
    return rows


def difference(here: str, there: str) -> str:
    """The first word in which two texts differ, in words; empty if they are equal."""
    words = zip_longest(here.split(" "), there.split(" "), fillvalue="nothing")
    return next(
        (
            f"differs at word {number}: {word}, not {other}"
            for number, (word, other) in enumerate(words, start=1)
            if word != other
        ),
        "",
    )


def block(title: str, rows: list[dict[str, Any]]) -> Block:
    """The table of one example, source first: the steps from each text on, as far as they tell."""
    shown = []
    for row in rows:
        equal = f"({row['difference'] or 'equal, word by word'})"
        steps = {"text": Cell(row["text"])}
        if row["paper"]:
            steps |= {"paper": Cell(row["paper"]), "here": Cell(row["symbolized"], equal)}
        else:
            steps |= {"here": Cell(row["symbolized"])}
            if row is rows[-1]:  # the translation
                steps |= {"restored": Cell(row["restored"], equal)}
        language = LANGUAGES[row["language"]]
        shown += [(f"{language}: {step}", [cell]) for step, cell in steps.items()]
    return Block(title, [("sentence",)], shown, text_columns=1)


#: Quantity of a side -> its name in the table, how it is printed, and its place in a coverage file.
WORDS = {
    "unique_words": ("unique words", "{:,}", ["unique_words"]),
    "total_words": ("total words", "{:,}", ["total_words"]),
    "coverage_percent": ("coverage (%)", "{:.1f}", ["coverage_percent"]),
}
#: The same of the symbols of a side.
SYMBOLS = {
    f"{name.removesuffix('s')}_percent": (name, "{:.2f}", ["symbol_percent", kind])
    for kind, name in SYMBOL_TYPES.items()
}
#: The same of the sentence pairs, with the place in a file of pairs.
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
COLUMNS = [(source, when) for source in ("here", PAPER) for when in WHEN]


def table3(coverage: list[Path], pairs: list[Path], about: Experiment) -> Table:
    """Set words, coverage and pairs before and after symbolization beside the paper's."""
    paper = {
        (row["pair"], row["language"], row["quantity"]): row
        for row in published("paper/choi2017_table3.csv")
    }
    words = by_pair("coverage", coverage, about)
    counts = by_pair("pairs", pairs, about)
    contents = {path: read_json(path) for path in [*coverage, *pairs]}
    data = [
        row_of(path, contents[path], (pair, language, quantity), place, paper)
        for pair in about.pairs
        for language in [*pair.split("-"), None]
        for path in [words[pair] if language else counts[pair]]
        for quantity, (_, _, place) in (WORDS | SYMBOLS if language else PAIRS).items()
    ]
    of_pair = {pair: [row for row in data if row["pair"] == pair] for pair in about.pairs}
    blocks = [
        *(words_block(pair, rows) for pair, rows in of_pair.items()),
        *(pairs_block(pair, rows) for pair, rows in of_pair.items()),
        symbols_block(data),
    ]
    limits = {pair: contents[path]["after"] for pair, path in counts.items()}
    return Table(blocks, data, notes(about.vocabulary_size, paper, limits))


def row_of(
    path: Path,
    content: Any,
    key: tuple[str, str | None, str],
    place: list[str],
    paper: dict[Any, dict[str, str]],
) -> dict[str, Any]:
    """A quantity, from the content of its file, and as the paper prints it if it does.

    `key`: pair, language (None for the sentence pairs) and quantity. Raises UserError if the file
    does not have it.
    """
    pair, language, quantity = key
    printed = paper.get(key, {})
    here = {}
    try:
        for when in WHEN:
            value = (content[language] if language else content)[when]
            for step in place:
                value = value[step]
            here[when] = value
    except (KeyError, TypeError):
        what = f"{quantity} of {language}" if language else quantity
        raise UserError(f"{path}: no {what} before and after: count this pair again") from None
    return {
        "pair": pair,
        "language": language,
        "quantity": quantity,
        **here,
        **{f"{PAPER}_{when}": printed.get(when) for when in WHEN},
    }


def words_block(pair: str, data: list[dict[str, Any]]) -> Block:
    """The table of the paper, for one language pair."""
    rows = []
    for row in data:
        if row["quantity"] in WORDS:
            name, form, _ = WORDS[row["quantity"]]
            here = [shown(row[when], form) for when in WHEN]
            printed = [Cell(row[f"{PAPER}_{when}"] or NONE) for when in WHEN]
            rows.append((f"{language_of(row)}: {name}", here + printed))
    return Block(pair_title(pair), COLUMNS, rows)


def pairs_block(pair: str, data: list[dict[str, Any]]) -> Block:
    """The sentence pairs of one language pair that a training drops and keeps."""
    rows = [
        (name, [shown(row[when], form) for when in WHEN])
        for row in data
        if row["quantity"] in PAIRS
        for name, form, _ in [PAIRS[row["quantity"]]]
    ]
    return Block(f"{pair_title(pair)}: sentence pairs", [(when,) for when in WHEN], rows)


def symbols_block(data: list[dict[str, Any]]) -> Block:
    """The share of symbols of each type in both sides of all language pairs."""
    rows: dict[str, list[Cell]] = {}
    for row in data:
        if row["quantity"] in SYMBOLS:
            label = f"{pair_title(row['pair'])}: {language_of(row)}"
            form = SYMBOLS[row["quantity"]][1]
            rows.setdefault(label, []).append(shown(row["after"], form))
    columns = [(name,) for name, _, _ in SYMBOLS.values()]
    return Block("Symbols in percent of all words", columns, list(rows.items()))


def language_of(row: dict[str, Any]) -> str:
    """The language of a row, in words."""
    language: str = row["language"]
    return LANGUAGES.get(language, language)


def notes(
    vocabulary_size: int, paper: dict[Any, dict[str, str]], limits: dict[str, dict[str, Any]]
) -> list[str]:
    """What a reader must know to read the table; `limits`: those of each language pair."""
    sizes = {int(row["vocabulary_size"]) for row in paper.values()}
    printed = ", ".join(f"{size:,}" for size in sizes)
    lengths = {entry["max_length"] for entry in limits.values()}
    shares = {pair: f"{100 * entry['unknown_limit']:g} %" for pair, entry in limits.items()}
    unknowns = ", ".join(f"{share} for {pair_title(pair)}" for pair, share in shares.items())
    if len(set(shares.values())) == 1:
        (unknowns,) = set(shares.values())
    return [
        "Words: of all pairs of the training text, before the trainings drop any. Which pairs the "
        "paper counted it does not say.",
        f"Coverage: share of all words that the {vocabulary_size:,} most frequent make up "
        f"(the paper: {printed}).",
        "Sentence pairs: what a training drops, each pair by its first reason. Too long: a side of "
        f"more than {' or '.join(map(str, sorted(lengths)))} words, after symbolization with the "
        f"pieces that digits are split into; unknown words: more of both sides together than "
        f"{unknowns}.",
        "Kept by all systems: in the view that each has of the text, so with subwords too; the "
        "systems train on these pairs alone if training.filters is all (A14 in docs/decisions.md).",
        "Symbols: of the symbolized text. A name of several words is one symbol.",
    ]
