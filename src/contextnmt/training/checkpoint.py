"""The state of a training on disk: numbered checkpoints, of which the two newest are kept.

A checkpoint is `checkpoint.N.safetensors` (the last weights, the best ones, the optimizer) and
`checkpoint.N.json` (all else, and the digests of both). The JSON file is written last, so what has
none was never finished. No file of a finished checkpoint is ever written again.
"""

import contextlib
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.files import atomic_path, write_json

Tensors = dict[str, Tensor]
Record = dict[str, Any]

#: How many checkpoints are kept: one to go on from, and one should it prove corrupt.
KEPT = 2

#: The two files of a checkpoint, in the order in which they are removed.
KINDS = ("json", "safetensors")

NAME = re.compile(r"checkpoint\.([0-9]+)\.(json|safetensors)")


class CorruptError(Exception):
    """A checkpoint that is not what was written."""


class Checkpoints:
    """The checkpoints of one training, in a folder that this process alone writes."""

    def __init__(self, folder: Path, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called before each write; it raises if the folder has become another's."""
        self.folder, self.check = folder, check
        self.number = max(self._numbers(), default=0)

    def write(self, tensors: Tensors, record: Record) -> None:
        """Write the next checkpoint, all or nothing, then remove those that it makes superfluous.

        `tensors` are named `group/name`; `record` is JSON-able. Raises UserError if the disk is
        full or the folder not writable.
        """
        self.check()
        number = self.number + 1
        path = self._path(number, "safetensors")
        save(path, tensors, {})
        content = {**record, "tensors": file_digest(path)}
        self.check()
        write_json(self._path(number, "json"), {**content, "digest": digest(content)})
        sync_folder(self.folder)  # on disk before an older one goes
        self.number = number
        for older in sorted(each for each in self._numbers() if each <= number)[:-KEPT]:
            for kind in KINDS:
                self._path(older, kind).unlink(missing_ok=True)

    def newest(self, identity: Mapping[str, Any]) -> tuple[Tensors, Record] | None:
        """The newest checkpoint that is whole; None if there is none to go on from.

        A corrupt one is moved aside, with a line that says so; so are all if they were not made
        with `identity`. Raises UserError if a file cannot be read, since it may hold days of work.
        """
        self._remove_unfinished()
        numbers = sorted(self._numbers(), reverse=True)
        for number in numbers:
            try:
                record = self._record(number)
                made = record["identity"]
                keys = sorted({*identity, *made})
                if other := [key for key in keys if identity.get(key) != made.get(key)]:
                    self.set_aside(f"made with other {' and '.join(other)}")
                    return None
                return self._tensors(number, record), record
            except CorruptError as error:
                then = ["the one before is taken"] if number != numbers[-1] else []
                self.set_aside(f"corrupt ({error})", number, *then)
        return None

    def set_aside(
        self, reason: str, number: int | None = None, then: str = "training starts afresh"
    ) -> None:
        """Move a checkpoint, or all of them, to a folder `state.aside/K`, and say why."""
        folder = self.folder.with_name(f"{self.folder.name}.aside")
        folder.mkdir(exist_ok=True)
        used = [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
        aside = folder / str(max(used, default=0) + 1)
        aside.mkdir()
        numbers = self._numbers() if number is None else {number}
        name = self._path(max(numbers), "json")
        for path in (self._path(each, kind) for each in sorted(numbers) for kind in KINDS):
            if path.is_file():
                path.replace(aside / path.name)
        print(f"{name}: {reason}; moved to {aside}, {then}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the state of a training that has finished: the next one starts afresh."""
        self.check()
        paths = [path for path in self.folder.iterdir() if not path.name.startswith("lock.")]
        newest = [self._path(max(self._numbers(), default=0), kind) for kind in KINDS]
        # The newest goes last: a kill in between then costs no more than writing the model again.
        for path in [*(path for path in paths if path not in newest), *newest]:
            path.unlink(missing_ok=True)

    def _path(self, number: int, kind: str) -> Path:
        return self.folder / f"checkpoint.{number}.{kind}"

    def _numbers(self) -> set[int]:
        """Numbers of the checkpoints whose JSON file is there."""
        names = os.listdir(self.folder) if self.folder.is_dir() else []
        found = [match for name in names if (match := NAME.fullmatch(name))]
        return {int(match[1]) for match in found if match[2] == "json"}

    def _remove_unfinished(self) -> None:
        """Remove the files of a write that was killed."""
        finished = self._numbers()
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            match = NAME.fullmatch(path.name)
            if path.name.endswith(".part") or (match and int(match[1]) not in finished):
                path.unlink(missing_ok=True)

    def _record(self, number: int) -> Record:
        """The JSON file of a checkpoint. Raises CorruptError and UserError."""
        path = self._path(number, "json")
        with readable(path):
            content = path.read_bytes()
        try:
            record: Record = json.loads(content)
            if record.pop("digest") == digest(record):
                return record
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        raise CorruptError(f"{path.name} does not have its digest")

    def _tensors(self, number: int, record: Record) -> Tensors:
        """The tensors of a checkpoint. Raises CorruptError and UserError."""
        path = self._path(number, "safetensors")
        with readable(path):
            if file_digest(path) == record["tensors"]:
                return load_file(path)
        raise CorruptError(f"{path.name} does not have its digest")


def save(path: Path, tensors: Tensors, record: Record) -> None:
    """Write tensors and a JSON-able record beside them, all or nothing.

    Raises UserError if the disk is full or the folder not writable.
    """
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    with atomic_path(path) as temporary:
        try:
            save_file(contiguous, temporary, metadata={"record": json.dumps(record)})
        except SafetensorError as error:
            raise UserError(
                f"{path}: cannot be written ({error}): see that the disk has room for it, then "
                "run the same command again"
            ) from None


def digest(content: Any) -> str:
    """SHA-256 of JSON-able content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files on disk, so that a crash of the machine keeps them."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn an error of the block into CorruptError if the file is missing, else into UserError."""
    try:
        yield
    except FileNotFoundError:
        raise CorruptError(f"{path.name} is missing") from None
    except OSError as error:  # it may be whole
        raise UserError(
            f"{path}: cannot be read ({error.strerror}); mend that or move it"
        ) from None


def group(tensors: Tensors, name: str) -> Tensors:
    """The tensors `name/…` of a checkpoint, without that prefix."""
    prefix = f"{name}/"
    return {key.removeprefix(prefix): t for key, t in tensors.items() if key.startswith(prefix)}


def grouped(name: str, tensors: Tensors) -> Tensors:
    """The reverse of `group`."""
    return {f"{name}/{key}": tensor for key, tensor in tensors.items()}


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """All tensors of the optimizer's state as `parameter number.name`."""
    state = optimizer.state_dict()["state"]
    return {f"{i}.{name}": t for i, entry in state.items() for name, t in entry.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Restore the state that `optimizer_tensors` returned."""
    content = optimizer.state_dict()
    content["state"] = {}
    for key, tensor in tensors.items():
        number, name = key.split(".", 1)
        content["state"].setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict(content)
