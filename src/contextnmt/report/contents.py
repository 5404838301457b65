"""The tables and figures of an experiment's report, and the files that each is made of.

The workflow plans by this list before any file exists. `contextnmt report` makes the list's items.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from contextnmt.configuration import places, recipes

#: The views of a text, from plain words to symbols and subwords.
VIEWS = ["word", "sym", "bpe", "sym-bpe"]
TABLE_FORMATS, FIGURE_FORMATS = ["csv", "json", "md", "tex"], ["svg", "pdf", "png"]

#: Subjects of a part: the trained systems of finished pairs, or the corpora of all pairs.
SYSTEMS, CORPORA = "systems", "corpora"

#: Stages that make a folder of each run: which texts there are, depends on the language pair.
OF_FOLDERS = ["translate", "restore", "replace-unknown"]


@dataclass(frozen=True)
class Part:
    """Tables and figures (names without suffix) that one function makes of some files.

    `caption` names the function and the caption, ``workflow/report/CAPTION.rst``. `files` and
    `options` are the arguments of the function.
    """

    caption: str
    tables: list[str]
    figures: list[str]
    files: dict[str, list[str]]
    about: str = SYSTEMS  #: or CORPORA, which needs no training
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Contents:
    """The report of the experiment `name` by a resolved `configuration`.

    `root` is the results folder; `gaps`: language pair -> system -> why it is not finished.
    """

    root: str
    configuration: dict[str, Any]
    name: str
    gaps: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def entry(self) -> dict[str, Any]:
        """The experiment's block of the configuration."""
        entry: dict[str, Any] = self.configuration["experiments"][self.name]
        return entry

    @property
    def folder(self) -> str:
        """The folder of the report."""
        return f"{self.root}/report/{self.name}"

    @property
    def all_pairs(self) -> list[str]:
        """The language pairs of the experiment."""
        return places.pairs(self.configuration, self.name)

    @property
    def pairs(self) -> list[str]:
        """The language pairs with a finished system."""
        return [pair for pair in self.all_pairs if self.finished(pair)]

    @property
    def systems(self) -> list[str]:
        """The requested systems, in the order of tables."""
        return recipes.systems(self.configuration, self.name)

    @property
    def seeds(self) -> list[int]:
        """The seeds of each system."""
        seeds: list[int] = self.configuration["seeds"]
        return seeds

    @property
    def beam(self) -> int:
        """The widest beam; its translations are compared."""
        beam: int = max(self.entry["decoding"]["beams"])
        return beam

    @property
    def ensembles(self) -> bool:
        """Whether the seeds of each system also translate as an ensemble; this takes two seeds."""
        return bool(self.entry["decoding"]["ensemble"] and len(self.seeds) > 1)

    def finished(self, pair: str) -> list[str]:
        """The finished systems of a language pair."""
        return [each for each in self.systems if each not in self.gaps.get(pair, {})]

    def own_gaps(self) -> dict[str, dict[str, str]]:
        """The gaps of the experiment's own pairs and systems."""
        found = {
            pair: {s: why for s, why in self.gaps.get(pair, {}).items() if s in self.systems}
            for pair in self.all_pairs
        }
        return {pair: of_pair for pair, of_pair in found.items() if of_pair}

    def unfinished(self) -> str:
        """The reason for having no report, where no system is finished."""
        reasons = {
            f"{pair} {system}": reason
            for pair, found in self.own_gaps().items()
            for system, reason in found.items()
        }
        shared = len(set(reasons.values())) == 1
        told = dict.fromkeys(
            reason if shared else f"{name}: {reason}" for name, reason in reasons.items()
        )
        return (
            f"no system of {self.name} is finished: {'; '.join(told)}: "
            "without gaps=true they are made"
        )

    def texts(self, pair: str, *roles: str) -> list[str]:
        """Names of the texts with one of these roles (dev, test)."""
        named = places.roles(self.configuration, self.name, pair)
        return list(dict.fromkeys(text for role in roles for text in named[role]))

    def tagged(self, pair: str) -> list[str]:
        """The first test text with tagged words, as a list of one or none."""
        tests = self.texts(pair, "test")
        return [t for t in tests if "phenomena" in places.text(self.configuration, t)][:1]

    def view(self, system: str) -> str:
        """The view of the text that a system reads and writes."""
        view: str = self.entry["systems"][system]["view"]
        return view

    def recipe(self, pair: str, system: str) -> dict[str, Any]:
        """The recipe of a system for a language pair."""
        return recipes.recipe(self.configuration, pair, system)

    def replaces(self, pair: str, system: str) -> bool:
        """Whether unknown words of a system are replaced.

        The attention finds them. Subwords copied or looked up one by one make no words.
        """
        made = self.recipe(pair, system)
        return bool(
            made["decoding"]["replace"] and made["model"]["attention"] and "bpe" not in made["view"]
        )

    def contextualized(self, pair: str, system: str) -> bool:
        """Whether a system has a contextualizer."""
        return bool(self.recipe(pair, system)["model"]["contextualizer"])

    def runs(
        self,
        pattern: str,
        seeds: Iterable[Any] | None = None,
        only: Callable[[str, str], bool] = lambda pair, system: True,
    ) -> list[str]:
        """The file by `pattern` of each finished run; `only` selects systems."""
        return [
            f"{self.root}/" + pattern.format(pair=pair, system=system, seed=seed)
            for pair in self.pairs
            for system in self.finished(pair)
            if only(pair, system)
            for seed in seeds or self.seeds
        ]

    def trained(self) -> tuple[list[str], list[str]]:
        """The model.json of each finished run, and the identity that its training began with."""
        models = self.runs("train/{pair}/{system}/{seed}/model.json")
        return models, self.runs("train-identity/{pair}/{system}/{seed}.json")

    def compared(self, stage: str, texts: int | None = None) -> list[str]:
        """Results of a stage that compares systems, for the first `texts` test texts of each pair.

        By default for all test texts.
        """
        return [
            f"{self.root}/{stage}/{self.name}/{pair}/{text}.beam{self.beam}.json"
            for pair in self.pairs
            for text in self.texts(pair, "test")[:texts]
        ]

    def side(self, number: int, named: Iterable[tuple[str, str]]) -> list[str]:
        """One side (0: source, 1: target) of texts (pair, name), tokenized."""
        return [
            f"{self.root}/tokenize/{pair}/{text}.{pair.split('-')[number]}.gz"
            for pair, text in named
        ]

    def counts(self, pairs: list[str]) -> dict[str, list[str]]:
        """The word counts of both sides of the training text of each pair."""
        return {
            f"{side}_counts": [
                f"{self.root}/word-counts/{pair}/{pair.split('-')[n]}.tsv" for pair in pairs
            ]
            for n, side in enumerate(["source", "target"])
        }

    def translations(
        self, stage: str, systems: list[str], named: Iterable[tuple[str, str]]
    ) -> list[str]:
        """Translations of texts by the finished ones of some systems: first seed, widest beam."""
        return [
            f"{self.root}/{stage}/{pair}/{system}/{self.seeds[0]}/{text}.beam{self.beam}.gz"
            for pair, text in named
            for system in systems
            if system in self.finished(pair)
        ]

    def trained_on(self, stage: str, ending: str) -> list[str]:
        """A stage's counts of each part of the training texts of all pairs."""
        return [
            f"{self.root}/{stage}/{pair}/{part}.{ending}"
            for pair in self.all_pairs
            for part in places.training_parts(self.configuration, pair)
        ]

    def of_pairs(self, stage: str, pairs: Iterable[str], ending: str = ".json") -> list[str]:
        """A file of a stage for each pair."""
        return [f"{self.root}/{stage}/{pair}{ending}" for pair in pairs]

    def parts(self, about: str | None = None) -> list[Part]:
        """All parts, or those about systems or corpora. A part may need the tables before it."""
        found = [self.scores(), self.trainings(), self.corpora(), self.sentences()]
        found.append(self.unknown_words())
        if self.name == "choi2017":
            found += [self.symbolization(), self.contextualization()]
        return [part for of in found for part in of if about in (None, part.about)]

    def scores(self) -> Iterator[Part]:
        """Tables and figures of scores."""
        table = self.entry["table"]
        bleu = {"bleu_table": [f"{self.folder}/tables/{table}.json"]}
        tests = {"significance_table": [f"{self.folder}/tables/significance.json"]}
        compared = {"significance": self.compared("significance")}
        scores = "score/{pair}/{system}/{seed}/scores.json"
        yield Part(
            "bleu-table",
            [table],
            [],
            {
                "scores": self.runs(scores),
                "ensemble_scores": self.runs(scores, ["ensemble"]) if self.ensembles else [],
                **compared,
            },
        )
        yield Part("significance", ["significance"], [], compared)
        if self.entry.get("claims"):
            first = {"significance": self.compared("significance", 1)}
            yield Part("claims", ["claims"], [], bleu | first)
        yield Part("literature", ["literature"], [], bleu)
        yield Part("gains", [], [f"gains.{pair}" for pair in self.pairs], bleu | tests)
        lengths = {"scores": self.compared("length-scores", 1)}
        yield Part("lengths", [], [f"lengths.{pair}" for pair in self.pairs], lengths)
        yield Part("length-scores", ["length-scores"], [], lengths)
        tagged = [(pair, text) for pair in self.pairs for text in self.tagged(pair)]
        if tagged:
            phenomena = [
                f"{self.root}/phenomena/{pair}/{system}/{seed}/{text}.json"
                for pair, text in tagged
                for system in self.finished(pair)
                for seed in self.seeds
            ]
            yield Part("phenomena", ["phenomena"], [], {"phenomena": phenomena})

    def trainings(self) -> Iterator[Part]:
        """Tables and figures of trainings."""
        logs = {"log": self.runs("train/{pair}/{system}/{seed}/log.jsonl")}
        models = {"model": self.runs("train/{pair}/{system}/{seed}/model.json")}
        drawn = [
            f"curves.{pair}.{quantity}" for pair in self.pairs for quantity in ("bleu", "loss")
        ]
        yield Part("curves", [], drawn, logs)
        yield Part("trainings", ["trainings"], [], models | logs)

    def corpora(self) -> Iterator[Part]:
        """Tables and figures of the cleaning and selection of training texts."""
        cleaned = {"removed": self.trained_on("clean", "removed.json")}
        yield Part("cleaning", ["cleaning"], [], cleaned, about=CORPORA)
        pairs = [pair for pair in self.all_pairs if self.configuration["select"].get(pair)]
        rankings = {"ranking": self.of_pairs("rank", pairs)}
        selected = {"selected": self.trained_on("select", "selected.json")}
        yield Part("selection", ["selection"], [], selected | rankings, about=CORPORA)
        if pairs:
            yield Part(
                "selection-figures",
                [],
                [f"selection.{pair}.{kind}" for pair in pairs for kind in ("scores", "perplexity")],
                {**rankings, "perplexity": self.of_pairs("perplexity", pairs)},
                about=CORPORA,
            )

    def sentences(self) -> Iterator[Part]:
        """Single sentences: translations, differences, alignments."""
        texts = [(pair, text) for pair in self.pairs for text in self.texts(pair, "dev", "test")]
        yield Part(
            "examples",
            ["examples"],
            [],
            {
                "source": self.side(0, texts),
                "reference": self.side(1, texts),
                "hypothesis": self.translations("restore", self.systems, texts),
            },
        )
        first = [(pair, text) for pair in self.pairs for text in self.texts(pair, "test")[:1]]
        yield Part(
            "differences",
            ["differences"],
            [],
            {
                "source": self.side(0, first),
                "reference": self.side(1, first),
                **self.counts(self.pairs),
                "hypothesis": self.translations("restore", self.systems, first),
            },
        )
        yield from self.alignments(self.entry.get("alignments") or "", texts)

    def alignments(self, system: str, texts: list[tuple[str, str]]) -> Iterator[Part]:
        """Alignments of a system, if it takes part and has attention."""
        there = system in self.systems and self.entry["systems"][system]["model"]["attention"]
        pairs = [pair for pair in self.pairs if there and system in self.finished(pair)]
        if not pairs:
            return
        texts = [(pair, text) for pair, text in texts if pair in pairs]
        chosen = self.entry.get("sentences", {})
        view = self.view(system)
        stage = {"word": "tokenize", "sym": "symbolize"}.get(view, "bpe")
        above = f"{view}/" if stage == "bpe" else ""
        yield Part(
            "alignments",
            [],
            [
                f"alignments.{pair}.{kind}"
                for pair in pairs
                for kind in (["chosen", "random"] if chosen.get(pair) else ["random"])
            ],
            {
                "translation": self.translations("translate", [system], texts),
                "view": [
                    f"{self.root}/{stage}/{pair}/{above}{text}.{pair.split('-')[0]}.gz"
                    for pair, text in texts
                ],
                "source": self.side(0, texts),
                "reference": self.side(1, texts),
                **self.counts(pairs),
            },
        )

    def unknown_words(self) -> Iterator[Part]:
        """The gain of replacing unknown words."""
        scores = "score/{pair}/{system}/{seed}/"
        replaced = "replace-unknown/{pair}/{system}/{seed}/replaced.json"
        files = {
            "scores": self.runs(scores + "scores.json", only=self.replaces),
            "replaced_scores": self.runs(scores + "replaced.json", only=self.replaces),
            "statistics": self.runs(replaced, only=self.replaces),
        }
        if files["scores"]:
            yield Part("unknown-words", ["unknown-words"], [], files)

    def symbolization(self) -> Iterator[Part]:
        """Symbols: coverage, precision and recall, restoration."""
        pairs = self.all_pairs
        yield Part("table2", ["table2"], [], {}, about=CORPORA)
        counted = {stage: self.of_pairs(stage, pairs) for stage in ("coverage", "pairs")}
        yield Part("table3", ["table3"], [], counted, about=CORPORA)
        rules = {"rules": self.of_pairs("rule-dictionary", pairs, "/rules.tsv")}
        yield Part("symbols", ["symbols"], [], rules, about=CORPORA)
        if any("sym" in self.view(system) for system in self.systems):
            scored = {"symbol_scores": self.of_pairs("symbol-scores", pairs)}
            for name in ("symbol-scores", "symbol-errors"):
                yield Part(name, [name], [], scored, about=CORPORA)
            restored = {"restored": self.runs("restore/{pair}/{system}/{seed}/restored.json")}
            yield Part("restoration", ["restoration"], [], restored)

    def contextualization(self) -> Iterator[Part]:
        """Effects of the contextualizer on words."""
        charts = {"charts": self.of_pairs("local-charts", self.pairs)}
        yield Part("table1", ["table1"], [], charts)
        drawn = [f"local-charts.{pair}" for pair in self.pairs]
        yield Part("local-charts", [], drawn, charts)
        gates = {
            option: self.runs(
                f"train/{{pair}}/{{system}}/{{seed}}/{file}", only=self.contextualized
            )
            for option, file in {"model": "model.json", "log": "log.jsonl"}.items()
        }
        if gates["model"]:
            yield Part("gates", ["gates"], [], gates)
        masked = [
            (pair, system, (self.tagged(pair) or self.texts(pair, "test"))[0])
            for pair in self.pairs
            for system in self.masked(pair)
        ]
        if masked:
            masks = {
                "masks": [
                    f"{self.root}/masks/{pair}/{system}/{seed}/{text}.json"
                    for pair, system, text in masked
                    for seed in self.seeds
                ]
            }
            yield Part("masks", ["masks"], [], masks)
            pairs = dict.fromkeys(pair for pair, *_ in masked)
            word = {"word": self.entry["inspected_words"][0]}
            drawn = [f"masks.{pair}" for pair in pairs]
            yield Part("masks-figure", [], drawn, masks, options=word)

    def masked(self, pair: str) -> list[str]:
        """The finished systems with contextualizer, if their text is most like plain words."""
        systems = [system for system in self.systems if self.contextualized(pair, system)]
        ranks = {system: VIEWS.index(self.view(system)) for system in systems}
        plainest = [system for system in systems if ranks[system] == min(ranks.values())]
        return [system for system in plainest if system in self.finished(pair)]

    def files(self, about: str | None = None) -> list[str]:
        """Input files of the parts about systems, corpora or both, without duplicates.

        Tables of the report itself are no inputs.
        """
        parts = self.parts(about)
        named = [path for part in parts for paths in part.files.values() for path in paths]
        if about != CORPORA:
            named += [path for of_runs in self.trained() for path in of_runs]
        return [path for path in dict.fromkeys(named) if not path.startswith(f"{self.folder}/")]

    def inputs(self, about: str | None = None) -> list[str]:
        """Inputs for a Snakemake rule: the folder where a stage makes folders, else the file."""
        folders = tuple(f"{self.root}/{stage}/" for stage in OF_FOLDERS)
        found = [
            path.rpartition("/")[0] if path.startswith(folders) else path
            for path in self.files(about)
        ]
        return list(dict.fromkeys(found))

    def outputs(self, part: Part, *suffixes: str) -> list[str]:
        """The files of a part in some of the formats of tables and figures."""
        return [
            f"{self.folder}/{kind}/{name}.{suffix}"
            for kind, names, formats in [
                ("tables", part.tables, TABLE_FORMATS),
                ("figures", part.figures, FIGURE_FORMATS),
            ]
            for suffix in suffixes
            if suffix in formats
            for name in names
        ]

    def described(
        self, about: str = SYSTEMS, digest: str = "", deviations: Iterable[dict[str, Any]] = ()
    ) -> dict[str, Any]:
        """The fields of `report.experiment.Experiment`.

        About systems, `pairs` are those with a finished system. `digest` is the digest of the
        configuration; `deviations` are settings that differ from the paper.
        """
        entry, pairs = self.entry, self.pairs if about == SYSTEMS else self.all_pairs
        gaps = self.own_gaps() if about == SYSTEMS else {}
        return {
            "name": self.name,
            "title": entry["title"],
            "table": entry["table"],
            "reconstruction": entry.get("reconstruction", ""),
            "methods": [{"id": key, **method} for key, method in entry["methods"].items()],
            "claims": entry.get("claims", []),
            "preset": self.configuration["preset"],
            "corpora": self.configuration["about"],
            "pairs": pairs,
            "systems": [
                {"id": id, **{key: entry["systems"][id][key] for key in ("label", "view")}}
                for id in self.systems
            ],
            "seeds": self.seeds,
            "beams": entry["decoding"]["beams"],
            "translations": endings(entry["decoding"]),
            "ensemble": self.ensembles,
            "dev": {pair: self.texts(pair, "dev") for pair in pairs},
            "test": {pair: self.texts(pair, "test") for pair in pairs},
            "sentences": {
                p: words for p, words in entry.get("sentences", {}).items() if p in pairs
            },
            "vocabulary_size": self.configuration["text"]["vocabulary_size"],
            "config_digest": digest,
            "deviations": list(deviations),
            **({"gaps": gaps} if gaps else {}),
        }


def endings(decoding: dict[str, Any]) -> list[str]:
    """Endings of the names of a text's translations, at each beam width the likeliest first.

    Width 1 has no ``.normalised``: greedy search finds one translation of a sentence.
    """
    return [
        f"beam{beam}{variant}"
        for beam in decoding["beams"]
        for variant, made in {
            "": True,
            ".no-unknown": decoding["no_unknown"],
            ".normalised": decoding["nbest"] and beam > 1,
        }.items()
        if made
    ]
