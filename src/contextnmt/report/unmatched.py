"""What of two results folders cannot be compared: it is in one of them alone, or not finished."""

from collections.abc import Iterator
from dataclasses import dataclass

from contextnmt.errors import UserError
from contextnmt.report.compared_results import NAMED, Results, Translation
from contextnmt.report.experiment import Run

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
