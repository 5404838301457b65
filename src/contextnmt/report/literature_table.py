"""Our scores beside what others print on the same test texts, and whether they may count as a
reproduction."""

from pathlib import Path
from typing import Any

from contextnmt.report.experiment import Experiment
from contextnmt.report.gaps import gap_notes, score_gap_notes
from contextnmt.report.published import published
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, read_table, signed

ELSEWHERE, ACCEPTANCE = "paper/elsewhere.csv", "paper/acceptance.csv"
#: Sentences that a score is of -> its column in the BLEU table.
COLUMNS = {"all": "bleu", "no unknown": "bleu_no_unknown"}

#: Rows of the BLEU table's data, ours at the widest beam, by pair, text and system.
Scores = dict[tuple[str, str, str], dict[str, Any]]


def literature_table(bleu_table: Path, about: Experiment) -> Table:
    """Set our BLEU beside that of others on the same texts, and beside what should be reached.

    Without such texts the table has no rows, and its note says so.
    """
    bleu = read_table(bleu_table).data
    scores = {
        (row["pair"], row["text"], row["system"]): row
        for row in bleu
        if (row["source"], row["beam"]) == ("here", about.beam)
    }
    texts = [(pair, text) for pair in about.pairs for text in about.test[pair]]
    others = [row for row in published(ELSEWHERE) if (row["pair"], row["text"]) in texts]
    ranges = [
        row
        for row in published(ACCEPTANCE)
        if row["experiment"] == about.name
        and row["beam"] in ("", str(about.beam))
        and all(row[key] in ("", *asked(about, row, scores)) for key in ("system", "baseline"))
    ]
    verdicts = [verdict(about, row, scores) for row in ranges]
    blocks = [block(about, pair, text, scores, others) for pair, text in texts]
    blocks = [made for made in blocks if made.rows]
    if verdicts:
        blocks.append(accepted(about, verdicts))
    told = notes(about, others, verdicts)
    if blocks:
        told += score_gap_notes(about, bleu)
    return Table(blocks, data(others, verdicts), told)


def block(
    about: Experiment, pair: str, text: str, scores: Scores, others: list[dict[str, str]]
) -> Block:
    """One test text: all systems here, then those of others; no rows if nobody else has it."""
    theirs = [row for row in others if (row["pair"], row["text"]) == (pair, text)]
    ours = [
        (
            f"{system.label} (here)",
            [
                *(
                    score(value_of(scores, pair, text, system.id, column))
                    for column in COLUMNS.values()
                ),
                Cell(str(about.beam)),
                Cell(""),
            ],
        )
        for system in about.marked(pair)
        if theirs
    ]
    rows = [
        (
            f"{row['source']}: {row['system']}",
            [
                Cell(row["bleu"]),
                Cell(row["no_unknown"] or NONE),
                Cell(row["beam"] or NONE),
                Cell(row["remark"]),
            ],
        )
        for row in theirs
    ]
    columns = [("BLEU",), ("BLEU, no unknown words",), ("beam",), ("remark",)]
    return Block(f"{about.pair_title(pair)}, {text}", columns, ours + rows)


def asked(about: Experiment, row: dict[str, str], scores: Scores) -> list[str]:
    """The systems that have a score on the text of a range, or will have one."""
    pair, text = row["pair"], row["text"]
    scored = {system for *of, system in scores if of == [pair, text]}
    unfinished = about.gaps.get(pair, {}) if scored else {}
    return [system.id for system in about.systems if system.id in scored | {*unfinished}]


def value_of(scores: Scores, pair: str, text: str, system: str, column: str) -> float | None:
    """A score of ours; None of a system that has none."""
    value: float | None = scores.get((pair, text, system), {}).get(column)
    return value


def score(value: float | None) -> Cell:
    """A score of ours, or a dash where there is none."""
    return Cell(NONE if value is None else f"{value:.2f}")


def verdict(about: Experiment, row: dict[str, str], scores: Scores) -> dict[str, Any]:
    """What is reached of a range: the `value` (None: no score) and the `verdict`.

    There is none where model, training or text are not the paper's: a range is about these.
    """
    column = COLUMNS[row["sentences"]]
    value = value_of(scores, row["pair"], row["text"], row["system"], column)
    if row["baseline"]:
        baseline = value_of(scores, row["pair"], row["text"], row["baseline"], column)
        value = None if value is None or baseline is None else value - baseline
    low, high = float(row["low"]), float(row["high"])
    if any(about.gap(row["pair"], row[key]) for key in ("system", "baseline")):
        word = "not finished"
    elif value is None:
        word = "no score"
    elif others := deviating(about, row):
        word = f"not asked: {others}"
    else:
        word = "below" if value < low else "above" if value > high else "within"
    return {**row, "low": low, "high": high, "value": value, "verdict": word}


def accepted(about: Experiment, verdicts: list[dict[str, Any]]) -> Block:
    """Every range with what is reached."""
    rows = []
    for row in verdicts:
        labels = about.labels(row["pair"])
        what = labels[row["system"]]
        if row["baseline"]:
            what += f" over {labels[row['baseline']]}"
        what += f", {row['text']}" + (", no unknown words" if row["sentences"] != "all" else "")
        value, form = row["value"], signed if row["baseline"] else "{:.2f}".format
        cells = [
            Cell(NONE if value is None else form(value)),
            Cell(f"{row['low']:g} to {row['high']:g}"),
            Cell(row["verdict"], best=row["verdict"] == "within"),
        ]
        rows.append((what, cells))
    columns = [("here",), ("a reproduction has",), ("verdict",)]
    return Block("Does it count as a reproduction?", columns, rows)


def data(others: list[dict[str, str]], verdicts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each score of others, one for each range."""
    return [
        *({"kind": "published", **numbers(row)} for row in others),
        *({"kind": "range", **row} for row in verdicts),
    ]


def numbers(row: dict[str, str]) -> dict[str, Any]:
    """A published row, its scores as numbers."""
    scores = {key: float(row[key]) if row[key] else None for key in ("bleu", "no_unknown")}
    return {**row, **scores}


def notes(
    about: Experiment, others: list[dict[str, str]], verdicts: list[dict[str, Any]]
) -> list[str]:
    """What a reader must know to read the table."""
    if not others and not verdicts:
        return ["No scores of others on these test texts are known here."]
    lines = []
    if others:
        lines.append(
            "Quoted as their authors print them, of single models where a row names no ensemble; "
            "tokenization, vocabularies and training texts differ somewhat from one to the next."
        )
    if verdicts:
        lines.append(
            "The ranges are this project's reading of the papers and of their repeats, for the "
            "full data and the paper's recipe; a run with other settings is not asked."
        )
    return lines + gap_notes(about) + stale_notes(about)


def deviating(about: Experiment, row: dict[str, str]) -> str:
    """How many settings of a range's systems are not the paper's; empty if all are.

    How the translations are searched for does not count: the range says for which beam it is.
    """
    labels = {system.label for system in about.systems if system.id in row.values()}
    keys = {
        item.key
        for item in about.deviations
        if item.system in ("", *labels) and not item.key.startswith(("pairs", "decoding"))
    }
    if not keys:
        return ""
    return "1 setting differs" if len(keys) == 1 else f"{len(keys)} settings differ"
