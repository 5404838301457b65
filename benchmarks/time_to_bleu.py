"""How long trainings take until a dev BLEU: a Markdown page.

benchmarks/README.md has an example.
"""

import json
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from pages import Out, command, publish, table

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines
from contextnmt.report.tables import NONE

HEAD = ["run", "device", "precision", "target tokens/s", "best dev BLEU"]

NOTES = """
Seconds: from the start of the training, validations and the compilation of kernels included, to the
end of the first validation whose greedy dev BLEU is at least that much; update: the one it was
after; a dash: none was. Target tokens/s: the median over the training's records. The best dev BLEU
is that of the whole training.
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


def main(
    results: Annotated[Path, typer.Argument(help="folder of a preset's results")],
    bleu: Annotated[list[float], typer.Option(help="dev BLEU to reach; repeatable")],
    out: Out = None,
) -> None:
    """Tabulate when the finished trainings in RESULTS reached a dev BLEU."""
    files = sorted(results.glob("train/*/*/*/model.json"))
    if not files:
        raise UserError(f"{results}: no finished training; run `snakemake models` first")
    rows = []
    for file in files:
        model = read_json(file)
        records = list(map(json.loads, read_lines(file.with_name("log.jsonl"))))
        run = file.parent.relative_to(results / "train").as_posix()
        rows.append(row(run, model, records, bleu))
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
    )


if __name__ == "__main__":
    typer.run(main)
