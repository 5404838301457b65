"""What differs between two results folders: their runs, how these were trained, and their BLEU.

A run that is half made counts as unfinished and says why: a comparison must not take the
translations of an older model for those of the one that is being trained.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.evaluation import significance
from contextnmt.evaluation.translations import read_translations
from contextnmt.files import count_lines, read_lines
from contextnmt.report.nested import differences, shown
from contextnmt.report.report import read_results
from contextnmt.report.results import Results, Run, read
from contextnmt.report.significance import significant
from contextnmt.report.unfinished import gap_of_run

#: A run in words, and how many runs or systems a message names at most.
RUN, NAMED = "{}/{} seed {}", 5

#: Parts of a record. Each is a kind of change too, but for `run`, whose changes are settings.
PARTS = ("run", "setting", "data", "code", "environment")

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
    sentence of tokenized words a line; `references`, by pair and text, likewise. `unfinished`: why
    runs have no translations. `unread`: why it is not known how translated runs were made.
    """

    side: str  #: A or B
    path: Path
    records: dict[Run, dict[str, Any]] = field(default_factory=dict)
    translations: dict[Translation, dict[int, Path]] = field(default_factory=dict)
    references: dict[tuple[str, str], Path] = field(default_factory=dict)
    unfinished: dict[Run, str] = field(default_factory=dict)
    unread: dict[Run, str] = field(default_factory=dict)

    @property
    def seeds(self) -> dict[tuple[str, str], list[int]]:
        """The seeds of each pair and system."""
        found: dict[tuple[str, str], list[int]] = {}
        for run in sorted({**self.records, **self.unfinished, **self.unread}):
            found.setdefault(run[:2], []).append(run.seed)
        return found


def read_folder(side: str, path: Path) -> Folder:
    """Read what is finished of the runs that a folder's configuration.json names.

    Raises UserError if there is no such file, or if no run is finished.
    """
    found = Folder(side, path)
    for results in read_results(path).values():
        # What is there counts, not what a report left out.
        for run in replace(results, gaps={}).runs:
            if any((path / f"{stage}/{run}").is_dir() for stage in ("train", "restore")):
                add(found, results, run)
    if not found.records and not found.translations:
        gaps = [f"{RUN.format(*run)}: {gap}" for run, gap in sorted(found.unfinished.items())]
        raise UserError(
            f"{path}: no run in it is finished ({few(gaps, '; ') or 'none has begun'}): let the "
            "call of snakemake that makes it come to its end"
        )
    return found


def few(names: list[str], between: str = ", ") -> str:
    """The first names, and how many more there are."""
    more = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
    return between.join(names[:NAMED] + more)


def add(folder: Folder, results: Results, run: Run) -> None:
    """Add what is finished of a run to its folder."""
    files = {
        Translation(run.pair, text, beam, run.system): f"{run}/{text}.beam{beam}.gz"
        for text in results.texts(run.pair)
        for beam in results.beams
    }
    if gap := gap_of(folder.path, run, files.values()):
        folder.unfinished[run] = gap
    else:
        for each, file in files.items():
            of_seeds = folder.translations.setdefault(each, {})
            of_seeds[run.seed] = folder.path / "restore" / file
            folder.references[run.pair, each.text] = results.side(run.pair, each.text, 1)
    try:
        folder.records[run] = record_of(folder.path, run)
    except UserError as error:
        if not gap:
            folder.unread[run] = str(error)


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
    content = read(folder / f"train/{run}/model.json")
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
    told, begun = (folder / f"{stage}/{run}.json" for stage in ("run", "train-identity"))
    if told.is_file():
        parts["run"] = text_settings(told)
    if begun.is_file():  # source files, each with a digest
        parts["code"] = dict(mark.split("@") for mark in read(begun)["code"])
    return parts


def text_settings(path: Path) -> dict[str, Any]:
    """What the file of a run tells of how its text is written.

    `view`, the threshold of symbols, whether subwords were learnt jointly, and how many merges of
    the source language, which are fewer than were asked for where a text had no more.
    """
    content = read(path)
    symbols, codes = content["symbols"], content["codes"]
    text: dict[str, Any] = {}
    if symbols:
        text["symbol_threshold"] = symbols["threshold"]
    if codes:
        merges = path.parent / codes
        text["joint_bpe"] = "-" in merges.name
        if merges.is_file():
            text["merges_learnt"] = count_lines(merges) - 1  # the first one has the version
    view = "-".join(["sym"] * bool(symbols) + ["bpe"] * bool(codes)) or "word"
    return {"view": view, "text": text}


