"""The examples of symbolization of Choi et al. 2017 (Table 2, section 6.3), by this code."""

from itertools import zip_longest
from pathlib import Path
from typing import Any

from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.report.experiment import LANGUAGES, pair_title
from contextnmt.report.published import published
from contextnmt.report.tables import Block, Cell, Table, write_table
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


def table2(out: Path) -> None:
    """Symbolize the example sentences of the paper and set the result beside the paper's."""
    data = [row for example in published("paper/choi2017_table2.csv") for row in rows_of(example)]
    names = dict.fromkeys((row["example"], row["pair"]) for row in data)
    blocks = [
        block(f"{name}: {pair_title(pair)}", [row for row in data if row["example"] == name])
        for name, pair in names
    ]
    write_table(out, Table(blocks, data, NOTES))


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
