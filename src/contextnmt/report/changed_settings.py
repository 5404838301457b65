"""What differs between two results folders in how their runs were made."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from contextnmt.report.compared_results import Results, run_name
from contextnmt.report.experiment import Run

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


class Missing:
    """The value of a key that one of two records has not."""

    def __repr__(self) -> str:
        return "not stated"


MISSING = Missing()


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


def differences(a: Any, b: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The dotted keys at which two values differ, and both values.

    Where only one of the two is a block of keys it is one value: a part of the model that is there
    or is not.
    """
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for step in {**a, **b}:
            below = f"{key}.{step}" if key else step
            yield from differences(a.get(step, MISSING), b.get(step, MISSING), below)
    elif is_list_of_blocks(a) and is_list_of_blocks(b) and len(a) == len(b):
        for number, (left, right) in enumerate(zip(a, b, strict=True), start=1):
            yield from differences(left, right, f"{key}.{number}")
    elif a != b:
        yield key, a, b


def is_list_of_blocks(value: Any) -> bool:
    """Whether a value is a list with keys below it."""
    return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)


def shown(value: Any) -> str:
    """A value as a configuration has it; empty if it is missing."""
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


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
