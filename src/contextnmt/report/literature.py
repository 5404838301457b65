"""BLEU here beside what others print on the same test texts, and whether it may count as a
reproduction."""

from typing import Any

from contextnmt.report.gaps import score_gap_notes
from contextnmt.report.published import published
from contextnmt.report.results import Results
from contextnmt.report.tables import NONE, Block, Cell, Table, shown, signed

ELSEWHERE, ACCEPTANCE = "paper/elsewhere.csv", "paper/acceptance.csv"
#: Sentences that a score is of -> its column in the BLEU table.
COLUMNS = {"all": "bleu", "no unknown": "bleu_no_unknown"}
#: These columns in the file of others' scores.
NUMBERS = ("bleu", "no_unknown")

#: Rows of the BLEU table's data, ours at the widest beam, by pair, text and system.
Scores = dict[tuple[str, str, str], dict[str, Any]]


def literature_table(results: Results) -> Table:
    """Set our BLEU beside that of others on the same texts, and beside what should be reached.

    Without such texts the table has no rows, and its note says so.
    """
    bleu = results.read_table(results.table).data
    scores = {
        (row["pair"], row["text"], row["system"]): row
        for row in bleu
        if (row["source"], row["beam"]) == ("here", results.beam)
    }
    texts = [(pair, text) for pair in results.pairs for text in results.test[pair]]
    others = [row for row in published(ELSEWHERE) if (row["pair"], row["text"]) in texts]
    verdicts = [
        verdict(results, row, scores) for row in published(ACCEPTANCE) if is_asked(results, row)
    ]
    if not others and not verdicts:
        return Table([], [], ["No scores of others on these test texts are known here."])
    notes, blocks = [], []
    for pair, text in texts:
        if theirs := [row for row in others if (row["pair"], row["text"]) == (pair, text)]:
            blocks.append(block(results, pair, text, scores, theirs))
    if others:
        notes.append(
            "Scores as their authors print them. They are of single models unless a row names an "
            "ensemble. Tokenization, vocabularies and training texts differ somewhat between rows."
        )
    if verdicts:
        blocks.append(verdict_block(results, verdicts))
        notes.append(
            "The ranges are this project's reading of the papers and of their repeats, for the "
            "full data and the paper's recipe; a run with other settings is skipped."
        )
    data = [
        {"kind": "published", **row, **{n: float(row[n]) if row[n] else None for n in NUMBERS}}
        for row in others
    ]
    data += [{"kind": "range", **row} for row in verdicts]
    return Table(blocks, data, notes + score_gap_notes(results, bleu))


def is_asked(results: Results, row: dict[str, str]) -> bool:
    """Whether a range is of this experiment's beam width, texts and systems, finished or not."""
    systems = {system.id for system in results.systems}
    return (
        row["experiment"] == results.name
        and row["beam"] in ("", str(results.beam))
        and row["pair"] in results.pairs
        and row["text"] in results.texts(row["pair"])
        and {row["system"], row["baseline"]} <= systems | {""}
    )


def block(
    results: Results, pair: str, text: str, scores: Scores, theirs: list[dict[str, str]]
) -> Block:
    """One test text: all systems here, then those of others."""
    rows = []
    for system in results.marked(pair):
        here = scores.get((pair, text, system.id), {})
        cells = [shown(here.get(column), "{:.2f}") for column in COLUMNS.values()]
        rows.append((f"{system.label} (here)", [*cells, Cell(str(results.beam)), Cell("")]))
    for row in theirs:
        cells = [Cell(row[key] or NONE) for key in (*NUMBERS, "beam")]
        rows.append((f"{row['source']}: {row['system']}", [*cells, Cell(row["remark"])]))
    columns = [("BLEU",), ("BLEU, no unknown words",), ("beam",), ("remark",)]
    return Block(f"{results.pair_title(pair)}, {text}", columns, rows)


def verdict(results: Results, row: dict[str, str], scores: Scores) -> dict[str, Any]:
    """A score held against a range: the `value` (None: no score) and the `verdict`.

    There is none where model, training or text are not the paper's: a range is about these.
    """
    systems = [row[key] for key in ("system", "baseline") if row[key]]
    found = [scores.get((row["pair"], row["text"], system), {}) for system in systems]
    values: list[Any] = [each.get(COLUMNS[row["sentences"]]) for each in found]
    value = None if None in values else values[0] - sum(values[1:])
    low, high = float(row["low"]), float(row["high"])
    if any(results.gap(row["pair"], system) for system in systems):
        word = "not finished"
    elif value is None:
        word = "no score"
    elif others := deviating(results, systems):
        word = f"skipped: {others}"
    else:
        word = "below" if value < low else "above" if value > high else "within"
    return {**row, "low": low, "high": high, "value": value, "verdict": word}


def deviating(results: Results, systems: list[str]) -> str:
    """How many settings of some systems are not the paper's; empty if all are.

    How the translations are searched for does not count: the range says for which beam it is.
    """
    labels = {system.label for system in results.systems if system.id in systems}
    keys = {item["key"] for item in results.deviations if item["system"] in ("", *labels)}
    count = sum(not key.startswith(("pairs", "decoding")) for key in keys)
    return {0: "", 1: "1 setting differs"}.get(count, f"{count} settings differ")


def verdict_block(results: Results, verdicts: list[dict[str, Any]]) -> Block:
    """Every range with what is reached."""
    rows = []
    for row in verdicts:
        labels = results.labels(row["pair"])
        over = f" over {labels[row['baseline']]}" if row["baseline"] else ""
        kind = "" if row["sentences"] == "all" else ", no unknown words"
        value, form = row["value"], signed if row["baseline"] else "{:.2f}".format
        cells = [
            Cell(NONE if value is None else form(value)),
            Cell(f"{row['low']:g} to {row['high']:g}"),
            Cell(row["verdict"], best=row["verdict"] == "within"),
        ]
        rows.append((f"{labels[row['system']]}{over}, {row['text']}{kind}", cells))
    columns = [("here",), ("a reproduction has",), ("verdict",)]
    return Block("Does it count as a reproduction?", columns, rows)
