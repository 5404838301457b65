"""The state of a training on disk: numbered checkpoints, of which the two newest are kept.

A checkpoint is `checkpoint.N.SHA256.safetensors`: the last weights, the best ones, the optimizer,
and all else as metadata. It gets this name when it is whole, and is never written again.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.files import atomic_path, file_digest
from contextnmt.progress import say

#: Tensors by name, some of them in groups, groups of groups and so on.
Tensors = dict[Any, Any]
Record = dict[str, Any]

#: How many checkpoints are kept: one to go on from, and one should it prove corrupt.
KEPT = 2

NAME = re.compile(r"checkpoint\.([0-9]+)\.([0-9a-f]{64})\.safetensors")


class Checkpoints:
    """The checkpoints of one training, in a folder that this process alone writes."""

    def __init__(self, folder: Path, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called before each write; it raises if the folder has become another's."""
        self.folder, self.check = folder, check
        self.number = max(self._finished().values(), default=0)

    def write(self, tensors: Tensors, record: Record) -> None:
        """Write the next checkpoint, as `save` does, then remove those before the last `KEPT`."""
        self.check()
        # A name of its own: a copy that has lost the lock may be at the same point.
        written = self.folder / f"checkpoint.{secrets.token_hex(4)}.part"
        save(written, tensors, record)
        name = f"checkpoint.{self.number + 1}.{file_digest(written)}.safetensors"
        self.check()
        written.replace(self.folder / name)
        self.number += 1
        sync_folder(self.folder)  # on disk before an older one goes
        for older in list(self._finished())[KEPT:]:
            older.unlink(missing_ok=True)

    def newest(self, identity: Mapping[str, Any]) -> tuple[Tensors, Record] | None:
        """The newest checkpoint that is whole; None if there is none to go on from.

        A corrupt one is moved aside and named on stderr. If the newest whole one was not made with
        `identity`, all are moved aside, and it is named. Raises UserError if a file cannot be read,
        since it may hold days of work.
        """
        for pattern in ("*.part", ".tmp*"):  # safetensors writes to a name of its own first
            for unfinished in self.folder.glob(pattern):
                unfinished.unlink(missing_ok=True)
        known = self._finished()
        if others := sorted(set(self.folder.glob("checkpoint.*")) - set(known)):
            self.set_aside("of another version", others, "training goes on without it")
        while paths := list(self._finished()):
            try:
                if file_digest(paths[0]) != paths[0].name.split(".")[2]:
                    then = "the one before is taken" if paths[1:] else "training starts afresh"
                    self.set_aside("corrupt (it does not have its digest)", paths[:1], then)
                    continue
                tensors, record = load(paths[0])
            except OSError as error:  # it may be whole
                raise UserError(
                    f"{paths[0]}: cannot be read ({error.strerror}); mend that or move it"
                ) from None
            made = record["identity"]
            keys = sorted({*identity, *made})
            if other := [key for key in keys if identity.get(key) != made.get(key)]:
                self.set_aside(f"made with other {' and '.join(other)}", paths)
                return None
            return tensors, record
        return None

    def set_aside(
        self, reason: str, paths: Sequence[Path], then: str = "training starts afresh"
    ) -> None:
        """Move checkpoints, the newest first, to a folder `state.aside/K`, and say why."""
        folder = self.folder.with_name(f"{self.folder.name}.aside")
        folder.mkdir(exist_ok=True)
        used = [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
        aside = folder / str(max(used, default=0) + 1)
        aside.mkdir()
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                path.replace(aside / path.name)
        say(f"{paths[0]}: {reason}; moved to {aside}, {then}")

    def clear(self) -> None:
        """Remove the state of a training that has finished: the next one starts afresh."""
        self.check()
        paths = [path for path in self.folder.iterdir() if not path.name.startswith("lock.")]
        # The newest goes last: a kill in between then costs no more than writing the model again.
        finished = self._finished()
        for path in sorted(paths, key=lambda path: finished.get(path, 0)):
            path.unlink(missing_ok=True)

    def _finished(self) -> dict[Path, int]:
        """Path -> number of each checkpoint, the newest first."""
        paths = self.folder.glob("checkpoint.*.safetensors")
        numbers = {path: int(match[1]) for path in paths if (match := NAME.fullmatch(path.name))}
        return dict(sorted(numbers.items(), key=lambda item: -item[1]))


def save(path: Path, tensors: Tensors, record: Record) -> None:
    """Write tensors and a JSON-able record beside them, all or nothing.

    A tensor below several keys has their names, joined by slashes. Raises UserError if the disk is
    full or the folder not writable.
    """
    with atomic_path(path) as temporary:
        try:
            save_file(dict(flat(tensors)), temporary, metadata={"record": json.dumps(record)})
        except SafetensorError as error:
            raise UserError(
                f"{path}: cannot be written ({error}): see that the disk has room for it, then "
                "run the same command again"
            ) from None


def flat(tensors: Tensors, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """The names of tensors in a file, and the tensors."""
    for name, value in tensors.items():
        if isinstance(value, Tensor):
            yield f"{prefix}{name}", value.detach().contiguous()
        else:
            yield from flat(value, f"{prefix}{name}/")


def load(path: Path) -> tuple[Tensors, Record]:
    """The tensors and the record that `save` wrote; all keys are strings."""
    tensors: Tensors = {}
    with safe_open(path, "pt") as stored:
        for name in stored.keys():  # noqa: SIM118
            *groups, last = name.split("/")
            inner = tensors
            for key in groups:
                inner = inner.setdefault(key, {})
            inner[last] = stored.get_tensor(name)
        return tensors, json.loads(stored.metadata()["record"])


def digest(content: Any) -> str:
    """SHA-256 of JSON-able content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files on disk, so that a crash of the machine keeps them."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
