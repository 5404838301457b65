"""How long trainings take until a dev BLEU, and how their gates open: a Markdown page.

benchmarks/README.md has an example.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from pages import Out, command, publish, table

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines
from contextnmt.report.tables import NONE

HEAD = ["run", "device", "precision", "target tokens/s", "best dev BLEU"]
GATE_HEAD = ["run", "update", "dev BLEU"]
GATE_HEAD += [f"{side} {what}" for side in ("source", "target") for what in ("open", "deviation")]

NOTES = """
Seconds: from the start of the training, validations and the compilation of kernels included, to the
end of the first validation whose greedy dev BLEU is at least that much; update: the one it was
after; a dash: none was. Target tokens/s: the median over the training's records. The best dev BLEU
is that of the whole training.
"""

GATES = """
Gates of the contextualizer after each validation. Open: the share of their values above 0.95 over
the dev sentences. Deviation: of a dimension over the sentences, averaged over the dimensions.
"""


def row(run: str, model: dict[str, Any], records: list[Any], levels: list[float]) -> list[str]:
    """When a training reached each of some dev BLEU, from its model.json and its journal."""
    found = []
    for level in levels:
        validations = (r for r in records if r["kind"] == "dev" and r["bleu"] >= level)
        reached: dict[str, Any] = next(validations, {})
        elapsed = reached.get("elapsed")  # not in older journals
        found.append(f"{reached['update']:,}" if reached else NONE)
        found.append(NONE if elapsed is None else f"{elapsed:,.1f}")
    recipe, best = model["training"], f"{model['best']['dev_bleu']:.2f}"
    speeds = [r["target_tokens_per_second"] for r in records if r["kind"] == "train"]
    speed = f"{median(speeds):,.0f}" if speeds else NONE
    device = "CPU" if recipe["device"] == "cpu" else model["environment"]["gpu"]
    return [run, device, recipe["precision"], speed, best, *found]


def gate_rows(run: str, records: list[Any]) -> Iterator[list[str]]:
    """Dev BLEU and gates after each validation, from a journal; none without a contextualizer."""
    for record in records:
        if "source_gate_open" in record:
            gates = [
                shown
                for side in ("source", "target")
                for shown in (
                    f"{record[f'{side}_gate_open']:.0%}",
                    f"{record[f'{side}_gate_deviation']:.3f}",
                )
            ]
            yield [run, f"{record['update']:,}", f"{record['bleu']:.2f}", *gates]


def main(
    results: Annotated[Path, typer.Argument(help="folder of a preset's results")],
    bleu: Annotated[list[float], typer.Option(help="dev BLEU to reach; repeatable")],
    out: Out = None,
) -> None:
    """Tabulate when the finished trainings in RESULTS reached a dev BLEU."""
    files = sorted(results.glob("train/*/*/*/model.json"))
    if not files:
        raise UserError(f"{results}: no finished training; run `snakemake models` first")
    rows, gates = [], []
    for file in files:
        model = read_json(file)
        records = list(map(json.loads, read_lines(file.with_name("log.jsonl"))))
        run = file.parent.relative_to(results / "train").as_posix()
        rows.append(row(run, model, records, bleu))
        gates += gate_rows(run, records)
    asked = [f"{level:g}" for level in bleu]
    head = HEAD + [f"{column} to {level}" for level in asked for column in ("update", "seconds")]
    facts, recipe = model["environment"], model["training"]
    publish(
        out,
        f"# Time until {' and '.join(asked)} BLEU",
        f"Made by `{command()}`; commit {facts['commit']}. {facts['processor']}, "
        f"{facts['cores']} cores; Python {facts['python']}, torch {facts['torch']}. Batches of "
        f"{recipe['batch_size']}, learning rate {recipe['learning_rate']:g}, a validation every "
        f"{recipe['validate_every']:,} updates.",
        NOTES,
        table(head, rows, words=3),
        *([GATES, table(GATE_HEAD, gates, words=1)] if gates else []),
    )


if __name__ == "__main__":
    typer.run(main)
