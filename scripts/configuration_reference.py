"""The reference of all keys, docs/configuration.md, and the JSON schema for editors.

Usage, in the root of a checkout: python scripts/configuration_reference.py
"""

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.configuration.keys import WholeConfiguration
from contextnmt.configuration.layers import of_paper
from contextnmt.configuration.recipes import RECIPE
from contextnmt.configuration.values import alternatives, inside, schema_of, words_for

#: Where the two files are, from the root of a checkout.
SCHEMA, PAGE = Path("workflow/schemas/config.schema.json"), Path("docs/configuration.md")

INTRODUCTION = """\
# Every key of the configuration

Set a key in `config.yaml`, in a file for `--configfile`, or with `--config`. What you leave out
comes from the preset (`workflow/presets/`), then from the papers (`workflow/experiments/`,
`workflow/text.yaml`). Blocks are merged key by key; a list replaces a list. (A..) points to
[decisions.md](decisions.md).

*Default* is the value of a key that no file sets. *Papers* are the values of Choi et al. 2017 or,
where the paper is silent, our decisions (A..);
**B** marks Bahdanau et al. 2015 and **C** Chen et al. 2017 where they differ.

`python scripts/configuration_reference.py` makes this page from `src/contextnmt/configuration/`.
"""

COLUMNS = ["key", "purpose", "allowed", "default", "papers"]

#: Marks of the papers whose values differ from those of the first one.
PAPERS = {"choi2017": "", "bahdanau2015": "B", "chen2017": "C"}

#: What stands for the names in blocks that have a name for each entry; others name language pairs.
NAMES = {f"{name}s": name.upper() for name in ("file", "text", "experiment", "method", "system")}
NAMES["corpora"] = "CORPUS"


class Key(NamedTuple):
    """A key: the dotted path of its block, its name, its own path, its part of the schema, and the
    same as one part for each type."""

    block: str
    name: str
    path: str
    entry: Mapping[str, Any]
    parts: list[Mapping[str, Any]]


def keys(part: Mapping[str, Any], schema: Mapping[str, Any], block: str = "") -> Iterator[Key]:
    """The keys of a block and of the blocks in it.

    The blocks of a recipe stand at the top, in experiments and in systems: their own keys come
    once, as those of the top.
    """
    for name, entry in part["properties"].items():
        path = f"{block}.{name}".removeprefix(".")
        key = Key(block, name, path, entry, alternatives(entry, schema))
        yield key
        if block and name in RECIPE:
            continue
        for other in key.parts:
            named = NAMES.get(name, "PAIR")
            for below, path in [
                (other, key.path),
                (inside(other, named) if "properties" not in other else {}, f"{key.path}.{named}"),
                (inside(other, 0), f"{key.path}[]"),
            ]:
                for inner in alternatives(below, schema):
                    if "properties" in inner:
                        yield from keys(inner, schema, path)


def printed(workflow: Path, path: str) -> str:
    """The papers' values of a key of text.yaml or of a recipe; empty for other keys."""
    found: dict[str, list[str]] = {}
    first, *rest = path.split(".")
    if first not in (*RECIPE, "text") or first == path:
        return ""
    for name, mark in PAPERS.items():
        paper = of_paper(workflow, name)
        value: Any = {**paper, **paper["experiments"][name]}[first]
        for step in rest:
            value = value.get(step, {}) if isinstance(value, Mapping) else {}
        block = isinstance(value, Mapping) and path != "training.unknown_limit"
        if not block:
            found.setdefault(code(value), []).append(mark)
    return ", ".join(
        text if "" in marks else f"**{', '.join(marks)}** {text}" for text, marks in found.items()
    )


def code(value: Any) -> str:
    """A value as a person writes it in YAML."""
    text = json.dumps(value, ensure_ascii=False).replace('"', "")
    return f"`{text}`"


def row(key: Key, workflow: Path) -> list[str]:
    """The row of a key: its name, what it is for, what is allowed, its default, the papers'."""
    value = key.entry.get("default", {})
    said = not key.block or key.block in RECIPE  # by the papers' files
    default = "" if said or isinstance(value, Mapping) else code(value)
    text = " ".join(key.entry.get("description", "").split())
    cells = [f"`{key.name}`", text, words_for(key.parts), default, printed(workflow, key.path)]
    return [cell.replace("|", chr(92) + "|") for cell in cells]


def table(rows: list[list[str]]) -> str:
    """A table in Markdown, without the columns that are empty."""
    filled = [number for number, column in enumerate(zip(*rows, strict=True)) if any(column)]
    rule = ["---"] * len(COLUMNS)
    return "".join(
        f"| {' | '.join(cells[number] for number in filled)} |\n"
        for cells in [COLUMNS, rule, *rows]
    )


def page(workflow: Path) -> str:
    """The reference as Markdown, a table for each block."""
    schema = schema_of(WholeConfiguration)
    blocks: dict[str, list[Key]] = {}
    for key in keys(schema, schema):
        blocks.setdefault(key.block, []).append(key)
    parts = [INTRODUCTION]
    for block, members in blocks.items():
        title = f"## `{block}`\n\n" if block else ""
        parts.append(title + table([row(key, workflow) for key in members]))
    return "\n".join(parts)


def editors_schema() -> str:
    """The JSON schema of a file of one's own, which may leave out what another layer says."""
    whole: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    whole |= copy.deepcopy(schema_of(WholeConfiguration))
    for block in [whole, *whole["$defs"].values()]:
        block.pop("required", None)
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def main(root: Path = Path()) -> None:
    """Write both files below `root`."""
    (root / SCHEMA).write_text(editors_schema(), encoding="utf-8")
    (root / PAGE).write_text(page(root / "workflow"), encoding="utf-8")


if __name__ == "__main__":
    main()
