"""What symbolization does to the training text, as Table 3 of Choi et al. 2017, and more."""

from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import (
    LANGUAGES,
    SYMBOL_TYPES,
    by_pair,
    pair_title,
    parse_experiment,
)
from contextnmt.report.published import published
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Table, shown, write_table

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


def table3(coverage: list[Path], pairs: list[Path], experiment: str, out: Path) -> None:
    """Set words, coverage and pairs before and after symbolization beside the paper's."""
    about = parse_experiment(experiment)
    paper = {
        (row["pair"], row["language"], row["quantity"]): row
        for row in published("paper/choi2017_table3.csv")
    }
    words = by_pair("--coverage", coverage, about)
    counts = by_pair("--pairs", pairs, about)
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
    write_table(out, Table(blocks, data, notes(about.vocabulary_size, paper, limits)))


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
