"""A results folder as the report of one experiment reads it: what is finished, and its files.

`Results` knows the layout of the folder. The workflow plans by it before any file exists; tables,
figures and page find their files by it. It knows the gaps and what is stale, too.
"""

import contextlib
import math
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import UndefinedError

from contextnmt.configuration.places import Configuration
from contextnmt.errors import UserError
from contextnmt.files import parse_json, read_small
from contextnmt.report.tables import Table, read_table

LANGUAGES = {
    "en": "English",
    "fr": "French",
    "de": "German",
    "fi": "Finnish",
    "cs": "Czech",
    "zh": "Chinese",
}

#: Type of a symbol, ``<N>_1`` -> what the tables call what it stands for.
SYMBOL_TYPES = {"N": "numbers", "S": "names", "C": "acronyms"}

#: The views of a text, from plain words to symbols and subwords.
VIEWS = ["word", "sym", "bpe", "sym-bpe"]

#: Stage that writes a text in a view, if it is not ``bpe``, which has a folder of each view.
VIEW_STAGES = {"word": "tokenize", "sym": "symbolize"}

#: Other choices of the names and acronyms of a source text that become symbols (A26), as the names
#: of its files end: all of them, and those with a rule in the rule dictionary.
CHOICES = ALL, DICTIONARY = ".all", ".dictionary"

#: Ending of a seed whose model translates test texts with these choices.
ABLATION = ".ablation"

#: Range of a difference: both ends belong to it. That of a better system is anything above zero.
Range = tuple[float, float]
BETTER: Range = (math.ulp(0.0), math.inf)

#: Language pair -> system -> why it is not finished, or what has changed since it was trained.
Reasons = dict[str, dict[str, str]]


class Run(NamedTuple):
    """One trained system: a language pair, a system and a seed."""

    pair: str
    system: str
    seed: int

    def __str__(self) -> str:
        return "/".join(map(str, self))


@dataclass(frozen=True)
class System:
    """One row of a BLEU table; `view` is how its text is written."""

    id: str
    label: str
    view: str


