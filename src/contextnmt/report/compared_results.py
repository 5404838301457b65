"""A results folder as a comparison needs it: its runs, how each was made, its translations.

What is half made counts as missing and says why: a comparison must not take the translations of an
older model for those of the one that is being trained.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import count_lines, read_json
from contextnmt.report.experiment import Run

#: The likeliest translations of a text; those with more in their names are of another search.
TRANSLATION = re.compile(r"(?P<text>[A-Za-z0-9_-]+)\.beam(?P<beam>[0-9]+)\.gz")

#: Runs that a message names at most.
NAMED = 5


class Translation(NamedTuple):
    """A text and the beam width that it was translated with."""

    text: str
    beam: int

    @property
    def name(self) -> str:
        """As its file is called, ``TEXT.beamN``."""
        return f"{self.text}.beam{self.beam}"


@dataclass(frozen=True)
class Results:
    """What is finished in a results folder.

    `records`: of each trained run, how it was made, see `record_of`. `translations`: of each
    translated run, files with a sentence of tokenized words a line. `gaps`: why runs have no
    translations. `unread`: why runs that have some tell nothing of how they were made.
    """

    folder: Path
    records: dict[Run, dict[str, Any]]
    translations: dict[Run, dict[Translation, Path]]
    gaps: dict[Run, str]
    unread: dict[Run, str]

    @property
    def runs(self) -> set[Run]:
        """All runs, finished or not."""
        return self.records.keys() | self.translations.keys() | self.gaps.keys()

    def reference(self, pair: str, text: str) -> Path:
        """Where the reference of a text lies, tokenized words."""
        return self.folder / "tokenize" / pair / f"{text}.{pair.rpartition('-')[2]}.gz"


def read_results(folder: Path) -> Results:
    """What is finished in a folder that `snakemake` wrote, as ``results/demo``.

    Raises UserError if there is no such folder, no run in it, or none that is finished.
    """
    if not folder.is_dir():
        what = "a file" if folder.exists() else "no such folder"
        raise UserError(f"{folder}: {what}: name a results folder, such as results/demo")
    runs = sorted({*runs_below(folder / "train"), *runs_below(folder / "restore")})
    if not runs:
        raise UserError(f"{folder}: no run in it, as train/PAIR/SYSTEM/SEED: {remedy(folder)}")
    found = Results(folder, {}, {}, {}, {})
    for run in runs:
        trained = place(folder, "train", run)
        gap = training_gap(trained) or translation_gap(folder, run)
        if gap:
            found.gaps[run] = gap
        else:
            found.translations[run] = translations_in(place(folder, "restore", run))
        try:
            found.records[run] = record_of(folder, run)
        except UserError as error:
            found.unread[run] = str(error)
    if not found.records and not found.translations:
        few = "; ".join(f"{run_name(run)}: {found.gaps[run]}" for run in runs[:NAMED])
        more = f"; and {len(runs) - NAMED} more" if len(runs) > NAMED else ""
        raise UserError(
            f"{folder}: no run in it is finished ({few}{more}): let the call of snakemake that "
            "makes it come to its end"
        )
    return found


def runs_below(folder: Path) -> Iterator[Run]:
    """The runs that have a folder PAIR/SYSTEM/SEED below `folder`; ensembles are none."""
    for path in folder.glob("*-*/*/*"):
        pair, system, seed = path.parts[-3:]
        if re.fullmatch("[0-9]+", seed) and path.is_dir():
            yield Run(pair, system, int(seed))


def remedy(folder: Path) -> str:
    """What to name in the place of a folder without runs: results in it, if there are some."""
    stages = [*folder.glob("*/train"), *folder.glob("results/*/train")]
    inside = sorted(str(path.parent) for path in stages)
    if inside:
        return f"name the folder of one preset, {' or '.join(inside)}"
    return "name a folder that `snakemake` has made, such as results/demo"


def place(folder: Path, stage: str, run: Run) -> Path:
    """Where a stage puts what it makes of a run."""
    return folder / stage / run.pair / run.system / str(run.seed)


def run_name(run: Run) -> str:
    """A run in words."""
    return f"{run.pair}/{run.system} seed {run.seed}"


def training_gap(trained: Path) -> str:
    """Why a run has no model, empty if it has one, or if nothing tells of its training."""
    if not trained.is_dir() or (trained / "model.json").is_file():
        return ""
    return "training not finished" if (trained / "state").is_dir() else "not trained"


def translation_gap(folder: Path, run: Run) -> str:
    """Why a trained run has no translations in words; empty if it has all."""
    restored, translated = (place(folder, stage, run) for stage in ("restore", "translate"))
    # restored.json is written last.
    if not translations_in(restored) or not (restored / "restored.json").is_file():
        return "trained, not translated" if not translated.is_dir() else "translated, not restored"
    # An older translation stays until its run is restored anew.
    if (folder / "translate").is_dir():
        for made in translations_in(restored).values():
            if not (translated / made.name).is_file():
                return f"being translated anew: no {translated / made.name}"
    return ""


def translations_in(folder: Path) -> dict[Translation, Path]:
    """The likeliest translations in the folder of a run, by text and beam width."""
    found = {
        Translation(match["text"], int(match["beam"])): path
        for path in folder.glob("*.gz")
        if (match := TRANSLATION.fullmatch(path.name))
    }
    return dict(sorted(found.items()))


def record_of(folder: Path, run: Run) -> dict[str, Any]:
    """How a run was made, in parts that can be compared with those of another one.

    `settings`: the blocks of the configuration that its model.json tells of. `data` and
    `environment` are the same in model.json. `run` is there if the run has a file for `contextnmt
    translate --run`, and `code` if its folder says which files it was trained with.

    Raises UserError if there is no model.json, or if it lacks one of these.
    """
    path = place(folder, "train", run) / "model.json"
    content = read_json(path)
    try:
        data = dict(content["data"])
        manifest = dict(data.pop("manifest"))
        vocabulary = dict(manifest.pop("vocabulary"))
        parts: dict[str, Any] = {
            "settings": {
                "model": dict(content["model"]),
                "training": dict(content["training"]),
                "text": {"vocabulary_size": vocabulary.pop("limit")},
            },
            "data": {**data, **manifest, "vocabulary": vocabulary},
            "environment": dict(content["environment"]),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: not what `train` writes ({error}): train this run") from None
    optional = {
        "run": (folder / "run" / run.pair / run.system / f"{run.seed}.json", text_settings),
        "code": (folder / "train-identity" / run.pair / run.system / f"{run.seed}.json", code_in),
    }
    for part, (file, meaning) in optional.items():
        if file.is_file():
            try:
                parts[part] = meaning(read_json(file), file.parent)
            except (KeyError, TypeError, ValueError, AttributeError):
                raise UserError(f"{file}: not what `snakemake` writes: make it again") from None
    return parts


def text_settings(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What the file of a run, in `folder`, tells of how its text is written.

    `view`, the threshold of symbols, whether subwords were learnt jointly, and how many merges of
    the source language, which are fewer than were asked for where a text had no more.
    """
    symbols, codes = content["symbols"], content["codes"]
    view = "-".join(["sym"] * bool(symbols) + ["bpe"] * bool(codes)) or "word"
    text: dict[str, Any] = {}
    if symbols:
        text["symbol_threshold"] = symbols["threshold"]
    if codes:
        path = folder / codes
        text["joint_bpe"] = "-" in path.name
        if path.is_file():
            text["merges_learnt"] = count_lines(path) - 1  # the first one has the version
    return {"view": view, "text": text}


def code_in(content: Mapping[str, Any], _: Path) -> dict[str, str]:
    """The source files that a training was begun with, and a digest of each."""
    return dict(mark.split("@") for mark in content["code"])
