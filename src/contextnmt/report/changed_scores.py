"""Differences in BLEU between two results folders, with the tests of stage `significance`."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.evaluation import significance
from contextnmt.evaluation.translations import read_translations
from contextnmt.files import read_lines
from contextnmt.report.compared_results import NAMED, Results, Translation
from contextnmt.report.experiment import Run
from contextnmt.report.significance_table import significant

#: What the two folders are called.
SIDES = ("A", "B")


#: System and seed -> its translation.
Files = dict[tuple[str, int], Path]


#: What stage `significance` finds of A and of B.
Contents = tuple[dict[str, Any], dict[str, Any]]


#: Of a text, a digest of its lines and how many they are.
Digest = Callable[[Path], tuple[str, int]]


@dataclass(frozen=True)
class ScoreChange:
    """BLEU in percent of one translation of a system in both folders, mean over `seeds`.

    `a` and `b` are entries of `systems`, and `tested` is one of `contrasts`, in what stage
    `significance` writes (docs/formats.md); empty where there is none, for the reason in `notes`.
    """

    pair: str
    system: str
    translation: Translation
    seeds: list[int]
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


def score_changes(a: Results, b: Results) -> Iterator[ScoreChange]:
    """BLEU of every translation that a system has in both folders, pair by pair, text by text.

    Means are those of the seeds that both have. Without such a seed, or where a file is missing,
    damaged or of another length than its reference, the reason stands in the place of a number.
    There are no tests where the references differ.
    """
    digest = cache(digest_of)
    for pair, translation, systems in in_both(a, b):
        groups: dict[tuple[int, ...], dict[str, list[str]]] = defaultdict(dict)
        for system in systems:
            seeds = [seeds_of(each, pair, system, translation) for each in (a, b)]
            common = sorted(set(seeds[0]) & set(seeds[1]))
            groups[tuple(common)][system] = notes_on(seeds, common)
        found: dict[str, ScoreChange] = {}
        for of_both, notes in groups.items():
            # All systems of the same seeds at once: they share the draws.
            made = scored(a, b, pair, translation, list(of_both), notes, digest)
            found |= {each.system: each for each in made}
        yield from (found[system] for system in systems)


def in_both(a: Results, b: Results) -> Iterator[tuple[str, Translation, list[str]]]:
    """Language pair, translation and the systems that have it in both folders."""
    sides = [translated(each) for each in (a, b)]
    systems: dict[tuple[str, Translation], list[str]] = defaultdict(list)
    for pair, system, translation in sorted(sides[0] & sides[1]):
        systems[pair, translation].append(system)
    for (pair, translation), names in sorted(systems.items()):
        yield pair, translation, names


def translated(results: Results) -> set[tuple[str, str, Translation]]:
    """Pair, system and translation of everything that some seed has translated."""
    return {
        (run.pair, run.system, translation)
        for run, files in results.translations.items()
        for translation in files
    }


def seeds_of(results: Results, pair: str, system: str, translation: Translation) -> list[int]:
    """The seeds of a system that have a translation."""
    return sorted(
        run.seed
        for run, files in results.translations.items()
        if (run.pair, run.system) == (pair, system) and translation in files
    )


def notes_on(seeds: list[list[int]], common: list[int]) -> list[str]:
    """What to know of a mean if the two folders have other seeds."""
    if seeds[0] == seeds[1]:
        return []
    have = " and ".join(
        f"{side} has {seed_list(own)}" for side, own in zip(SIDES, seeds, strict=True)
    )
    return [f"{have}: {'those of both are compared' if common else 'none to compare'}"]


def seed_list(seeds: Iterable[int]) -> str:
    """``seed 1`` or ``seeds 1, 2``."""
    names = [str(seed) for seed in sorted(seeds)]
    return f"seed{'s' * (len(names) > 1)} {', '.join(names)}"


def digest_of(reference: Path) -> tuple[str, int]:
    """A digest of the lines of a file, and their number. Raises UserError if it is not readable."""
    found, lines = hashlib.sha256(), 0
    for line in read_lines(reference):
        found.update(line.encode() + b"\n")
        lines += 1
    return found.hexdigest(), lines


def scored(
    a: Results,
    b: Results,
    pair: str,
    translation: Translation,
    seeds: list[int],
    notes: dict[str, list[str]],
    digest: Digest,
) -> Iterator[ScoreChange]:
    """What the systems in `notes` have of the same `seeds`; with the notes so far of each."""
    contents: Contents = ({"systems": {}}, {"systems": {}})
    reason = ""
    if seeds:
        references = tuple(each.reference(pair, translation.text) for each in (a, b))
        files = tuple(
            files_of(each, side, pair, translation, notes, seeds)
            for each, side in zip((a, b), SIDES, strict=True)
        )
        try:
            contents, reason = tested(translation, references, files, list(notes), digest)
        except UserError as gap:
            reason = str(gap)
    contrasts = {entry["system"]: entry for entry in contents[0].get("contrasts", [])}
    for system, known in notes.items():
        told = [*known, reason] if reason else list(known)
        entries = []
        for side, content in zip(SIDES, contents, strict=True):
            entry = content["systems"].get(label(system, side), {})
            told += [f"{side}: {note}" for note in entry.get("notes", [])]
            if "gap" in entry:
                told.append(f"{side}: {entry['gap']}")
            entries.append(without_gap(entry))
        yield ScoreChange(
            pair,
            system,
            translation,
            seeds,
            contents[0].get("sentences"),
            entries[0],
            entries[1],
            without_gap(contrasts.get(label(system, "B"), {})),
            told,
        )


def tested(
    translation: Translation,
    references: tuple[Path, ...],
    files: tuple[Files, ...],
    systems: list[str],
    digest: Digest,
) -> tuple[Contents, str]:
    """What `significance` finds of A and of B, and why it makes no tests, if it makes none.

    If both have the same reference, all is in the one as in the other. Raises UserError if a
    reference cannot be read.
    """
    (left, lines), (right, others) = map(digest, references)
    if left == right:
        contrasts = [(label(system, "B"), label(system, "A")) for system in systems]
        content = content_of(translation, references[0], {**files[0], **files[1]}, contrasts)
        return (content, content), ""
    contents = (
        content_of(translation, references[0], files[0], []),
        content_of(translation, references[1], files[1], []),
    )
    return contents, (
        f"the references differ ({lines:,} lines in A, {others:,} in B): each BLEU is by its own, "
        "so there is no difference and no test"
    )


def without_gap(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry, or nothing if all that it has is a gap, whose reason stands in the notes."""
    return {} if "gap" in entry else entry


