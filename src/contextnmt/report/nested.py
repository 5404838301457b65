"""Where two nested blocks of settings differ."""

from collections.abc import Iterator, Mapping
from typing import Any

from contextnmt.report import experiment

#: The value of a key that one of two records has not.
MISSING: Any = object()


def differences(a: Any, b: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The dotted keys at which two values differ, and both values.

    Where only one of the two is a block of keys it is one value: a part of the model that is there
    or is not.
    """
    if is_list_of_blocks(a) and is_list_of_blocks(b) and len(a) == len(b):
        a, b = (dict(enumerate(each, start=1)) for each in (a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for step in {**a, **b}:
            below = f"{key}.{step}" if key else step
            yield from differences(a.get(step, MISSING), b.get(step, MISSING), below)
    elif a != b:
        yield key, a, b


def is_list_of_blocks(value: Any) -> bool:
    """Whether a value is a list with keys below it."""
    return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)


def shown(value: Any) -> str:
    """A value as a configuration has it; empty if it is missing."""
    return "" if value is MISSING else experiment.shown(value)
