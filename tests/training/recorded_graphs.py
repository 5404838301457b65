"""CUDA graphs as a CPU can have them.

What torch computes is recorded, and computed again in the same memory when the graph is replayed.
To record changes nothing, as on a GPU, and numbers of tensors may not be asked for. What a replay
left in the memory of graphs is spoilt before the next one, as by another graph that shares it.
"""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from contextnmt.model import arithmetic

#: Functions that wait for the GPU.
WAITED = (
    *("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "masked_select", "_unique2"),
    *("unique_dim", "unique_consecutive", "repeat_interleave"),
)

#: Methods that bring numbers to the host, on a CPU without a function that could be recorded.
ASKED = ("tolist", "numpy", "cpu", "item")


class RecordedGraph:
    """Stands in for `torch.cuda.CUDAGraph`."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.made: list[torch.Tensor] = []

    def replay(self) -> None:
        for each in self.made:
            each.detach().fill_(float("nan") if each.is_floating_point() else 1)
        # Of the tensors, what autograd knew of them while they were recorded is of no matter.
        with torch._C._AutoDispatchBelowAutograd():
            for function, args, named, results in self.calls:
                for old, new in zip(results, tensors(function(*args, **named)), strict=True):
                    if memory(old) != memory(new):
                        old.copy_(new)


class Recorder(TorchDispatchMode):
    """Records into a graph, and knows what has been written to."""

    def __init__(self, graph: RecordedGraph) -> None:
        super().__init__()
        self.graph, self.made = graph, set[int]()
        self.before: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None):
        named = kwargs or {}
        asked = function.overloadpacket.__name__
        given = tensors((args, named))
        if asked in WAITED or (
            asked.startswith("index") and any(each.dtype == torch.bool for each in given[1:])
        ):
            raise RuntimeError(f"{asked}: not permitted when a graph is recorded")
        for place, argument in enumerate(function._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                self._keep(args[place] if place < len(args) else named.get(argument.name))
        found = function(*args, **named)
        results, old = tensors(found), {memory(each) for each in given}
        new = [each for each in results if memory(each) not in old]
        self.graph.made += new
        self.made |= {memory(each) for each in new}
        self.graph.calls.append((function, args, named, results))
        return found

    def _keep(self, written: Any) -> None:
        """Remember what is in tensors that were there before."""
        for each in tensors(written):
            if memory(each) not in self.made:
                self.before.setdefault(id(each), (each, each.clone()))

    def undo(self) -> None:
        for each, content in reversed(self.before.values()):
            each.copy_(content)


@contextlib.contextmanager
def recording(graph: RecordedGraph, pool: object) -> Iterator[None]:
    """In the place of `torch.cuda.graph`."""
    recorder = Recorder(graph)
    asked = [patch.object(torch.Tensor, name, refuse) for name in ASKED]
    with contextlib.ExitStack() as stack, torch.random.fork_rng(devices=[]), torch.no_grad():
        for each in asked:
            stack.enter_context(each)
        try:
            with torch.enable_grad(), recorder:
                yield
        finally:
            recorder.undo()


def refuse(*_: Any, **__: Any) -> None:
    raise RuntimeError("a number of a tensor: not permitted when a graph is recorded")


def tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def be_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the CPU do as a GPU does."""
    monkeypatch.setattr(arithmetic, "CPU_TYPES", set())
    monkeypatch.setattr(torch.cuda, "CUDAGraph", RecordedGraph)
    monkeypatch.setattr(torch.cuda, "graph", recording)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: "the stream before")
    monkeypatch.setattr(torch.cuda, "set_stream", lambda stream: None)
