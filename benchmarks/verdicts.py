"""Whether verdicts hold for other seeds: many trainings of the demo's systems: a Markdown page.

Baselines that differ in their seeds alone are held against each other, and experiments are
simulated from the variances that were found: how often is there a verdict where there is no
difference, and where there is one? Beside that, how far the trainings of each system lie apart, and
how many ambiguous words Baseline gets right.

Example: python benchmarks/verdicts.py --out benchmarks/published/verdicts.md
"""

import math
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Annotated, Any

import numpy as np
import typer
from calls import finished_run
from pages import Out, made_by, publish, table

from contextnmt.evaluation.outputs import read_translations
from contextnmt.evaluation.seed_variance import seed_variance, widened
from contextnmt.evaluation.significance import content
from contextnmt.files import read_json
from contextnmt.report.certainty import direction

PAIR, TEXT, BEAM = "en-fr", "test", "test.beam12"
#: Seeds of a system in an experiment; experiments that are simulated; effects in BLEU.
GROUP, EXPERIMENTS, EFFECTS = 3, 2000, (0.0, 1.5, 4.0)
#: Ways to put the Baselines into groups.
SHUFFLES = 10

NOTES = f"""
BLEU of the test text at beam 12. Apart: the largest distance of a run from the median of its
system. Verdict: the interval over test sentences and seeds leaves out zero (A41 in
docs/decisions.md); groups of {GROUP} Baselines, put together at random {SHUFFLES} times, each held
against each other. Simulated: {EXPERIMENTS:,} experiments of as many systems, normal with the
standard deviations that were found, and the share of all comparisons of two systems that give a
verdict where the first is better by an effect; in brackets, that of the two systems with most
verdicts. Test sentences move a difference by the standard error that the bootstrap gives.
Ambiguous: the share of the ambiguous words that Baseline renders right, by how far away the nearest
word is that settles the sense; 50 % is chance.
"""


def overlay(seeds: int) -> dict[str, Any]:
    """The configuration over that of the demo: one language pair, many seeds."""
    return {"preset": "demo", "pairs": [PAIR], "seeds": list(range(1, seeds + 1))}


def spread_rows(systems: dict[str, Any]) -> Iterator[list[str]]:
    """A row for each system: how far its runs lie apart."""
    for name, entry in systems.items():
        bleu = entry["bleu_of_seeds"]
        middle = median(bleu)
        yield [
            name,
            str(len(bleu)),
            f"{middle:.2f}",
            f"{fmean(bleu):.2f} ± {stdev(bleu):.2f}",
            f"{min(bleu):.2f} to {max(bleu):.2f}",
            f"{max(abs(each - middle) for each in bleu):.2f}",
        ]


