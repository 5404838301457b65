"""The learning curves: training loss and dev BLEU by update, one figure a pair and quantity."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.experiment import Experiment, Run, by_run, pair_title, parse_experiment
from contextnmt.report.figures import drawing, line_of, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Quantity:
    """Something a run logs: records of `kind` hold it under `key`."""

    name: str
    kind: str
    key: str
    label: str


QUANTITIES = [
    Quantity("bleu", "dev", "bleu", "dev BLEU, greedy (%)"),
    Quantity("loss", "train", "loss", "training loss (nats per token)"),
]


def curves(
    log: Annotated[list[Path], typer.Option(help="log.jsonl of a run; repeatable")],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="folder of the figures")],
) -> None:
    """Draw the learning curves as curves.{pair}.{bleu,loss} in SVG, PDF and PNG.

    Example: contextnmt curves --log results/demo/train/en-fr/baseline/1/log.jsonl
    --experiment "$JSON" --out results/demo/report/figures
    """
    about = parse_experiment(experiment)
    records = {run: read_log(path) for run, path in by_run("--log", log, about).items()}
    for pair in about.pairs:
        for quantity in QUANTITIES:
            draw(about, pair, quantity, records, out / f"curves.{pair}.{quantity.name}")


def read_log(path: Path) -> list[dict[str, Any]]:
    """The records of a training log. Raises UserError, naming the line, if one is not JSON."""
    records = []
    for line_number, line in enumerate(read_lines(path), start=1):
        try:
            records.append(json.loads(line))
        except ValueError:
            raise UserError(f"{path}, line {line_number}: not JSON: train this run again") from None
    return records


def draw(
    about: Experiment,
    pair: str,
    quantity: Quantity,
    records: dict[Run, list[dict[str, Any]]],
    out: Path,
) -> None:
    """One line a run, coloured by system; further seeds thin, the best dev BLEU marked."""
    with drawing() as figure:
        axes = figure.subplots()
        for system in about.systems:
            for position, seed in enumerate(about.seeds):
                points = [
                    (record["update"], record[quantity.key])
                    for record in records[Run(pair, system.id, seed)]
                    if record["kind"] == quantity.kind
                ]
                style = {
                    **line_of(system, about.systems),
                    "linewidth": 0.6 if position else 1.4,
                    "label": None if position else system.label,
                }
                plot(axes, points, style, mark_best=quantity.kind == "dev")
        axes.set(title=pair_title(pair), xlabel="update", ylabel=quantity.label)
        axes.set_xlim(left=0)
        figure.legend(loc="outside lower center", ncols=4, handlelength=2.4, columnspacing=1.2)
        save(figure, out)


def plot(
    axes: "Axes", points: list[tuple[int, float]], style: dict[str, Any], mark_best: bool
) -> None:
    """Draw one run, with a dot at its highest value if `mark_best`."""
    axes.plot([x for x, _ in points], [y for _, y in points], **style)
    if mark_best and points:
        x, y = max(points, key=lambda point: point[1])
        axes.plot([x], [y], marker="o", linestyle="none", color=style["color"])
