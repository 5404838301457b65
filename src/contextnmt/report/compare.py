"""Two results folders side by side: what changed in how runs were made, and in their BLEU."""

import csv as tables
import io
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.evaluation.resampling import CONFIDENCE
from contextnmt.files import atomic
from contextnmt.report.comparison import (
    RUN,
    Change,
    ScoreChange,
    Unmatched,
    changes,
    read_folder,
    score_changes,
    seed_list,
    unmatched,
)
from contextnmt.report.nested import MISSING, shown
from contextnmt.report.provenance import DIGITS
from contextnmt.report.results import Run
from contextnmt.report.significance import LEVEL, p_value, scored, span
from contextnmt.report.tables import NONE, signed

#: Columns of the CSV file, see docs/formats.md.
COLUMNS = [
    *("kind", "pair", "system", "seeds", "text", "beam", "key"),
    *("a", "b", "a_deviation", "b_deviation", "difference", "low", "high"),
    *("p_bootstrap", "p_randomization", "significant", "note"),
]

#: Kinds of changes, as headings call them.
HEADINGS = {
    "setting": "Settings",
    "data": "Training and dev texts, vocabularies",
    "code": "Source files of the training",
    "environment": "Environment",
}

HEAD = ["system", "A", "B", "B - A", f"{CONFIDENCE} % interval", "p, bootstrap", "p, randomization"]

#: Columns of a line, and of a value in it.
WIDTH, VALUE = 100, 60


def compare(
    a: Annotated[Path, typer.Argument(help="results folder, such as results/demo", metavar="A")],
    b: Annotated[Path, typer.Argument(help="another one, of any preset", metavar="B")],
    csv: Annotated[Path | None, typer.Option(help="CSV file to write besides")] = None,
) -> None:
    """Compare two results folders: settings, data, code, and BLEU with significance.

    Each folder needs configuration.json, which Snakemake writes. Its runs are matched by language
    pair, system and seed, their translations by text and beam width. Of each setting that differs
    both values are printed, and of each translation that both folders have BLEU in A and in B,
    B - A with its interval of 95 percent, and the p values of two tests: paired bootstrap and
    approximate randomization. Nothing is trained or translated.

    Settings and code are those of the trainings: how models were searched for translations
    (decoding), and by which code, no file tells. What is not finished, or has another reference in
    the other folder, has a reason in the place of a number. Translations of ensembles, and those
    with unknown words forbidden or replaced, are not compared.

    Example: contextnmt compare before results/demo --csv changes.csv
    """
    folders = read_folder("A", a), read_folder("B", b)
    missing = list(unmatched(*folders))
    changed = changes(*folders)
    scores = list(score_changes(*folders))
    if csv is not None:
        write_rows(csv, rows_of(scores, changed, missing))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may lack ± or a letter of a folder
    print(f"A: {a}\nB: {b}\n")
    runs = folders[0].records.keys() & folders[1].records
    print("\n".join(lines_of(missing, changed, runs, scores)))


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write a CSV file with the rows; what a row has not is empty."""
    with atomic(path) as out:
        writer = tables.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {key: f"{each:.10g}" if isinstance(each, float) else each for key, each in row.items()}
            for row in rows
        )


def rows_of(
    scores: list[ScoreChange], changes: list[Change], missing: list[Unmatched]
) -> Iterator[dict[str, Any]]:
    """A row for each BLEU, each changed key and system, and all that has no counterpart."""
    for score in scores:
        yield {
            **score.tested,
            **dict(zip(("low", "high"), score.tested.get("interval", []), strict=False)),
            **score.of._asdict(),
            "kind": "score",
            "seeds": numbers(score.seeds),
            "key": "bleu",
            "a": score.a.get("bleu"),
            "b": score.b.get("bleu"),
            "a_deviation": score.a.get("deviation"),
            "b_deviation": score.b.get("deviation"),
            "significant": shown(score.significant) if score.tested else None,
            "note": "; ".join(score.notes),
        }
    for change in changes:
        for (pair, system), runs in groupby(change.runs, lambda run: run[:2]):
            yield {
                "kind": change.kind,
                "pair": pair,
                "system": system,
                "seeds": numbers(run.seed for run in runs),
                "key": change.key,
                "a": shown(change.a),
                "b": shown(change.b),
            }
    for each in missing:
        yield {**asdict(each), "key": "seeds", "a": numbers(each.a), "b": numbers(each.b)}


def numbers(seeds: Iterable[int]) -> str:
    """Seeds in a cell."""
    return " ".join(map(str, seeds))


def lines_of(
    missing: list[Unmatched], changes: list[Change], runs: set[Run], scores: list[ScoreChange]
) -> Iterator[str]:
    """All lines below the names of A and B; `runs` are those whose settings were compared."""
    told = list(without_counterpart(missing))
    yield from [*told, ""] if told else []
    if runs and not changes:
        yield "Trainings: no difference in settings, texts, code, environment, as the folders tell."
        yield "How models were searched for translations, and by which code, is not recorded."
        yield ""
    if not runs:
        yield "Settings: no run in both whose settings are known."
        yield ""
    for kind, heading in HEADINGS.items():
        of_kind = [change for change in changes if change.kind == kind]
        if of_kind:
            yield f"{heading}, A -> B"
            yield from changed(of_kind, runs)
            yield ""
    if not scores:
        yield "BLEU: no translation of the same text, by the same system and beam, in both."
    for _, block in groupby(scores, lambda score: score.of[:3]):
        yield from compared(list(block))
        yield ""
    yield from notes([score for score in scores if score.tested])


def without_counterpart(missing: list[Unmatched]) -> Iterator[str]:
    """What is in one folder alone, or not finished."""
    for side, own, other in [("A", "a", "b"), ("B", "b", "a")]:
        only = []
        for each in missing:
            surplus = {*getattr(each, own)} - {*getattr(each, other)}
            name = f"{each.pair}/{each.system}"
            if each.kind == "run" and surplus:
                only.append(f"{name} ({seed_list(surplus)})")
            elif each.kind == "translation" and surplus:
                only.append(f"{each.text}.beam{each.beam} of {name}")
        if only:
            yield from wrapped(f"Only in {side}: {', '.join(only)}")
    for each in missing:
        if each.note:
            what = "Not finished" if each.kind == "unfinished" else "Settings not known"
            run = f"{each.pair}/{each.system} {seed_list(each.a + each.b)}"
            yield from wrapped(f"{what} in {'A' if each.a else 'B'}: {run}: {each.note}")


def changed(changes: list[Change], runs: Iterable[Run]) -> Iterator[str]:
    """The changes of a kind, those that the same runs have in common together."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(scope(change.runs, runs), []).append(change)
    # What all runs have in common first.
    for name, group in sorted(groups.items(), key=lambda item: -len(item[1][0].runs)):
        yield from wrapped(name)
        width = max(len(change.key) for change in group)
        for change in group:
            yield f"    {change.key.ljust(width)}  {short(change.a)} -> {short(change.b)}"


