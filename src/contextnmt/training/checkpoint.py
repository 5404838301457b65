"""The state of a training run on disk: one safetensors file, replaced in one move."""

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.files import atomic_path

Tensors = dict[str, Tensor]


def save(path: Path, tensors: Tensors, record: dict[str, Any]) -> None:
    """Write tensors (named `group/name`) and a JSON-able record beside them, all or nothing.

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


def load(path: Path) -> tuple[Tensors, dict[str, Any]] | None:
    """What `save` wrote; None if there is no such file, or none that can be understood.

    A damaged file is moved aside, with a line that says so. Raises UserError if the file is there
    but cannot be read, since it may hold days of work.
    """
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            stream.read(1)
        with safe_open(path, framework="pt") as stream:
            record = json.loads(stream.metadata()["record"])
            return {name: stream.get_tensor(name) for name in stream.keys()}, record  # noqa: SIM118
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}); mend that or move it"
        ) from None
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        set_aside(path, f"damaged ({error})")
        return None


def set_aside(path: Path, reason: str) -> None:
    """Move a checkpoint that cannot be gone on from out of the way, and say why and whereto."""
    folder = path.parent.with_name(f"{path.parent.name}.aside")
    folder.mkdir(exist_ok=True)
    number = sum(1 for _ in folder.iterdir())
    aside = folder / f"{path.stem}.{number}{path.suffix}"
    path.replace(aside)
    print(f"{path}: {reason}; moved to {aside}, training starts afresh", file=sys.stderr)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other trainings out of a state folder while the block runs.

    Raises UserError if another process on this machine is at work in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise UserError(
                f"{folder}: another training works here (process {lock.read().strip()}): wait for "
                "it or end it, then run the same command again"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


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
    """Put back what `optimizer_tensors` returned."""
    content = optimizer.state_dict()
    content["state"] = {}
    for key, tensor in tensors.items():
        number, name = key.split(".", 1)
        content["state"].setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict(content)
