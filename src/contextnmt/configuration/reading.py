"""Configuration as a user writes it: files of YAML, and the words of a call of Snakemake."""

import math
import re
from collections.abc import Iterable
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from contextnmt.configuration.keys import WholeConfiguration
from contextnmt.configuration.places import Configuration
from contextnmt.configuration.values import shown
from contextnmt.errors import UserError
from contextnmt.files import refuse_special

#: Name of the layer of `snakemake --config`.
COMMAND_LINE = "--config"

#: Tag of the key `<<`, which takes over the keys of another block.
MERGE = "tag:yaml.org,2002:merge"

#: Tags of values that are written in other ways here than in YAML, or in none.
INTEGER, TIMESTAMP = "tag:yaml.org,2002:int", "tag:yaml.org,2002:timestamp"
FLOAT = "tag:yaml.org,2002:float"

#: More values than this come from no hand: aliases of aliases make them.
MOST_VALUES = 100_000


class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML as a configuration needs it: keys are text, none stands twice, dates are text too.

    A second key of a name would hide the first one without a word. Whole numbers in other forms
    (010, 1:30, 0x10) stay text. 4e-4 and 1.0e6 are numbers, which YAML 1.1 takes for text.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The block as a dictionary. Raises yaml.constructor.ConstructorError at a wrong key."""
        seen = set()
        for key, _ in node.value:
            if key.tag == MERGE:
                continue
            problem = ""
            if not isinstance(key, yaml.ScalarNode):
                problem = "a list or a block is no key: write a name"
            elif key.value in seen:
                problem = f"the key {shown(key.value)} stands twice in a block: join the two"
            if problem:
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            key.tag = "tag:yaml.org,2002:str"
            seen.add(key.value)
        block: dict[Any, Any] = super().construct_mapping(node, deep)
        return block

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        """The text of a value; two escapes that JSON writes for one letter are that letter."""
        text: str = super().construct_scalar(node)
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            problem = r"half a letter, such as \ud83d: write both halves, or the letter itself"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None

    def get_single_node(self) -> yaml.Node:
        """The whole document. Raises yaml.composer.ComposerError if aliases make it endless.

        Each node is counted once: aliases may repeat it more often than memory could hold.
        """
        whole = super().get_single_node()
        sizes: dict[int, float] = {}

        def size(node: yaml.Node) -> float:
            if id(node) not in sizes:
                sizes[id(node)] = math.inf  # of a node in itself
                parts = node.value if isinstance(node, yaml.CollectionNode) else []
                flat = chain.from_iterable(p if isinstance(p, tuple) else [p] for p in parts)
                sizes[id(node)] = 1 + sum(map(size, flat))
                if sizes[id(node)] > MOST_VALUES:
                    words = "values by its aliases: write out what they repeat"
                    problem = f"over {MOST_VALUES} {words}"
                    raise yaml.composer.ComposerError(None, None, problem, node.start_mark)
            return sizes[id(node)]

        if whole is not None:
            size(whole)
        return whole


# Sets, pairs, bytes and dates are nothing that a key takes.
Loader.yaml_constructors = {
    tag: construct
    for tag, construct in yaml.SafeLoader.yaml_constructors.items()
    if tag is None
    or tag.rpartition(":")[2] in ("null", "bool", "int", "float", "str", "seq", "map")
}
Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (INTEGER, TIMESTAMP)]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    FLOAT, re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+$"), list("-+.0123456789")
)
Loader.add_implicit_resolver(
    INTEGER, re.compile(r"[-+]?(0|[1-9][0-9_]{0,99})$"), list("-+0123456789")
)


def parse(text: str) -> Any:
    """The content of a text of YAML. Raises yaml.YAMLError if it is none."""
    try:
        return yaml.load(text, Loader)
    except RecursionError:
        raise yaml.YAMLError("brackets are nested too deeply") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise yaml.YAMLError("a value does not fit the tag before it, as in !!int x") from None


def load(path: Path) -> Configuration:
    """The content of a YAML file.

    Raises UserError, naming the line where there is one, if it cannot be read, is not YAML or not
    a block of keys.
    """
    refuse_special(path)
    try:
        content = parse(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): correct its name") from None
    except UnicodeDecodeError as error:
        line: Any = 1 + error.object.count(b"\n", 0, error.start)
        raise UserError(f"{path.name}, line {line}: not UTF-8: save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise UserError(f"{path.name}, line {line}: not YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = 1 + path.read_text(encoding="utf-8")[: error.position].count("\n")
        problem = f"remove the control character U+{error.character:04X}"
        raise UserError(f"{path.name}, line {line}: not YAML: {problem}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path.name}: not YAML: {error}") from None
    if not isinstance(content, dict):
        raise UserError(f"{path.name}: not a block of `key: value` lines")
    return content


def refuse_said_twice(words: Iterable[str]) -> None:
    """Raise UserError if ``--config`` has a key twice, among the words of a call of Snakemake."""
    seen = set()
    called = False
    for word in words:
        if word.startswith("-"):
            called = word.partition("=")[0] in ("--config", "-C")
            word = word.partition("=")[2]
        key, equals, value = word.partition("=")
        if called and equals and key in {field.name for field in fields(WholeConfiguration)}:
            if key in seen:
                raise UserError(f"{COMMAND_LINE}: the key {key} stands twice: leave one out")
            seen.add(key)
            try:
                parse(value)
            except yaml.constructor.ConstructorError as error:
                raise UserError(f"{COMMAND_LINE}: {key}: {error.problem}") from None
            except yaml.YAMLError:
                continue  # Snakemake says so itself, or the word is no setting
