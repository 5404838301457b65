"""Inputs and settings of trainings."""

import json
from collections.abc import Iterable

from contextnmt.configuration import recipes
from contextnmt.paths.basis import (
    SIDES,
    Input,
    Settings,
    Wildcards,
    language_of,
    options,
    settings,
)
from contextnmt.paths.views import Views

VOCABULARIES = ["vocabulary.source.tsv", "vocabulary.target.tsv"]
BINARIZED = [
    "manifest.json",
    *VOCABULARIES,
    *(f"train.{side}.{array}.npy" for side in SIDES for array in ["ids", "offsets"]),
]


class Trainings(Views):
    def dev_files(self, side: str) -> Input:
        """Input function: the dev texts of a run in the view of its system, one side."""
        return lambda wildcards: [
            self.view_file(
                wildcards.pair,
                self.recipe(wildcards)["view"],
                text,
                language_of(wildcards, side),
                aware=True,
            )
            for text in self.evaluated(wildcards.pair, wildcards.system, "dev")
        ]

    def training_data(self, wildcards: Wildcards) -> list[str]:
        """Inputs of a training: its own view first, then those of the other filters."""
        others = recipes.other_filters(self.configuration, wildcards.pair, wildcards.system)
        views = [self.recipe(wildcards), *others]
        folders = dict.fromkeys(self.binarize_folder(wildcards.pair, each) for each in views)
        return [f"{folder}/{file}" for folder in folders for file in BINARIZED]

    def binarize_folder(self, pair: str, made: Settings) -> str:
        """Where the ids of a recipe's or a filter's view lie."""
        return f"{self.results}/binarize/{pair}/{made['view']}"

    def filter_settings(self, pair: str, filters: Iterable[Settings]) -> list[str]:
        """Filters of training pairs, each a view with its limits, as commands want them."""
        limits = ["max_length", "unknown_limit"]
        return [
            settings({"data": self.binarize_folder(pair, each), **{k: each[k] for k in limits}})
            for each in filters
        ]

    def filter_options(self, wildcards: Wildcards) -> str:
        """The options that tell `train` of the other filters."""
        others = recipes.other_filters(self.configuration, wildcards.pair, wildcards.system)
        return options(filter=self.filter_settings(wildcards.pair, others))

    def pair_filters(self, wildcards: Wildcards) -> str:
        """The options that tell `pairs` which of them are dropped before and after symbolization.

        First the limits of the experiment, where its systems do not say otherwise; then the
        filters of the systems themselves, none twice, in an order that does not depend on theirs.
        """
        pair = wildcards.pair
        training = self.configuration["experiments"]["choi2017"]["training"]
        unknown_limit = (training["unknown_limit"] or {}).get(pair, 1.0)
        limits = {**training, "unknown_limit": unknown_limit}
        before, after = self.filter_settings(
            pair, [{**limits, "view": view} for view in ["word", "sym"]]
        )
        systems = self.systems_of("choi2017")
        made = [recipes.recipe(self.configuration, pair, system) for system in systems]
        own = [{**each["training"], "view": each["view"]} for each in made]
        systems_own = sorted(set(self.filter_settings(pair, own)))
        return options(filter_before=[before], filter_after=[after], filter=systems_own)

    def filtered_pairs(self, wildcards: Wildcards) -> list[str]:
        """The binarized pairs that `pairs` filters: word, sym, and the views of all systems."""
        own = map(self.view_of, self.systems_of("choi2017"))
        return [
            f"{self.results}/binarize/{wildcards.pair}/{view}/{file}"
            for view in dict.fromkeys(["word", "sym", *own])
            for file in BINARIZED
        ]

    def training_settings(self, wildcards: Wildcards) -> str:
        """The training of a system, as `train` wants it."""
        return settings(
            {**self.recipe(wildcards)["training"], "device": self.configuration["device"]}
        )

    def training_identity(self, wildcards: Wildcards, marks: list[str]) -> str:
        """Identity of a training: a saved state with another one is not resumed."""
        return settings(
            {
                "model": self.recipe(wildcards)["model"],
                "training": json.loads(self.training_settings(wildcards)),
                "code": marks,
            }
        )
