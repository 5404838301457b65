"""What a JSON schema has against a configuration, in words that a user can act on.

The validator's own messages show Python values and whole schemas; these name the key, its value,
what is allowed and, for a misspelt name, the nearest one.
"""

import decimal
import difflib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jsonschema
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError


def finite(checker: Any, instance: Any) -> bool:
    """Whether a value is a number other than .nan and .inf, which no setting can be."""
    return Draft202012Validator.TYPE_CHECKER.is_type(instance, "number") and math.isfinite(instance)


Validator = jsonschema.validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("number", finite),
)

#: Where something is wrong (the keys and list positions that lead there), and what.
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


def unknown(what: str, name: Any, choices: Iterable[str]) -> str:
    """The part of a message that refuses `name` and offers what there is instead."""
    choices = list(choices)
    near = difflib.get_close_matches(str(name), choices, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"unknown {what}; {hint}allowed: {', '.join(choices)}"


def violations(configuration: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Mistake]:
    """Where and how `configuration` departs from the JSON schema."""
    validator = Validator(schema)
    for error in sorted(validator.iter_errors(configuration), key=lambda e: list(map(str, e.path))):
        yield from explain(error)


def explain(error: ValidationError) -> Iterator[Mistake]:
    """The same as `violations`, for one error of the validator."""
    path, schema, value = list(error.absolute_path), error.schema, error.instance
    assert isinstance(schema, Mapping)
    if error.validator == "additionalProperties":
        allowed = list(schema.get("properties", {}))
        for key in value:
            if key not in allowed:
                yield [*path, key], f"{dotted([*path, key])}: {unknown('key', key, allowed)}"
    elif error.validator == "required":
        missing = [key for key in error.validator_value if key not in value]
        yield path, f"{dotted(path)}: missing: {', '.join(missing)}".removeprefix(": ")
    elif "propertyNames" in error.absolute_schema_path:
        yield [*path, value], f"{dotted(path)}: {value!r} is not {permitted(schema)}"
    else:
        shown = json.dumps(value, ensure_ascii=False, default=str)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        hint = ""
        wanted = str(schema.get("type"))
        if isinstance(value, str) and number(value) and ("number" in wanted or "integer" in wanted):
            hint = f" (this is text, not a number: write {number(value)})"
        yield path, f"{dotted(path)} is {shown}{hint}; allowed: {permitted(schema)}"


def number(text: str) -> str:
    """`text` as YAML would read it as a number, or nothing if it is none."""
    try:
        value = decimal.Decimal(text)
    except decimal.InvalidOperation:
        return ""
    return format(value, "f") if value.is_finite() and abs(value.adjusted()) < 20 else ""


def dotted(path: Iterable[Any]) -> str:
    """A path of keys and list positions as a person writes it: `seeds[0]`, `training.clip`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def permitted(schema: Mapping[str, Any]) -> str:
    """The values that a part of the schema lets through, in words."""
    if "oneOf" in schema:
        return str(schema["description"])
    if "enum" in schema:
        return ", ".join("null" if value is None else str(value) for value in schema["enum"])
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    words = []
    for kind in types:
        word = TYPES[kind]
        if kind in ("integer", "number"):
            bounds = [f"{text} {schema[key]}" for key, text in BOUNDS.items() if key in schema]
            word = " ".join([word, *" and ".join(bounds).split()])
        elif kind == "array":
            word = f"a list of at least {schema['minItems']}" if "minItems" in schema else word
            word += ", each " + permitted(schema["items"])
            word += ", none of them twice" if schema.get("uniqueItems") else ""
        elif kind == "string" and "examples" in schema:
            word = f"text like {schema['examples'][0]}"
        words.append(word)
    return " or ".join(words)
