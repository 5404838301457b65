"""What differs between two results folders in how their runs were made."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from contextnmt.report.compared_results import Results, run_name
from contextnmt.report.experiment import Run
from contextnmt.report.nested import differences, shown

#: Part of a record -> what a difference in it is called, and what stands before its keys.
PARTS = {
    "run": ("setting", ""),
    "settings": ("setting", ""),
    "data": ("data", "data."),
    "code": ("code", ""),
    "environment": ("environment", "environment."),
}

#: Steps of keys of `data` whose values follow from digests and settings beside them.
FOLLOWING = {"tokens", "unknowns", "words", "dropped"}

#: What runs may have in common, the widest first.
LABELS: tuple[Callable[[Run], str], ...] = (
    lambda run: run.pair,
    lambda run: run.system,
    lambda run: f"{run.pair}/{run.system}",
    run_name,
)


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


def changes(a: Results, b: Results) -> list[Change]:
    """All differences between the runs that both folders tell of, each once with all its runs.

    Those of settings come first, then the other kinds.
    """
    found: dict[tuple[str, str, str, str], Change] = {}
    for part, (kind, prefix) in PARTS.items():
        for run in compared(a, b):
            left, right = a.records[run].get(part), b.records[run].get(part)
            if left is None or right is None:  # a part that one folder does not tell of
                continue
            for key, old, new in differences(left, right):
                if kind == "data" and FOLLOWING & set(key.split(".")):
                    continue
                named = (kind, prefix + key, shown(old), shown(new))
                empty = Change(*named[:2], old, new, [])
                found.setdefault(named, empty).runs.append(run)
    return list(found.values())


def compared(a: Results, b: Results) -> list[Run]:
    """The runs that both folders tell of how they were made."""
    return sorted(a.records.keys() & b.records.keys())


def scope(runs: Iterable[Run], every: Iterable[Run]) -> str:
    """What `runs`, some of `every` one that is compared, have in common, in as few words as can be.

    All runs, all of some language pairs, of some systems, of systems of a pair, or single ones.
    """
    some, whole = set(runs), set(every)
    if some == whole:
        return "all runs"
    names: list[str] = []
    for label in LABELS:
        for name in sorted(set(map(label, some))):
            of_name = {run for run in whole if label(run) == name}
            if of_name and of_name <= some:
                names.append(name)
                some -= of_name
    return ", ".join(names)
