"""The configuration of a run: read from its layers, checked, and looked up.

Layers are merged key by key, later ones over earlier ones: the text and the experiments (what the
papers did), the preset (corpora and sizes), then the user's own (`config.yaml`, `--configfile`,
`--config`). A message about a mistake names the layer that has it.

How the blocks of recipes are read from the layers stands in `contextnmt.configuration.recipes`.
"""

import copy
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from contextnmt.configuration.checks import inconsistencies, mistake, unmade
from contextnmt.configuration.keys import WholeConfiguration
from contextnmt.configuration.places import Configuration, canonical, pairs
from contextnmt.configuration.reading import COMMAND_LINE, load, parse
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
    words_for,
)
from contextnmt.errors import UserError

#: Blocks that a layer may say a part of although some of their keys have no default.
PARTIAL = [["model", "smoother"], ["model", "contextualizer"]]

#: Types of numbers in a JSON schema.
NUMBERS = {"integer", "number"}

#: More lines than this would hide the first mistake, which is often the cause of the others.
MOST_MESSAGES = 5


class Layer(NamedTuple):
    """One source of configuration, with the name that messages give it."""

    name: str
    content: Mapping[str, Any]


def of_call(
    base: Path, files: Iterable[str | Path], said: Mapping[str, Any], name: str = COMMAND_LINE
) -> Configuration:
    """The configuration of a call of Snakemake, as `resolve` gives it.

    `base` has ``config.yaml`` and ``workflow/``; `files` are those of ``--configfile``, `said` is
    what Snakemake makes of ``--config``, or of the configuration called `name`.
    """
    paths = [base / "config.yaml", *map(Path, files)]
    layers = [Layer(path.name, load(path)) for path in paths]
    return resolve(base / "workflow", layers, Layer(name, said))


def typed(layer: Layer, schema: Mapping[str, Any], called: bool) -> Layer:
    """A layer with its values as the schema has them: `1.0e+6` is the whole number 1000000.

    Of a call (`called`), text becomes a number, true, false or null where no text is allowed:
    Snakemake takes null for text, and all of them in lists and blocks. Raises UserError if
    something stands where only a block can, since layers are merged by their blocks.
    """

    def meant(value: Any, parts: list[Mapping[str, Any]], path: list[Any]) -> Any:
        kinds = {part.get("type") for part in parts}
        if called and isinstance(value, str):
            # One of a few words: null is none of them, so nobody means the text.
            chosen = any("enum" in part or "const" in part for part in parts)
            value = scalar(value, kinds | {"null"} if chosen else kinds)
        if isinstance(value, float) and value.is_integer() and kinds & NUMBERS == {"integer"}:
            return int(value)
        block = isinstance(value, Mapping) or (value is None and "null" in kinds)
        if kinds - {"null"} == {"object"} and not block:
            what = f"{dotted(path)} is {shown(value)}; allowed: {words_for(parts)}"
            raise UserError(f"{layer.name}: {what}")
        if isinstance(value, Mapping):
            return {str(key): below(each, parts, path, str(key)) for key, each in value.items()}
        if isinstance(value, list):
            return [below(each, parts, path, number) for number, each in enumerate(value)]
        return value

    def below(value: Any, parts: list[Mapping[str, Any]], path: list[Any], step: Any) -> Any:
        inner = [each for part in parts for each in alternatives(inside(part, step), schema)]
        return meant(value, inner, [*path, step])

    return layer._replace(content=meant(layer.content, alternatives(schema, schema), []))


def scalar(text: str, kinds: set[Any]) -> Any:
    """The value of a text of a call where values of some kinds are allowed."""
    try:
        read = parse(text)
    except yaml.YAMLError:
        return text
    if "string" in kinds:
        return None if read is None and "null" in kinds else text
    return read if read is None or isinstance(read, bool | int | float) else text


def resolve(folder: Path, user: list[Layer], called: Layer | None = None) -> Configuration:
    """The whole, checked configuration that the user's layers stand for.

    `folder` is ``workflow/``, with its presets and experiments; `called` is what the call of
    Snakemake says over the layers of files. Raises UserError with one line for each mistake: layer,
    key, value, and what is allowed.
    """
    schema = schema_of(WholeConfiguration)
    user = [typed(layer, schema, called=False) for layer in user]
    user += [typed(called, schema, called=True)] if called else []
    own = merge(*(layer.content for layer in user))
    preset = named(folder / "presets", ["preset"], own.get("preset"), user)
    asked = merge(preset.content, own)["experiments"]
    papers, said = folder / "experiments", [preset, *user]
    experiments = [named(papers, ["experiments", name], name, said) for name in asked]
    layers = [text_layer(folder), *experiments, *said]
    contents = [layer.content for layer in layers]
    configuration = merge(*contents)
    found = violations(WholeConfiguration, configuration)
    refuse((each for each in found if each[0][-2:] not in PARTIAL), layers)
    configuration["corpora"] = without_nulls(configuration["corpora"])  # of files, null is absent
    refuse(inconsistencies(configuration), layers)
    refuse(chain(renamed(said), unused(configuration, user)), layers)
    whole = with_recipes(configuration, contents)
    refuse(unmade(whole), layers)
    refuse(cut_lists(whole, layers), layers)
    refuse(chain.from_iterable(alike(whole, name, layers) for name in asked), layers)
    # The description of a preset is about its own corpora.
    if added := sorted({*own.get("corpora", {})} - {*preset.content["corpora"]}):
        about = f"Includes your corpora {', '.join(added)}; describe them in the key “about”."
        whole["about"] = own.get("about", about)
    return whole


