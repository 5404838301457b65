"""Translations of runs and ensembles, with unknown words, without, or with them replaced."""

import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from contextnmt.configuration import places
from contextnmt.paths.basis import (
    SIDES,
    Input,
    Wildcards,
    is_ablation,
    language_of,
    options,
    settings,
)
from contextnmt.paths.trainings import VOCABULARIES, Trainings
from contextnmt.report.experiment import endings
from contextnmt.report.results import ABLATION, CHOICES
from contextnmt.translation.exported import MANIFEST, TRAINED


class Translations(Trainings):
    def models(self, wildcards: Wildcards) -> list[str]:
        """Folders of the models that translate together: one of a run, all seeds of an ensemble."""
        seed = str(wildcards.seed).removesuffix(ABLATION)
        seeds = self.configuration["seeds"] if seed == "ensemble" else [seed]
        return [f"{self.results}/train/{wildcards.pair}/{wildcards.system}/{s}" for s in seeds]

    def model_files(self, wildcards: Wildcards) -> list[str]:
        """Files of these models that `translate` reads."""
        return [
            f"{folder}/{file}"
            for folder in self.models(wildcards)
            for file in ["model.safetensors", "model.json", *VOCABULARIES]
        ]

    def model_options(self, wildcards: Wildcards) -> str:
        """The options of `score` that name the further references."""
        first, *others = self.models(wildcards)
        return options(model=[first], ensemble=others)

    def other_translations(self, wildcards: Wildcards) -> str:
        """The options of `translate` for what its searches write beside the likeliest translations.

        Alignments of every model with attention; those of an ensemble nothing reads. An ablation
        writes nothing else.
        """
        if is_ablation(wildcards):
            return ""
        made = self.recipe(wildcards)
        nbest = made["decoding"]["nbest"]
        wanted = {
            "--alignments": made["model"]["attention"] and wildcards.seed != "ensemble",
            f"--nbest {nbest}": nbest,
            "--no-unknown": made["decoding"]["no_unknown"],
        }
        return " ".join(option for option, asked_for in wanted.items() if asked_for)

    def translating(self, pattern: str) -> list[str]:
        """`pattern` for every run, then for all that translates besides.

        That is the ensemble of every language pair and system, and the ablation of every run that
        has one.
        """
        together = [name for name in self.experiments if self.results_of[name].ensemble]
        ensembles = (self.of_runs(pattern, name, ["ensemble"]) for name in together)
        ablated = (of for name in self.experiments for of in self.results_of[name].ablated)
        ablations = [
            f"{self.results}/{pattern.format(pair=pair, system=system, seed=f'{seed}{ABLATION}')}"
            for pair, system in ablated
            for seed in self.configuration["seeds"]
        ]
        return places.distinct([self.runs(pattern), *ensembles, ablations])

    def choices(self, wildcards: Wildcards) -> Sequence[str]:
        """The choices of symbols that a run translates with; "" is the usual one."""
        return CHOICES if is_ablation(wildcards) else [""]

    def translated_texts(self, wildcards: Wildcards) -> list[str]:
        """The source side of the texts that a run translates, in the view of its system."""
        view, source = self.recipe(wildcards)["view"], wildcards.pair.split("-")[0]
        return [
            self.view_file(wildcards.pair, view, text, source, choice=choice)
            for text in self.translated(wildcards)
            for choice in self.choices(wildcards)
        ]

    def beams(self, wildcards: Wildcards) -> list[int]:
        """The beam widths that a run translates with; for an ablation, the widest."""
        beams = self.recipe(wildcards)["decoding"]["beams"]
        return [max(beams)] if is_ablation(wildcards) else list(beams)

    def searches(self, wildcards: Wildcards) -> list[str]:
        """Names of the beam searches of a text, `TEXT.beamN`."""
        return [f"{wildcards.text}.beam{beam}" for beam in self.beams(wildcards)]

    def translations(self, stage: str, wildcards: Wildcards) -> list[str]:
        """The files in a run's folder of `translate` or `restore`: one per translation.

        Which texts there are depends on the language pair, so the rules declare the folder.
        """
        return [
            f"{self.results}/{stage}/{wildcards.pair}/{wildcards.system}/{wildcards.seed}/{name}.gz"
            for name in self.translation_names(wildcards)
        ]

    def likeliest(self, wildcards: Wildcards) -> list[str]:
        """The files that a run's beam searches write: one for each text and beam width."""
        if is_ablation(wildcards):
            return self.translations("translate", wildcards)
        texts = self.of_texts("translate/{pair}/{system}/{seed}/{text}", wildcards)
        return [f"{text}.beam{beam}.gz" for text in texts for beam in self.beams(wildcards)]

    def translation_names(self, wildcards: Wildcards) -> list[str]:
        """Names of a run's translations, `TEXT.beamN` and `TEXT.beamN.VARIANT`."""
        made = endings(self.recipe(wildcards)["decoding"])
        if is_ablation(wildcards):
            made = [f"beam{beam}{choice}" for beam in self.beams(wildcards) for choice in CHOICES]
        return [f"{text}.{ending}" for text in self.translated(wildcards) for ending in made]

    def of_each(self, wildcards: Wildcards, of_texts: Sequence[str]) -> list[str]:
        """Members of `of_texts`, as many for each text of a run, repeated for each translation."""
        translations = len(self.translation_names(wildcards))
        return [each for each in of_texts for _ in range(translations // len(of_texts))]

    def reference_texts(self, stage: str, wildcards: Wildcards) -> list[str]:
        """The reference of each text that a run translates, as a stage wrote it."""
        target = language_of(wildcards, "target")
        return self.of_texts(f"{stage}/{{pair}}/{{text}}.{target}.gz", wildcards)

    def references(self, stage: str) -> Input:
        """Input function: the reference of each of a run's translations."""
        return lambda wildcards: self.of_each(wildcards, self.reference_texts(stage, wildcards))

    def reference_files(self, stage: str, pair: str, text: str) -> list[str]:
        """All references of a text, as a stage wrote them."""
        target = pair.split("-")[1]
        names = self.references_of(pair, text)
        return [f"{self.results}/{stage}/{pair}/{name}.{target}.gz" for name in names]

    def further_references(self, stage: str, wildcards: Wildcards) -> list[tuple[str, str]]:
        """The references of a run's texts but for the first ones, each with its text."""
        pair = wildcards.pair
        return [
            (text, file)
            for text in self.translated(wildcards)
            for file in self.reference_files(stage, pair, text)[1:]
        ]

    def further_files(self, wildcards: Wildcards) -> list[str]:
        """The further references that `score` reads, as tokens and as they were."""
        stages = ("tokenize", "extract")
        return [file for stage in stages for _, file in self.further_references(stage, wildcards)]

    def further_options(self, wildcards: Wildcards) -> str:
        """The options that name them."""
        stages = {"further_reference": "tokenize", "further_raw_reference": "extract"}
        found = {key: self.further_references(stage, wildcards) for key, stage in stages.items()}
        return options(**{key: map("=".join, each) for key, each in found.items()})

    def symbol_tables(self, wildcards: Wildcards) -> list[str]:
        """Symbols of each text that a run translates, for a system whose text has symbols."""
        if "sym" not in self.recipe(wildcards)["view"]:
            return []
        return [
            f"{self.results}/symbolize/{wildcards.pair}/{text}{choice}.symbols.tsv.gz"
            for text in self.translated(wildcards)
            for choice in self.choices(wildcards)
        ]

    def rules_of(self, wildcards: Wildcards) -> list[str]:
        """The rule dictionary of a pair, for a system whose text has symbols."""
        symbolized = "sym" in self.recipe(wildcards)["view"]
        return [f"{self.results}/rule-dictionary/{wildcards.pair}/rules.tsv"] if symbolized else []

    def tags(self, wildcards: Wildcards) -> tuple[str, str]:
        """The file that holds the tags of a text, and their member in it."""
        file, *_ = self.archive(wildcards.pair, wildcards.text, wildcards.pair.split("-")[1])
        return file, self.text_entry(wildcards.text)["phenomena"]

    def known_lines(self, wildcards: Wildcards) -> dict[str, str]:
        """The texts that a run translates without unknown words too -> which lines have none."""
        made = self.recipe(wildcards)
        folder = f"{self.results}/known-lines/{wildcards.pair}/{made['view']}"
        asked = made["decoding"]["no_unknown"] and not is_ablation(wildcards)
        texts = self.translated(wildcards) if asked else []
        return {text: f"{folder}/{text}.json" for text in texts}

    def known_lines_of_all(self) -> list[str]:
        """Known lines of every text and view that systems need."""
        runs = (
            SimpleNamespace(pair=pair, system=system, seed=self.configuration["seeds"][0])
            for pair in self.pairs
            for system in self.systems_with(pair)
        )
        return places.distinct(self.known_lines(run).values() for run in runs)

    def subsets(self, wildcards: Wildcards) -> str:
        """Options of `score`: those lines alone, of the translations without unknown words."""
        known = self.known_lines(wildcards).items()
        endings = [f"beam{beam}.no-unknown" for beam in self.beams(wildcards)]
        return options(
            subset=[f"{text}.{ending}={path}" for text, path in known for ending in endings]
        )

    def stated_lines(self, wildcards: Wildcards) -> str:
        """Options of `score`: how many lines a text has, where the configuration knows it."""
        texts = self.translated(wildcards)
        found = {t: places.stated(self.text_entry(t), "lines", wildcards.pair) for t in texts}
        return options(lines=(f"{text}={n}" for text, n in found.items() if n))

    def lexicons(self) -> list[str]:
        """The lexicons of all language pairs with systems whose unknown words are replaced."""
        replaced = dict(of for name in self.experiments for of in self.results_of[name].replaced)
        return [f"{self.results}/lexicon/{pair}.tsv.gz" for pair in self.pairs if pair in replaced]

    def replaceable(self, wildcards: Wildcards, suffix: str) -> list[str]:
        """A file beside each translation of the widest beam, whose unknown words are replaced."""
        name = f"{{text}}.beam{max(self.beams(wildcards))}{suffix}"
        return self.of_texts(f"translate/{{pair}}/{{system}}/{{seed}}/{name}", wildcards)

    def replaced_names(self, wildcards: Wildcards) -> list[str]:
        """Names of a run's translations without unknown words, `TEXT.beamN.replaced`."""
        texts = self.evaluated(wildcards.pair, wildcards.system)
        return [f"{text}.beam{max(self.beams(wildcards))}.replaced" for text in texts]

    def replaced_files(self, stage: str, wildcards: Wildcards) -> list[str]:
        """Files of these translations, of the stage `replace-unknown` or `restore`."""
        folder = self.filled(f"{stage}/{{pair}}/{{system}}/{{seed}}", wildcards)
        folder += ".replaced" if stage == "restore" else ""
        return [f"{folder}/{name}.gz" for name in self.replaced_names(wildcards)]

    def run_files_needed(self, wildcards: Wildcards) -> dict[str, str]:
        """Files that raw text needs on its way through a run, besides the model."""
        view, source = self.recipe(wildcards)["view"], wildcards.pair.split("-")[0]
        needed = {}
        if "bpe" in view:
            needed["codes"] = self.codes_file(wildcards.pair, view, source)
        if "sym" in view:
            dictionary = f"{self.results}/rule-dictionary/{wildcards.pair}"
            needed["counts"] = f"{self.results}/word-counts/{wildcards.pair}/{source}.tsv"
            needed["rates"] = f"{dictionary}/rates.tsv"
            needed["rules"] = f"{dictionary}/rules.tsv"
        return needed

    def offered_text(self, wildcards: Wildcards) -> dict[str, str]:
        """The two sides of the first test text of a run as they were, for a page to translate."""
        results = self.results_of[self.systems[wildcards.system]]
        text = results.test[wildcards.pair][0]
        return {
            side: self.filled(
                f"extract/{{pair}}/{text}.{language_of(wildcards, side)}.gz", wildcards
            )
            for side in SIDES
        }

    def pretrained_inputs(self, wildcards: Wildcards) -> dict[str, Any]:
        """The exported folder of a run, and the files here that have to be the same as in it."""
        folder = self.pretrained[f"{wildcards.pair}/{wildcards.system}/{wildcards.seed}"]
        words = self.filled(f"binarize/{{pair}}/{self.view_of(wildcards.system)}", wildcards)
        return {
            "model": [f"{folder}/{name}" for name in (MANIFEST, *TRAINED)],
            **{f"{side}_vocabulary": f"{words}/vocabulary.{side}.tsv" for side in SIDES},
            **self.run_files_needed(wildcards),
        }

    def restoring_rules(self, wildcards: Wildcards) -> str:
        """The option of external rules, for `restore` in a view with symbols."""
        return self.external_rules if "sym" in self.recipe(wildcards)["view"] else ""

    def run_description(self, wildcards: Wildcards) -> str:
        """A run in the words of `contextnmt.translation.run_file`; paths count from its folder."""
        source, target = wildcards.pair.split("-")
        folder = self.filled("run/{pair}/{system}", wildcards)
        model = self.filled("train/{pair}/{system}/{seed}", wildcards)
        needed = self.run_files_needed(wildcards)
        seen = {key: os.path.relpath(path, folder) for key, path in needed.items()}
        symbols = {key: seen[key] for key in ["counts", "rates", "rules"] if key in seen}
        text = self.configuration["text"]
        told = {"threshold": text["symbol_threshold"], "external_rules": text["external_rules"]}
        return settings(
            {
                "source_language": source,
                "target_language": target,
                "model": os.path.relpath(model, folder),
                "codes": seen.get("codes"),
                "symbols": symbols | told if symbols else None,
                "minimum_length": self.recipe(wildcards)["decoding"]["minimum_length"],
                **({"segmented": True} if self.is_segmented(source) else {}),
            }
        )
