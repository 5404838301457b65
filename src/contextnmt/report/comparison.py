"""Differences between two results folders: their runs, how these were trained, and their BLEU.

Each difference is a row of the CSV file (docs/formats.md). A run that is half made counts as
unfinished and says why: a comparison must not take the translations of an older model for those of
the one that is being trained.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from contextnmt.configuration import places
from contextnmt.errors import UserError
from contextnmt.evaluation import significance
from contextnmt.evaluation.outputs import read_translations
from contextnmt.files import count_lines, read_lines
from contextnmt.progress import progress
from contextnmt.report.certainty import direction
from contextnmt.report.gaps import differences, gap_of_run, shown
from contextnmt.report.report import read_results
from contextnmt.report.results import Results, Run, read_record
from contextnmt.report.tables import Row

#: Kind, key, value in A and value in B -> the runs that differ so.
Changes = dict[tuple[str, str, str, str], list[Run]]

#: A run in words.
RUN = "{}/{} seed {}"

#: What to know of a score.
SAME = "the same translations in both"
FAR_LARGER = "varies far more over seeds than the others, so its variance is its own"

#: Kinds of runs that cannot be compared.
UNFINISHED, UNREAD = "unfinished", "unread"

#: Parts of a record. Each is a kind of change too, but for `run`, whose changes are settings.
PARTS = ("run", "setting", "data", "code", "environment")

#: Systems that an error names.
NAMED = 5

#: Steps of keys of `data` whose values follow from digests and settings beside them.
FOLLOWING = {"tokens", "unknowns", "words", "limit", "dropped"}


class Translation(NamedTuple):
    """A text as a system translates it with a beam width."""

    pair: str
    text: str
    beam: int
    system: str


@dataclass(frozen=True)
class Folder:
    """The runs of a results folder that have begun.

    `records`: how each trained run was made, see `record_of`. `translations`: by seed, files with a
    sentence of tokenized words per line; `references`, by pair and text, likewise. `reasons`: why
    runs are `UNFINISHED`, without translations, or `UNREAD`, without a record.
    """

    side: str  #: A or B
    path: Path
    records: dict[Run, dict[str, Any]] = field(default_factory=dict)
    translations: dict[Translation, dict[int, Path]] = field(default_factory=dict)
    references: dict[tuple[str, str], list[Path]] = field(default_factory=dict)
    reasons: dict[tuple[str, Run], str] = field(default_factory=dict)

    @property
    def seeds(self) -> dict[tuple[str, str], list[int]]:
        """The seeds of each pair and system."""
        found: dict[tuple[str, str], list[int]] = {}
        for run in sorted({*self.records, *(run for _, run in self.reasons)}):
            found.setdefault(run[:2], []).append(run.seed)
        return found


def read_folder(side: str, path: Path) -> Folder:
    """Read what is finished of the runs that a folder's configuration.json names.

    Raises UserError if there is no such file, or if no run is finished.
    """
    found = Folder(side, path)
    for results in read_results(path).values():
        # Files decide, also where a report left a run out.
        for run in replace(results, gaps={}).runs:
            if any((path / f"{stage}/{run}").is_dir() for stage in ("train", "restore")):
                add_run(found, results, run)
    if not found.records and not found.translations:
        begun = [f"{RUN.format(*run)}: {gap}" for (_, run), gap in sorted(found.reasons.items())]
        state = f"{len(begun)} begun, such as {begun[0]}" if begun else "none has begun"
        raise UserError(
            f"{path}: no run in it is finished ({state}): wait until its snakemake call has ended"
        )
    return found


def add_run(folder: Folder, results: Results, run: Run) -> None:
    """Add what is finished of a run to its folder."""
    files = {
        Translation(run.pair, text, beam, run.system): f"{run}/{text}.beam{beam}.gz"
        for text in results.texts(run.pair)
        for beam in results.beams
    }
    if gap := gap_of(folder.path, run, files.values()):
        folder.reasons[UNFINISHED, run] = gap
    else:
        for each, file in files.items():
            of_seeds = folder.translations.setdefault(each, {})
            of_seeds[run.seed] = folder.path / "restore" / file
            names = places.references(results.configuration, run.pair, each.text)
            paths = [results.side(run.pair, name, 1) for name in names]
            folder.references[run.pair, each.text] = paths
    try:
        folder.records[run] = record_of(folder.path, run)
    except UserError as error:
        if not gap:
            folder.reasons[UNREAD, run] = str(error)


def gap_of(folder: Path, run: Run, files: Iterable[str]) -> str:
    """The reason why a run has no translations in words; empty if it has.

    A folder that was copied in part may lack models, and translations before they were restored.
    """
    trained = folder / f"train/{run}"
    restored = (folder / f"restore/{run}/restored.json").is_file()  # written last
    whole = not restored or (folder / "translate").is_dir()
    gap = gap_of_run(
        [trained / "model.json"] if trained.is_dir() else [],
        trained / "state",
        [folder / "translate" / file for file in files] if whole else [],
    )
    return gap or ("" if restored else "translated, not restored")


def record_of(folder: Path, run: Run) -> dict[str, Any]:
    """How a run was made, in parts that can be compared with those of another one.

    `setting`: the blocks of the configuration that its model.json tells of. `data` and
    `environment` are the same in model.json. `run` is there if the run has a file for `contextnmt
    translate --run`, and `code` if its folder says which files it was trained with.

    Raises UserError if there is no model.json, or if one of these files lacks a key.
    """
    content = read_record(folder / f"train/{run}/model.json")
    data = content["data"]
    manifest = data["manifest"]
    del data["manifest"]
    parts = {
        "setting": {
            "model": content["model"],
            "training": content["training"],
            "text": {"vocabulary_size": manifest["vocabulary"]["limit"]},
        },
        "data": {"data": {**data, **manifest}},
        "environment": {"environment": content["environment"]},
    }
    run_file, identity = (folder / f"{stage}/{run}.json" for stage in ("run", "train-identity"))
    if run_file.is_file():
        parts["run"] = text_settings(run_file)
    if identity.is_file():  # source files, each with a digest
        parts["code"] = dict(mark.split("@") for mark in read_record(identity)["code"])
    return parts


def text_settings(path: Path) -> dict[str, Any]:
    """Read from the file of a run how its text is written.

    `view`, the threshold of symbols, whether external rules helped with them, whether subwords were
    learnt jointly, and how many merges of the source language, which are fewer than were asked for
    where a text had no more.
    """
    content = read_record(path)
    symbols, codes = content["symbols"], content["codes"]
    text: dict[str, Any] = {}
    if symbols:
        text["symbol_threshold"] = symbols["threshold"]
        text["external_rules"] = symbols.get("external_rules", True)
    if codes:
        merges = path.parent / codes
        text["joint_bpe"] = "-" in merges.name
        if merges.is_file():
            text["merges_learnt"] = count_lines(merges) - 1  # the first one has the version
    view = "-".join(["sym"] * bool(symbols) + ["bpe"] * bool(codes)) or "word"
    return {"view": view, "text": text}


def numbers(seeds: Iterable[int]) -> str:
    """Seeds in a cell."""
    return " ".join(map(str, sorted(seeds)))


def few(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join(names[:NAMED] + more)


def unmatched(a: Folder, b: Folder) -> Iterator[Row]:
    """Rows of all that has no counterpart: runs, translations, unfinished and unread runs.

    Raises UserError if the folders have no system of a language pair in common.
    """
    if not a.seeds.keys() & b.seeds.keys():
        has = [few(list(map("/".join, folder.seeds))) for folder in (a, b)]
        raise UserError(
            f"{a.path} has {has[0]} and {b.path} has {has[1]}: no system of a language pair is in "
            "both, so there is nothing to compare: name two folders that share one"
        )

    def row(kind: str, pair: str, system: str, *seeds: Iterable[int], **others: Any) -> Row:
        left, right = map(numbers, seeds)
        names = {"kind": kind, "pair": pair, "system": system, "key": "seeds"}
        return {**names, "a": left, "b": right, **others}

    for of in sorted(a.seeds.keys() | b.seeds.keys()):
        left, right = (folder.seeds.get(of, []) for folder in (a, b))
        if left != right:
            yield row("run", *of, left, right)
    translated = [{(each.pair, each.system) for each in of.translations} for of in (a, b)]
    alone = [((each.pair, each.system), each) for each in a.translations.keys() ^ b.translations]
    for of, each in sorted(alone):
        if of in translated[0] & translated[1]:
            files = (folder.translations.get(each, {}) for folder in (a, b))
            yield row("translation", *of, *files, text=each.text, beam=each.beam)
    reasons = ((*of, each.side, why) for each in (a, b) for of, why in each.reasons.items())
    for kind, run, side, why in sorted(reasons, key=itemgetter(0, 2, 1)):
        seeds = ([run.seed] if each.side == side else [] for each in (a, b))
        yield row(kind, run.pair, run.system, *seeds, note=why)


def changes(a: Folder, b: Folder) -> Changes:
    """All keys that differ between the runs that both folders tell of, with these runs.

    Settings come first, then the other kinds. The keys of code are names of files.
    """
    found: Changes = {}
    for part in PARTS:
        kind = "setting" if part == "run" else part
        for run in sorted(a.records.keys() & b.records.keys()):
            left, right = a.records[run].get(part), b.records[run].get(part)
            if left is None or right is None:  # a part that one folder does not tell of
                continue
            for key, old, new in differences(left, right):
                if kind != "data" or FOLLOWING.isdisjoint(key.split(".")):
                    found.setdefault((kind, key, shown(old), shown(new)), []).append(run)
    return found


def change_rows(found: Changes) -> Iterator[Row]:
    """Rows of changes, one for each pair and system."""
    for (kind, key, old, new), runs in found.items():
        for (pair, system), group in groupby(runs, lambda run: run[:2]):
            names = {"kind": kind, "pair": pair, "system": system, "key": key}
            yield {**names, "seeds": numbers(run.seed for run in group), "a": old, "b": new}


def scores(a: Folder, b: Folder) -> list[Row]:
    """Rows of BLEU of every translation that a system has in both folders.

    Means are those of the seeds that both have. Without such a seed, or where a file is missing,
    damaged or of another length than its reference, the reason stands in the place of a number.
    There are no tests where the references differ.
    """
    # Systems of a text with the same seeds share its reference and the resamples.
    groups: dict[Any, list[Translation]] = {}
    for each in sorted(a.translations.keys() & b.translations):
        seeds = tuple(sorted(a.translations[each].keys() & b.translations[each]))
        groups.setdefault((each[:3], seeds), []).append(each)
    shown = progress(groups.items(), "compare", "texts")
    rows = (row for (_, seeds), group in shown for row in scored(a, b, group, seeds))
    return sorted(rows, key=itemgetter(*Translation._fields))


def scored(a: Folder, b: Folder, group: list[Translation], seeds: tuple[int, ...]) -> Iterator[Row]:
    """Rows of some systems on one text, means over the same `seeds`.

    Besides the columns, a row has its `notes` one by one, and the number of `sentences`.
    """
    content: dict[str, Any] = {}
    reason = ""
    if seeds:
        try:
            content, reason = tested(a, b, group, seeds)
        except UserError as error:
            reason = str(error)
    tests = {entry["system"]: entry for entry in content.get("contrasts", [])}
    apart = (content.get("seed_variance") or {}).get("apart", [])
    for each in group:
        row: Row = {"kind": "score", "key": "bleu", **each._asdict(), "seeds": numbers(seeds)}
        row["sentences"] = content.get("sentences")
        left, right = (folder.translations[each].keys() for folder in (a, b))
        compared = "those of both are compared" if seeds else "none to compare"
        other_seeds = f"A has {seed_list(left)} and B has {seed_list(right)}: {compared}"
        notes = [other_seeds * (left != right), reason]
        for folder, column in ((a, "a"), (b, "b")):
            entry = content.get("systems", {}).get(label(each, folder), {})
            found = [*entry.get("notes", []), entry.get("gap")]
            found += [FAR_LARGER] * (label(each, folder) in apart)
            notes += [f"{folder.side}: {note}" for note in found if note]
            row |= {column: entry.get("bleu"), f"{column}_deviation": entry.get("deviation")}
        test = tests.get(label(each, b), {})
        if "interval" in test:
            low, high = test["interval"]
            both = test["interval_with_seeds"]
            row |= test | {"system": each.system, "low": low, "high": high}
            if both:
                row |= dict(zip(("low_with_seeds", "high_with_seeds"), both, strict=True))
                row["decided"] = shown(direction(both) is not None)
        elif "difference" in test:
            row["difference"] = test["difference"]
        notes = list(filter(None, notes))
        same = [SAME] * (row.get("difference") is not None and "interval" not in test)
        yield {**row, "notes": notes, "note": "; ".join([*notes, *same])}


def label(each: Translation, folder: Folder) -> str:
    """The name of a system while those of both folders are scored together."""
    return f"{each.system} of {folder.side}"


def tested(
    a: Folder, b: Folder, group: list[Translation], seeds: tuple[int, ...]
) -> tuple[dict[str, Any], str]:
    """Both folders as stage `significance` compares systems, and why it makes no test, if so.

    Translations that are the same in both count once in the variance over seeds, and are not
    tested. Raises UserError if a reference cannot be read.
    """
    pair, text, beam, _ = group[0]
    references = [folder.references[pair, text] for folder in (a, b)]
    lines = [[list(read_lines(path)) for path in paths] for paths in references]

    def tests(paths: list[Path], *folders: Folder) -> dict[str, Any]:
        runs = (
            (label(each, folder), seed, folder.translations[each][seed])
            for each in group
            for folder in folders
            for seed in seeds
        )
        found = read_translations(f"{text}.beam{beam}", paths, *zip(*runs, strict=True))
        contrasts = [(label(each, b), label(each, a)) for each in group if len(folders) > 1]
        same = {
            in_b: in_a
            for in_b, in_a in contrasts
            if {in_a, in_b} <= found.statistics.keys()
            and np.array_equal(found.statistics[in_a], found.statistics[in_b])
        }
        for in_b in same:
            del found.statistics[in_b]
        content = significance.content(found, [each for each in contrasts if each[0] not in same])
        content["systems"] |= {in_b: content["systems"][in_a] for in_b, in_a in same.items()}
        content["contrasts"] += [{"system": in_b, "difference": 0.0} for in_b in same]
        return content

    if lines[0] == lines[1]:
        return tests(references[0], a, b), ""
    of_a, of_b = map(tests, references, (a, b))
    counts = [sum(map(len, each)) for each in lines]
    return of_a | {"systems": of_a["systems"] | of_b["systems"]}, (
        f"the references differ ({counts[0]:,} lines in A, {counts[1]:,} in B): each BLEU "
        "uses its own, so nothing is subtracted or tested"
    )


def seed_list(seeds: Iterable[int]) -> str:
    """``seed 1`` or ``seeds 1, 2``."""
    names = numbers(seeds).split()
    return f"seed{'s' * (len(names) > 1)} {', '.join(names)}"
