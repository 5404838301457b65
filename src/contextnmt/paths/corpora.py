"""Files from the corpora to the selected training text, and options of their commands."""

from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path

from contextnmt.configuration import places
from contextnmt.configuration.keys import CorpusFile, Selection
from contextnmt.configuration.places import place
from contextnmt.files import file_digest
from contextnmt.paths.basis import SIDES, Basis, Input, Settings, Wildcards, options, pair_of

SURVEYING_FILTERS = ["wrong_language", "drop_duplicates"]
LANGUAGE_MODELS = ["vocabulary.txt", "in-domain.npz", "general.npz"]

#: Bytes of a local file up to which its content counts, else its date, as for Snakemake by
#: `max-checksum-file-size` of the profiles.
LARGEST_HASHED = 100_000_000


@cache
def version(path: Path) -> str:
    """Return a mark of the content of a local file; of a large one, of its size and date."""
    state = path.stat()
    if state.st_size > LARGEST_HASHED:
        return f"{state.st_size} bytes of {state.st_mtime_ns}"
    return file_digest(path)


def extracted_parts(side: str, count: int) -> list[str]:
    """Output names: one side of a text that is cut into `count` parts."""
    return [
        f"<results>/extract/{{source}}-{{target}}/{part}.{{{side}}}.gz"
        for part in places.numbered("{text}", count)
    ]


def extraction(pair: str, text: str, count: int) -> str:
    """Name of the log of an extraction into `count` parts."""
    return f"extract/{pair}/{text}" + (f".{count}" if count > 1 else "")


def digests(entry: Settings) -> list[str]:
    """Digests of a corpus file as options of `extract`, the best one first."""
    return [f"{kind}:{digest}" for kind, digest in CorpusFile(**entry).digests.items()]


