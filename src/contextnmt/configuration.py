"""The configuration of a run: read from its layers, checked, and looked up.

Layers are merged key by key, later ones over earlier ones: the text and the experiments (what the
papers did), the preset (corpora and sizes), then the user's own (`config.yaml`, `--configfile`,
`--config`). What is wrong is told with the layer that said it, so that the user knows which file to
open.

How the blocks of recipes are read from the layers stands in `contextnmt.recipes`.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from contextnmt.consistency import inconsistencies, unmade
from contextnmt.errors import UserError
from contextnmt.places import Configuration, canonical, pairs
from contextnmt.recipes import differences, merge, settings, systems, with_recipes
from contextnmt.schema import Mistake, dotted, unknown, violations

#: Name of the layer of `snakemake --config`.
COMMAND_LINE = "--config"

#: Keys of an experiment that say which paper it is, and what its table is called.
NAMING = ("title", "table", "reconstruction")

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


def of_call(base: Path, files: Iterable[str | Path], said: Mapping[str, Any]) -> Configuration:
    """The configuration of a call of Snakemake, as `resolve` gives it.

    `base` has ``config.yaml`` and ``workflow/``; `files` are those of ``--configfile``, `said` is
    what Snakemake makes of ``--config``.
    """
    paths = [base / "config.yaml", *map(Path, files)]
    layers = [Layer(path.name, load(path)) for path in paths]
    return resolve(base / "workflow", [*layers, Layer(COMMAND_LINE, as_in_a_file(said))])


def as_in_a_file(value: Any) -> Any:
    """A value of ``--config`` as it would be in a file.

    Snakemake takes null for text, and the numbers, true and false in lists and blocks.
    """
    if isinstance(value, Mapping):
        return {key: as_in_a_file(below) for key, below in value.items()}
    if isinstance(value, list):
        return [as_in_a_file(each) for each in value]
    if not isinstance(value, str):
        return value
    try:
        read = yaml.load(value, Loader)
    except yaml.YAMLError:
        return value
    return read if read is None or isinstance(read, bool | int | float) else value


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
    preset = preset._replace(content=merge(preset.content, told_of(preset.content, own)))
    layers = [text_layer(folder), *experiments, preset, *user]
    configuration = merge(*(layer.content for layer in layers))
    schema = load(folder / "schemas" / "config.schema.yaml")
    refuse(violations(configuration, schema), layers)
    refuse(inconsistencies(configuration), layers)
    refuse(misnamed([preset, *user]), layers)
    refuse(unused(configuration, user), layers)
    whole = with_recipes(configuration, [layer.content for layer in layers])
    refuse(unmade(whole, schema), layers)
    refuse(cut_lists(whole, layers), layers)
    for name in asked:
        refuse_alike(whole, name, layers)
    return whole


def told_of(preset: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    """What stands above the reports in place of a preset's `about`, if anything does: a corpus of
    the user's own is not what the preset tells of."""
    known, asked = (
        set(map(str, corpora)) if isinstance(corpora, Mapping) else set()
        for corpora in (preset.get("corpora"), own.get("corpora"))
    )
    added = ", ".join(sorted(asked - known))
    told = f"With texts of {added}, which the key “about” can describe here."
    return {"about": told} if added else {}


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
        what = f"{path[0].removesuffix('s')} {name}"
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
