"""The results that a kit has made, as one file for `contextnmt unpack`; `run.sh` calls it.

Example: python -m contextnmt.planning.collect --weights --without '*/dev.*.npz'
"""

import argparse
import hashlib
import sys
import tarfile
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from contextnmt.files import atomic_path, read_lines, write_json
from contextnmt.planning.pack import CARRIED

RETURNED = Path("returned.tar.gz")

#: The first file of it: path -> SHA-256 of all others.
MANIFEST = "manifest.json"


def collect(folder: Path, weights: bool = False, without: Sequence[str] = ()) -> None:
    """Write returned.tar.gz of what is new in the results of a kit, but for patterns `without`."""
    carried = set(read_lines(folder / CARRIED))
    files = {str(path.relative_to(folder)): path for path in (folder / "results").glob("*/**/*")}
    made = {
        name: path
        for name, path in sorted(files.items())
        if path.is_file()
        and name not in carried
        and wanted(Path(name), weights)
        and not any(fnmatch(name, pattern) for pattern in without)
    }
    write_json(folder / MANIFEST, {name: digest(path) for name, path in made.items()})
    with atomic_path(folder / RETURNED) as temporary, tarfile.open(temporary, "w:gz") as out:
        out.add(folder / MANIFEST, MANIFEST)
        for name, path in made.items():
            out.add(path, name)
    print(f"{folder / RETURNED}: {len(made)} files", file=sys.stderr)


def wanted(path: Path, weights: bool) -> bool:
    """Whether results/PRESET/STAGE/… goes back: of a training its journal, weights if asked for."""
    if path.parts[2] != "train":
        return path.suffix != ".part"
    below = path.parts[6:]  # PAIR/SYSTEM/SEED
    if len(below) > 1:
        return below == ("state", "log.jsonl")
    return weights or path.suffix not in (".safetensors", ".tsv", ".part")


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--check", action="store_true", help="of the options, and no more")
    options = vars(parser.parse_args())
    if not options.pop("check"):
        collect(Path("."), **options)
