"""The file of a run: its model, and what a sentence goes through before and after it."""

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.settings import record

#: Runs that a message names at most.
NAMED = 10


@dataclass(frozen=True)
class SymbolFiles:
    """What symbolizes a source sentence and restores its translation.

    `counts`: words of the source side of the training text; `rates`, `rules`: its rule dictionary;
    `threshold`: how likely a word must be a symbol to become one (A26).
    """

    counts: str
    rates: str
    rules: str
    threshold: float


@dataclass(frozen=True)
class Run:
    """A trained system with one seed, from raw sentences to raw sentences.

    `model`: folder that `contextnmt train` wrote. `codes`: merges of the source language, in a view
    with subwords; `symbols`: files of a view with symbols.
    """

    source_language: str
    target_language: str
    model: str
    codes: str | None = None
    symbols: SymbolFiles | None = None


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

    def seen_from_here(kind: type[Any], name: str, block: Any, paths: list[str]) -> Any:
        if not isinstance(block, Mapping):
            raise UserError(f"{name} is no block of keys and values")
        found = {
            key: os.path.normpath(folder / value)
            for key, value in block.items()
            if key in paths and isinstance(value, str)
        }
        return record(kind, name, {**block, **found}, {"threshold": (0, 1)})

    if isinstance(block, Mapping) and block.get("symbols") is not None:
        paths = ["counts", "rates", "rules"]
        symbols = seen_from_here(SymbolFiles, f"{name}: symbols", block["symbols"], paths)
        block = {**block, "symbols": symbols}
    run: Run = seen_from_here(Run, name, block, ["model", "codes"])
    return run


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
