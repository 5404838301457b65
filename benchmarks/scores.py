"""BLEU and training time of a finished run of the workflow: a Markdown table.

Example: python benchmarks/scores.py results/multi30k --out benchmarks/published/multi30k.md
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from pages import Out, command, publish, table

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.tables import NONE, rounded

COLUMNS = ["pair", "system", "text", "beam", "BLEU", "brevity penalty", "detokenized"]
TRAINING = ["run", "parameters", "updates", "best at", "dev BLEU", "stopped", "minutes", "commit"]

#: What is shown of a score, and with how many digits.
DIGITS = {"bleu": 2, "bp": 3, "bleu_detokenized": 2}


def runs(results: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each run's `pair/system/seed`, its model record and its scores, in order of their names.

    Raises UserError if no run of the folder is finished.
    """
    found = sorted(results.glob("score/*/*/*/scores.json"))
    files = [file for file in found if file.parent.name.isdecimal()]  # no ensemble, no ablation
    if not files:
        raise UserError(f"{results}: no finished run; run the workflow first")
    for file in files:
        run = file.parent.relative_to(results / "score").as_posix()
        yield run, read_json(results / "train" / run / "model.json"), read_json(file)


def tabled(name: str) -> bool:
    """Whether the table has this translation: dev.beam12, but not dev.beam12.no-unknown."""
    return name.rpartition(".beam")[2].isdecimal()


def score_rows(found: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> Iterator[list[str]]:
    """A row for each pair, system, text and beam width, of the likeliest translations: means over
    the seeds, with standard deviations where there are several; dashes where there is no score."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for run, _, scores in found:
        for name in filter(tabled, sorted(scores)):
            text, _, beam = name.rpartition(".beam")
            groups.setdefault((*run.split("/")[:2], text, beam), []).append(scores[name])
    for group, of_seeds in groups.items():
        measured = [score for score in of_seeds if "gap" not in score]
        cells = [NONE] * len(DIGITS)
        if measured:
            values = {key: [score[key] for score in measured] for key in DIGITS}
            cells = [" ".join(rounded(values[key], DIGITS[key])).rstrip() for key in DIGITS]
        yield [*group, *cells]


def training_row(run: str, model: dict[str, Any]) -> list[str]:
    """How a run was trained, in one row."""
    facts, best = model["environment"], model["best"]
    commit = f"{facts['commit'][:10]}{'*' * facts['dirty']}" if facts["commit"] else "unknown"
    counts = (f"{count:,}" for count in (model["parameters"], model["updates"], best["update"]))
    minutes = f"{model['seconds'] / 60:.1f}"
    return [run, *counts, f"{best['dev_bleu']:.2f}", model["stopped"], minutes, commit]


def main(
    results: Annotated[Path, typer.Argument(help="folder of a preset's results")],
    call: Annotated[
        str | None, typer.Option(help="snakemake's words after --profile local")
    ] = None,
    title: Annotated[str | None, typer.Option(help="of the corpus, if not the preset's")] = None,
    out: Out = None,
) -> None:
    """Collect the scores of all runs in RESULTS, and how they came about."""
    found = list(runs(results))
    reasons = [
        f"No score of {run}, {name}: {score['gap']}."
        for run, _, scores in found
        for name, score in sorted(scores.items())
        if "gap" in score and tabled(name)
    ]
    scored = [each for *_, scores in found for each in scores.values() if "gap" not in each]
    if not scored:
        raise UserError(f"{results}: no run has a score. {' '.join(reasons[:1])}".rstrip())
    score, facts = scored[0], found[0][1]["environment"]
    gpu = f", {facts['gpu']}" if facts["gpu"] else ""
    publish(
        out,
        f"# BLEU {title or f'with the preset {results.name}'}",
        f"Made by `snakemake --profile local {call or f'--config preset={results.name}'}`, "
        f"collected by `{command()}`. {facts['processor']}, {facts['cores']} cores{gpu}; "
        f"Python {facts['python']}, torch {facts['torch']}; an asterisk marks a commit with "
        "uncommitted changes.",
        f"BLEU on tokenized text, with its brevity penalty: `{score['signature']}`; detokenized, "
        f"against the untouched reference: `{score['signature_detokenized']}`. Of several seeds: "
        "mean ± standard deviation.",
        table(COLUMNS, score_rows(found)),
        *reasons,
        table(TRAINING, [training_row(run, model) for run, model, _ in found]),
        "Minutes: of the training, validations included, with other trainings beside it.",
    )


if __name__ == "__main__":
    typer.run(main)
