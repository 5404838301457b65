"""Whether a training in lower precision reaches the BLEU of one in 32 bits: a Markdown page.

It trains the baseline of the demo, and the same with GRUs in the place of LSTMs, with several seeds
in each precision, one training at a time. On a CPU that is fp32 and bf16: tf32 is the same as fp32
there. On a GPU it is tf32 too.

Example: python benchmarks/precision.py --out benchmarks/published/precision.md
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Annotated, Any, NamedTuple

import typer
from pages import made_by, publish, table

from contextnmt.configuration import layers
from contextnmt.files import read_json, read_lines, write_json

ROOT = Path(__file__).parents[1]
COMMAND = ["-m", "snakemake", "models", "--profile", "local", "--cores", "1"]
PAIR = "en-fr"
CELLS = ("lstm", "gru")
EXACT = "fp32"
SEEDS = 3
LOWER = {"cpu": ["bf16"], "cuda": ["tf32", "bf16"]}

NOTES = """
Dev BLEU: greedy, as validated in training, at the best update of each seed; mean ± standard
deviation over the seeds. Difference: of the means to fp32, ± its standard error, which is what
seeds alone make of it. Within noise: the difference is at most twice its standard error. Tokens:
of the target, a second of training without validations: the median of a training's records, and
the best of the seeds, which other work on the machine held up least. A processor without
instructions for bfloat16 is slower with it.
"""


class Run(NamedTuple):
    """A finished training."""

    cell: str
    precision: str
    seed: int
    update: int  # the best one
    bleu: float  # at that update, on the dev texts
    speed: float  # target tokens a second
    minutes: float  # validations included


def overlay(device: str, seeds: int) -> dict[str, Any]:
    """The configuration over that of the demo: one system for each cell and precision."""
    systems = {
        f"{cell}-{precision}": {
            "label": f"{cell}, {precision}",
            "view": "word",
            "model": {"cell": cell},
            "training": {"precision": precision},
        }
        for cell in CELLS
        for precision in (EXACT, *LOWER[device])
    }
    return {
        "preset": "demo",
        "device": device,
        "pairs": [PAIR],
        "seeds": list(range(1, seeds + 1)),
        "systems": list(systems),
        "experiments": {"choi2017": {"systems": systems}},
    }


def train(file: Path, folder: Path) -> None:
    """Make the models that the configuration `file` asks for, in `folder`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    places = ["--configfile", str(file.resolve()), "--directory", str(folder.resolve())]
    subprocess.run(
        [sys.executable, *COMMAND, *places],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        check=True,
    )


def results(folder: Path, system: str, seed: int) -> Path:
    """Where a training leaves its model."""
    return folder / "results" / "demo" / "train" / PAIR / system / str(seed)


def read_run(folder: Path, system: str, seed: int) -> Run:
    """What is to be known of a training."""
    place = results(folder, system, seed)
    model = read_json(place / "model.json")
    records = map(json.loads, read_lines(place / "log.jsonl"))
    speed = median(r["target_tokens_per_second"] for r in records if r["kind"] == "train")
    cell, precision = system.split("-")
    best, minutes = model["best"], model["seconds"] / 60
    return Run(cell, precision, seed, best["update"], best["dev_bleu"], speed, minutes)


def compare(exact: list[float], lower: list[float]) -> tuple[float, float]:
    """The difference of two means and its standard error, from two numbers or more of each."""
    error = math.sqrt(sum(stdev(each) ** 2 / len(each) for each in (exact, lower)))
    return fmean(lower) - fmean(exact), error


def summary(runs: list[Run], device: str) -> Iterator[list[str]]:
    """A row for each cell and precision."""
    for cell in CELLS:
        exact: list[float] = []
        for precision in (EXACT, *LOWER[device]):
            these = [run for run in runs if (run.cell, run.precision) == (cell, precision)]
            bleu = [run.bleu for run in these]
            exact = exact or bleu
            difference, error = compare(exact, bleu)
            verdict = "yes" if abs(difference) <= 2 * error else "no"
            versus = [f"{difference:+.2f} ± {error:.2f}", verdict]
            yield [
                *(cell, precision, f"{fmean(bleu):.2f} ± {stdev(bleu):.2f}"),
                *(["", ""] if precision == EXACT else versus),
                f"{max(run.speed for run in these):,.0f}",
            ]


def details(runs: list[Run]) -> Iterator[list[str]]:
    """A row for each training."""
    for run in runs:
        numbers = [f"{run.bleu:.2f}", f"{run.speed:,.0f}", f"{run.minutes:.1f}"]
        yield [run.cell, run.precision, str(run.seed), f"{run.update:,}", *numbers]


def main(
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    seeds: Annotated[int, typer.Option(help="trainings of each kind", min=2)] = SEEDS,
    folder: Annotated[
        Path | None, typer.Option(help="to run in, kept; the same command goes on there")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Train in each precision and compare."""
    if device not in LOWER:
        raise typer.BadParameter(f"{device}: choose from {', '.join(LOWER)}")
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        asked, file = overlay(device, seeds), place / "overlay.yaml"
        write_json(file, asked)  # which is YAML too
        train(file, place)
        trained = [(system, seed) for system in asked["systems"] for seed in asked["seeds"]]
        runs = [read_run(place, *each) for each in trained]
        facts = read_json(results(place, *trained[0]) / "model.json")["environment"]
        digest = layers.digest(layers.of_call(ROOT, [file], {}), "choi2017")
    means = ["cell", "precision", "dev BLEU", "difference", "within noise", "tokens/s"]
    single = ["cell", "precision", "seed", "best update", "dev BLEU", "tokens/s", "minutes"]
    options = f"{' --device cuda' * (device == 'cuda')}{f' --seeds {seeds}' * (seeds != SEEDS)}"
    lines = [
        *("# BLEU in lower precision", ""),
        *made_by(f"python benchmarks/precision.py{options}", "torch"),
        f"Device: {facts['gpu'] if device == 'cuda' else device}; configuration {digest}.",
        *("", " ".join(NOTES.split()), ""),
        *table(means, summary(runs, device), words=2),
        "",
        *table(single, details(runs), words=2),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
