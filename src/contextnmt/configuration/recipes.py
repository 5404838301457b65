"""How each system is made: its whole recipe, from what the layers of a configuration say.

The blocks of RECIPE may stand for all systems or in an experiment, those of MADE in a system too.
Within a layer the narrower block goes first, but a later layer goes before all earlier ones: who
says ``training: {max_updates: 100}`` in a file of their own means every system, whatever the paper
has.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from contextnmt.configuration.places import Configuration, canonical, pairs
from contextnmt.configuration.values import MINIMUM_LENGTH

#: Blocks that say how a system is made, and those that say how the systems of a paper are used too.
MADE = ("model", "training")
RECIPE = (*MADE, "decoding")

#: Keys of decoding that the papers' own tables depend on; the others ask for more beside.
PRINTED_DECODING = ("beams", "minimum_length", "no_unknown", "precision")

#: Contents of the layers of a configuration, each before those that it goes before.
Layers = Sequence[Mapping[str, Any]]


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


def with_recipes(configuration: Configuration, layers: Layers) -> Configuration:
    """`configuration` with whole blocks in each experiment and system, and nowhere else.

    An experiment has those of RECIPE, a system those of MADE.
    """
    whole = {key: value for key, value in configuration.items() if key not in RECIPE}
    whole["experiments"] = {}
    for name, entry in configuration["experiments"].items():
        path = ["experiments", name]
        made = {
            system: {**own, **recipes(layers, MADE, path, ["systems", system])}
            for system, own in entry["systems"].items()
        }
        whole["experiments"][name] = {**entry, **recipes(layers, RECIPE, path), "systems": made}
    return whole


def recipes(layers: Layers, blocks: Sequence[str], *steps: list[str]) -> Configuration:
    """The `blocks` that the layers give for the place at the end of `steps`.

    Each layer is asked for all systems first, then along the way to that place.
    """
    paths = [list(chain.from_iterable(steps[:length])) for length in range(len(steps) + 1)]
    return {
        block: merge(*(at(layer, [*path, block]) for layer in layers for path in paths))
        for block in blocks
    }


def at(content: Mapping[str, Any], path: list[str]) -> Mapping[str, Any]:
    """The block at `path`, an empty one if there is none."""
    for step in path:
        content = content.get(step) or {}
    return content


def experiment_of(configuration: Configuration, system: str) -> str:
    """The experiment that `system` is part of."""
    experiments: dict[str, Any] = configuration["experiments"]
    return next(name for name, entry in experiments.items() if system in entry["systems"])


def systems(configuration: Configuration, experiment: str) -> list[str]:
    """The systems of `experiment` that are asked for, in the order of tables."""
    own: Mapping[str, Any] = configuration["experiments"][experiment]["systems"]
    asked = configuration["systems"]
    return list(own) if asked is None else [system for system in asked if system in own]


def recipe(configuration: Configuration, pair: str, system: str) -> Configuration:
    """How `system` is made for `pair`: `label`, `view`, whole `model`, `training` and `decoding`.

    In a system without `context` the model's contextualizer is None. Whose `filters` its training
    pairs have to pass stands beside `training`, see `other_filters`. Of subwords next to none are
    unknown, so there is no limit to them (A13); nor is there one to words where the symbolized text
    decides (A14). Only systems with symbols have a `validation` (A22).
    """
    experiment = configuration["experiments"][experiment_of(configuration, system)]
    entry = experiment["systems"][system]
    model, training = dict(entry["model"]), dict(entry["training"])
    if not entry.get("context", False):
        model["contextualizer"] = None
    filters = training.pop("filters")
    validation = training.pop("validation", "view")  # as before the key
    if "sym" in entry["view"]:
        training["validation"] = validation
    free = "bpe" in entry["view"] or (entry["view"], filters) == ("word", "symbolized")
    training["unknown_limit"] = 1.0 if free else unknown_limit(entry, pair)
    decoding = {"minimum_length": MINIMUM_LENGTH, **experiment["decoding"]}  # as before the key
    training["minimum_length"] = decoding["minimum_length"]  # of the validations' greedy search
    made = {"filters": filters, "decoding": decoding}
    return {**entry, "model": model, "training": training, **made}


def unknown_limit(entry: Configuration, pair: str) -> float:
    """The limit to unknown words of an entry with `training`, for a language pair."""
    limits: dict[str, float] = entry["training"]["unknown_limit"] or {}
    return limits.get(pair, 1.0)


def own_filters(configuration: Configuration, pair: str, system: str) -> list[Configuration]:
    """The filter of a system in its own view; then that of the symbolized text, if this decides
    (A14). Each has a `view` and the limits in it."""
    made = recipe(configuration, pair, system)
    limits = {key: made["training"][key] for key in ("max_length", "unknown_limit")}
    found = [{"view": made["view"], **limits}]
    if (made["view"], made["filters"]) == ("word", "symbolized"):
        entry = configuration["experiments"][experiment_of(configuration, system)]
        limit = unknown_limit(entry["systems"][system], pair)
        if limit < 1:  # else the text need not be symbolized
            found.append({**found[0], "view": "sym", "unknown_limit": limit})
    return found


def other_filters(configuration: Configuration, pair: str, system: str) -> list[Configuration]:
    """The filters besides its first own one that the training pairs of `system` have to pass (A14).

    None come twice, and the order of the systems does not matter.
    """
    own, *others = own_filters(configuration, pair, system)
    if recipe(configuration, pair, system)["filters"] != "all":
        return others
    names = systems(configuration, experiment_of(configuration, system))
    of_all = (each for name in names for each in own_filters(configuration, pair, name))
    every = {canonical(each): each for each in of_all}
    return [every[text] for text in sorted(every) if every[text] != own]


def deviations(
    papers: Configuration, configuration: Configuration, experiment: str
) -> list[dict[str, Any]]:
    """Every setting of an experiment that is not the paper's.

    Each is a `key`, its value in the `paper` and `here`, and the `system` that it is about, "" for
    all of them alike. A key that is not there counts as null; a system that the paper has not has
    no deviations. `papers` is what `contextnmt.configuration.layers.of_paper` gives.
    """
    paper, here = (content["experiments"][experiment] for content in (papers, configuration))
    asked = [name for name in systems(configuration, experiment) if name in paper["systems"]]
    views = {here["systems"][name]["view"] for name in asked}

    def recipe(content: Configuration) -> Configuration:
        made = content["experiments"][experiment]
        of_all = {
            **text_settings(content, pairs(configuration, experiment), views),
            "pairs": made.get("pairs"),
            "decoding": {key: made["decoding"][key] for key in PRINTED_DECODING},
        }
        return {"": of_all} | {name: settings(made["systems"][name]) for name in asked}

    before, after = recipe(papers), recipe(configuration)
    found = {name: differences(before[name], after[name]) for name in before}
    listed: list[dict[str, Any]] = []
    for name, several in found.items():
        for each in several:
            alike = all(each in found[other] for other in asked)
            key, value, own = each
            row = {"system": "" if alike else name, "key": key, "paper": value, "here": own}
            listed += [row] if row not in listed else []
    return listed


def text_settings(configuration: Configuration, of: list[str], views: set[str]) -> Configuration:
    """Settings of the text of some language pairs in some views."""
    of_views = {"merges": "bpe", "joint_bpe": "bpe"}
    of_views |= {"symbol_threshold": "sym", "external_rules": "sym"}
    text = configuration["text"].items()
    used = {k: v for k, v in text if any(of_views.get(k, "") in view for view in views)}
    chosen = {b: {pair: configuration[b].get(pair) for pair in of} for b in ("clean", "select")}
    return {**chosen, "text": used}


def settings(system: Configuration) -> Configuration:
    """Settings of a system without its label, and without a contextualizer that is off."""
    made = {key: value for key, value in system.items() if key != "label"}
    if not system.get("context", False):
        made["model"] = {**made["model"], "contextualizer": None}
    return made


def differences(paper: Configuration, here: Configuration) -> list[tuple[str, Any, Any]]:
    """The dotted keys at which two blocks differ, with both values."""
    left, right = dict(leaves(paper)), dict(leaves(here))
    return [
        (key, left.get(key), right.get(key))
        for key in {**left, **right}
        if left.get(key) != right.get(key)
    ]


def leaves(block: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The single values and lists in `block`, with their dotted keys."""
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
