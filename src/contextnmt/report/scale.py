"""The scale of the trainings beside the paper's: data, updates, parameters, time, device, seeds."""

from collections.abc import Callable, Iterable
from typing import Any

from contextnmt.files import read_lines
from contextnmt.report.provenance import duration
from contextnmt.report.published import published_bleu, published_in
from contextnmt.report.results import Results
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Row, Table
from contextnmt.report.training_text import short

#: Quantity -> its heading, and how a value of it is written.
QUANTITIES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "sentence_pairs": ("training pairs", short),
    "target_words": ("target words", short),
    "updates": ("updates", short),
    "epochs": ("epochs", "{:.3g}".format),
    "parameters": ("parameters", short),
    "seconds": ("time of a training", duration),
    "device": ("device", str),
    "seeds": ("seeds", str),
}
#: Letter of a count as a paper prints it -> its factor.
FACTORS = {"K": 1e3, "M": 1e6}


def scale_table(results: Results) -> Table:
    """Set the scale of the trainings of each language pair beside the paper's."""
    trainings = results.read_table("trainings").data
    blocks, data = [], []
    for pair in results.pairs:
        sources = {
            "here": of_trainings([row for row in trainings if row.get("pair") == pair])
            | {"target_words": [target_words(results, pair)], "seeds": [len(results.seeds)]},
            PAPER: in_paper(results, pair, trainings),
        }
        data += [
            {"pair": pair, "source": source, "quantity": name, **summary(name, of[name])}
            for source, of in sources.items()
            for name in QUANTITIES
            if name in of
        ]
        compared = comparison(data, pair)
        rows = [
            (source, [Cell(values[place]) for values in compared.values()])
            for place, source in enumerate(sources)
        ]
        headings = [(heading,) for heading in compared]
        blocks.append(Block(results.pair_title(pair), headings, rows))
    return Table(blocks, data, [f"{NONE}: not printed in the paper."])


def of_trainings(rows: list[Row]) -> dict[str, list[Any]]:
    """Quantity -> its values in rows of the table of trainings; those without any are left out."""
    values = {name: [row[name] for row in rows if row.get(name) is not None] for name in QUANTITIES}
    return {name: found for name, found in values.items() if found}


def target_words(results: Results, pair: str) -> int:
    """The words on the target side of the training text, before they become symbols or subwords."""
    counts = (line.rpartition("\t")[2] for line in read_lines(results.word_counts(pair)[1]))
    return sum(map(int, counts))


def in_paper(results: Results, pair: str, trainings: list[Row]) -> dict[str, list[Any]]:
    """Quantity -> the values that the paper prints, of the systems that are finished here."""
    systems = {system.id for system in results.finished(pair)}
    if pair not in {row["pair"] for row in published_bleu(results.name)}:
        return {}
    found = of_trainings(
        [row for row in trainings if row["source"] == PAPER and row["system"] in systems]
    )
    key = (pair, pair.split("-")[1], "total_words")
    words = [
        number(row["before"])
        for row in published_in(results.name, "words")
        if (row["pair"], row["language"], row["quantity"]) == key
    ]
    return found | ({"target_words": words} if words else {})


def number(printed: str) -> float:
    """A count as a paper prints it: ``348M``."""
    return float(printed[:-1]) * FACTORS[printed[-1]]


def summary(name: str, values: list[Any]) -> Row:
    """The range of a quantity, and how it is shown; a device has no numbers."""
    form = QUANTITIES[name][1]
    if name == "device":
        return {"low": None, "high": None, "shown": ", ".join(dict.fromkeys(values))}
    low, high = min(values), max(values)
    first, last = form(low), form(high)
    if first == last:
        return {"low": low, "high": high, "shown": first}
    unit = " " + last.rpartition(" ")[2]  # that of both is written once
    return {"low": low, "high": high, "shown": f"{first.removesuffix(unit)}–{last}"}


def comparison(rows: Iterable[Row], pair: str) -> dict[str, tuple[str, str]]:
    """Heading of a quantity -> how it is shown, here and in the paper; by the data of the table.

    Empty without a row of the language pair.
    """
    shown = {(row["source"], row["quantity"]): row["shown"] for row in rows if row["pair"] == pair}
    return {
        heading: (shown.get(("here", name), NONE), shown.get((PAPER, name), NONE))
        for name, (heading, _) in QUANTITIES.items()
        if shown
    }