def renamed(layers: Iterable[Layer]) -> Iterator[Mistake]:
    """Names of an experiment in layers that are not its own: no run takes a paper's name off."""
    for layer in layers:
        for name, entry in (layer.content.get("experiments") or {}).items():
            words = f"only for workflow/experiments/{name}.yaml"
            for key in filter(entry.__contains__, ("title", "table", "reconstruction")):
                yield mistake(["experiments", name, key], words)


def without_nulls(block: Any) -> Any:
    """A block without its keys that are null, in the blocks in it too."""
    if not isinstance(block, Mapping):
        return block
    return {key: without_nulls(value) for key, value in block.items() if value is not None}


def refuse(mistakes: Iterable[Mistake], layers: list[Layer]) -> None:
    """Raises UserError if there are mistakes, with a line for each of the first ones."""
    wrong = list(dict.fromkeys((tuple(path), message) for path, message in mistakes))
    if wrong:
        lines = [f"{origin(path, layers)}: {message}" for path, message in wrong[:MOST_MESSAGES]]
        if len(wrong) > MOST_MESSAGES:
            lines.append(f"and {len(wrong) - MOST_MESSAGES} more")
        raise UserError("\n".join(lines))


def alike(configuration: Configuration, experiment: str, layers: list[Layer]) -> Iterator[Mistake]:
    """Contrasts of an experiment whose two systems are the same.

    A setting for all systems goes before what the paper says of one, and so may take away what
    their difference is.
    """
    asked = systems(configuration, experiment) if pairs(configuration, experiment) else []
    contents = [layer.content for layer in layers]
    for method, entry in configuration["experiments"][experiment]["methods"].items():
        for contrast in entry["contrasts"]:
            if not {*contrast} <= {*asked} or differ(configuration, experiment, contrast):
                continue
            both = " and ".join(contrast)
            for count in range(len(layers) - 1, 1, -1):
                before = with_recipes(merge(*contents[:count]), contents[:count])
                if keys := differ(before, experiment, contrast):
                    raise UserError(
                        f"{layers[count].name}: setting {', '.join(keys)} for all systems makes "
                        f"{both} of {experiment} equal, which “{method}” compares: set it under "
                        "experiments.NAME, or list the systems to run under `systems`"
                    )
            path = ["experiments", experiment, "methods", method, "contrasts"]
            yield mistake(path, f"{both} have equal settings: change one")


def differ(configuration: Configuration, experiment: str, contrast: list[str]) -> list[str]:
    """Keys at which the systems of a contrast differ; none if one of the two is not there."""
    made = configuration["experiments"].get(experiment, {}).get("systems", {})
    there = [settings(made[system]) for system in contrast if system in made]
    return [key for key, *_ in differences(*there)] if len(there) == 2 else []


def unused(configuration: Configuration, layers: list[Layer]) -> Iterator[Mistake]:
    """Roles of texts that the user names for no language pair that is worked on."""
    named = [pair for layer in layers for pair in layer.content.get("roles", {})]
    if named and not set(named) & set(configuration["pairs"]):
        here = ", ".join(configuration["pairs"])
        words = f"{named[0]} is none of the pairs ({here}): name it in pairs"
        yield mistake(["roles", named[0]], words)


def cut_lists(configuration: Configuration, layers: list[Layer]) -> Iterator[Mistake]:
    """Lists of translations longer than what a beam gives, greedy search apart; of experiments that
    are made. The last layer that says one of the two is to blame."""
    for name, entry in configuration["experiments"].items():
        nbest, beams = entry["decoding"]["nbest"], entry["decoding"]["beams"]
        narrowest = min((width for width in beams if width > 1), default=1)
        asked = systems(configuration, name) and pairs(configuration, name)
        if asked and (nbest or 0) > narrowest:
            own = ["experiments", name, "decoding"]
            paths = [[*block, key] for key in ("nbest", "beams") for block in (own, ["decoding"])]
            said = next(path for each in layers[::-1] for path in paths if says(each.content, path))
            words = f"a beam of width N gives at most N translations, and {dotted(own)}.beams has"
            words = f"{dotted(own)}.nbest is {nbest}: {words} {narrowest}: make nbest {narrowest} "
            yield said, words + "at most, or null"


def text_layer(folder: Path) -> Layer:
    """The layer of what the papers did with their text."""
    return Layer(f"{folder.name}/text.yaml", load(folder / "text.yaml"))


def of_paper(folder: Path, experiment: str) -> Configuration:
    """The recipes and text settings of the paper of an experiment; `folder` is ``workflow/``."""
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


def origin(path: Iterable[Any], layers: list[Layer]) -> str:
    """The name of the last layer that says something at `path`, or at its nearest parent."""
    steps = list(path)
    parents = (steps[:length] for length in range(len(steps), 0, -1))
    found = (each.name for path in parents for each in layers[::-1] if says(each.content, path))
    return next(found, layers[-1].name)


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
    others = ("gaps", "mirrors", "hand_placed", "pretrained")
    relevant = {key: value for key, value in configuration.items() if key not in others}
    relevant["corpora"] = copy.deepcopy(configuration["corpora"])
    for corpus in relevant["corpora"].values():
        for text in corpus["texts"].values():
            for key in ("shards", "lines", "lines_recalled"):
                text.pop(key, None)
    relevant["experiments"] = {experiment: configuration["experiments"][experiment]}
    relevant["pairs"] = pairs(configuration, experiment)
    relevant["systems"] = systems(configuration, experiment)
    return hashlib.sha256(canonical(relevant).encode()).hexdigest()[:12]