def alike(folder: Path, seeds: list[int]) -> tuple[int, int]:
    """The verdicts among groups of Baselines, and how many comparisons there were."""
    reference = folder / f"tokenize/{PAIR}/{TEXT}.{PAIR.split('-')[1]}.gz"
    rng, found = random.Random(1), []
    for _ in range(SHUFFLES):
        shuffled = rng.sample(seeds, len(seeds) // GROUP * GROUP)
        groups = [f"group {at // GROUP}" for at in range(len(shuffled))]
        paths = [folder / f"restore/{PAIR}/baseline/{seed}/{BEAM}.gz" for seed in shuffled]
        places = [at % GROUP for at in range(len(shuffled))]
        translations = read_translations(BEAM, [reference], groups, places, paths)
        compared = content(translations, list(combinations(dict.fromkeys(groups), 2)))
        found += [direction(each["interval_with_seeds"]) for each in compared["contrasts"]]
    return sum(each is not None for each in found), len(found)


def simulated(deviations: list[float], sentences: float, seeds: int) -> list[tuple[float, float]]:
    """The shares of comparisons with a verdict, for each of the `EFFECTS`: among all pairs of
    systems, and in the pair that has most.

    `deviations`: of the runs of each system; `sentences`: standard error of a difference by test
    sentences.
    """
    rng = np.random.default_rng(1)
    names = [str(at) for at in range(len(deviations))]
    pairs = list(combinations(range(len(names)), 2))
    counts = np.zeros((len(EFFECTS), len(pairs)), int)
    for _ in range(EXPERIMENTS):
        scores = rng.normal(0, np.array(deviations)[:, None], (len(names), seeds))
        means = scores.mean(axis=1) + rng.normal(0, sentences / math.sqrt(2), len(names))
        variance = seed_variance(dict(zip(names, scores.std(axis=1, ddof=1), strict=True)), seeds)
        for at, (one, other) in enumerate(pairs):
            margin = variance.margin(names[one], names[other]) if variance else 0.0
            for row, effect in enumerate(EFFECTS):
                found = float(effect + means[one] - means[other])
                interval = found - 1.96 * sentences, found + 1.96 * sentences
                counts[row, at] += direction(widened(interval, found, margin)) is not None
    shares = counts / EXPERIMENTS
    return [(float(each.mean()), float(each.max())) for each in shares]


def simulated_rows(compared: dict[str, Any]) -> Iterator[list[str]]:
    """A row for each effect: how often it is found with 2, 3, 5 and 10 seeds."""
    deviations = [each["deviation"] for each in compared["systems"].values()]
    low, high = max((each["interval"] for each in compared["contrasts"]), key=lambda i: i[1] - i[0])
    found = [simulated(deviations, (high - low) / 3.92, seeds) for seeds in (2, 3, 5, 10)]
    for effect, row in zip(EFFECTS, zip(*found, strict=True), strict=True):
        yield [f"{effect:+.1f}", *(f"{share:.1%} (up to {most:.1%})" for share, most in row)]


def ambiguous_rows(folder: Path, seeds: list[int]) -> Iterator[list[str]]:
    """A row for each kind of ambiguous words: the share that Baseline gets right."""
    counts = [
        read_json(folder / f"phenomena/{PAIR}/baseline/{seed}/{TEXT}.json")[BEAM] for seed in seeds
    ]
    for kind, rows in (
        ("kinds", ["ambiguous"]),
        ("ambiguous_by_distance", list(counts[0]["ambiguous_by_distance"])),
        ("ambiguous_by_cue", list(counts[0]["ambiguous_by_cue"])),
    ):
        for row in rows:
            shares = [each[kind][row]["right"] / each[kind][row]["total"] for each in counts]
            shown = (f"{each:.0%}" for each in (median(shares), min(shares), max(shares)))
            yield [row, str(counts[0][kind][row]["total"]), *shown]


def main(
    seeds: Annotated[int, typer.Option(help="trainings of each system", min=2 * GROUP)] = 24,
    folder: Annotated[Path | None, typer.Option(help="to run in, and to go on in; kept")] = None,
    out: Out = None,
) -> None:
    """Train the demo's systems with many seeds, and ask for verdicts."""
    asked = overlay(seeds)
    compared_file = f"results/demo/significance/choi2017/{PAIR}/{BEAM}.json"
    counted = [
        f"results/demo/phenomena/{PAIR}/baseline/{seed}/{TEXT}.json" for seed in asked["seeds"]
    ]
    with finished_run(folder, asked, compared_file, *counted) as (place, digest):
        demo, compared = place / "results" / "demo", read_json(place / compared_file)
        found, of = alike(demo, asked["seeds"])
        ambiguous = list(ambiguous_rows(demo, asked["seeds"]))
    head = ["system", "runs", "median", "mean ± deviation", "range", "apart"]
    effects = ["effect", "2 seeds", "3 seeds", "5 seeds", "10 seeds"]
    facts = [*made_by("torch"), f"Language pair {PAIR}; configuration {digest}."]
    publish(
        out,
        "# Verdicts, measured on the demo",
        facts,
        NOTES,
        "## How far the trainings of a system lie apart",
        table(head, spread_rows(compared["systems"])),
        "## Baseline against itself",
        [f"Verdicts: {found} of {of} comparisons ({found / of:.1%})."],
        "## Verdicts in simulated experiments",
        table(effects, simulated_rows(compared)),
        "## Ambiguous words that Baseline gets right",
        table(["", "words", "median", "lowest", "highest"], ambiguous),
    )


if __name__ == "__main__":
    typer.run(main)
