"""Wrong configurations, made of the models of the configuration, and wrong command lines, made of
right ones and the signatures of the commands."""

import inspect
import os
import typing
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.cli import COMMANDS
from contextnmt.configuration.keys import WholeConfiguration
from contextnmt.configuration.values import alternatives, inside, schema_of

Part = Mapping[str, Any]
SCHEMA = schema_of(WholeConfiguration)

#: Examples of types whose values name a text, a system, a language pair -> a name of none.
NAMES = {"newstest2014": "nowhere", "baseline": "nowhere", "en-fr": "xx-yy"}

#: A value of each type in JSON.
VALUES = {
    "null": None,
    "boolean": True,
    "integer": 17,
    "number": 0.5,
    "string": "a\x07b",  # no text may have control characters
    "array": [[]],
    "object": {"unknown": {}},
}

#: Bounds of numbers in a JSON schema -> how far a wrong value is from them.
BOUNDS = {"minimum": -1, "maximum": 1, "exclusiveMinimum": 0, "exclusiveMaximum": 0}


class Spot(NamedTuple):
    """A value of a configuration: its path, and the parts of the schema for it."""

    path: tuple[Any, ...]
    value: Any
    parts: list[Part]


def spots(value: Any, parts: list[Part], path: tuple[Any, ...] = ()) -> Iterator[Spot]:
    """A value, and every value in it."""
    yield Spot(path, value, parts)
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            inner = [each for part in parts for each in alternatives(inside(part, step), SCHEMA)]
            yield from spots(value[step], inner, (*path, step))


def wrong_values(spot: Spot) -> Iterator[tuple[str, Any]]:
    """Kinds of mistakes, each with a value that has it; blocks are merged with what is there."""
    value, kinds = spot.value, {part["type"] for part in spot.parts if "type" in part}
    if not kinds:
        return
    allowed = kinds | {"integer"} if "number" in kinds else kinds
    for kind, other in VALUES.items():
        if kind == "string" or kind not in allowed:
            yield "a value of a wrong type", other
    for part in spot.parts:
        for bound, distance in BOUNDS.items():
            if bound in part and not isinstance(value, dict | list):
                yield "a number out of its range", part[bound] + distance
        if isinstance(value, list) and part.get("minItems"):
            yield "a list too short", value[: part["minItems"] - 1]
        if isinstance(value, list) and value and part.get("uniqueItems"):
            yield "a value said twice", [*value, value[0]]
        keys = {*part.get("properties", {})}
        for key in sorted({f"{key}s" for key in keys} - keys):
            yield "an unknown key", {key: None}
        if isinstance(value, dict) and any(
            each.get("required") for each in alternatives(inside(part, "new"), SCHEMA)
        ):
            yield "a missing key", {"new": {}}
    for example in (part["examples"][0] for part in spot.parts if "examples" in part):
        if isinstance(value, str) and example in NAMES:
            yield "a name of nothing", NAMES[example]
    if isinstance(value, list) and any(part.get("maxItems") == 2 for part in spot.parts):
        yield "a contradiction", [value[0], value[0]]
    if isinstance(value, dict) and isinstance(value.get("test"), list):  # the roles of texts
        for role, other in (("dev", "train"), ("test", "train"), ("test", "dev")):
            if other in value:
                yield "a contradiction", {role: value[other]}


def layer(whole: Any, path: Sequence[Any], value: Any, listed: bool = False) -> Any:
    """A layer that puts a value at a path of the configuration `whole`; of a list (`listed`), all
    is said."""
    if not path:
        both = isinstance(whole, dict) and isinstance(value, dict)
        return {**whole, **value} if listed and both else value
    step, *rest = path
    inner = layer(whole[step], rest, value, listed or isinstance(step, int))
    if isinstance(step, int):
        return [*whole[:step], inner, *whole[step + 1 :]]
    return {**whole, step: inner} if listed else {step: inner}


def wrong_configurations(whole: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kinds of mistakes, each with a layer that makes it in a configuration."""
    for spot in spots(whole, alternatives(SCHEMA, SCHEMA)):
        for kind, value in wrong_values(spot):
            yield kind, layer(whole, spot.path, value)


def wrong_calls(words: Sequence[str], folder: Path, odd: Path) -> Iterator[tuple[str, list[str]]]:
    """Kinds of mistakes, each with a wrong form of a call of a command that is right in `folder`.

    `odd` has a `folder`, a `loop` of links and a file of `garbage`.
    """
    command = words[0]
    function = getattr(import_module(COMMANDS[command]), command.replace("-", "_"))
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    inputs = [
        word
        for option, word in pairwise(words)
        if os.path.isfile(folder / word) and not option.endswith("out")
    ]
    for place, word in enumerate(words[1:], start=1):
        if word.startswith("--"):
            yield "an unknown option", [*words[:place], f"{word}-", *words[place + 1 :]]
            continue
        option = words[place - 1] if words[place - 1].startswith("--") else ""
        name = option[2:].replace("-", "_")
        rest = words[place + 1 :]
        found = {}
        required = option and parameters[name].default is inspect.Parameter.empty
        if required and words.count(option) == 1:
            yield "a missing option", [*words[: place - 1], *rest]
        file = folder / word.partition("::")[0]
        if option.endswith("out"):
            found = {"an output below a file": odd / "garbage" / "new"}
            if os.path.isfile(file):  # not the beginning of names of several
                found |= {"a folder for a file": odd / "folder"}
                if inputs:
                    found |= {"an output that is read": inputs[0]}
        elif os.path.exists(file):
            found = {"a missing file": f"{word}.not", "a file of garbage": odd / "garbage"}
            if os.path.isfile(file):
                found |= {"a folder for a file": odd / "folder", "a loop of links": odd / "loop"}
        elif word.startswith("{"):
            found = {"no JSON": word[:-1], "an unknown key": '{"unknown": 1}', "a list": "[]"}
        elif option and typing.get_args(hints[name])[0] in (int, float, int | None, float | None):
            found = {"no number": "many"}
            if hints[name].__metadata__[0].min is not None:
                found |= {"a number out of its range": hints[name].__metadata__[0].min - 1}
        for kind, value in found.items():
            yield kind, [*words[:place], str(value), *rest]
