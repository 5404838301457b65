"""An exported model: one folder with a run's model, what text goes through, and the model card.

`contextnmt export` writes it. It is the folder of a training and the file of a run in one, so
whatever reads these reads it too. Its files are safetensors, JSON and text: nothing is executed.
"""

import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import Field
from pydantic.dataclasses import dataclass

from contextnmt.configuration.values import KEYS, Seed, read
from contextnmt.errors import UserError
from contextnmt.files import atomic_path, file_digest, read_block, read_json, write_json

#: The list of files, the file of the run, and the model card, which alone may be edited.
MANIFEST, RUN, CARD = "export.json", "run.json", "README.md"

#: Files of a training.
TRAINED = [
    "model.safetensors",
    "model.json",
    "log.jsonl",
    "vocabulary.source.tsv",
    "vocabulary.target.tsv",
]

#: Keys of the file of a run -> the names of these files in the folder.
WRITTEN = {
    "codes": "codes.txt",
    "counts": "counts.tsv",
    "rates": "rates.tsv",
    "rules": "rules.tsv",
}

#: A name without a folder, so that no list leads out of its own.
Plain = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", examples=["model.json"])]


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Manifest:
    """The file export.json."""

    format: Literal[1] = 1
    """Version of the folder's format."""
    pair: str
    """Language pair, source first."""
    system: str
    """System, by its name in the configuration."""
    seed: Seed
    """Seed of the training."""
    precision: Literal["fp32", "bf16"]
    """Format of the weights."""
    files: dict[Plain, str]
    """SHA-256 of every file but this one and the card."""

    @property
    def run(self) -> str:
        """``PAIR/SYSTEM/SEED``."""
        return f"{self.pair}/{self.system}/{self.seed}"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an exported folder. Raises UserError if it is none."""
    path = folder / MANIFEST
    if not path.is_file():
        what = f"no {MANIFEST} in it" if folder.is_dir() else "no such folder"
        raise UserError(f"{folder}: {what}: name a folder that `contextnmt export` wrote")
    return read(Manifest, str(path), read_json(path))


def checked(folder: Path) -> Manifest:
    """The manifest of an exported folder whose files are all there, as they were written.

    Raises UserError if a file is missing or has another SHA-256.
    """
    manifest = read_manifest(folder)
    for name in dict.fromkeys([RUN, *TRAINED, *manifest.files]):
        path = folder / name
        if name not in manifest.files:
            raise UserError(f"{folder / MANIFEST}: {name} is not in its list: export again")
        if not path.is_file():
            raise UserError(f"{path}: no such file, but {MANIFEST} lists it: copy the folder again")
        if file_digest(path) != manifest.files[name]:
            raise UserError(
                f"{path}: its SHA-256 is not the one in {MANIFEST}: damaged or edited: copy the "
                "folder again"
            )
    return manifest


def adopt(
    model: Annotated[Path, typer.Option(help="folder that `contextnmt export` wrote")],
    source_vocabulary: Annotated[Path, typer.Option(help="source words of the texts here")],
    target_vocabulary: Annotated[Path, typer.Option(help="target words of the texts here")],
    out: Annotated[Path, typer.Option(help="folder to write, in place of a training's")],
    codes: Annotated[Path | None, typer.Option(help="merges of the source texts here")] = None,
    counts: Annotated[Path | None, typer.Option(help="source words and their counts here")] = None,
    rates: Annotated[Path | None, typer.Option(help="rates of symbols here")] = None,
    rules: Annotated[Path | None, typer.Option(help="the rule dictionary here")] = None,
) -> None:
    """Take an exported model in place of a training.

    The texts here have to be those that the model knows: its vocabularies, merges and rules must
    be the same files. model.json then has a key `pretrained`, by which reports mark the results.

    Example: contextnmt adopt --model exported --source-vocabulary binarize/vocabulary.source.tsv
    --target-vocabulary binarize/vocabulary.target.tsv --out train
    """
    manifest = checked(model)
    here = {"vocabulary.source.tsv": source_vocabulary, "vocabulary.target.tsv": target_vocabulary}
    written = zip(WRITTEN.values(), (codes, counts, rates, rules), strict=True)
    here |= {name: path for name, path in written if path}
    for name, path in here.items():
        if file_digest(path) != manifest.files.get(name):
            raise UserError(
                f"{path}: not the {name} of {model}: its texts were made of other data or with "
                "other settings of clean, select or text: use those, or train"
            )
    *others, told = [name for name in TRAINED if name != "model.json"] + ["model.json"]
    for name in others:
        with atomic_path(out / name) as copy:
            shutil.copyfile(model / name, copy)
    # It comes last, as that of a training does.
    pretrained = {"precision": manifest.precision}
    write_json(out / told, {**read_block(model / told), "pretrained": pretrained})