def scope(runs: Iterable[Run], every: Iterable[Run]) -> str:
    """What `runs`, some of `every` one that is compared, have in common, in as few words as can be.

    All runs, all of some language pairs, of some systems, of systems of a pair, or single ones.
    """
    some, whole = set(runs), set(every)
    if some == whole:
        return "all runs"
    names: list[str] = []
    for form in ("{0}", "{1}", "{0}/{1}", RUN):  # the widest first
        for name in sorted({form.format(*run) for run in some}):
            of_name = {run for run in whole if form.format(*run) == name}
            if of_name and of_name <= some:
                names.append(name)
                some -= of_name
    return ", ".join(names)


def short(value: Any) -> str:
    """A value that fits on a line; a digest by its first digits."""
    if value is MISSING:
        return "not stated"
    text = shown(value)
    if re.fullmatch("[0-9a-f]{40,}", text):
        return text[:DIGITS]
    return text if len(text) <= VALUE else f"{text[: VALUE - 1]}…"


def compared(scores: list[ScoreChange]) -> Iterator[str]:
    """The table of a text in a language pair, and what to know of its rows."""
    pair, text, beam, _ = scores[0].of
    sentences = next((each.sentences for each in scores if each.sentences), None)
    size = f", {sentences:,} sentences" if sentences else ""
    yield f"BLEU of {pair}, {text}, beam {beam}{size}"
    rows = [HEAD, *map(cells, scores)]
    width, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for label, *others in rows:
        right = (cell.rjust(width) for cell, width in zip(others, widths, strict=True))
        yield "  " + "  ".join([label.ljust(width), *right]).rstrip()
    noted: dict[str, list[str]] = {}
    for score in scores:
        for note in score.notes:
            noted.setdefault(note, []).append(score.of.system)
    for note, systems in noted.items():
        who = "" if len(systems) == len(scores) > 1 else f"{', '.join(systems)}: "
        yield from wrapped(f"{who}{note}", "  ")


def cells(score: ScoreChange) -> list[str]:
    """A row of the table, a significant difference with an asterisk."""
    bleu = [scored(entry)[0].plain if entry else NONE for entry in (score.a, score.b)]
    tested = score.tested
    if not tested:
        return [score.of.system, *bleu, *[NONE] * 4]
    return [
        score.of.system,
        *bleu,
        signed(tested["difference"]) + (" *" if score.significant else "  "),
        span(tested["interval"], signed).text,
        p_value(tested["p_bootstrap"]),
        p_value(tested["p_randomization"]),
    ]


def notes(tested: list[ScoreChange]) -> Iterator[str]:
    """What a reader must know to read the tables."""
    if any(len(score.seeds) > 1 for score in tested):
        yield "BLEU: mean ± standard deviation of seeds."
    if tested:
        count = sum(score.significant for score in tested)
        yield from wrapped(
            f"* significant, {count} of {len(tested)}: by both tests chance alone gives such a "
            f"difference in less than {100 * LEVEL:.0f} % of cases. They are two-sided and not "
            "corrected for how many are made; they tell what another choice of test sentences "
            "would give, with these models, not what another training would."
        )


def wrapped(text: str, before: str = "") -> list[str]:
    """Lines of `text`, the second and later ones further in."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=before,
        subsequent_indent=f"{before}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
