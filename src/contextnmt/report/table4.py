"""BLEU of every system, as Table 4 of Choi et al. 2017: test and (dev) at each beam width."""

from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_run, pair_title, parse_experiment
from contextnmt.report.published import published
from contextnmt.report.tables import (
    NONE,
    PAPER,
    Block,
    Cell,
    Table,
    mean_and_deviation,
    rounded,
    write_table,
)

#: Key of a score in scores.json -> what its block says beside the language pair. Only the first is
#: the papers' own and has their numbers beside it; the two are never to be compared.
METRICS = {"bleu": "", "bleu_detokenized": ", detokenized"}
SIGNATURES = ("signature", "signature_detokenized")

#: The entries of scores.json of one pair, system, text and beam: one a seed.
Scores = dict[tuple[str, str, str, int], list[dict[str, Any]]]
#: The paper's rows, as printed, by pair, system and beam.
Printed = dict[tuple[str, str, int], dict[str, str]]


def table4(
    scores: Annotated[list[Path], typer.Option(help="scores.json of a run; repeatable")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="path of the table, without its suffix")],
) -> None:
    """Set the BLEU of every system beside the paper's, and write it as CSV, Markdown and LaTeX.

    Example: contextnmt table4 --scores results/demo/score/en-fr/baseline/1/scores.json
    --experiment "$JSON" --out results/demo/report/tables/table4
    """
    about = parse_experiment(experiment)
    found: Scores = {}
    for run, path in by_run("--scores", scores, about).items():
        content = read_json(path)
        for text in about.test[run.pair] + about.dev[run.pair]:
            for beam in about.beams:
                entry = entry_of(content, path, f"{text}.beam{beam}")
                found.setdefault((run.pair, run.system, text, beam), []).append(entry)
    paper = {
        (row["pair"], row["system"], int(row["beam"])): row
        for row in published("paper/choi2017_table4.csv")
    }
    blocks = [
        block(about, pair, metric, found, paper if metric == "bleu" else {})
        for pair in about.pairs
        for metric in METRICS
    ]
    write_table(out, Table(blocks, data(about, found, paper), notes(about, found, paper)))


def entry_of(content: Any, path: Path, name: str) -> dict[str, Any]:
    """The scores of one translation. Raises UserError if the file does not have them."""
    try:
        entry: dict[str, Any] = content[name]
        if not entry.keys() >= {*METRICS, *SIGNATURES}:
            raise KeyError(name)
    except (KeyError, TypeError):
        raise UserError(f"{path}: no BLEU for {name}: score this translation too") from None
    return entry


def block(about: Experiment, pair: str, metric: str, scores: Scores, paper: Printed) -> Block:
    """One metric of one language pair: for each beam the test texts, then the paper's test text.

    As in the paper, the dev texts stand in brackets, beside the first test text.
    """
    values = {key: [entry[metric] for entry in entries] for key, entries in scores.items()}
    columns, of_columns = [], []
    for beam in about.beams:
        for position, text in enumerate(about.test[pair]):
            dev = [] if position else about.dev[pair]
            columns.append((f"beam {beam}", f"{text} ({', '.join(dev)})" if dev else text))
            of_columns.append(column(about, pair, beam, text, dev, values))
        printed = [paper.get((pair, system.id, beam)) for system in about.systems]
        if any(printed):
            columns.append((f"beam {beam}", PAPER))
            of_columns.append([printed_cell(row) for row in printed])
    rows = [
        (system.label, [cells[index] for cells in of_columns])
        for index, system in enumerate(about.systems)
    ]
    return Block(pair_title(pair) + METRICS[metric], columns, rows)


def printed_cell(row: dict[str, str] | None) -> Cell:
    """The paper's test BLEU with its dev BLEU in brackets, or a dash."""
    return Cell(row["test"], f"({row['dev']})") if row else Cell(NONE)


def column(
    about: Experiment,
    pair: str,
    beam: int,
    text: str,
    dev: list[str],
    values: dict[tuple[str, str, str, int], list[float]],
) -> list[Cell]:
    """A score of all systems on a text, the best marked, with that on the dev texts in brackets."""
    of_systems = [values[pair, system.id, text, beam] for system in about.systems]
    best = max(mean_and_deviation(seeds)[0] for seeds in of_systems)
    cells = []
    for system, seeds in zip(about.systems, of_systems, strict=True):
        mean, spread = rounded(seeds)
        others = [" ".join(rounded(values[pair, system.id, name, beam])).rstrip() for name in dev]
        brackets = f"({', '.join(others)})" if others else ""
        is_best = mean_and_deviation(seeds)[0] == best
        cells.append(Cell(mean, f"{spread} {brackets}".strip(), is_best))
    return cells


def data(about: Experiment, scores: Scores, paper: Printed) -> list[dict[str, Any]]:
    """One row for each pair, system, text and beam, and one for each number of the paper."""
    rows: list[dict[str, Any]] = []
    for (pair, system, text, beam), entries in scores.items():
        row = key_of("here", pair, system, beam)
        row |= {"split": "dev" if text in about.dev[pair] else "test", "text": text}
        for metric in METRICS:
            mean, deviation = mean_and_deviation([entry[metric] for entry in entries])
            row |= {metric: mean, f"{metric}_deviation": deviation}
        rows.append(row | {"seeds": len(entries)})
    systems = {system.id for system in about.systems}
    for (pair, system, beam), printed in paper.items():
        if pair in about.pairs and system in systems and beam in about.beams:
            for split in ("test", "dev"):
                row = key_of(PAPER, pair, system, beam)
                row |= {"split": split, "text": printed[f"{split}_set"]}
                rows.append(row | {"bleu": float(printed[split])})
    return rows


def key_of(source: str, pair: str, system: str, beam: int) -> dict[str, Any]:
    """The columns that say whose number a row holds."""
    return {"source": source, "pair": pair, "system": system, "beam": beam}


def notes(about: Experiment, scores: Scores, paper: Printed) -> list[str]:
    """What a reader must know to read the table."""
    texts = [
        f"{pair_title(pair)} {row['test_set']} ({row['dev_set']})"
        for pair in about.pairs
        if (row := next((row for key, row in paper.items() if key[0] == pair), None))
    ]
    lines = ["BLEU in percent; dev texts in brackets; bold: best of a column."]
    if len(about.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(about.seeds)} seeds.")
    if texts:
        lines.append(
            f"The paper's texts are {' and '.join(texts)}: where the texts here are others, "
            "compare the gains over the baseline, not the scores."
        )
    for name, signature in zip(
        ("BLEU on tokenized text, as in the paper", "Detokenized, with an untouched reference"),
        SIGNATURES,
        strict=True,
    ):
        found = {entry[signature] for entries in scores.values() for entry in entries}
        lines.append(f"{name}: {', '.join(sorted(found))}")
    return lines
