"""An exported model: one folder with a run's model, what text goes through, and the model card.

`contextnmt export` writes it. It is the folder of a training and the file of a run in one, so
whatever reads these reads it too. Its files are safetensors, JSON and text: nothing is executed.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from contextnmt.configuration.values import KEYS, Seed, read
from contextnmt.errors import UserError
from contextnmt.files import file_digest, read_json

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
