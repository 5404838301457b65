"""The configuration of a run: read from its layers, checked, and looked up.

Layers are merged key by key, later ones over earlier ones: the experiments (what the papers did),
the preset (corpora and sizes), then the user's own (`config.yaml`, `--configfile`, `--config`).
What is wrong is told with the layer that said it, so that the user knows which file to open.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from contextnmt.consistency import inconsistencies
from contextnmt.errors import UserError
from contextnmt.places import Configuration, canonical
from contextnmt.schema import unknown, violations

#: Name of the layer of `snakemake --config`.
COMMAND_LINE = "--config"

#: More lines than this would hide the first mistake, which is often the cause of the others.
MOST_MESSAGES = 5


class Layer(NamedTuple):
    """One source of configuration, with the name that messages give it."""

    name: str
    content: Mapping[str, Any]


class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML in which no key may stand twice in a block: the first one would be lost in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The block as a dictionary. Raises yaml.constructor.ConstructorError at a second key."""
        own = [key for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        seen = set()
        for key in own:
            if key.value in seen:
                problem = f"the key {key.value} stands twice in a block: join the two"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        block: dict[Any, Any] = super().construct_mapping(node, deep)
        return block


def load(path: Path) -> Configuration:
    """The content of a YAML file.

    Raises UserError, naming the line where there is one, if it cannot be read, is not YAML or not
    a block of keys.
    """
    try:
        content = yaml.load(path.read_bytes().decode("utf-8"), Loader)
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
    if not isinstance(content, dict):
        raise UserError(f"{path.name}: not a block of `key: value` lines")
    return content


def merge(*layers: Mapping[str, Any]) -> Configuration:
    """One configuration from several, later over earlier; lists and single values are replaced."""
    merged: Configuration = {}
    for layer in layers:
        for key, value in layer.items():
            below = merged.get(key)
            if isinstance(value, Mapping):
                value = merge(below if isinstance(below, Mapping) else {}, value)
            merged[key] = value
    return merged


def of_call(base: Path, files: Iterable[str | Path], said: Mapping[str, Any]) -> Configuration:
    """The configuration of a call of Snakemake, as `resolve` gives it.

    `base` has ``config.yaml`` and ``workflow/``; `files` are those of ``--configfile``, `said` is
    what ``--config`` says.
    """
    paths = [base / "config.yaml", *map(Path, files)]
    layers = [Layer(path.name, load(path)) for path in paths]
    return resolve(base / "workflow", [*layers, Layer(COMMAND_LINE, said)])


def resolve(folder: Path, user: list[Layer]) -> Configuration:
    """The whole, checked configuration that the user's layers stand for.

    `folder` is ``workflow/``, with its presets, experiments and schema. Raises UserError with one
    line for each mistake: layer, key, value, and what is allowed.
    """
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
    layers = [*experiments, preset, *user]
    configuration = merge(*(layer.content for layer in layers))
    schema = load(folder / "schemas" / "config.schema.yaml")
    wrong = list(violations(configuration, schema)) or list(inconsistencies(configuration))
    if wrong:
        lines = [told(path, message, layers) for path, message in wrong[:MOST_MESSAGES]]
        if len(wrong) > MOST_MESSAGES:
            lines.append(f"and {len(wrong) - MOST_MESSAGES} more")
        raise UserError("\n".join(lines))
    return configuration


def named(folder: Path, path: list[str], name: Any, layers: list[Layer]) -> Layer:
    """The layer that `folder`/`name`.yaml holds, as the key at `path` of `layers` says.

    Raises UserError if there is no such file.
    """
    choices = sorted(file.stem for file in folder.glob("*.yaml"))
    if name not in choices:
        what = f"{path[0].removesuffix('s')} {name}"
        raise UserError(f"{origin(path, layers)}: {path[0]}: {unknown(what, name, choices)}")
    file = folder / f"{name}.yaml"
    return Layer(f"{folder.parent.name}/{folder.name}/{file.name}", load(file))


def told(path: list[Any], message: str, layers: list[Layer]) -> str:
    """The line for a mistake at `path`: the layer that says it, and the message."""
    layer = origin(path, layers)
    nested = layer == COMMAND_LINE and len(path) > 1 and says_text(layers, path)
    hint = "; Snakemake takes nested values for text: use --configfile for nested keys"
    return f"{layer}: {message}{hint if nested else ''}"


def says_text(layers: list[Layer], path: list[Any]) -> bool:
    """Whether the value at `path` of the last layer is a string."""
    value: Any = layers[-1].content
    for step in path:
        value = value[step]
    return isinstance(value, str)


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


def recipe(configuration: Configuration, pair: str, system: str) -> Configuration:
    """How `system` is made for `pair`: its `label`, `view`, and whole `model` and `training`.

    In a system without `context` the model's contextualizer is None. Whose `filters` its training
    pairs have to pass stands beside `training`, see `other_filters`.
    """
    entry = next(
        experiment["systems"][system]
        for experiment in configuration["experiments"].values()
        if system in experiment["systems"]
    )
    model = merge(configuration["model"], entry.get("model", {}))
    if not entry.get("context", False):
        model["contextualizer"] = None
    training = merge(configuration["training"], entry.get("training", {}))
    limits = training["unknown_limit"] or {}
    training["unknown_limit"] = limits.get(pair, 1.0)
    filters = training.pop("filters")
    return {**entry, "model": model, "training": training, "filters": filters}


def other_filters(configuration: Configuration, pair: str, system: str) -> list[Configuration]:
    """The filters besides its own that the training pairs of `system` have to pass (A14).

    Each has a `view` and the limits in it. None come twice, and the order of the systems does not
    matter.
    """

    def own(name: str) -> Configuration:
        made = recipe(configuration, pair, name)
        limits = {key: made["training"][key] for key in ("max_length", "unknown_limit")}
        return {"view": made["view"], **limits}

    if recipe(configuration, pair, system)["filters"] == "own":
        return []
    others: list[Configuration] = []
    for name in configuration["systems"]:
        if own(name) not in [own(system), *others]:
            others.append(own(name))
    return sorted(others, key=canonical)


#: Blocks of an experiment's file that hold the paper's own settings.
SETTINGS = ("clean", "select", "text", "model", "training", "decoding")


def deviations(folder: Path, configuration: Configuration) -> list[dict[str, Any]]:
    """Every setting that is not the paper's: its `key`, and its value in the `paper` and `here`.

    A key that is not there counts as null. `folder` is ``workflow/``, whose experiments hold the
    papers' values.
    """
    names = configuration["experiments"]
    papers = merge(*(load(folder / "experiments" / f"{name}.yaml") for name in names))
    paper, here = (dict(leaves(described(block, papers))) for block in (papers, configuration))
    return [
        {"key": key, "paper": paper.get(key), "here": here.get(key)}
        for key in {**paper, **here}
        if paper.get(key) != here.get(key)
    ]


def described(configuration: Configuration, papers: Configuration) -> Configuration:
    """The settings in `configuration` of which `papers` say something: blocks and systems."""
    experiments = {}
    for name, experiment in papers["experiments"].items():
        systems = configuration["experiments"][name]["systems"]
        experiments[name] = {
            "systems": {
                system: {key: value for key, value in systems[system].items() if key != "label"}
                for system in experiment["systems"]
            }
        }
    return {**{block: configuration[block] for block in SETTINGS}, "experiments": experiments}


def leaves(block: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The single values and lists in `block`, with their dotted keys."""
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def digest(configuration: Configuration) -> str:
    """Twelve hexadecimal digits that stand for all settings which can change a result."""
    places = ("mirrors", "hand_placed")
    relevant = {key: value for key, value in configuration.items() if key not in places}
    relevant["corpora"] = {
        corpus: {**entry, "texts": {text: whole(made) for text, made in entry["texts"].items()}}
        for corpus, entry in configuration["corpora"].items()
    }
    return hashlib.sha256(canonical(relevant).encode()).hexdigest()[:12]


def whole(text: Mapping[str, Any]) -> Configuration:
    """What the configuration says about a text, but for into how many shards it is cut."""
    return {key: value for key, value in text.items() if key != "shards"}