@dataclass(frozen=True)
class Method:
    """Something that a paper adds to a system.

    `contrasts` are pairs of systems (their ids) that differ in nothing else, with and without it.
    """

    id: str
    name: str
    contrasts: list[tuple[str, str]]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, as key `claims` of the configuration describes it."""

    says: str
    contrasts: list[tuple[str, str]] = field(default_factory=list)
    longer: bool = False
    section: str = ""
    quoted: list[tuple[str, str]] = field(default_factory=list)
    long_sentences: dict[str, int] = field(default_factory=dict)
    coverage: bool = False
    within: float | Mapping[str, float] | None = None
    at_least: float | Mapping[str, float] | None = None

    def claimed(self, pair: str) -> Range | None:
        """The range that the difference lies in, in points; None if the pair is not claimed."""
        stated = self.at_least if self.within is None else self.within
        points = stated.get(pair) if isinstance(stated, Mapping) else stated
        if points is None:
            return BETTER if stated is None else None
        return (points, math.inf) if self.within is None else (-points, points)


class Record(dict[str, Any]):
    """A block of JSON, which names the place it is from where a key is missing."""

    place: object

    def __missing__(self, key: str) -> Any:
        raise UserError(f"{self.place}: no {key} in it: make this file again")


#: Errors at a value of another type or size than its stage writes.
MISFITS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, UndefinedError)

#: Files of the records parsed in a block of `misfits_told`, and how many of them a message names.
PARSED: list[str] = []
SHOWN = 4


@contextlib.contextmanager
def misfits_told() -> Iterator[None]:
    """Turn errors at values that no stage writes into a UserError that names the files read last.

    It also names the line of code, since a mistake there has the same errors.
    """
    PARSED.clear()
    try:
        yield
    except MISFITS as error:
        places = list(dict.fromkeys(reversed(PARSED)))
        if not places:
            raise
        more = f" or another of {len(places)} files" if len(places) > SHOWN else ""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        code = f"{Path(frame.filename).name}, line {frame.lineno}"
        raise UserError(
            f"{' or '.join(places[:SHOWN])}{more}: a value in it is not what its stage writes "
            f"({type(error).__name__}: {error}): make the file again; if that changes nothing, "
            f"report a bug in {code}"
        ) from error


def parse(text: bytes | str, place: object) -> Record:
    """A block of JSON whose blocks are `Record`; `place` is its file, or file and line.

    Raises UserError if it is no such block, and where a key is asked for that it lacks.
    """

    def record(block: dict[str, Any]) -> Record:
        made = Record(block)
        made.place = place
        return made

    content = parse_json(text, place, object_hook=record)
    PARSED.append(str(place).partition(", line ")[0])
    if not isinstance(content, Record):
        raise UserError(f"{place}: not what a stage writes: make this file again")
    return content


def read_record(path: Path) -> Any:
    """The content of a JSON file, by `parse`."""
    return parse(read_small(path), path)


@dataclass(frozen=True)
class Results:
    """One paper's systems on one preset's corpora, in a results folder.

    Each dictionary of files below has them in the order of tables.
    """

    folder: Path
    name: str
    title: str
    table: str  #: name of its BLEU table; ``table4``, where it is the paper's Table 4
    reconstruction: str  #: what of the paper is missing; empty if nothing is
    preset: str
    corpora: str  #: what the preset says about its corpora
    all_pairs: list[str]
    systems: list[System]
    methods: list[Method]
    claims: list[Claim]
    seeds: list[int]
    beams: list[int]
    translations: list[str]  #: of each text, as their names end: ``beam12``, ``beam12.no-unknown``
    ensemble: bool  #: whether the seeds of each system also translate together
    dev: dict[str, list[str]]
    test: dict[str, list[str]]
    sentences: dict[str, list[str]]  #: to be shown, of each pair, by words that they have in a row
    vocabulary_size: int
    #: Language pair -> the parts of its training texts, and the test text with tagged words.
    parts: dict[str, list[str]]
    tagged: dict[str, str]
    #: Language pairs whose training text is a selection.
    selected: list[str] = field(default_factory=list)
    #: Pair and system: those with a contextualizer, and those whose unknown words are replaced.
    contextualized: list[tuple[str, str]] = field(default_factory=list)
    replaced: list[tuple[str, str]] = field(default_factory=list)
    #: Likewise those that translate in the page.
    tried: list[tuple[str, str]] = field(default_factory=list)
    #: Likewise those that also translate with other `CHOICES`, and why some have not done so.
    ablated: list[tuple[str, str]] = field(default_factory=list)
    ablation_gaps: Reasons = field(default_factory=dict)
    external_rules: bool = False  #: whether they help to symbolize numbers
    symbol_threshold: float = 0.0  #: likelihood from which on a name of a source is a symbol
    aligned: str = ""  #: the system whose alignments are drawn
    word: str = ""  #: the word whose masks are drawn
    config_digest: str = ""
    #: Settings that are not the paper's: key, paper, here, system (a label; empty: all).
    deviations: list[Mapping[str, Any]] = field(default_factory=list)
    gaps: Reasons = field(default_factory=dict)
    stale: Reasons = field(default_factory=dict)
    pretrained: Reasons = field(default_factory=dict)
    configuration: Configuration = field(default_factory=dict)

    @cached_property
    def pairs(self) -> list[str]:
        """The language pairs with a finished system."""
        return [pair for pair in self.all_pairs if self.finished(pair)]

    @cached_property
    def runs(self) -> list[Run]:
        """Every finished run, pair by pair, the systems in the order of the paper's table."""
        return [
            Run(pair, system.id, seed)
            for pair in self.pairs
            for system in self.finished(pair)
            for seed in self.seeds
        ]

    @property
    def beam(self) -> int:
        """The widest beam, the one of the headline numbers."""
        return max(self.beams)

    @property
    def mark(self) -> str:
        """The mark behind every title of an experiment that is a reconstruction."""
        return " (reconstruction)" if self.reconstruction else ""

    def gap(self, pair: str, system: str) -> str:
        """Why a system is not finished in a language pair; empty if it is."""
        return self.gaps.get(pair, {}).get(system, "")

    def finished(self, pair: str) -> list[System]:
        """The systems that are finished in a language pair: all of them, where none is a gap."""
        return [system for system in self.marked(pair) if not self.gap(pair, system.id)]

    def marked(self, pair: str) -> list[System]:
        """The systems as they stand beside their numbers of a language pair.

        Those that are stale or pretrained have a mark on their labels.
        """
        kinds = {"stale": self.stale, "pretrained": self.pretrained}
        found = {kind: reasons.get(pair, {}) for kind, reasons in kinds.items()}
        return [
            replace(system, label=" ".join([system.label, *marks]))
            for system in self.systems
            for marks in [[f"({kind})" for kind in found if system.id in found[kind]]]
        ]

    def labels(self, pair: str) -> dict[str, str]:
        """System -> its label as it stands beside its numbers of a language pair."""
        return {system.id: system.label for system in self.marked(pair)}

    def pair_title(self, pair: str) -> str:
        """The title of a figure or table with results of a language pair."""
        return pair_title(pair) + self.mark

    def texts(self, pair: str) -> list[str]:
        """The texts of a language pair that are translated: test texts first, then dev texts."""
        return list(dict.fromkeys([*self.test[pair], *self.dev[pair]]))

    def unfinished(self) -> str:
        """The reason for having no report, where no system is finished."""
        reasons = {
            f"{pair} {system}": reason
            for pair, found in self.gaps.items()
            for system, reason in found.items()
        }
        reason = gap_of_system(reasons)
        return f"no system of {self.name} is finished ({reason}): leave out gaps=true to train"

    # Files of runs

    def of_runs(self, stage: str, ending: str) -> dict[Run, Path]:
        """A file of each finished run."""
        return {run: self.folder / f"{stage}/{run}{ending}" for run in self.runs}

    def models(self) -> dict[Run, Path]:
        """The content of `model.json` of each model."""
        return self.of_runs("train", "/model.json")

    def logs(self) -> dict[Run, Path]:
        """The log of each training."""
        return self.of_runs("train", "/log.jsonl")

    def identities(self) -> dict[Run, Path]:
        """The record with which each training began."""
        return self.of_runs("train-identity", ".json")

    def scores(self) -> dict[Run, Path]:
        """The scores of each run's translations."""
        return self.of_runs("score", "/scores.json")

    def ensemble_scores(self) -> dict[tuple[str, str], Path]:
        """The scores of the ensemble of all seeds of a pair and system."""
        return {
            run[:2]: self.folder / f"score/{run.pair}/{run.system}/ensemble/scores.json"
            for run in self.runs
            if self.ensemble
        }

    def phenomena(self) -> dict[Run, Path]:
        """Counts of tagged words in translations, where a test text has tags."""
        return {
            run: self.folder / f"phenomena/{run}/{self.tagged[run.pair]}.json"
            for run in self.runs
            if run.pair in self.tagged
        }

    def browser_models(self) -> dict[Run, Path]:
        """The models in the page: of each system in `tried`, that of the first seed."""
        models = self.of_runs("browser-model", ".json").items()
        first = self.seeds[0]
        return {run: at for run, at in models if run[:2] in self.tried and run.seed == first}

    def masks(self) -> dict[Run, Path]:
        """Context masks of the systems with contextualizer whose text is most like plain words."""
        views = {system.id: VIEWS.index(system.view) for system in self.systems}
        plainest = {
            pair: min(views[system] for of, system in self.contextualized if of == pair)
            for pair, _ in self.contextualized
        }
        return {
            run: self.folder
            / f"masks/{run}/{self.tagged.get(run.pair, self.test[run.pair][0])}.json"
            for run in self.runs
            if run[:2] in self.contextualized and views[run.system] == plainest[run.pair]
        }

    def replacements(self) -> dict[Run, list[Path]]:
        """Scores of translations whose unknown words are replaced, and counts of these words."""
        stages, runs = ("score", "replace-unknown"), self.runs
        files = {run: [self.folder / f"{s}/{run}/replaced.json" for s in stages] for run in runs}
        return {run: of_run for run, of_run in files.items() if run[:2] in self.replaced}

    def ablation_scores(self) -> dict[Run, Path]:
        """Scores of the translations of test texts with other `CHOICES` of symbols."""
        scores = self.of_runs("score", f"{ABLATION}/scores.json").items()
        gaps = self.ablation_gaps
        return {
            run: path
            for run, path in scores
            if run[:2] in self.ablated and run.system not in gaps.get(run.pair, {})
        }

    def symbolized_sources(self) -> dict[tuple[str, str, str], Path]:
        """The source of each test text with symbols, by pair, text and choice; "" is the usual one.

        Of the pairs with `ablation_scores`.
        """
        pairs = dict.fromkeys(run.pair for run in self.ablation_scores())
        return {
            (pair, text, choice): self.side(pair, f"{text}{choice}", 0, "sym")
            for pair in pairs
            for text in self.test[pair]
            for choice in ("", *CHOICES)
        }

    @cached_property
    def aligned_pairs(self) -> list[str]:
        """The language pairs in which the system is finished whose alignments are drawn."""
        return [pair for pair in self.pairs if self.aligned and not self.gap(pair, self.aligned)]

    def translation(self, stage: str, pair: str, system: str, text: str) -> Path:
        """A translation of a text: first seed, widest beam."""
        return self.folder / f"{stage}/{pair}/{system}/{self.seeds[0]}/{text}.beam{self.beam}.gz"

    def compared(self, stage: str, texts: int | None = None) -> dict[tuple[str, str], Path]:
        """The files of a stage on all systems, by pair and the first `texts` test texts, or all."""
        return {
            (pair, text): self.folder / f"{stage}/{self.name}/{pair}/{text}.beam{self.beam}.json"
            for pair in self.pairs
            for text in self.test[pair][:texts]
        }

    def read_compared(self, stage: str, texts: int | None = None) -> dict[tuple[str, str], Record]:
        """Their contents; a system that is not finished has its `gap` among the `systems`."""
        found = {of: read_record(path) for of, path in self.compared(stage, texts).items()}
        for (pair, _), content in found.items():
            content["systems"] |= {
                system: {"gap": gap} for system, gap in self.gaps.get(pair, {}).items()
            }
        return found

    # Files of texts

    def side(self, pair: str, text: str, number: int, view: str = "word") -> Path:
        """One side (0: source, 1: target) of a text in a view."""
        stage = VIEW_STAGES.get(view, "bpe")
        above = f"{view}/" if stage == "bpe" else ""
        return self.folder / f"{stage}/{pair}/{above}{text}.{pair.split('-')[number]}.gz"

    def word_counts(self, pair: str) -> list[Path]:
        """The words of the training text of a language pair with their counts: source, target."""
        return [self.folder / f"word-counts/{pair}/{side}.tsv" for side in pair.split("-")]

    def of_pairs(self, stage: str, pairs: Iterable[str], ending: str = ".json") -> dict[str, Path]:
        """A file of a stage for each pair."""
        return {pair: self.folder / f"{stage}/{pair}{ending}" for pair in pairs}

    def of_parts(self, stage: str, ending: str) -> dict[str, dict[str, list[Path]]]:
        """Files of a stage for the parts of each training text, by pair and text."""
        found: dict[str, dict[str, list[Path]]] = {}
        for pair in self.all_pairs:
            of_pair = found.setdefault(pair, {})
            for part in self.parts[pair]:
                path = self.folder / f"{stage}/{pair}/{part}.{ending}"
                of_pair.setdefault(part.partition(".")[0], []).append(path)
        return found

    # Files of the report

    @property
    def report(self) -> Path:
        """The folder of the experiment's report."""
        return self.folder / "report" / self.name

    def read_table(self, name: str) -> Table:
        """A finished table of the report."""
        return read_table(self.report / "tables" / f"{name}.json")


def pair_title(pair: str) -> str:
    """``English → French`` for ``en-fr``."""
    return " → ".join(LANGUAGES.get(language, language) for language in pair.split("-"))


def pair_of(title: str) -> str:
    """The one language pair whose title (`pair_title`) a text has in it.

    Empty if it has none, or several.
    """
    found = set(re.findall(r"(\w+) → (\w+)", title))
    codes = {name: code for code, name in LANGUAGES.items()}
    return "-".join(codes.get(name, name) for name in found.pop()) if len(found) == 1 else ""


def gap_of_system(of_runs: Mapping[str, str]) -> str:
    """The gap of a system, from those of its runs by their names (``seed 2``, ``ensemble``).

    Likewise the changes that make it stale. Runs with the same reason share it; the names go where
    all have it.
    """
    names: dict[str, list[str]] = {}
    for name, reason in of_runs.items():
        if reason:
            names.setdefault(reason, []).append(name)
    if len(names) == 1 and len(next(iter(names.values()))) == len(of_runs):
        return next(iter(names))
    return "; ".join(f"{', '.join(each)}: {reason}" for reason, each in names.items())
