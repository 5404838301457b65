"""Files of texts in the views of systems: words, symbols, subwords."""

from collections.abc import Callable
from itertools import product

from contextnmt.configuration import places, recipes
from contextnmt.paths.basis import Input, Wildcards, language_of, options, pair_of
from contextnmt.paths.corpora import Corpora
from contextnmt.report.results import ALL, CHOICES, DICTIONARY


class Views(Corpora):
    def view_file(
        self,
        pair: str,
        view: str,
        text: str,
        language: str,
        aware: bool = False,
        choice: str = "",
    ) -> str:
        """The file that holds one side of a text, or of a part of the training text, in a view.

        `aware`: symbols were made with both sides in sight, as in the training text, so that the
        sides fit; the texts to translate are made from the source alone (A26), by the usual choice
        of symbols or another `choice`.
        """
        trained = text in self.training_parts(pair)
        ending = ".pair" if aware and "sym" in view and not trained else choice
        whole = {"word": "select" if trained else "tokenize", "sym": "symbolize"}
        folder = f"{whole[view]}/{pair}" if view in whole else f"bpe/{pair}/{view}"
        return f"{self.results}/{folder}/{text}{ending}.{language}.gz"

    def text_in_view(self, side: str, aware: bool = False) -> Callable[[Wildcards], str]:
        """Input function: one side of a text in a view, or in that of a system."""
        return lambda wildcards: self.view_file(
            wildcards.pair,
            wildcards.get("view") or self.recipe(wildcards)["view"],
            wildcards.text,
            language_of(wildcards, side),
            aware,
        )

    def training_files(self, pair: str, view: str, language: str) -> list[str]:
        """One side of the training text in a view: its parts, in order."""
        return [self.view_file(pair, view, part, language) for part in self.training_parts(pair)]

    def codes_file(self, pair: str, view: str, language: str) -> str:
        """The codes of a language, or of both together, in a view of a pair (A16)."""
        languages = pair if self.configuration["text"]["joint_bpe"] else language
        return f"{self.results}/bpe/{pair}/{view}/codes.{languages}"

    def train_files(self, language: str) -> Input:
        """The parts of the training text of a pair in a view, one side."""
        return lambda wildcards: self.training_files(
            pair_of(wildcards), wildcards.view, wildcards[language]
        )

    def choice_files(self, wildcards: Wildcards) -> list[str]:
        """Files of the training text that choose the symbols of a source text."""
        pair = pair_of(wildcards)
        dictionary = f"{self.results}/rule-dictionary/{pair}"
        if wildcards.choice == DICTIONARY:
            return [f"{dictionary}/rules.tsv"]
        counts = f"{self.results}/word-counts/{pair}/{wildcards.source}.tsv"
        return [counts, f"{dictionary}/rates.tsv"]

    def choice_options(self, wildcards: Wildcards) -> str:
        """The options that tell `symbolize` of these files, with the threshold.

        Snakemake does not compare parameters that it computes from inputs or outputs, so none of
        these may hold a setting.
        """
        files = self.choice_files(wildcards)
        if wildcards.choice == DICTIONARY:
            return options(dictionary=files)
        counts, rates = files
        usual = self.configuration["text"]["symbol_threshold"]
        threshold = 0 if wildcards.choice == ALL else usual
        return options(source_counts=[counts], rates=[rates], threshold=[threshold])

    def symbolic_texts(self, pair: str) -> list[str]:
        """The dev and test texts of the systems of `pair` whose text has symbols."""
        systems = [system for system in self.systems_with(pair) if "sym" in self.view_of(system)]
        return places.distinct(self.evaluated(pair, system) for system in systems)

    def views(self, pair: str, part: str = "") -> list[str]:
        """The views of the systems that have `part` in their names."""
        named = dict.fromkeys(map(self.view_of, self.systems_with(pair)))
        return [view for view in named if part in view]

    def view_texts(self, pair: str, view: str) -> list[str]:
        """The texts of a view that the trainer reads, both sides, and those that are translated.

        Of those that are translated without unknown words also the target side, which
        `known-lines` reads.
        """
        source, target = sides = pair.split("-")
        files = places.distinct(self.training_files(pair, view, language) for language in sides)
        for system in self.systems_with(pair):
            if self.view_of(system) != view:
                continue
            dev, texts = self.evaluated(pair, system, "dev"), self.evaluated(pair, system)
            decoding = recipes.recipe(self.configuration, pair, system)["decoding"]
            known = texts if decoding["no_unknown"] else []
            aware = [*product(dev, sides), *((text, target) for text in known)]
            files += [self.view_file(pair, view, *each, aware=True) for each in aware]
            files += [self.view_file(pair, view, text, source) for text in texts]
            if (pair, system) in self.results_of[self.systems[system]].ablated:
                chosen = product(self.evaluated(pair, system, "test"), CHOICES)
                files += [self.view_file(pair, view, t, source, choice=c) for t, c in chosen]
        return list(dict.fromkeys(files))

    def symbolized_files(self) -> list[str]:
        """All texts with symbols; the training texts always, for the coverage of Table 3."""
        training = self.side_files("symbolize", self.all_training_parts())
        pairs = [pair for pair in self.pairs if self.views(pair, "sym")]
        return places.distinct([training, *(self.view_texts(pair, "sym") for pair in pairs)])

    def subword_files(self) -> list[str]:
        """All texts of the views that are cut into subwords."""
        views = ((pair, view) for pair in self.pairs for view in self.views(pair, "bpe"))
        return places.distinct(self.view_texts(*view) for view in views)
