"""How long trainings take until a dev BLEU: a Markdown page.

Example: snakemake models --profile local --configfile benchmarks/runs/time_to_bleu.yaml
python benchmarks/time_to_bleu.py results/multi30k --bleu 33 --bleu 35
    --out benchmarks/published/time_to_bleu.md
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

NOTES = """
Seconds: from the start of the training, validations and the compilation of kernels included, to the
end of the first validation whose greedy dev BLEU is at least that much; update: the one it was
after; a dash: none was. Target tokens/s: the median over the training's records. The best dev BLEU
is that of the whole training.
"""


def rows(results: Path, levels: list[float]) -> Iterator[list[str]]:
    """A row for each finished training in a folder of a preset's results."""
    for file in sorted(results.glob("train/*/*/*/model.json")):
        model = read_json(file)
        records = list(map(json.loads, read_lines(file.with_name("log.jsonl"))))
        yield row(file.parent.relative_to(results / "train").as_posix(), model, records, levels)


def row(
    run: str, model: dict[str, Any], records: list[dict[str, Any]], levels: list[float]
) -> list[str]:
    """When a training reached each of some dev BLEU, from its model.json and its journal."""
    found = []
    for level in levels:
        validations = (r for r in records if r["kind"] == "dev" and r["bleu"] >= level)
        reached = next(validations, {})
        elapsed = reached.get("elapsed")  # not in older journals
        found.append(f"{reached['update']:,}" if reached else NONE)
        found.append(NONE if elapsed is None else f"{elapsed:,.1f}")
    speeds = [r["target_tokens_per_second"] for r in records if r["kind"] == "train"]
    device = model["environment"]["gpu"] if model["training"]["device"] != "cpu" else "CPU"
    return [
        *(run, device, model["training"]["precision"]),
        f"{median(speeds):,.0f}" if speeds else NONE,
        f"{model['best']['dev_bleu']:.2f}",
        *found,
    ]


def main(
    results: Annotated[Path, typer.Argument(help="folder of a preset's results")],
    bleu: Annotated[list[float], typer.Option(help="dev BLEU to reach; repeatable")],
    out: Out = None,
) -> None:
    """Tabulate when the finished trainings in RESULTS reached a dev BLEU."""
    found = list(rows(results, bleu))
    if not found:
        raise UserError(f"{results}: no finished training; run `snakemake models` first")
    asked = [f"{level:g}" for level in bleu]
    head = HEAD + [f"{column} to {level}" for level in asked for column in ("update", "seconds")]
    model = read_json(next(results.glob("train/*/*/*/model.json")))
    facts, recipe = model["environment"], model["training"]
    publish(
        out,
        f"# Time until {' and '.join(asked)} BLEU",
        f"Made by `{command()}`; commit {facts['commit']}. {facts['processor']}, "
        f"{facts['cores']} cores; Python {facts['python']}, torch {facts['torch']}. Batches of "
        f"{recipe['batch_size']}, learning rate {recipe['learning_rate']:g}, a validation every "
        f"{recipe['validate_every']:,} updates.",
        NOTES,
        table(head, found, words=3),
    )


if __name__ == "__main__":
    typer.run(main)
