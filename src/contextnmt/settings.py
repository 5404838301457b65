"""Typed records from blocks of settings, with a message for every mistake."""

import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from contextnmt.errors import UserError

Record = TypeVar("Record")

#: Smallest and largest value of a number.
Bounds = Mapping[str, tuple[float, float]]


def json_object(option: str, text: str) -> dict[str, Any]:
    """A JSON object from the command line. Raises UserError if `text` is none."""
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise UserError(f"{option}: not JSON ({error})") from None
    if not isinstance(settings, dict):
        raise UserError(f"{option}: a JSON object is needed, such as {{}}")
    return settings


def record(kind: type[Record], name: str, block: Mapping[str, Any], bounds: Bounds) -> Record:
    """The dataclass `kind` from a block of settings; keys that are not there have its defaults.

    `name` is the block's, for messages; `bounds` are those of its numbers. Raises UserError at an
    unknown or missing key, a value of another type, and a number out of bounds.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    for key, value in block.items():
        if key not in fields:
            raise UserError(f"{name}.{key}: unknown key, choose from {', '.join(sorted(fields))}")
        check(f"{name}.{key}", value, hints[key], *bounds.get(key, (-math.inf, math.inf)))
    for key, field in fields.items():
        needed = field.default is field.default_factory is dataclasses.MISSING
        if needed and key not in block:
            raise UserError(f"{name}.{key}: missing")
    return kind(**block)


def check(name: str, value: Any, hint: Any, low: float, high: float) -> None:
    """Raises UserError if `value` is not of the type `hint`, or a number outside `low`..`high`."""
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    allowed = {typing.get_origin(kind) or kind for kind in kinds}
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if type(value) not in allowed and not (float in allowed and number):
        raise UserError(f"{name} is {value!r}: it must be {expected(allowed)}")
    if number and not low <= value <= high:
        limits = f"at least {low:g}" + (f" and at most {high:g}" if high < math.inf else "")
        raise UserError(f"{name} is {value!r}: it must be {limits}")


def expected(kinds: set[Any]) -> str:
    """The types of a setting in words."""
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    return " or ".join(sorted(words.get(kind, "null") for kind in kinds))
