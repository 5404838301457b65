"""Inputs and settings of trainings."""

import json
from collections.abc import Callable, Iterable
from itertools import chain

from contextnmt.configuration import recipes
from contextnmt.paths.basis import (
    SIDES,
    Input,
    Settings,
    Wildcards,
    language_of,
    language_options,
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
            self.view_file(wildcards.pair, view, text, language_of(wildcards, side), aware=True)
            for view in [self.view_of(wildcards.system)]
            for text in self.evaluated(wildcards.pair, wildcards.system, "dev")
        ]

    def restored_dev(self, wildcards: Wildcards) -> dict[str, list[str]]:
        """Files by which validations restore words, by options of `train`; {} without (A22)."""
        if self.recipe(wildcards)["training"].get("validation") != "restored":
            return {}
        pair, view = wildcards.pair, self.view_of(wildcards.system)
        source, target = pair.split("-")
        texts = self.evaluated(pair, wildcards.system, "dev")
        return {
            "dev_text": [self.view_file(pair, view, text, source) for text in texts],
            "dev_symbols": [
                f"{self.results}/symbolize/{pair}/{text}.symbols.tsv.gz" for text in texts
            ],
            "dev_reference": [self.view_file(pair, "word", text, target) for text in texts],
            "rules": [f"{self.results}/rule-dictionary/{pair}/rules.tsv"],
        }

    def restoration_options(self, wildcards: Wildcards) -> str:
        """The options that tell `train` of these files, and how numbers are restored."""
        files = self.restored_dev(wildcards)
        told = [options(**files), language_options(wildcards), self.external_rules]
        return " ".join(filter(None, told)) if files else ""

    def if_restored(self, mark: str) -> Callable[[Wildcards], str]:
        """Param function: the mark of a file that only validations of restored words load."""
        return lambda wildcards: mark if self.restored_dev(wildcards) else ""

    def training_data(self, wildcards: Wildcards) -> list[str]:
        """Inputs of a training: its own view first, then those of the other filters."""
        others = recipes.other_filters(self.configuration, wildcards.pair, wildcards.system)
        views = [each["view"] for each in [self.recipe(wildcards), *others]]
        return self.binarized(wildcards.pair, views)

    def binarized(self, pair: str, views: Iterable[str]) -> list[str]:
        """The binarized training pairs in some views."""
        folders = [f"{self.results}/binarize/{pair}/{view}" for view in dict.fromkeys(views)]
        return [f"{folder}/{file}" for folder in folders for file in BINARIZED]

    def filter_settings(self, pair: str, filters: Iterable[Settings]) -> list[str]:
        """Filters of training pairs, each a view with its limits, as commands want them."""
        limits, folder = ["max_length", "unknown_limit"], f"{self.results}/binarize/{pair}"
        return [
            settings({"data": f"{folder}/{each['view']}", **{k: each[k] for k in limits}})
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
        own = chain.from_iterable(
            recipes.own_filters(self.configuration, pair, system)
            for system in self.systems_of("choi2017")
        )
        systems_own = sorted(set(self.filter_settings(pair, own)))
        return options(filter_before=[before], filter_after=[after], filter=systems_own)

    def filtered_pairs(self, wildcards: Wildcards) -> list[str]:
        """The binarized pairs that `pairs` filters: word, sym, and the views of all systems."""
        own = map(self.view_of, self.systems_of("choi2017"))
        return self.binarized(wildcards.pair, ["word", "sym", *own])

    def training_settings(self, wildcards: Wildcards) -> str:
        """The training of a system, as `train` wants it."""
        return settings(
            {**self.recipe(wildcards)["training"], "device": self.configuration["device"]}
        )

    def training_identity(self, wildcards: Wildcards, marks: list[str], more: list[str]) -> str:
        """Identity of a training: a saved state with another one is not resumed.

        `marks` of its code, and `more` of those files that only validations of restored words load.
        """
        return settings(
            {
                "model": self.recipe(wildcards)["model"],
                "training": json.loads(self.training_settings(wildcards)),
                "code": marks + (more if self.restored_dev(wildcards) else []),
            }
        )
