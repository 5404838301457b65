"""Two results folders side by side: what changed in how runs were made, and in their BLEU."""

import csv as tables
import io
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import printable
from contextnmt.evaluation.resampling import CONFIDENCE
from contextnmt.files import atomic
from contextnmt.report.certainty import TESTS, bleu_cell, p_value, span
from contextnmt.report.comparison import (
    RUN,
    UNFINISHED,
    UNREAD,
    Changes,
    change_rows,
    changes,
    read_folder,
    scores,
    seed_list,
    unmatched,
)
from contextnmt.report.provenance import DIGITS
from contextnmt.report.results import Run, misfits_told
from contextnmt.report.tables import NONE, Row, csv_text, signed

#: Columns of the CSV file, see docs/formats.md.
COLUMNS = [
    *("kind", "pair", "system", "seeds", "text", "beam", "key"),
    *("a", "b", "a_deviation", "b_deviation", "difference", "low", "high"),
    *("low_with_seeds", "high_with_seeds", "decided"),
    *("p_bootstrap", "p_randomization", "note"),
]

#: Kinds of changes, as headings call them.
HEADINGS = {
    "setting": "Settings",
    "data": "Training and dev texts, vocabularies",
    "code": "Source files of the training",
    "environment": "Environment",
}

#: Kinds of runs that cannot be compared, with a reason each.
REASONS = {UNFINISHED: "Not finished", UNREAD: "Settings not known"}

HEAD = ["system", "A", "B", "B - A", f"{CONFIDENCE} %", "p, bootstrap", "p, randomization"]

#: Columns of a line, and of a value in it.
WIDTH, VALUE = 100, 60


@misfits_told()
def compare(
    a: Annotated[Path, typer.Argument(help="results folder, such as results/demo", metavar="A")],
    b: Annotated[Path, typer.Argument(help="another one, of any preset", metavar="B")],
    csv: Annotated[Path | None, typer.Option(help="CSV file to write besides")] = None,
) -> None:
    """Compare two results folders: settings, data, code, and BLEU with significance.

    Each folder needs configuration.json, which Snakemake writes. Its runs are matched by language
    pair, system and seed, their translations by text and beam width. For each setting that differs,
    both values are printed; for each translation in both folders, BLEU in A, BLEU in B, and B - A
    with its interval of 95 percent over test sentences and, with several seeds, trainings. The p
    values of two tests, over sentences alone, are of the paired bootstrap and approximate
    randomization. Nothing is trained or translated.

    Settings and code are those of the trainings; those of decoding are not compared.
    Where a run is unfinished, or the references of the two folders differ, the reason stands in
    place of a number. Translations of ensembles, and those with unknown words forbidden or
    replaced, are not compared.

    Example: contextnmt compare before results/demo --csv changes.csv
    """
    folders = read_folder("A", a), read_folder("B", b)
    changed = changes(*folders)
    rows = [*scores(*folders), *change_rows(changed), *unmatched(*folders)]
    if csv is not None:
        write_rows(csv, rows)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may lack ± or a letter of a folder
    runs = folders[0].records.keys() & folders[1].records
    lines = [f"A: {a}\nB: {b}\n", *lines_of(rows, changed, runs)]
    print(printable("\n".join(lines)))


def write_rows(path: Path, rows: list[Row]) -> None:
    """Write a CSV file with the rows; what a row has not is empty."""
    with atomic(path) as out:
        writer = tables.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {
                key: f"{each:.10g}" if isinstance(each, float) else csv_text(each)
                for key, each in row.items()
            }
            for row in rows
        )


def lines_of(rows: list[Row], changes: Changes, runs: set[Run]) -> Iterator[str]:
    """All lines below the names of A and B; `runs` are those whose settings were compared."""
    alone = list(without_counterpart(rows))
    yield from [*alone, ""] if alone else []
    if runs and not changes:
        yield "Trainings: the folders record no difference in settings, texts, code, environment."
        yield "Settings and code of decoding are not compared."
        yield ""
    if not runs:
        yield "Settings: no run in both whose settings are known."
        yield ""
    for kind, of_kind in groupby(changes.items(), lambda change: change[0][0]):
        yield f"{HEADINGS[kind]}, A -> B"
        yield from listed(dict(of_kind), runs)
        yield ""
    scores = [row for row in rows if row["kind"] == "score"]
    if not scores:
        yield "BLEU: no translation of the same text, by the same system and beam, in both."
    for _, block in groupby(scores, itemgetter("pair", "text", "beam")):
        yield from compared(list(block))
        yield ""
    yield from notes([row for row in scores if "interval" in row])


