"""Comparisons, charts and reports of runs, and the reasons of gaps."""

import json
import shlex
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from contextnmt.configuration import layers, places, recipes
from contextnmt.errors import UserError
from contextnmt.paths.basis import Input, Settings, Wildcards, language_of, options, pair_of
from contextnmt.paths.translations import Translations
from contextnmt.report.contents import Part, files, outputs, parts
from contextnmt.report.gaps import changed, gap_of_run
from contextnmt.report.gaps import settings as whole_settings
from contextnmt.report.results import ABLATION, gap_of_system
from contextnmt.translation.exported import TRAINED, read_manifest


class Reports(Translations):
    def run_gap(self, pair: str, system: str, seed: Any) -> str:
        """The reason why a run, or an ensemble, has no translations yet; empty if it has."""
        run = SimpleNamespace(pair=pair, system=system, seed=seed)
        folders = [Path(folder) for folder in self.models(run)]
        return gap_of_run(
            [folder / file for folder in folders for file in TRAINED],
            folders[0] / "state",
            map(Path, self.translations("translate", run)),
        )

    def found_gaps(self) -> dict[str, dict[str, str]]:
        """Language pair -> system -> why it is not finished; all pairs, no finished systems."""
        found: dict[str, dict[str, str]] = {pair: {} for pair in self.pairs}
        for pair, system in ((p, s) for p in self.pairs for s in self.systems_with(p)):
            seeds = self.configuration["seeds"]
            of_runs = {f"seed {seed}": self.run_gap(pair, system, seed) for seed in seeds}
            if self.results_of[self.systems[system]].ensemble and not any(of_runs.values()):
                of_runs["ensemble"] = self.run_gap(pair, system, "ensemble")
            if why := gap_of_system(of_runs):
                found[pair][system] = why
            if (pair, system) in self.results_of[self.systems[system]].ablated:
                ablations = {
                    f"seed {seed}": self.run_gap(pair, system, f"{seed}{ABLATION}")
                    for seed in seeds
                }
                if why := gap_of_system(ablations):
                    found[pair][f"{system}{ABLATION}"] = why
        return found

    def check_pretrained(self) -> None:
        """Raise UserError unless exported folders have the models of their runs, as configured."""
        for run, folder in self.pretrained.items():
            pair, system, _ = run.split("/")
            try:
                model = read_manifest(Path(folder)).run
                recipe = whole_settings(recipes.recipe(self.configuration, pair, system))
                changes = changed([Path(folder) / "model.json"], recipe)
            except UserError as error:
                raise UserError(f"pretrained.{run}: {error}") from None
            if model != run:
                raise UserError(f"pretrained.{run}: {folder}: the model of {model}: name another")
            if changes:
                raise UserError(
                    f"pretrained.{run}: {folder}: trained with other settings ({changes}): set "
                    "these as they were, or train"
                )

    def finished(self, experiment: str, pair: str) -> list[str]:
        """The systems of an experiment that its reports are made of in a language pair."""
        return [system.id for system in self.results_of[experiment].finished(pair)]

    @cached_property
    def made_of(self) -> list[str]:
        """The files that the reports of all experiments are made of."""
        return places.distinct(map(str, files(results)) for results in self.results_of.values())

    def of_reports(self, stage: str, ending: str = "") -> list[str]:
        """The files of a stage that reports are made of."""
        folder = f"{self.results}/{stage}/"
        return [path for path in self.made_of if path.startswith(folder) and path.endswith(ending)]

    def compared_runs(self, wildcards: Wildcards) -> list[str]:
        """The folders of all translations that are compared."""
        folders = self.results_of[wildcards.experiment].of_runs("restore", "")
        return [str(path) for run, path in folders.items() if run.pair == wildcards.pair]

    def compared_side(self, side: str) -> Callable[[Wildcards], str]:
        """Input function: one side of the text that is compared on, tokenized."""
        return lambda wildcards: self.filled(
            "tokenize/{pair}/{text}.{language}.gz",
            wildcards,
            language=language_of(wildcards, side),
        )

    def compared_references(self, wildcards: Wildcards) -> list[str]:
        """All references of the text that is compared on, tokenized."""
        return self.reference_files("tokenize", wildcards.pair, wildcards.text)

    def compared_translations(self, wildcards: Wildcards) -> str:
        """The options that tell of all translations: system, seed and file."""
        name = "{text}.beam{beam}.gz"
        return " ".join(
            f"--system {system} --seed {seed} --hypothesis "
            + self.filled(f"restore/{{pair}}/{system}/{seed}/{name}", wildcards)
            for system in self.finished(wildcards.experiment, wildcards.pair)
            for seed in self.configuration["seeds"]
        )

    def compared_systems(self, wildcards: Wildcards) -> str:
        """Options that say what is tested: all systems against the first one, then the contrasts of
        all methods and claims."""
        first, *others = self.systems_of(wildcards.experiment)
        systems = self.finished(wildcards.experiment, wildcards.pair)
        entry = self.configuration["experiments"][wildcards.experiment]
        telling = [*entry["methods"].values(), *entry.get("claims", [])]
        named = (tuple(pair) for each in telling for pair in each.get("contrasts", []))
        contrasts = dict.fromkeys([*((other, first) for other in others), *named])
        tested = (contrast for contrast in contrasts if set(contrast) <= set(systems))
        return options(contrast=map(":".join, tested))

    def inspected_words(self) -> list[str]:
        """The words that are charted; in a text without tags, those whose masks are compared."""
        return list(self.configuration["experiments"]["choi2017"]["inspected_words"])

    def charted_systems(self, pair: str) -> list[str]:
        """The systems of a pair whose source embeddings are of whole words."""
        return [s for s in self.finished("choi2017", pair) if self.view_of(s) == "word"]

    def charted_models(self, file: str) -> Input:
        """Input function: a file of the charted models of a pair, of the first seed."""
        seed = self.configuration["seeds"][0]
        return lambda wildcards: [
            f"{self.results}/train/{pair_of(wildcards)}/{system}/{seed}/{file}"
            for system in self.charted_systems(pair_of(wildcards))
        ]

    def masked_tags(self, wildcards: Wildcards) -> list[str]:
        """The file with the tags of the text, in a list, or an empty one."""
        return [self.tags(wildcards)[0]] if "phenomena" in self.text_entry(wildcards.text) else []

    def masked_words(self, wildcards: Wildcards) -> str:
        """The options that say which words are compared."""
        if not self.masked_tags(wildcards):
            return options(word=self.inspected_words())
        table, target = "::".join(self.tags(wildcards)), wildcards.pair.split("-")[1]
        return f"--tags {shlex.quote(table)} --target-language {target}"

    def paper(self, experiment: str) -> Settings:
        """The digest of an experiment's configuration, and its settings that are not the paper's,
        with the systems by their labels."""
        paper = layers.of_paper(self.base / "workflow", experiment)
        found = recipes.deviations(paper, self.configuration, experiment)
        labels = {system.id: system.label for system in self.results_of[experiment].systems}
        labels[""] = ""  # a setting of all systems
        return {
            "digest": layers.digest(self.configuration, experiment),
            "deviations": [{**each, "system": labels[each["system"]]} for each in found],
        }

    def report_configuration(self) -> str:
        """The input of `contextnmt report` as JSON, without places of downloads and the device.

        The order of systems is that of tables.
        """
        beside = ["gaps", "mirrors", "hand_placed", "device", "pretrained"]
        content = {
            "configuration": {k: v for k, v in self.configuration.items() if k not in beside},
            "gaps": self.gaps,
            "papers": {name: self.paper(name) for name in self.experiments},
        }
        return json.dumps(content, ensure_ascii=False, indent=1)

    def unreported(self) -> list[str]:
        """Targets of reports that cannot be made: experiments, and those of all papers."""
        without = [name for name in self.configuration["experiments"] if name not in self.reported]
        corpora = [f"{name}_corpora" for name in without if name not in self.experiments]
        return [*without, *corpora, *([] if self.reported else ["papers", "all"])]

    def absence(self, experiment: str) -> str:
        """The reason why an experiment, or all of them, has no report."""
        if experiment in ("papers", "all"):
            asked_for = self.experiments or self.configuration["experiments"]
            return ". ".join(map(self.absence, asked_for))
        experiment = experiment.removesuffix("_corpora")
        entry = self.configuration["experiments"][experiment]
        if experiment in self.experiments:
            return self.results_of[experiment].unfinished()
        if not places.pairs(self.configuration, experiment):
            return (
                f"{experiment} is about {', '.join(entry['pairs'])}, and pairs is "
                f"{', '.join(self.pairs)}: say experiments: {{{experiment}: {{pairs: null}}}} in a "
                "--configfile"
            )
        return (
            f"{experiment} is not in this run, since systems is {', '.join(self.systems)}: name "
            f"some of {', '.join(entry['systems'])} there, or say systems: null in a --configfile"
        )

    def marked(self, experiment: str) -> str:
        """The name of an experiment, with a mark if it is a reconstruction."""
        return experiment + self.results_of[experiment].mark

    def in_formats(self, experiment: str, about: str, *suffixes: str) -> list[tuple[str, Part]]:
        """Files of tables and figures of an experiment about systems or corpora, with their parts.

        `suffixes` are the formats.
        """
        results = self.results_of[experiment]
        found = [(outputs(results, part, *suffixes), part) for part in parts(results, about)]
        return [(str(path), part) for paths, part in found for path in paths]