def label(system: str, side: str) -> str:
    """The name of a system while those of both folders are scored together."""
    return f"{system} of {side}"


def files_of(
    results: Results,
    side: str,
    pair: str,
    translation: Translation,
    systems: Iterable[str],
    seeds: list[int],
) -> Files:
    """The translations by these systems and seeds, the systems as `label` calls them."""
    return {
        (label(run.system, side), run.seed): files[translation]
        for run, files in results.translations.items()
        if run.pair == pair and run.system in systems and run.seed in seeds
    }


def content_of(
    translation: Translation, reference: Path, files: Files, contrasts: list[tuple[str, str]]
) -> dict[str, Any]:
    """What stage `significance` finds of some translations. Raises UserError as it does."""
    systems, seeds = [system for system, _ in files], [seed for _, seed in files]
    name = translation.name
    found = read_translations(name, reference, systems, seeds, list(files.values()))
    return significance.content(found, contrasts)


#: Language pair and system.
System = tuple[str, str]


@dataclass(frozen=True)
class Unmatched:
    """A system, and of which seeds something is in each of the two folders.

    `kind`: ``run``, all seeds that each folder has, where they differ; ``translation``, the seeds
    that have one which the other folder lacks; ``unfinished`` and ``unread``, seeds without scores
    and without settings for this `reason`.
    """

    kind: str
    pair: str
    system: str
    a: list[int]
    b: list[int]
    translation: Translation | None = None
    reason: str = ""


def unmatched(a: Results, b: Results) -> list[Unmatched]:
    """All that has no counterpart, in this order: runs, translations, unfinished and unread runs.

    Raises UserError if the folders have no system of a language pair in common.
    """
    if not systems(a.runs) & systems(b.runs):
        raise UserError(
            f"{a.folder} has {some(a)} and {b.folder} has {some(b)}: no system of a language pair "
            "is in both, so there is nothing to compare: name two folders that share one"
        )
    return [*runs(a, b), *translations(a, b), *reasons(a, b)]


def systems(found: set[Run]) -> set[System]:
    """The systems of some runs."""
    return {(run.pair, run.system) for run in found}


def some(results: Results) -> str:
    """A few of the systems of a folder."""
    names = sorted("/".join(each) for each in systems(results.runs))
    return ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")


def runs(a: Results, b: Results) -> Iterator[Unmatched]:
    """The systems whose seeds differ."""
    for pair, system in sorted(systems(a.runs | b.runs)):
        left, right = (
            sorted(run.seed for run in each.runs if (run.pair, run.system) == (pair, system))
            for each in (a, b)
        )
        if left != right:
            yield Unmatched("run", pair, system, left, right)


def translations(a: Results, b: Results) -> Iterator[Unmatched]:
    """The translations that a system, translated in both, has in one folder alone."""
    sides = [by_system(each) for each in (a, b)]
    for pair, system in sorted(sides[0].keys() & sides[1].keys()):
        left, right = (side[pair, system] for side in sides)
        for each in sorted(left.keys() ^ right.keys()):
            seeds = sorted(left.get(each, [])), sorted(right.get(each, []))
            yield Unmatched("translation", pair, system, *seeds, each)


def by_system(results: Results) -> dict[System, dict[Translation, list[int]]]:
    """The translations of each system, with the seeds that have them."""
    found: dict[System, dict[Translation, list[int]]] = {}
    for run, files in results.translations.items():
        of_system = found.setdefault((run.pair, run.system), {})
        for translation in files:
            of_system.setdefault(translation, []).append(run.seed)
    return found


def reasons(a: Results, b: Results) -> Iterator[Unmatched]:
    """The runs that are not finished, and those that tell nothing of their settings."""
    for kind in ("unfinished", "unread"):
        for number, each in enumerate((a, b)):
            known = each.gaps if kind == "unfinished" else each.unread
            for run, reason in sorted(known.items()):
                if kind == "unfinished" or run in each.translations:
                    left, right = ([], [run.seed]) if number else ([run.seed], [])
                    yield Unmatched(kind, run.pair, run.system, left, right, reason=reason)
