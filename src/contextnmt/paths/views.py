"""Files of texts in the views of systems: words, symbols, subwords."""

from collections.abc import Callable

from contextnmt.configuration import recipes
from contextnmt.paths.basis import Input, Wildcards, language_of, pair_of
from contextnmt.paths.corpora import Corpora


class Views(Corpora):
    def view_file(self, pair: str, view: str, text: str, language: str, aware: bool = False) -> str:
        """The file that holds one side of a text, or of a part of the training text, in a view.

        `aware`: symbols were made with both sides in sight, as in the training text, so that the
        sides fit; the texts to translate are made from the source alone (A26).
        """
        trained = text in self.training_parts(pair)
        ending = ".pair" if aware and "sym" in view and not trained else ""
        if view == "word":
            stage = "select" if trained else "tokenize"
        else:
            stage = "symbolize" if view == "sym" else "bpe"
        folder = f"bpe/{pair}/{view}" if stage == "bpe" else f"{stage}/{pair}"
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

    def codes_languages(self, pair: str) -> list[str]:
        """Names of a pair's files of codes: one a language, or one for both together (A16)."""
        return [pair] if self.configuration["text"]["joint_bpe"] else pair.split("-")

    def codes(self, wildcards: Wildcards) -> str:
        """The codes that cut a side of a text into subwords."""
        return self.codes_file(wildcards.pair, wildcards.view, wildcards.language)

    def codes_file(self, pair: str, view: str, language: str) -> str:
        """The codes of a language in a view of a pair."""
        languages = next(name for name in self.codes_languages(pair) if language in name.split("-"))
        return f"{self.results}/bpe/{pair}/{view}/codes.{languages}"

    def train_files(self, language: str) -> Input:
        """The parts of the training text of a pair in a view, one side."""
        return lambda wildcards: self.training_files(
            pair_of(wildcards), wildcards.view, wildcards[language]
        )

    def symbolic_systems(self, pair: str) -> list[str]:
        """The systems of `pair` whose text has symbols."""
        return [system for system in self.systems_with(pair) if "sym" in self.view_of(system)]

    def symbolic_texts(self, pair: str) -> list[str]:
        """The dev and test texts of the systems of `pair` whose text has symbols."""
        return list(
            dict.fromkeys(
                text
                for system in self.symbolic_systems(pair)
                for text in self.evaluated(pair, system)
            )
        )

    def views(self, pair: str, part: str = "") -> list[str]:
        """The views of the systems that have `part` in their names."""
        named = dict.fromkeys(map(self.view_of, self.systems_with(pair)))
        return [view for view in named if part in view]

    def counted_views(self, pair: str) -> list[str]:
        """Views whose pairs Table 3 counts: with and without symbols, and those of its systems."""
        own = map(self.view_of, self.systems_of("choi2017"))
        return list(dict.fromkeys(["word", "sym", *own]))

    def view_texts(self, pair: str, view: str) -> list[str]:
        """The texts of a view that the trainer reads, both sides, and those that are translated.

        Of those that are translated without unknown words also the target side, which
        `known-lines` reads.
        """
        source, target = pair.split("-")
        systems = [system for system in self.systems_with(pair) if self.view_of(system) == view]
        dev, translated = (
            [text for system in systems for text in self.evaluated(pair, system, *roles)]
            for roles in [["dev"], ["dev", "test"]]
        )
        trained = [
            self.view_file(pair, view, text, language, aware=True)
            for text in [*self.training_parts(pair), *dev]
            for language in [source, target]
        ]
        references = [
            self.view_file(pair, view, text, target, aware=True)
            for system in systems
            if recipes.recipe(self.configuration, pair, system)["decoding"]["no_unknown"]
            for text in self.evaluated(pair, system)
        ]
        return list(
            dict.fromkeys(
                [
                    *trained,
                    *(self.view_file(pair, view, text, source) for text in translated),
                    *references,
                ]
            )
        )

    def symbolized_files(self) -> list[str]:
        """All texts with symbols; the training texts always, for the coverage of Table 3."""
        training = self.side_files("symbolize", self.all_training_parts())
        others = [
            path
            for pair in self.pairs
            if self.views(pair, "sym")
            for path in self.view_texts(pair, "sym")
        ]
        return list(dict.fromkeys(training + others))

    def subword_files(self) -> list[str]:
        """All texts of the views that are cut into subwords."""
        return [
            path
            for pair in self.pairs
            for view in self.views(pair, "bpe")
            for path in self.view_texts(pair, view)
        ]

    def binarized_files(self) -> list[str]:
        """The manifest of each view of each pair."""
        return [
            f"{self.results}/binarize/{pair}/{view}/manifest.json"
            for pair in self.pairs
            for view in self.views(pair)
        ]