def without_counterpart(rows: list[Row]) -> Iterator[str]:
    """Runs that are in one folder alone, or not finished."""
    for side, other in ("ab", "ba"):
        only = []
        for row in rows:
            if row["kind"] in ("run", "translation"):
                surplus = {*row[side].split()} - {*row[other].split()}
                name = f"{row['pair']}/{row['system']}"
                if row["kind"] == "run":
                    named = f"{name} ({seed_list(map(int, surplus))})"
                else:
                    named = f"{row['text']}.beam{row['beam']} of {name}"
                only += [named] if surplus else []
        if only:
            yield from wrapped(f"Only in {side.upper()}: {', '.join(only)}")
    for row in rows:
        if what := REASONS.get(row["kind"]):
            run = RUN.format(row["pair"], row["system"], row["a"] or row["b"])
            yield from wrapped(f"{what} in {'A' if row['a'] else 'B'}: {run}: {row['note']}")


def listed(changes: Changes, runs: set[Run]) -> Iterator[str]:
    """The changes of a kind, those that the same runs have in common together."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    # Changes that all runs share come first.
    for (_, *change), some in sorted(changes.items(), key=lambda item: -len(item[1])):
        groups.setdefault(scope(some, runs), []).append(tuple(change))
    for name, group in groups.items():
        yield from wrapped(name)
        width = max(len(key) for key, *_ in group)
        yield from (f"    {key.ljust(width)}  {short(a)} -> {short(b)}" for key, a, b in group)


def scope(runs: Iterable[Run], every: Iterable[Run]) -> str:
    """Name `runs`, some of `every` compared one, by what they have in common, in few words.

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


def short(value: str) -> str:
    """A value that fits on a line; a digest by its first digits."""
    if re.fullmatch("[0-9a-f]{40,}", value):
        return value[:DIGITS]
    return (value if len(value) <= VALUE else f"{value[: VALUE - 1]}…") or "not stated"


def compared(scores: list[Row]) -> Iterator[str]:
    """The table of a text in a language pair, and what to know of its rows."""
    first = scores[0]
    sentences = next((row["sentences"] for row in scores if row["sentences"]), None)
    size = f", {sentences:,} sentences" if sentences else ""
    yield f"BLEU of {first['pair']}, {first['text']}, beam {first['beam']}{size}"
    rows = [HEAD, *map(cells, scores)]
    width, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for label, *others in rows:
        right = (cell.rjust(width) for cell, width in zip(others, widths, strict=True))
        yield "  " + "  ".join([label.ljust(width), *right]).rstrip()
    noted: dict[str, list[str]] = {}
    for row in scores:
        for note in row["notes"]:
            noted.setdefault(note, []).append(row["system"])
    for note, systems in noted.items():
        who = "" if len(systems) == len(scores) > 1 else f"{', '.join(systems)}: "
        yield from wrapped(f"{who}{note}", "  ")


def cells(row: Row) -> list[str]:
    """A row of the table, a difference beyond chance with an asterisk."""
    bleu = [
        NONE if row[side] is None else bleu_cell(row[side], row[f"{side}_deviation"]).plain
        for side in "ab"
    ]
    if "interval" not in row:
        return [row["system"], *bleu, "same  " if "difference" in row else NONE, *[NONE] * 3]
    return [
        row["system"],
        *bleu,
        signed(row["difference"]) + (" *" if row.get("decided") == "true" else "  "),
        span(row["interval_with_seeds"] or row["interval"], signed).text,
        *(p_value(row[test]) for test in TESTS),
    ]


def notes(tested: list[Row]) -> Iterator[str]:
    """Notes of the tables."""
    if any(" " in row["seeds"] for row in tested):
        yield "BLEU: mean ± standard deviation of seeds."
    if tested:
        several = [row for row in tested if row["interval_with_seeds"]]
        count = sum(row["decided"] == "true" for row in several)
        both = (
            f"{CONFIDENCE} %: over test sentences and seeds, by the deviation of seeds. *: zero is "
            f"outside ({count} of {len(several)} tested); not corrected for their number."
        )
        alone = (
            f"{CONFIDENCE} % {'of one seed ' if several else ''}over test sentences alone, with "
            "these models. One seed says nothing about other trainings: no verdict."
        )
        yield from wrapped(both) if several else []
        yield from wrapped(alone) if len(several) < len(tested) else []
        yield from wrapped("Both p are over test sentences alone, and two-sided.")


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
