"""The configuration of a run: read from its layers, checked, and looked up.

Layers are merged key by key, later ones over earlier ones: the text and the experiments (what the
papers did), the preset (corpora and sizes), then the user's own (`config.yaml`, `--configfile`,
`--config`). What is wrong is told with the layer that said it, so that the user knows which file to
open.

How the blocks of recipes are read from the layers stands in `contextnmt.configuration.recipes`.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from contextnmt.configuration.checks import inconsistencies, unmade
from contextnmt.configuration.keys import WholeConfiguration
from contextnmt.configuration.places import Configuration, canonical, pairs
from contextnmt.configuration.recipes import differences, merge, settings, systems, with_recipes
from contextnmt.configuration.values import (
    Mistake,
    alternatives,
    dotted,
    inside,
    plain,
    schema_of,
    shown,
    unknown,
    violations,
)
from contextnmt.errors import UserError

#: Name of the layer of `snakemake --config`.
COMMAND_LINE = "--config"

#: Keys of an experiment that say which paper it is, and what its table is called.
NAMING = ("title", "table", "reconstruction")

#: Tag of the key `<<`, which takes over the keys of another block.
MERGE = "tag:yaml.org,2002:merge"

#: Digits of a whole number that no setting needs.
MOST_DIGITS = 1000

#: The block that a layer may say a part of although some of its keys have no default.
PARTIAL = ["model", "smoother"]

#: More values than this come from no hand: aliases of aliases make them.
MOST_VALUES = 100_000

#: More lines than this would hide the first mistake, which is often the cause of the others.
MOST_MESSAGES = 5


class Layer(NamedTuple):
    """One source of configuration, with the name that messages give it."""

    name: str
    content: Mapping[str, Any]


class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML as a configuration needs it: keys are text, none stands twice, dates are text too.

    A second key of a name would hide the first one without a word.
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

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """A whole number. Raises yaml.constructor.ConstructorError if it is not in plain digits."""
        digits = node.value.lstrip("+-")
        problem = ""
        if ":" in digits or (digits.isdecimal() and digits != digits.lstrip("0") != ""):
            problem = f"YAML reads {shown(digits)} as no decimal number: write it without : and 0"
        elif len(digits) > MOST_DIGITS:
            problem = f"a number of {len(digits)} digits: shorten it"
        if problem:
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return int(super().construct_yaml_int(node))

    def get_single_node(self) -> yaml.Node:
        """The whole document. Raises yaml.composer.ComposerError if aliases make it endless."""
        node = super().get_single_node()
        if node is not None:
            refuse_endless(node)
        return node


Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def refuse_endless(whole: yaml.Node) -> None:
    """Raise yaml.composer.ComposerError if a node holds itself, or far more than a user writes.

    Each node is looked at once, although an alias may repeat it more often than memory could hold.
    """
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = MOST_VALUES  # what a node that holds itself finds
            parts = node.value if isinstance(node, yaml.CollectionNode) else []
            flat = chain.from_iterable(
                part if isinstance(part, tuple) else [part] for part in parts
            )
            total = 1 + sum(map(size, flat))
            if total > MOST_VALUES:
                problem = f"over {MOST_VALUES} values by its aliases: write out what they repeat"
                raise yaml.composer.ComposerError(None, None, problem, node.start_mark)
            sizes[id(node)] = total
        return sizes[id(node)]

    size(whole)


def parse(text: str) -> Any:
    """What a text of YAML says. Raises yaml.YAMLError if it is none."""
    try:
        return yaml.load(text, Loader)
    except RecursionError:
        raise yaml.YAMLError("brackets are nested too deeply") from None


def load(path: Path) -> Configuration:
    """The content of a YAML file.

    Raises UserError, naming the line where there is one, if it cannot be read, is not YAML or not
    a block of keys.
    """
    try:
        content = parse(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): correct its name") from None
    except UnicodeDecodeError as error:
        number = 1 + error.object.count(b"\n", 0, error.start)
        raise UserError(f"{path.name}, line {number}: not UTF-8: save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise UserError(f"{path.name}, line {line}: not YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        number = 1 + path.read_text(encoding="utf-8")[: error.position].count("\n")
        character = f"U+{error.character:04X}"
        raise UserError(
            f"{path.name}, line {number}: not YAML: remove the control character {character}"
        ) from None
    except yaml.YAMLError as error:
        raise UserError(f"{path.name}: not YAML: {error}") from None
    if not isinstance(content, dict):
        raise UserError(f"{path.name}: not a block of `key: value` lines")
    return content


def of_call(
    base: Path, files: Iterable[str | Path], said: Mapping[str, Any], name: str = COMMAND_LINE
) -> Configuration:
    """The configuration of a call of Snakemake, as `resolve` gives it.

    `base` has ``config.yaml`` and ``workflow/``; `files` are those of ``--configfile``, `said` is
    what Snakemake makes of ``--config``, or of the configuration called `name`.
    """
    paths = [base / "config.yaml", *map(Path, files)]
    layers = [Layer(path.name, load(path)) for path in paths]
    return resolve(base / "workflow", [*layers, Layer(name, as_in_a_file(said))])


def as_in_a_file(value: Any) -> Any:
    """A value of ``--config`` as it would be in a file.

    Snakemake takes null for text, and the numbers, true and false in lists and blocks. It keeps the
    last one of several equal keys: `said_twice` finds them in the words of the call.
    """
    if isinstance(value, Mapping):
        return {str(key): as_in_a_file(below) for key, below in value.items()}
    if isinstance(value, list):
        return [as_in_a_file(each) for each in value]
    if not isinstance(value, str):
        return value
    try:
        read = parse(value)
    except (yaml.YAMLError, ValueError):
        return value
    return read if read is None or isinstance(read, bool | int | float) else value


def refuse_said_twice(words: Iterable[str]) -> None:
    """Raise UserError if ``--config`` has a key twice, among the words of a call of Snakemake."""
    seen = set()
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key in {field.name for field in fields(WholeConfiguration)}:
            if key in seen:
                raise UserError(f"{COMMAND_LINE}: the key {key} stands twice: leave one out")
            seen.add(key)
            try:
                parse(value)
            except yaml.constructor.ConstructorError as error:
                raise UserError(f"{COMMAND_LINE}: {key}: {error.problem}") from None
            except yaml.YAMLError:
                continue  # Snakemake says so itself, or the word is no setting


def whole_numbers(value: Any, schema: Mapping[str, Any], parts: list[Any]) -> Any:
    """`value` with `1.0e+6` as 1000000 wherever the schema allows no other number than a whole one.

    `parts` are those of `schema` for the value, one for each type.
    """
    if isinstance(value, float) and value.is_integer():
        kinds = {part.get("type") for part in parts}
        return int(value) if "integer" in kinds and "number" not in kinds else value
    if isinstance(value, Mapping):
        steps: Iterable[Any] = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    else:
        return value
    made = {
        step: whole_numbers(
            below, schema, [each for p in parts for each in alternatives(inside(p, step), schema)]
        )
        for step, below in steps
    }
    return made if isinstance(value, Mapping) else list(made.values())


def resolve(folder: Path, user: list[Layer]) -> Configuration:
    """The whole, checked configuration that the user's layers stand for.

    `folder` is ``workflow/``, with its presets, experiments and schema. Raises UserError with one
    line for each mistake: layer, key, value, and what is allowed.
    """
    schema = schema_of(WholeConfiguration)
    user = [
        layer._replace(content=whole_numbers(layer.content, schema, alternatives(schema, schema)))
        for layer in user
    ]
    own = merge(*(layer.content for layer in user))
    preset = named(folder / "presets", ["preset"], own.get("preset"), user)
    asked = merge(preset.content, own).get("experiments")
    if not isinstance(asked, Mapping):
        where = origin(["experiments"], [preset, *user])
        raise UserError(f"{where}: experiments is {canonical(asked)}; allowed: a block of keys")
    experiments = [
        named(folder / "experiments", ["experiments", name], name, [preset, *user])
        for name in asked
    ]
    layers = [text_layer(folder), *experiments, preset, *user]
    configuration = merge(*(layer.content for layer in layers))
    if "corpora" in configuration:  # a user may take back what the preset says of a file
        configuration["corpora"] = without_nulls(configuration["corpora"])
    found = violations(WholeConfiguration, configuration, schema)
    refuse((each for each in found if each[0][-2:] != PARTIAL), layers)
    refuse(inconsistencies(configuration), layers)
    refuse(misnamed([preset, *user]), layers)
    refuse(unused(configuration, user), layers)
    whole = with_recipes(configuration, [layer.content for layer in layers])
    refuse(unmade(whole), layers)
    refuse(cut_lists(whole, layers), layers)
    for name in asked:
        refuse_alike(whole, name, layers)
    return whole | told_of(preset.content, own)


def without_nulls(block: Any) -> Any:
    """A block without its keys that are null, at any depth."""
    if not isinstance(block, Mapping):
        return block
    return {key: without_nulls(value) for key, value in block.items() if value is not None}


def told_of(preset: Mapping[str, Any], own: Mapping[str, Any]) -> Configuration:
    """The key `about` if the user has corpora of their own, which no preset describes, and no
    description of them."""
    added = ", ".join(sorted({*own.get("corpora", {})} - {*preset["corpora"]}))
    told = f"With texts of {added}, which the key “about” can describe here."
    return {"about": told} if added and "about" not in own else {}


def refuse(mistakes: Iterable[Mistake], layers: list[Layer]) -> None:
    """Raises UserError if there are mistakes, with a line for each of the first ones."""
    wrong = list(dict.fromkeys((tuple(path), message) for path, message in mistakes))
    if wrong:
        lines = [told(list(path), message, layers) for path, message in wrong[:MOST_MESSAGES]]
        if len(wrong) > MOST_MESSAGES:
            lines.append(f"and {len(wrong) - MOST_MESSAGES} more")
        raise UserError("\n".join(lines))


def refuse_alike(configuration: Configuration, experiment: str, layers: list[Layer]) -> None:
    """Raises UserError if two systems that a contrast of the experiment tells apart are the same.

    A setting for all systems goes before what the paper says of one, and so may take away what
    their difference is.
    """
    asked = set(systems(configuration, experiment)) if pairs(configuration, experiment) else set()
    contents = [layer.content for layer in layers]
    for method, entry in configuration["experiments"][experiment]["methods"].items():
        for contrast in entry["contrasts"]:
            if set(contrast) <= asked and alike(configuration, experiment, contrast):
                told_apart = max(
                    count
                    for count in range(2, len(layers))
                    if not alike(
                        with_recipes(merge(*contents[:count]), contents[:count]),
                        experiment,
                        contrast,
                    )
                )
                before = with_recipes(merge(*contents[:told_apart]), contents[:told_apart])
                made = before["experiments"][experiment]["systems"]
                keys = differences(*(settings(made[system]) for system in contrast))
                raise UserError(
                    f"{layers[told_apart].name}: {', '.join(key for key, *_ in keys)}: said of all "
                    f"systems, this makes {' and '.join(contrast)} of {experiment} alike, which "
                    f"{method} tells apart: say it below the experiment that you mean, or name "
                    "the systems that you want in systems"
                )


def alike(configuration: Configuration, experiment: str, contrast: list[str]) -> bool:
    """Whether both systems are there and made of the same."""
    made = configuration["experiments"].get(experiment, {}).get("systems", {})
    present, without = (made.get(system) for system in contrast)
    return None not in (present, without) and settings(present) == settings(without)


def unused(configuration: Configuration, layers: list[Layer]) -> Iterator[Mistake]:
    """Roles of texts that the user names for no language pair that is worked on."""
    named = [pair for layer in layers for pair in layer.content.get("roles") or {}]
    if named and not set(named) & set(configuration["pairs"]):
        here = ", ".join(configuration["pairs"])
        yield (
            ["roles", named[0]],
            f"roles.{named[0]}: {named[0]} is none of the pairs ({here}): name it in pairs",
        )


def misnamed(layers: list[Layer]) -> Iterator[Mistake]:
    """What names a paper, said anywhere else than in the file of its experiment."""
    for layer in layers:
        for name, entry in (layer.content.get("experiments") or {}).items():
            for key in NAMING:
                if key in (entry or {}):
                    path = ["experiments", name, key]
                    yield path, f"{dotted(path)}: only for workflow/experiments/{name}.yaml"


def cut_lists(configuration: Configuration, layers: list[Layer]) -> Iterator[Mistake]:
    """Lists of translations longer than what a beam ends, greedy search apart; of experiments that
    are made. The last layer that says one of the two is to blame."""
    for name in configuration["experiments"]:
        decoding = configuration["experiments"][name]["decoding"]
        narrowest = min((width for width in decoding["beams"] if width > 1), default=1)
        asked = systems(configuration, name) and pairs(configuration, name)
        if asked and (decoding["nbest"] or 0) > narrowest:
            own = ["experiments", name, "decoding"]
            paths = [[*block, key] for key in ("nbest", "beams") for block in (own, ["decoding"])]
            yield (
                next(path for each in layers[::-1] for path in paths if says(each.content, path)),
                f"{dotted([*own, 'nbest'])} is {decoding['nbest']}: a beam ends no more "
                f"translations than it is wide, and {dotted([*own, 'beams'])} has {narrowest}: "
                f"make nbest {narrowest} at most, or null",
            )


def text_layer(folder: Path) -> Layer:
    """What the papers did with their text."""
    return Layer(f"{folder.name}/text.yaml", load(folder / "text.yaml"))


def of_paper(folder: Path, experiment: str) -> Configuration:
    """What the paper of an experiment did: its recipes, and what was done with its text.

    `folder` is ``workflow/``.
    """
    layers = [text_layer(folder).content, load(folder / "experiments" / f"{experiment}.yaml")]
    return with_recipes(merge(*layers), layers)


def named(folder: Path, path: list[str], name: Any, layers: list[Layer]) -> Layer:
    """The layer that `folder`/`name`.yaml holds, as the key at `path` of `layers` says.

    Raises UserError if there is no such file.
    """
    choices = sorted(file.stem for file in folder.glob("*.yaml"))
    if name not in choices:
        what = f"{path[0].removesuffix('s')} {plain(name)}"
        raise UserError(f"{origin(path, layers)}: {path[0]}: {unknown(what, name, choices)}")
    file = folder / f"{name}.yaml"
    return Layer(f"{folder.parent.name}/{folder.name}/{file.name}", load(file))


def told(path: list[Any], message: str, layers: list[Layer]) -> str:
    """The line for a mistake at `path`: the layer that says it, and the message."""
    return f"{origin(path, layers)}: {message}"


def origin(path: Iterable[Any], layers: list[Layer]) -> str:
    """The name of the last layer that says something at `path`, or at its nearest parent."""
    steps = list(path)
    names = [
        layer.name
        for length in range(len(steps), 0, -1)
        for layer in reversed(layers)
        if says(layer.content, steps[:length])
    ]
    return names[0] if names else layers[-1].name


def says(content: Any, path: list[Any]) -> bool:
    """Whether nested blocks and lists have something at `path`."""
    for step in path:
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def digest(configuration: Configuration, experiment: str) -> str:
    """Twelve hexadecimal digits for all settings that can change a result of an experiment."""
    others = ("gaps", "mirrors", "hand_placed")
    relevant = {key: value for key, value in configuration.items() if key not in others}
    relevant["corpora"] = {
        corpus: {**entry, "texts": {text: whole(made) for text, made in entry["texts"].items()}}
        for corpus, entry in configuration["corpora"].items()
    }
    relevant["experiments"] = {experiment: configuration["experiments"][experiment]}
    relevant["pairs"] = pairs(configuration, experiment)
    relevant["systems"] = systems(configuration, experiment)
    return hashlib.sha256(canonical(relevant).encode()).hexdigest()[:12]


def whole(text: Mapping[str, Any]) -> Configuration:
    """What the configuration says about a text, but for into how many shards it is cut."""
    return {key: value for key, value in text.items() if key != "shards"}
