"""What a report is about, and which input file belongs to which run.

The inputs are found by the folders of their path, ``…/{pair}/{system}/{seed}/{file}``, so a caller
may list them in any order.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from contextnmt.errors import UserError

LANGUAGES = {"en": "English", "fr": "French", "de": "German", "fi": "Finnish", "cs": "Czech"}

#: Type of a symbol, ``<N>_1`` -> what the tables call what it stands for.
SYMBOL_TYPES = {"N": "numbers", "S": "names", "C": "acronyms"}

Key = TypeVar("Key")


class Run(NamedTuple):
    """One trained system: a language pair, a system and a seed."""

    pair: str
    system: str
    seed: int


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
    """What a paper says: of each of these pairs of systems, the first one is better.

    `longer`: it says that long sentences show it by more BLEU than short ones.
    """

    says: str
    contrasts: list[tuple[str, str]]
    longer: bool = False


@dataclass(frozen=True)
class Deviation:
    """A setting that is not the paper's, of the system with this label (empty: of all)."""

    key: str
    paper: str
    here: str
    system: str


@dataclass(frozen=True)
class Experiment:
    """One paper's systems on one preset's corpora; `dev` and `test` name the texts of each pair."""

    name: str
    title: str
    table: str  #: name of its BLEU table; ``table4``, where it is the paper's Table 4
    reconstruction: str  #: what of the paper is missing; empty if nothing is
    preset: str
    corpora: str  #: what the preset says about its corpora
    pairs: list[str]
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
    config_digest: str
    deviations: list[Deviation]
    #: Language pair -> system -> why it is not finished. A pair of which nothing is finished stands
    #: here alone, not among `pairs`.
    gaps: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Language pair -> system -> what has changed since it was trained, if anything has.
    stale: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def runs(self) -> list[Run]:
        """Every finished run, pair by pair, the systems in the order of the paper's table."""
        return [
            Run(pair, system.id, seed)
            for pair in self.pairs
            for system in self.finished(pair)
            for seed in self.seeds
        ]

    def gap(self, pair: str, system: str) -> str:
        """Why a system is not finished in a language pair; empty if it is."""
        return self.gaps.get(pair, {}).get(system, "")

    def finished(self, pair: str) -> list[System]:
        """The systems that are finished in a language pair: all of them, where none is a gap."""
        return [system for system in self.marked(pair) if not self.gap(pair, system.id)]

    def marked(self, pair: str) -> list[System]:
        """The systems as they stand beside their numbers of a language pair: those that are stale
        with a mark on their labels."""
        found = self.stale.get(pair, {})
        return [
            replace(system, label=f"{system.label} (stale)") if system.id in found else system
            for system in self.systems
        ]

    def labels(self, pair: str) -> dict[str, str]:
        """System -> its label as it stands beside its numbers of a language pair."""
        return {system.id: system.label for system in self.marked(pair)}

    @property
    def beam(self) -> int:
        """The widest beam, the one of the headline numbers."""
        return max(self.beams)

    @property
    def mark(self) -> str:
        """What stands behind every title of an experiment whose paper does not tell it all."""
        return " (reconstruction)" if self.reconstruction else ""

    def pair_title(self, pair: str) -> str:
        """The title of a figure or table with results of a language pair."""
        return pair_title(pair) + self.mark


def experiment_of(content: Mapping[str, Any]) -> Experiment:
    """The experiment that `report.contents.Contents.described` describes."""
    return Experiment(
        **{
            **content,
            "reconstruction": " ".join(content["reconstruction"].split()),
            "systems": [System(**each) for each in content["systems"]],
            "methods": [
                Method(each["id"], each["name"], [(a, b) for a, b in each["contrasts"]])
                for each in content["methods"]
            ],
            "claims": [
                Claim(**{**each, "contrasts": [(a, b) for a, b in each["contrasts"]]})
                for each in content["claims"]
            ],
            "deviations": [
                Deviation(each["key"], _shown(each["paper"]), _shown(each["here"]), each["system"])
                for each in content["deviations"]
            ],
        }
    )


def _shown(value: object) -> str:
    """A setting as a reader writes it: text bare, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def pair_title(pair: str) -> str:
    """``English → French`` for ``en-fr``."""
    return " → ".join(LANGUAGES.get(language, language) for language in pair.split("-"))


def pair_of(title: str) -> str:
    """The one language pair whose title (`pair_title`) a text has in it; empty if it has none, or
    several."""
    found = set(re.findall(r"(\w+) → (\w+)", title))
    codes = {name: code for code, name in LANGUAGES.items()}
    return "-".join(codes.get(name, name) for name in found.pop()) if len(found) == 1 else ""


def run_of(path: Path) -> Run:
    """The run of a file, by the three folders above it. Raises UserError if they are not a run."""
    try:
        pair, system, seed = path.absolute().parts[-4:-1]
        return Run(pair, system, int(seed))
    except ValueError:
        raise UserError(
            f"{path}: not a file of a run; its path should end in PAIR/SYSTEM/SEED/FILE"
        ) from None


def by_run(option: str, paths: list[Path], experiment: Experiment) -> dict[Run, Path]:
    """The one file of each of the experiment's runs, in the experiment's order.

    Raises UserError if a run has no file or two, or if a file belongs to no run.
    """
    return match(option, paths, run_of, experiment.runs)


def by_pair(option: str, paths: list[Path], experiment: Experiment) -> dict[str, Path]:
    """The one file of each language pair, named after the pair (``en-fr.json``).

    Raises UserError if a pair has no file or two, or if a file belongs to no pair.
    """
    return match(option, paths, first_of_name, experiment.pairs)


def by_some_pairs(option: str, paths: list[Path], experiment: Experiment) -> dict[str, Path]:
    """The same of those language pairs alone that have a file.

    Raises UserError if a pair has two, or if a file belongs to no pair.
    """
    there = set(map(first_of_name, paths))
    return match(option, paths, first_of_name, [p for p in experiment.pairs if p in there])


def first_of_name(path: Path) -> str:
    """The file's name up to the first dot: for one file a pair, the pair."""
    return path.name.split(".")[0]


def match(
    option: str, paths: list[Path], key_of: Callable[[Path], Key], keys: Iterable[Key]
) -> dict[Key, Path]:
    """The one path of each of `keys`, in their order.

    Raises UserError, naming `option` and the path or key, unless the two match one to one.
    """
    wanted = list(keys)
    found: dict[Key, Path] = {}
    for path in paths:
        key = key_of(path)
        if key not in wanted:
            raise UserError(f"{option} {path}: {_name(key)} is not part of the experiment")
        if key in found:
            raise UserError(f"{option}: {found[key]} and {path} are both of {_name(key)}")
        found[key] = path
    missing = [_name(key) for key in wanted if key not in found]
    if missing:
        raise UserError(f"{option}: no file for {', '.join(missing)}: make it and name it too")
    return {key: found[key] for key in wanted}


def _name(key: object) -> str:
    return "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
