"""Two results folders side by side: what changed in how runs were made, and in their BLEU."""

import csv as tables
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.files import atomic
from contextnmt.report.changed_scores import ScoreChange, Unmatched, score_changes, unmatched
from contextnmt.report.changed_settings import Change, changes, compared
from contextnmt.report.compared_results import read_results
from contextnmt.report.comparison_text import lines_of
from contextnmt.report.nested import shown

#: Columns of the CSV file, see docs/formats.md.
COLUMNS = [
    *("kind", "pair", "system", "seeds", "text", "beam", "key"),
    *("a", "b", "a_deviation", "b_deviation", "difference", "low", "high"),
    *("p_bootstrap", "p_randomization", "significant", "note"),
]

#: Those of a test.
TESTED = ("difference", "p_bootstrap", "p_randomization")

Row = dict[str, Any]


def compare(
    a: Annotated[Path, typer.Argument(help="results folder, such as results/demo", metavar="A")],
    b: Annotated[Path, typer.Argument(help="another one, of any preset", metavar="B")],
    csv: Annotated[Path | None, typer.Option(help="CSV file to write besides")] = None,
) -> None:
    """Compare two results folders: settings, data, code, and BLEU with significance.

    Runs are matched by language pair, system and seed, their translations by text and beam width.
    Of each setting that differs both values are printed, and of each translation that both
    folders have BLEU in A and in B, B - A with its interval of 95 percent, and the p values of two
    tests: paired bootstrap and approximate randomization. Nothing is trained or translated.

    Settings and code are those of the trainings: how models were searched for translations
    (decoding), and by which code, no file tells. What is not finished, or has another reference in
    the other folder, has a reason in the place of a number. Translations of ensembles, and those
    with unknown words forbidden or replaced, are not compared.

    Example: contextnmt compare before results/demo --csv changes.csv
    """
    folders = [read_results(a), read_results(b)]
    missing = unmatched(*folders)
    changed = changes(*folders)
    scores = list(score_changes(*folders))
    if csv is not None:
        write_rows(csv, [*score_rows(scores), *change_rows(changed), *missing_rows(missing)])
    runs = compared(*folders)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may lack ± or a letter of a folder
    print("\n".join(lines_of([str(a), str(b)], missing, changed, runs, scores)))


def write_rows(path: Path, rows: list[Row]) -> None:
    """Write a CSV file with the rows; what a row has not is empty."""
    with atomic(path) as out:
        writer = tables.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {key: f"{each:.10g}" if isinstance(each, float) else each for key, each in row.items()}
            for row in rows
        )


def score_rows(scores: list[ScoreChange]) -> Iterator[Row]:
    """A row for each BLEU that was compared."""
    for score in scores:
        low, high = score.tested.get("interval", (None, None))
        yield {
            "kind": "score",
            "pair": score.pair,
            "system": score.system,
            "seeds": numbers(score.seeds),
            **score.translation._asdict(),
            "key": "bleu",
            "a": score.a.get("bleu"),
            "b": score.b.get("bleu"),
            "a_deviation": score.a.get("deviation"),
            "b_deviation": score.b.get("deviation"),
            "low": low,
            "high": high,
            **{key: score.tested.get(key) for key in TESTED},
            "significant": shown(score.significant) if score.tested else None,
            "note": "; ".join(score.notes),
        }


def change_rows(changed: list[Change]) -> Iterator[Row]:
    """A row for each key that differs and each system that it differs in."""
    for change in changed:
        seeds: dict[tuple[str, str], list[int]] = {}
        for run in change.runs:
            seeds.setdefault((run.pair, run.system), []).append(run.seed)
        for (pair, system), of_system in seeds.items():
            yield {
                "kind": change.kind,
                "pair": pair,
                "system": system,
                "seeds": numbers(of_system),
                "key": change.key,
                "a": shown(change.a),
                "b": shown(change.b),
            }


def missing_rows(missing: list[Unmatched]) -> Iterator[Row]:
    """A row for all that has no counterpart; below each folder stand the seeds that have it."""
    for each in missing:
        yield {
            "kind": each.kind,
            "pair": each.pair,
            "system": each.system,
            **(each.translation._asdict() if each.translation else {}),
            "key": "seeds",
            "a": numbers(each.a),
            "b": numbers(each.b),
            "note": each.reason,
        }


def numbers(seeds: list[int]) -> str:
    """Seeds in a cell."""
    return " ".join(map(str, seeds))
