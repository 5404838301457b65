"""Types of values in blocks of settings, and the message for each value that is wrong.

A block is a pydantic dataclass whose docstrings of attributes describe its keys. Stages read their
settings with `read`; the configuration is checked with `violations`.
"""

import difflib
import functools
import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, Strict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic.json_schema import GenerateJsonSchema

from contextnmt.errors import UserError

Kind = TypeVar("Kind")

#: Every block refuses keys that it does not have.
KEYS = ConfigDict(extra="forbid", use_attribute_docstrings=True)

#: No count is larger; a number beyond it is a slip of the finger that no machine could act on.
LARGEST = 10**12

#: Seeds are of 31 bits, which every random generator takes.
LARGEST_SEED = 2**31 - 1

#: Least length of a translation, as a share of its source's, where no setting says another (A19).
MINIMUM_LENGTH = 0.5

Count = Annotated[int, Strict(), Field(ge=1, le=LARGEST)]
Seed = Annotated[int, Strict(), Field(ge=0, le=LARGEST_SEED)]
Flag = Annotated[bool, Strict()]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
Positive = Annotated[float, Strict(), Field(gt=0, le=LARGEST, allow_inf_nan=False)]
#: Text for people: of one line or more, without other control characters.
Text = Annotated[str, Strict(), Field(pattern=r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f]*$")]


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Cleaning:
    """Filters of sentence pairs; one that is absent is off."""

    max_length: Count | None = None
    """Longest sentence kept, in words of either side."""
    max_ratio: Annotated[float, Strict(), Field(ge=1, le=LARGEST, allow_inf_nan=False)] | None = (
        None
    )
    """Drop a pair whose sides have n and at least r × n + 10 words, r being this value."""
    drop_empty: Flag = False
    """Drop a pair with an empty side."""
    drop_garbled: Flag = False
    """Drop a pair with a side whose encoding is broken."""
    drop_identical: Flag = False
    """Drop a pair whose sides are the same."""
    drop_duplicates: Flag = False
    """Keep only the first of equal pairs of a text."""
    wrong_language: Flag = False
    """Drop a pair with a side that the words of the other language explain better."""


#: Where something is wrong (the keys and list positions that lead there), and the message.
Mistake = tuple[list[Any], str]

TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "a block of keys",
    "string": "text",
}
BOUNDS = {
    "minimum": "of at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}

#: Longest value that a message shows, in characters.
SHOWN = 80


class Schema(GenerateJsonSchema):
    """JSON schema as people read it: no titles, which repeat names; inherited keys described."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """No key has a title."""
        return False

    def dataclass_schema(self, schema: Any) -> Any:
        """The schema of a block; pydantic forgets what its base classes say of their keys."""
        made = super().dataclass_schema(schema)
        for base in schema["cls"].__mro__[1:]:
            for name, field in getattr(base, "__pydantic_fields__", {}).items():
                if field.description:
                    made["properties"][name].setdefault("description", field.description)
        return made


@functools.cache
def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON schema of a block of settings."""
    return TypeAdapter(kind).json_schema(schema_generator=Schema)


def json_object(option: str, text: str) -> dict[str, Any]:
    """A JSON object from the command line. Raises UserError if `text` is none."""
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{option}: not JSON ({error})") from None
    if not isinstance(settings, dict):
        raise UserError(f"{option}: a JSON object is needed, such as {{}}")
    return settings


def read(kind: type[Kind], name: str, block: Any) -> Kind:
    """The settings of `kind` that a block describes; `name` is the block's, for messages.

    Keys that are absent have their defaults. Raises UserError with a line for each mistake.
    """
    if found := violations(kind, block):
        lines = [name + ("" if text[0] in " :" else ".") + text for _, text in found]
        raise UserError("\n".join(lines))
    return TypeAdapter(kind).validate_python(block)


def violations(kind: Any, block: Any, *above: Any) -> list[Mistake]:
    """Every mistake in a block of settings, which stands at the path `above`.

    They are sorted by their paths; of one inside another, only the inner one is left.
    """
    try:
        TypeAdapter(kind).validate_python(block)
    except ValidationError as error:
        errors, schema = error.errors(include_url=False), schema_of(kind)
    else:
        return []
    found: dict[tuple[str, ...], Mistake] = {}
    for each in errors:
        steps = keys_of(each["loc"], block)
        value, allowed = at(steps, block, schema)
        parents = at(steps[:-1], block, schema)[1]
        path = [*above, *steps]
        where = dotted(path)
        if each["type"] == "missing":
            steps.append(each["loc"][-1])
            message = f"{dotted([*above, *steps])}: missing"
        elif each["type"] == "unexpected_keyword_argument":
            choices = [key for part in parents for key in part.get("properties", {})]
            message = f"{where}: {unknown('key', steps[-1], choices)}"
        elif each["loc"][-1:] == ("[key]",):
            names = [part["propertyNames"] for part in parents if "propertyNames" in part]
            words = " or ".join(permitted({"type": "string", **part}, steps[-1]) for part in names)
            message = f"{dotted(path[:-1])}: {shown(steps[-1])} is not {words}"
        elif each["type"] == "value_error" and str(each["ctx"]["error"]):
            message = f"{where} is {shown(value)}; allowed: {each['ctx']['error']}"
        else:
            message = f"{where} is {shown(value)}; allowed: {words_for(allowed, value)}"
        found.setdefault(tuple(map(str, steps)), (path, message))
    return [
        mistake
        for steps, mistake in sorted(found.items())
        if not any(other[: len(steps)] == steps != other for other in found)
    ]


def keys_of(location: Iterable[Any], block: Any) -> list[Any]:
    """The keys and list positions in pydantic's location of an error, without names of types."""
    steps = []
    for step in location:
        if (isinstance(block, Mapping) and step in block) or (
            isinstance(block, list) and isinstance(step, int)
        ):
            steps.append(step)
            block = block[step]
    return steps


def at(steps: Iterable[Any], block: Any, schema: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """The value at the end of `steps`, and the parts of the schema for it, one for each type."""
    parts = alternatives(schema, schema)
    for step in steps:
        block = block[step]
        parts = [each for part in parts for each in alternatives(inside(part, step), schema)]
    return block, parts


def alternatives(part: Mapping[str, Any], schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A part of a JSON schema as one part for each type that it allows, references followed."""
    if "$ref" in part:
        return alternatives(schema["$defs"][part["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in part:
        return [each for other in part["anyOf"] for each in alternatives(other, schema)]
    if part.get("type") == "array":
        words = " or ".join(permitted(each) for each in alternatives(part["items"], schema))
        return [{**part, "each": words}]
    return [part] if part else []


def inside(part: Mapping[str, Any], step: Any) -> Mapping[str, Any]:
    """The part of a JSON schema for the value at a key or list position, empty if there is none."""
    if isinstance(step, int):
        return part.get("items", {})  # type: ignore[no-any-return]
    patterns = part.get("patternProperties", {}).values()
    below = next(iter(patterns), part.get("additionalProperties") or {})
    return part.get("properties", {}).get(step, below)  # type: ignore[no-any-return]


def words_for(parts: Iterable[Mapping[str, Any]], value: Any = None) -> str:
    """The values that any of several parts of a JSON schema allows, in words, null at the end."""
    words = list(dict.fromkeys(permitted(part, value) for part in parts))
    rest = [word for word in words if word != TYPES["null"]]
    comma = "," if any("," in word for word in rest) else ""
    return " or ".join(rest) + (f"{comma} or null" if rest != words else "")


def permitted(part: Mapping[str, Any], value: Any = None) -> str:
    """The values that a part of a JSON schema allows, in words; `value` is the wrong one."""
    if "enum" in part or "const" in part:
        return ", ".join(map(str, part.get("enum") or [part["const"]]))
    kind = part["type"]
    words = TYPES[kind]
    if kind in ("integer", "number"):
        slip = part.get("maximum") == LARGEST and not (
            type(value) in (int, float) and value > LARGEST
        )
        keys = [key for key in BOUNDS if key in part and not (slip and key == "maximum")]
        words += " " + " and ".join(f"{BOUNDS[key]} {part[key]:.15g}" for key in keys)
        if isinstance(value, str) and re.match(r"[-+]?\d", value):
            words += ", in decimal digits without quotes or leading zeros"
    elif kind == "array":
        least, most = part.get("minItems"), part.get("maxItems")
        if least is not None:
            words += f" of {least}" if least == most else f" of at least {least}"
        words += f", each {part['each']}"
        words += ", none of them twice" if part.get("uniqueItems") else ""
    elif kind == "string" and "examples" in part:
        example = part["examples"][0]
        words = example if example.startswith("one ") else f"{words} like {example}"
        if "maxLength" in part and isinstance(value, str) and len(value) > part["maxLength"]:
            words += f", of at most {part['maxLength']} letters"
    elif kind == "string" and "pattern" in part:
        words += " without control characters"
    return words.strip()


def shown(value: Any) -> str:
    """A value as a message shows it: as JSON on one line, and short."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if not text.isprintable():
        text = json.dumps(value, default=str)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def dotted(path: Iterable[Any]) -> str:
    """A path of keys and list positions as a person writes it: `seeds[0]`, `training.clip`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{plain(step)}" for step in path)
    return text.removeprefix(".")


def plain(name: Any) -> str:
    """A name as a message shows it: quoted if it is long, or holds what a screen would not show."""
    return name if isinstance(name, str) and name and shown(name) == f'"{name}"' else shown(name)


def unknown(what: str, name: Any, choices: Iterable[str]) -> str:
    """The part of a message that refuses `name` and offers what there is instead."""
    choices = list(choices)
    near = difflib.get_close_matches(str(name)[:SHOWN], choices, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"unknown {what}; {hint}allowed: {', '.join(choices)}"
