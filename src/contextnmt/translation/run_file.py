"""The file of a run: its model, and what a sentence goes through before and after it."""

import difflib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic.dataclasses import dataclass

from contextnmt.configuration.values import KEYS, Share, read
from contextnmt.errors import UserError
from contextnmt.files import read_json

#: Runs that a message names at most.
NAMED = 10


@dataclass(frozen=True, config=KEYS)
class SymbolFiles:
    """Files that symbolize a source sentence and restore its translation."""

    counts: str
    """Words of the source side of the training text."""
    rates: str
    """How often the dictionary of rules made each word a symbol in training."""
    rules: str
    """The rule dictionary."""
    threshold: Share
    """Least rate at which a word becomes a symbol (A26)."""


@dataclass(frozen=True, config=KEYS)
class Run:
    """A trained system with one seed, from raw sentences to raw sentences."""

    source_language: str
    target_language: str
    model: str
    """Folder that `contextnmt train` wrote."""
    codes: str | None = None
    """Merges of the source language, in a view with subwords."""
    symbols: SymbolFiles | None = None
    """Files of a view with symbols."""


def read_run(path: Path) -> Run:
    """What the file of a run says. Its paths, which count from its folder, come as from here.

    Raises UserError if it is not such a file, or if something is missing that it names.
    """
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no such file"
        raise UserError(f"{path}: {what}\n{runs_near(path)}")
    try:
        run = run_of(str(path), read_json(path), Path(os.path.relpath(path.parent)))
    except UserError as error:
        raise UserError(f"not the file of a run: {error}\n{runs_near(path)}") from None
    needed = [f"{run.model}/model.safetensors", run.codes]
    if run.symbols:
        needed += [run.symbols.counts, run.symbols.rates, run.symbols.rules]
    for file in needed:
        if file and not Path(file).is_file():
            raise UserError(
                f"{file}: no such file, and {path} needs it: `snakemake --profile local {path}` "
                "makes what is missing (with the --config and --configfile of that run)"
            )
    return run


def run_of(name: str, block: Any, folder: Path) -> Run:
    """The run that a block describes, its paths counted from `folder`; `name` is for messages.

    Raises UserError if a key is missing or unknown, or a value of the wrong type.
    """

    def seen_from_here(part: Any, *paths: str) -> Any:
        places = {key: getattr(part, key) for key in paths}
        moved = {key: os.path.normpath(folder / path) for key, path in places.items() if path}
        return replace(part, **moved)

    run = read(Run, name, block)
    symbols = run.symbols and seen_from_here(run.symbols, "counts", "rates", "rules")
    seen: Run = seen_from_here(run, "model", "codes")
    return replace(seen, symbols=symbols)


def runs_near(path: Path) -> str:
    """Lines that name the runs in the results folder that `path` lies in, or would lie in.

    Those whose names are most like `path` come first, and no more than NAMED. If there are none,
    the runs of all presets beside it are meant.
    """
    make = (
        "`snakemake --profile local run_files` makes them all, after training what is not trained"
    )
    for folder in path.parents:
        for pattern in ("run/*/*/*.json", "*/run/*/*/*.json"):
            runs = [str(run) for run in sorted(folder.glob(pattern))]
            if runs:
                nearest = difflib.get_close_matches(str(path), runs, NAMED, cutoff=0.0)
                of = f"The nearest of the {len(runs)} runs" if len(runs) > NAMED else "Runs"
                return "\n  ".join([f"{of} that there are:", *nearest]) + f"\n{make}"
    return f"Name the file of a run, results/PRESET/run/PAIR/SYSTEM/SEED.json. {make}"
