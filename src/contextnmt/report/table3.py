"""What symbolization does to the training text, as Table 3 of Choi et al. 2017."""

from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import LANGUAGES, by_pair, pair_title, parse_experiment
from contextnmt.report.published import published
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Table, write_table

#: Quantity -> its name in the table and how it is printed.
QUANTITIES = {
    "unique_words": ("unique words", "{:,}"),
    "total_words": ("total words", "{:,}"),
    "coverage_percent": ("coverage (%)", "{:.1f}"),
}
#: Before and after symbolization: the keys of a side's coverage, and the table's columns.
WHEN = ("before", "after")
COLUMNS = [(source, when) for source in ("here", PAPER) for when in WHEN]


def table3(
    coverage: Annotated[list[Path], typer.Option(help="coverage of a pair; repeatable")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="path of the table, without its suffix")],
) -> None:
    """Set words and coverage before and after symbolization beside the paper's.

    Example: contextnmt table3 --coverage results/demo/coverage/en-fr.json --experiment "$JSON"
    --out results/demo/report/tables/table3
    """
    about = parse_experiment(experiment)
    paper = {
        (row["pair"], row["language"], row["quantity"]): row
        for row in published("paper/choi2017_table3.csv")
    }
    data = [
        row_of(path, pair, language, quantity, paper)
        for pair, path in by_pair("--coverage", coverage, about).items()
        for language in pair.split("-")
        for quantity in QUANTITIES
    ]
    blocks = [block(pair, [row for row in data if row["pair"] == pair]) for pair in about.pairs]
    write_table(out, Table(blocks, data, notes(about.vocabulary_size, paper)))


def row_of(
    path: Path, pair: str, language: str, quantity: str, paper: dict[Any, dict[str, str]]
) -> dict[str, Any]:
    """One quantity of one side, from a coverage file, and as the paper prints it if it does.

    Raises UserError if the file does not have it.
    """
    content = read_json(path)
    printed = paper.get((pair, language, quantity), {})
    try:
        here = {when: content[language][when][quantity] for when in WHEN}
    except (KeyError, TypeError):
        raise UserError(
            f"{path}: no {quantity} of {language} before and after: count this pair again"
        ) from None
    key = {"pair": pair, "language": language, "quantity": quantity}
    return {**key, **here, **{f"{PAPER}_{when}": printed.get(when) for when in WHEN}}


def block(pair: str, data: list[dict[str, Any]]) -> Block:
    """The table of one language pair: three rows a side."""
    rows = []
    for row in data:
        name, form = QUANTITIES[row["quantity"]]
        here = [form.format(row[when]) for when in WHEN]
        printed = [row[f"{PAPER}_{when}"] or NONE for when in WHEN]
        label = f"{LANGUAGES.get(row['language'], row['language'])}: {name}"
        rows.append((label, [Cell(text) for text in here + printed]))
    return Block(pair_title(pair), COLUMNS, rows)


def notes(vocabulary_size: int, paper: dict[Any, dict[str, str]]) -> list[str]:
    """What a reader must know to read the table."""
    sizes = {int(row["vocabulary_size"]) for row in paper.values()}
    printed = ", ".join(f"{size:,}" for size in sizes)
    return [
        f"Coverage: share of all words that the {vocabulary_size:,} most frequent make up "
        f"(the paper: {printed})."
    ]