class Corpora(Basis):
    def file_entry(self, wildcards: Wildcards) -> Settings:
        """Settings of a file of a corpus."""
        files: Settings = self.configuration["corpora"][wildcards.corpus]["files"]
        return files[wildcards.file]  # type: ignore[no-any-return]

    def archive(self, pair: str, text: str, language: str) -> tuple[str, str | None, str | None]:
        """Path of the file with one side of a text, its member or None, and its digest or None.

        The package makes some files itself (generate); they have no fixed digest. Others are the
        user's own (local) and are read where they are.
        """
        corpus, file, member = place(self.configuration, pair, text, language)
        entry = self.configuration["corpora"][corpus]["files"][file]
        stage = "generate" if "generator" in entry else "download"
        path = entry.get("local", f"{self.results}/{stage}/{corpus}/{file}")
        return path, member, next(iter(digests(entry)), None)

    def archive_of(self, wildcards: Wildcards, side: str) -> tuple[str, str | None, str | None]:
        """The archive of the `side` source or target of rule extract, as of `archive`."""
        return self.archive(pair_of(wildcards), wildcards.text, wildcards[side])

    def archived(self, side: str, parts: int) -> Callable[[Wildcards], str]:
        """Input or param function: one side of a text, FILE or, in two parts, FILE::MEMBER."""
        return lambda wildcards: "::".join(filter(None, self.archive_of(wildcards, side)[:parts]))

    def versions(self, files: Callable[[Wildcards], Iterable[str]]) -> Callable[[Wildcards], str]:
        """Param function: the versions of those of an input function's files that are local.

        Snakemake itself looks at a file only if it is younger than what was made of it.
        """
        corpora = self.configuration["corpora"].values()
        own = {file.get("local") for corpus in corpora for file in corpus["files"].values()}
        return lambda wildcards: " ".join(
            version(Path(file)) for file in dict.fromkeys(files(wildcards)) if file in own
        )

    def extraction_options(self, wildcards: Wildcards) -> str:
        """Options of `extract`: columns and digests, as far as stated."""
        entry, pair = self.text_entry(wildcards.text), pair_of(wildcards)
        columns = {name: n for n, name in enumerate(entry.get("columns", []), 1)}
        of_side = partial(places.side, self.configuration, pair, wildcards.text)
        stated = {
            **{f"--{s}-column": columns.get(of_side(wildcards[s])["column"]) for s in SIDES},
            "--columns": len(columns),
            **{f"--{side}-digest": self.archive_of(wildcards, side)[2] for side in SIDES},
        }
        return " ".join(f"{option} {value}" for option, value in stated.items() if value)

    def stated_counts(self, wildcards: Wildcards) -> str:
        """Options of `extract`: the numbers of pairs, as far as stated."""
        entry, pair = self.text_entry(wildcards.text), pair_of(wildcards)
        found = {key: places.stated(entry, key, pair) for key in ("lines", "lines_recalled")}
        return options(**{key: [count] for key, count in found.items() if count})

    def copies(self) -> str:
        """The options that name places with copies of downloads."""
        hand_placed = self.configuration["hand_placed"]
        mirrors = self.configuration["mirrors"]
        return options(mirror=mirrors, hand_placed=[hand_placed] if hand_placed else [])

    def needs_survey(self, pair: str, text: str, *filters: str) -> bool:
        """Whether a filter of clean, one of these or any, needs a survey of all parts of a text.

        Of a text in one piece, it can survey all by itself.
        """
        clean = self.configuration["clean"][pair]
        wanted = any(clean.get(name) for name in filters or SURVEYING_FILTERS)
        return wanted and self.shards(text) > 1

    def surveyed(self, pattern: str, wanted: str) -> Input:
        """Input function: what the filter `wanted` of clean has to know of all parts of a text."""
        return lambda wildcards: [
            self.filled(f"survey/{pair_of(wildcards)}/{pattern}", wildcards, part=part)
            for text in [wildcards.part.partition(".")[0]]
            if self.needs_survey(pair_of(wildcards), text, wanted)
            for part in self.parts(text)
        ]

    def earlier_and_own(self, inputs: Input) -> Input:
        """Input function: those of the files by `inputs` up to the part's own."""
        return lambda wildcards: [
            path
            for number, path in enumerate(inputs(wildcards))
            if number <= self.parts(wildcards.part.partition(".")[0]).index(wildcards.part)
        ]

    def tokenized(self, language: str, texts: Callable[[str], list[str]]) -> Input:
        """Input function: tokenized texts of a pair; `language` names a wildcard."""
        return lambda wildcards: [
            f"{self.results}/tokenize/{pair_of(wildcards)}/{text}.{wildcards[language]}.gz"
            for text in texts(pair_of(wildcards))
        ]

    def models_prefix(self, wildcards: Wildcards, side: str) -> str:
        """Prefix of the names of the language models of one side of a pair."""
        return f"{self.results}/language-models/{pair_of(wildcards)}/{wildcards[side]}"

    def language_models(self, side: str) -> Input:
        """Input function: the models that score one side of the pool."""
        return lambda wildcards: [
            f"{self.models_prefix(wildcards, side)}.{file}" for file in LANGUAGE_MODELS
        ]

    def if_selected(self, pattern: str) -> Input:
        """Input function: the file by `pattern`, for a pair whose training text is selected."""
        return lambda wildcards: (
            [self.filled(pattern, wildcards)] if self.selection(pair_of(wildcards)) else []
        )

    def perplexity_words(self, wildcards: Wildcards) -> int:
        """The most words that the models of rule perplexity are made of."""
        return Selection(**self.selection(pair_of(wildcards))).perplexity_words

    def selection_limit(self, wildcards: Wildcards) -> str:
        """The option that says how much is selected."""
        selection = self.selection(wildcards.pair)
        limits = {key: selection.get(key) for key in ["target_words", "pairs"]}
        return options(**{key: [limit] for key, limit in limits.items() if limit})

    def all_training_parts(self) -> list[tuple[str, str]]:
        """Every part of a training text, as (pair, part)."""
        return [(pair, part) for pair in self.pairs for part in self.training_parts(pair)]

    def other_texts(self) -> list[tuple[str, str]]:
        """Every dev, test and in-domain text, as (pair, text), with all references of the first."""
        found = []
        for pair in self.pairs:
            evaluated = (self.references_of(pair, text) for text in self.evaluated_texts(pair))
            texts = places.distinct([*evaluated, self.in_domain_texts(pair)])
            found += [(pair, text) for text in texts]
        return found

    def of_pairs(self, pattern: str, names: Iterable[tuple[str, str]]) -> list[str]:
        """One result for each of `names`, (pair, name), which fill the braces of `pattern`."""
        return [f"{self.results}/{pattern.format(pair, name)}" for pair, name in names]

    def side_files(self, stage: str, names: Iterable[tuple[str, str]]) -> list[str]:
        """Both sides of the texts `names`, each (pair, text), as a stage wrote them."""
        return [
            f"{self.results}/{stage}/{pair}/{text}.{language}.gz"
            for pair, text in names
            for language in pair.split("-")
        ]

    def archive_files(self) -> list[str]:
        """Every file that a text lies in, but for the user's own."""
        trained = [(pair, part.partition(".")[0]) for pair, part in self.all_training_parts()]
        files = {
            self.archive(pair, text, language)[0]
            for pair, text in trained + self.other_texts()
            for language in pair.split("-")
        }
        return sorted(file for file in files if file.startswith(f"{self.results}/"))

    def surveyed_parts(self) -> list[tuple[str, str]]:
        """Every part of a training text that clean needs a survey of, as (pair, part)."""
        parts = [(pair, part, part.partition(".")[0]) for pair, part in self.all_training_parts()]
        return [(pair, part) for pair, part, text in parts if self.needs_survey(pair, text)]