@dataclass(frozen=True)
class Unmatched:
    """A system, and of which seeds something is in each of the two folders.

    `kind`: ``run``, all seeds that each folder has, where they differ; ``translation``, the seeds
    that have one which the other folder lacks; ``unfinished`` and ``unread``, seeds without scores
    and without settings, with the reason as `note`.
    """

    kind: str
    pair: str
    system: str
    a: list[int]
    b: list[int]
    text: str = ""
    beam: int | None = None
    note: str = ""


def unmatched(a: Folder, b: Folder) -> Iterator[Unmatched]:
    """All that has no counterpart, in this order: runs, translations, unfinished and unread runs.

    Raises UserError if the folders have no system of a language pair in common.
    """
    if not a.seeds.keys() & b.seeds.keys():
        has = [few(["/".join(each) for each in folder.seeds]) for folder in (a, b)]
        raise UserError(
            f"{a.path} has {has[0]} and {b.path} has {has[1]}: no system of a language pair is in "
            "both, so there is nothing to compare: name two folders that share one"
        )
    for pair, system in sorted(a.seeds.keys() | b.seeds.keys()):
        left, right = (each.seeds.get((pair, system), []) for each in (a, b))
        if left != right:
            yield Unmatched("run", pair, system, left, right)
    alone = [(each.pair, each.system, each) for each in a.translations.keys() ^ b.translations]
    translated = [{(each.pair, each.system) for each in of.translations} for of in (a, b)]
    for pair, system, each in sorted(alone):
        if (pair, system) in translated[0] & translated[1]:
            left, right = (sorted(folder.translations.get(each, {})) for folder in (a, b))
            yield Unmatched("translation", pair, system, left, right, each.text, each.beam)
    for kind in ("unfinished", "unread"):
        for folder in (a, b):
            for run, reason in sorted(getattr(folder, kind).items()):
                left, right = ([run.seed], []) if folder.side == "A" else ([], [run.seed])
                yield Unmatched(kind, run.pair, run.system, left, right, note=reason)


@dataclass(frozen=True)
class Change:
    """A key whose value is `a` in the one folder and `b` in the other, in some `runs` of both.

    `kind`: setting, data, code or environment; `key` in dotted form, of `code` a file's name.
    """

    kind: str
    key: str
    a: Any
    b: Any
    runs: list[Run]


def changes(a: Folder, b: Folder) -> list[Change]:
    """All differences between the runs that both folders tell of, each once with all its runs.

    Those of settings come first, then the other kinds.
    """
    found: dict[tuple[str, str, str, str], Change] = {}
    for part in PARTS:
        kind = "setting" if part == "run" else part
        for run in sorted(a.records.keys() & b.records.keys()):
            left, right = a.records[run].get(part), b.records[run].get(part)
            if left is None or right is None:  # a part that one folder does not tell of
                continue
            for key, old, new in differences(left, right):
                if kind == "data" and FOLLOWING & set(key.split(".")):
                    continue
                same = (kind, key, shown(old), shown(new))
                found.setdefault(same, Change(kind, key, old, new, [])).runs.append(run)
    return list(found.values())


@dataclass(frozen=True)
class ScoreChange:
    """BLEU in percent of one translation of a system in both folders, mean over `seeds`.

    `a` and `b` are entries of `systems`, and `tested` is one of `contrasts`, in what stage
    `significance` writes (docs/formats.md); empty where there is none, for the reason in `notes`.
    """

    of: Translation
    seeds: tuple[int, ...]
    sentences: int | None
    a: dict[str, Any]
    b: dict[str, Any]
    tested: dict[str, Any]
    notes: list[str]

    @property
    def significant(self) -> bool:
        """Whether both tests find such a difference by chance too rarely."""
        return bool(self.tested) and significant(
            [self.tested["p_bootstrap"], self.tested["p_randomization"]]
        )


