"""Pairs, systems, texts with their parts, and runs of a configuration."""

import shlex
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from contextnmt.configuration import places, recipes
from contextnmt.configuration.places import Configuration, canonical
from contextnmt.report.experiment import results_of
from contextnmt.report.results import ABLATION

#: Wildcards of a job, as Snakemake gives them: an attribute and an item each.
Wildcards = Any
Settings = dict[str, Any]
#: Inputs of a rule, by its wildcards.
Input = Callable[[Wildcards], list[str]]
#: A param of a rule, by its wildcards and inputs.
Param = Callable[[Wildcards, Any], str]

SIDES = ["source", "target"]

#: Settings for a command, as one param: Snakemake compares params as a set without names.
settings = canonical


def pair_of(wildcards: Wildcards) -> str:
    """The language pair of a job: a wildcard, or its two sides are."""
    return wildcards.get("pair") or f"{wildcards.source}-{wildcards.target}"


def language_of(wildcards: Wildcards, side: str) -> str:
    """The language of a side of the pair."""
    return pair_of(wildcards).split("-")[SIDES.index(side)]


def options(**values: Iterable[Any]) -> str:
    """Options of a command, once for each of their values: `raw_reference` is --raw-reference."""
    given = ((name.replace("_", "-"), value) for name, each in values.items() for value in each)
    return " ".join(f"--{option} {shlex.quote(str(value))}" for option, value in given)


def options_of_inputs(*names: str) -> Param:
    """Param function: named lists of input files, as options of the same names."""
    return lambda wildcards, input: options(**{name: input.get(name) for name in names})


def language_options(wildcards: Wildcards) -> str:
    """The options that name both languages of the pair."""
    return options(**{f"{side}_language": [language_of(wildcards, side)] for side in SIDES})


def is_ablation(wildcards: Wildcards) -> bool:
    """Whether a run translates test texts with other choices of symbols than usual."""
    return str(wildcards.seed).endswith(ABLATION)


class Basis:
    """Pairs, systems, texts and runs of a configuration.

    base
        Folder with ``workflow/``.
    gaps
        Language pair -> system -> why nothing is reported of it.
    """

    def __init__(self, base: Path, configuration: Configuration, gaps: dict[str, dict[str, str]]):
        self.base, self.configuration, self.gaps = base, configuration, gaps
        self.results = f"results/{configuration['preset']}"
        #: The option by which stages ask for external rules; empty without them.
        self.external_rules = "--external-rules" * configuration["text"]["external_rules"]
        self.texts = partial(places.texts, configuration)
        self.text_entry = partial(places.text, configuration)
        self.references_of = partial(places.references, configuration)
        self.training_parts = partial(places.training_parts, configuration)
        self.pairs: list[str] = configuration["pairs"]
        #: ``PAIR/SYSTEM/SEED`` -> the exported folder that stands for its training.
        self.pretrained: dict[str, str] = configuration.get("pretrained", {})
        self.systems = {
            system: experiment
            for experiment in configuration["experiments"]
            for system in recipes.systems(configuration, experiment)
            if places.pairs(configuration, experiment)
        }
        self.experiments = list(dict.fromkeys(self.systems.values()))
        self.results_of = {
            name: results_of(Path(self.results), configuration, name, gaps)
            for name in self.experiments
        }
        self.reported = [name for name, results in self.results_of.items() if results.pairs]

    def languages(self, pairs: Iterable[str]) -> list[tuple[str, str]]:
        """Both languages of pairs, each as (pair, language)."""
        return [(pair, language) for pair in pairs for language in pair.split("-")]

    def systems_of(self, experiment: str) -> list[str]:
        """The systems of an experiment, in the order of tables."""
        return [system for system, home in self.systems.items() if home == experiment]

    def systems_with(self, pair: str) -> list[str]:
        """The systems that a language pair is translated with."""
        homes = self.systems.items()
        return [system for system, home in homes if pair in self.results_of[home].all_pairs]

    def view_of(self, system: str) -> str:
        """The view of the text that a system reads and writes."""
        entry = self.configuration["experiments"][self.systems[system]]["systems"][system]
        return str(entry["view"])

    def evaluated(self, pair: str, system: str, *roles: str) -> list[str]:
        """Names of the dev and test texts of a system, or of those of one role."""
        entry = places.roles(self.configuration, self.systems[system], pair)
        return places.distinct(entry[role] for role in roles or ["dev", "test"])

    def evaluated_texts(self, pair: str) -> list[str]:
        """Names of the dev and test texts of all systems that `pair` is translated with."""
        return places.distinct(self.evaluated(pair, system) for system in self.systems_with(pair))

    def translated(self, wildcards: Wildcards) -> list[str]:
        """Names of the texts that a run translates: dev and test, or for an ablation test."""
        roles = ["test"] if is_ablation(wildcards) else []
        return self.evaluated(wildcards.pair, wildcards.system, *roles)

    def is_segmented(self, language: str) -> bool:
        """Whether texts of a language without blanks between words have them here already."""
        return language in self.configuration["text"].get("segmented", [])

    def segmented(self, wildcards: Wildcards) -> str:
        """The options that name the languages of a pair whose texts are segmented already."""
        return options(segmented=filter(self.is_segmented, pair_of(wildcards).split("-")))

    def shards(self, text: str) -> int:
        """Number of parts that a training text is cut into."""
        return places.shards(self.text_entry(text))

    def parts(self, text: str) -> list[str]:
        """Names of the parts of a training text, in order."""
        return places.numbered(text, self.shards(text))

    def texts_trained_on(self) -> list[str]:
        """Names of the training texts of all pairs."""
        return places.distinct(self.texts(pair, "train") for pair in self.pairs)

    def in_domain_texts(self, pair: str) -> list[str]:
        """Names of the texts that the training text of `pair` is selected by."""
        return list((self.selection(pair) or {}).get("in_domain", []))

    def selection(self, pair: str) -> Any:
        """Settings of the selection of the training texts of `pair`; None: all are taken."""
        return self.configuration["select"].get(pair)

    def recipe(self, wildcards: Wildcards) -> Settings:
        """View, model and training of the system that the wildcards name."""
        return recipes.recipe(self.configuration, wildcards.pair, wildcards.system)

    def runs(self, pattern: str) -> list[str]:
        """`pattern` for every language pair, system and seed."""
        seeds = self.configuration["seeds"]
        return places.distinct(self.of_runs(pattern, name, seeds) for name in self.experiments)

    def of_runs(self, pattern: str, experiment: str, seeds: Iterable[Any]) -> list[str]:
        """`pattern` for every language pair and system of an experiment and some seeds."""
        return [
            f"{self.results}/{pattern.format(pair=pair, system=system, seed=seed)}"
            for pair in self.results_of[experiment].all_pairs
            for system in self.systems_of(experiment)
            for seed in seeds
        ]

    def of_texts(self, pattern: str, wildcards: Wildcards) -> list[str]:
        """A result for each text that a run translates, which fills the braces of `pattern` too."""
        texts = self.translated(wildcards)
        return [self.filled(pattern, wildcards, text=text) for text in texts]

    def filled(self, pattern: str, wildcards: Wildcards, **others: str) -> str:
        """The path of a result: a pattern with the names of wildcards, and `others`, in braces."""
        return f"{self.results}/{pattern}".format_map({**dict(wildcards.items()), **others})

    def in_training(self, pattern: str) -> Input:
        """Input function: the files by `pattern` of all parts of the training text of a pair."""
        return lambda wildcards: [
            self.filled(pattern, wildcards, pair=pair_of(wildcards), part=part)
            for part in self.training_parts(pair_of(wildcards))
        ]
