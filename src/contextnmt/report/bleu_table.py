"""BLEU of every system, as a paper's table has it: test and (dev) at each beam width."""

from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_run, pair_title, parse_experiment
from contextnmt.report.published import headline, published_bleu
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


def bleu_table(
    scores: Annotated[list[Path], typer.Option(help="scores.json of a run; repeatable")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="path of the table, without its suffix")],
) -> None:
    """Set the BLEU of every system beside the paper's, and write it as CSV, Markdown and LaTeX.

    Example: contextnmt bleu-table --scores results/demo/score/en-fr/baseline/1/scores.json
    --experiment "$JSON" --out results/demo/report/choi2017/tables/table4
    """
    about = parse_experiment(experiment)
    found: Scores = {}
    for run, path in by_run("--scores", scores, about).items():
        content = read_json(path)
        for text in about.test[run.pair] + about.dev[run.pair]:
            for beam in about.beams:
                entry = entry_of(content, path, f"{text}.beam{beam}")
                found.setdefault((run.pair, run.system, text, beam), []).append(entry)
    paper = printed(about)
    blocks = [
        block(about, pair, metric, found, paper if metric == "bleu" else {})
        for pair in about.pairs
        for metric in METRICS
    ]
    write_table(out, Table(blocks, data(about, found, paper), notes(about, found, paper)))


def printed(about: Experiment) -> Printed:
    """The paper's rows of the experiment's pairs, systems and beams, and those for comparison.

    One whose beam the paper does not tell stands beside the widest.
    """
    systems = {system.id for system in about.systems}
    rows = {
        (row["pair"], row["system"], int(row["beam"] or about.beam)): row
        for row in published_bleu(about.name)
        if row["pair"] in about.pairs and (row["system"] in systems or row["label"])
    }
    return {key: row for key, row in rows.items() if key[-1] in about.beams}


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

    As in the papers, the dev texts stand in brackets, beside the first test text. Rows that the
    paper has for comparison come last.
    """
    values = {key: [entry[metric] for entry in entries] for key, entries in scores.items()}
    labels = {system.id: system.label for system in about.systems}
    labels |= {row["system"]: row["label"] for row in compared(paper, pair)}
    columns, of_columns = [], []
    for beam in about.beams:
        for position, text in enumerate(about.test[pair]):
            dev = [] if position else about.dev[pair]
            columns.append((f"beam {beam}", f"{text} ({', '.join(dev)})" if dev else text))
            of_columns.append(column(about, pair, beam, text, dev, values))
        rows = [paper.get((pair, system, beam)) for system in labels]
        if any(rows):
            columns.append((f"beam {beam}", PAPER))
            of_columns.append(list(map(printed_cell, rows)))
    none = [Cell(NONE)] * len(labels)
    cells = zip(*((column + none)[: len(labels)] for column in of_columns), strict=True)
    rows_shown = [(label, list(row)) for label, row in zip(labels.values(), cells, strict=True)]
    return Block(about.pair_title(pair) + METRICS[metric], columns, rows_shown)


def compared(paper: Printed, pair: str) -> list[dict[str, str]]:
    """The paper's rows of a pair that no system here stands for."""
    return [row for key, row in paper.items() if key[0] == pair and row["label"]]


def printed_cell(row: dict[str, str] | None) -> Cell:
    """The paper's test BLEU with its dev BLEU, if it tells one, in brackets; or a dash."""
    if row is None:
        return Cell(NONE)
    return Cell(row["test"], f"({row['dev']})" if "dev" in row else "")


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
    """One row for each pair, system, text and beam, and one for each number of the paper.

    Its beam is None where the paper does not tell it.
    """
    rows: list[dict[str, Any]] = []
    for (pair, system, text, beam), entries in scores.items():
        row = key_of("here", pair, system, beam)
        row |= {"split": "dev" if text in about.dev[pair] else "test", "text": text}
        for metric in METRICS:
            mean, deviation = mean_and_deviation([entry[metric] for entry in entries])
            row |= {metric: mean, f"{metric}_deviation": deviation}
        rows.append(row | {"seeds": len(entries)})
    for (pair, system, _), printed_row in paper.items():
        told = int(printed_row["beam"]) if printed_row["beam"] else None
        for split in ("test", "dev"):
            if split in printed_row:
                row = key_of(PAPER, pair, system, told)
                row |= {"split": split, "text": printed_row[f"{split}_set"]}
                rows.append(row | {"bleu": float(printed_row[split])})
    return rows


def key_of(source: str, pair: str, system: str, beam: int | None) -> dict[str, Any]:
    """The columns that say whose number a row holds."""
    return {"source": source, "pair": pair, "system": system, "beam": beam}


def notes(about: Experiment, scores: Scores, paper: Printed) -> list[str]:
    """What a reader must know to read the table."""
    lines = [f"Reconstruction: {about.reconstruction}"] if about.reconstruction else []
    lines += filter(None, [headline(about.name)])
    lines.append("BLEU in percent; dev texts in brackets; bold: best of a column.")
    if len(about.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(about.seeds)} seeds.")
    lines += notes_on_paper(about, paper)
    for name, signature in zip(
        (
            "BLEU on tokenized text" + (", as in the paper" if paper else ""),
            "Detokenized, with an untouched reference",
        ),
        SIGNATURES,
        strict=True,
    ):
        found = {entry[signature] for entries in scores.values() for entry in entries}
        lines.append(f"{name}: {', '.join(sorted(found))}")
    return lines


def notes_on_paper(about: Experiment, paper: Printed) -> list[str]:
    """What a reader must know to compare with the paper's numbers; nothing if there are none."""
    texts = {}
    for (pair, _, _), row in paper.items():
        dev = f" ({row['dev_set']})" if "dev_set" in row else ""
        texts[pair] = f"{pair_title(pair)} {row['test_set']}{dev}"
    if not texts:
        return []
    lines = [
        f"The paper's texts are {' and '.join(texts.values())}: where the texts here are others, "
        "compare the differences between systems, not the scores."
    ]
    if not all(row["beam"] for row in paper.values()):
        lines.append("The paper tells no beam width: its numbers stand beside the widest.")
    quoted = dict.fromkeys(row["label"] for row in paper.values() if row["label"])
    if quoted:
        lines.append(f"{', '.join(quoted)}: a row of the paper alone, for comparison.")
    there = {system for _, system, _ in paper}
    missing = [system.label for system in about.systems if system.id not in there]
    if missing:
        lines.append(f"Not in the paper's table: {', '.join(missing)}.")
    return lines