def score_changes(a: Folder, b: Folder) -> Iterator[ScoreChange]:
    """BLEU of every translation that a system has in both folders, pair by pair, text by text.

    Means are those of the seeds that both have. Without such a seed, or where a file is missing,
    damaged or of another length than its reference, the reason stands in the place of a number.
    There are no tests where the references differ.
    """
    both = sorted(a.translations.keys() & b.translations)
    for _, of_text in groupby(both, lambda each: each[:3]):
        groups: dict[tuple[int, ...], list[Translation]] = defaultdict(list)
        for each in of_text:
            groups[tuple(sorted(a.translations[each].keys() & b.translations[each]))].append(each)
        # All systems of the same seeds at once: they share the draws.
        made = [each for seeds, group in groups.items() for each in scored(a, b, group, seeds)]
        yield from sorted(made, key=lambda change: change.of)


def scored(
    a: Folder, b: Folder, group: list[Translation], seeds: tuple[int, ...]
) -> Iterator[ScoreChange]:
    """The changes of some systems in BLEU on a text, means over the same `seeds`."""
    content: dict[str, Any] = {"systems": {}, "contrasts": [], "sentences": None}
    reason = ""
    if seeds:
        try:
            content, reason = tested(a, b, group, seeds)
        except UserError as error:
            reason = str(error)
    tests = {entry["system"]: entry for entry in content["contrasts"]}
    for each in group:
        notes = [seed_note(a, b, each), reason]
        systems = [content["systems"].get(label(each, folder), {}) for folder in (a, b)]
        for side, entry in zip("AB", systems, strict=True):
            told = [*entry.get("notes", []), entry.get("gap")]
            notes += [f"{side}: {note}" for note in told if note]
        entries = [*systems, tests.get(label(each, b), {})]
        of_a, of_b, test = ({} if "gap" in entry else entry for entry in entries)
        notes = list(filter(None, notes))
        yield ScoreChange(each, seeds, content["sentences"], of_a, of_b, test, notes)


def tested(
    a: Folder, b: Folder, group: list[Translation], seeds: tuple[int, ...]
) -> tuple[dict[str, Any], str]:
    """What stage `significance` finds of both, and why it makes no tests, if it makes none.

    Raises UserError if a reference cannot be read.
    """
    pair, text, beam, _ = group[0]
    references = [folder.references[pair, text] for folder in (a, b)]
    files = [
        {(label(each, of), seed): of.translations[each][seed] for each in group for seed in seeds}
        for of in (a, b)
    ]

    lines = [list(read_lines(path)) for path in references]
    same = lines[0] == lines[1]
    if same:  # all systems at once
        references, files = references[:1], [files[0] | files[1]]
    contents = []
    for reference, paths in zip(references, files, strict=True):
        systems, of_seeds = zip(*paths, strict=True)
        name = f"{text}.beam{beam}"
        found = read_translations(name, reference, systems, of_seeds, [*paths.values()])
        contrasts = [(label(each, b), label(each, a)) for each in group if same]
        contents.append(significance.content(found, contrasts))
    systems = contents[0]["systems"] | contents[-1]["systems"]
    return contents[0] | {"systems": systems}, "" if same else (
        f"the references differ ({len(lines[0]):,} lines in A, {len(lines[1]):,} in B): each BLEU "
        "is by its own, so there is no difference and no test"
    )


def label(each: Translation, folder: Folder) -> str:
    """The name of a system while those of both folders are scored together."""
    return f"{each.system} of {folder.side}"


def seed_note(a: Folder, b: Folder, each: Translation) -> str:
    """What to know of a mean if the two folders have other seeds; empty if they have not."""
    left, right = (folder.translations[each].keys() for folder in (a, b))
    compared = "those of both are compared" if left & right else "none to compare"
    note = f"A has {seed_list(left)} and B has {seed_list(right)}: {compared}"
    return "" if left == right else note


def seed_list(seeds: Iterable[int]) -> str:
    """``seed 1`` or ``seeds 1, 2``."""
    names = [str(seed) for seed in sorted(seeds)]
    return f"seed{'s' * (len(names) > 1)} {', '.join(names)}"
