"""Updates as CUDA graphs.

An update of a recurrent model is thousands of small kernels, and Python takes longer to launch one
than a GPU to run it. A graph holds all of them: captured once, they are replayed as one, on the
same memory and so for batches of one shape. Only kernels may depend on the content of a batch.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from contextnmt.model.arithmetic import is_cpu
from contextnmt.progress import say
from contextnmt.text.vocabulary import PAD
from contextnmt.training.update import Taken, Updater, rehearse

#: Lengths that the sentences of a side are padded to. Each pair of them that comes has a graph,
#: captured in a tenth of a second, and another one for the smaller batch that ends an epoch.
LENGTHS = 8


class Graph(NamedTuple):
    """A captured update."""

    replay: Callable[[], None]
    batch: tuple[Tensor, Tensor]  # where it looks for source and target ids
    taken: Taken  # its results, valid until any graph is replayed


class GraphUpdater:
    """Takes the updates of an `Updater` on a GPU, as graphs.

    Once torch could not capture one, the `Updater` takes all of them. Graphs share the memory of an
    update, apart from weights and the optimizer's state: none needs the results of another.
    """

    def __init__(self, updater: Updater, source: Tensor, target: Tensor) -> None:
        """Capture the graph of the largest batch first, as it takes the most memory.

        `source` [B, S] and `target` [B, T] are that batch. The `updater` has to have differentiated
        it before: the first time prepares things that cannot be captured.
        """
        self.updater = updater
        self.longest = source.size(1), target.size(1)
        self.pool = torch.cuda.graph_pool_handle()
        self.graphs: dict[tuple[int, int, int], Graph] = {}
        self.captures = True
        make_state(updater.optimizer)
        self._graph(*self._padded(source, target))

    def __call__(self, source: Tensor, target: Tensor) -> Taken:
        """Do the same as `Updater.__call__`; the result is lost at the next update."""
        batch = self._padded(source, target)
        graph = self._graph(*batch)
        if graph is None:
            return self.updater(*batch)  # padded as ever, so that dropout is
        for place, ids in zip(graph.batch, batch, strict=True):
            place.copy_(ids, non_blocking=True)
        graph.replay()
        return graph.taken

    def _padded(self, *batch: Tensor) -> list[Tensor]:
        """Pad both sides to one of the `LENGTHS`."""
        return [
            functional.pad(
                side, (0, padded_length(side.size(1), longest) - side.size(1)), value=PAD
            )
            for side, longest in zip(batch, self.longest, strict=True)
        ]

    def _graph(self, source: Tensor, target: Tensor) -> Graph | None:
        """The graph for batches of this shape, None if there can be none."""
        shape = (*source.shape, target.size(1))
        if self.captures and shape not in self.graphs:
            try:
                self.graphs[shape] = self._capture(source, target)
            except RuntimeError as error:
                self.captures = False
                self.graphs.clear()
                while isinstance(error.__context__, RuntimeError):
                    error = error.__context__  # the first of them is the cause
                reason = str(error).strip().partition("\n")[0]
                say(f"updates take longer, as torch cannot capture them as CUDA graphs: {reason}")
        return self.graphs.get(shape)

    def _capture(self, source: Tensor, target: Tensor) -> Graph:
        """Capture an update by a batch of this shape, without taking it.

        Raises RuntimeError if torch cannot capture it.
        """
        device = self.updater.device
        batch = source.to(device, copy=True), target.to(device, copy=True)
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.current_stream()
        try:
            with torch.cuda.graph(graph, pool=self.pool):
                taken = self.updater(*batch)
        finally:
            torch.cuda.set_stream(stream)  # where torch does not return after an error
            self.updater.optimizer.zero_grad()  # the gradients' memory is that of all graphs
        return Graph(graph.replay, batch, taken)


def ready(updater: Updater, source: Tensor, target: Tensor) -> Updater | GraphUpdater:
    """Rehearse the largest batch, `source` [B, S] and `target` [B, T], and return what takes the
    updates: on a GPU graphs, on a CPU the `updater`. Raises UserError as `rehearse` does."""
    rehearse(updater, source, target)
    return updater if is_cpu(updater.device) else GraphUpdater(updater, source, target)


def padded_length(time: int, longest: int) -> int:
    """The length to pad sentences of a batch to, of which the longest has `time` symbols.

    One of `LENGTHS`, the last of which is the `longest`; what is longer, as it may be in batches of
    one or two sentences, is not padded.
    """
    unit = -(-longest // LENGTHS)
    return max(time, min(longest, time + -time % unit))


def make_state(optimizer: torch.optim.Optimizer) -> None:
    """Make the optimizer's state if it has none, as its first step would in the memory of a graph.

    A step by a gradient of zero does so and changes no weight, by Adam and by Adadelta alike.
    """
    if optimizer.state:
        return
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this step is in no graph
        optimizer.step()
    for state in optimizer.state.values():
        state["step"].zero_()
    optimizer.zero_grad()
