"""The state of a training run on disk: one safetensors file, replaced in one move."""

import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

Tensors = dict[str, Tensor]


def save(path: Path, tensors: Tensors, record: dict[str, Any]) -> None:
    """Write tensors (named `group/name`) and a JSON-able record beside them, all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    save_file(contiguous, temporary, metadata={"record": json.dumps(record)})
    with open(temporary, "rb") as stream:
        os.fsync(stream.fileno())
    os.replace(temporary, path)


def load(path: Path) -> tuple[Tensors, dict[str, Any]] | None:
    """What `save` wrote, or None if there is no readable file."""
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as stream:
            record = json.loads(stream.metadata()["record"])
            return {name: stream.get_tensor(name) for name in stream.keys()}, record  # noqa: SIM118
    except (SafetensorError, KeyError, ValueError, OSError):
        return None


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
