"""One update of the weights: the loss whose gradient is taken, the clip, the optimizer.

Its rehearsal by the largest batch lets too small a memory fail at once, not after hours.

On a GPU, updates are CUDA graphs. An update of a recurrent model is thousands of small kernels, and
Python takes longer to launch one than a GPU to run it. A graph holds all of them: captured once,
they are replayed as one, on the same memory and so for batches of one shape. Only kernels may
depend on the content of a batch.
"""

import warnings
from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.configuration.training import TrainingSettings
from contextnmt.errors import UserError
from contextnmt.model.arithmetic import is_cpu
from contextnmt.model.translator import Translator
from contextnmt.progress import say
from contextnmt.text.vocabulary import PAD

#: Share of a parameter that takes the place of its gradient where that is not finite.
DECAY = 0.1

#: Advice when memory is too small.
REMEDY = (
    "lower training.batch_size, training.max_length or sizes under model (hidden, embedding, "
    "alignment, maxout), or take a machine with more memory"
)

#: Lengths that the sentences of a side are padded to. Each pair of them that comes has a graph,
#: captured in a tenth of a second, and another one for the smaller batch that ends an epoch.
LENGTHS = 8


def objective(losses: Tensor, sentences: int, loss: str) -> Tensor:
    """The loss to differentiate, of the nats of each target word of a batch.

    `mean`: summed over the words of a sentence, averaged over the sentences; `sum`: summed over
    the batch, as in the code of Bahdanau et al. 2015 (A9).
    """
    total = losses.sum()
    return total / sentences if loss == "mean" else total


def build_optimizer(
    recipe: TrainingSettings, parameters: Iterable[nn.Parameter]
) -> torch.optim.Optimizer:
    """The recipe's optimizer: two numbers of state a parameter, in 32 bits like it.

    Adam (Kingma and Ba 2015; A10) or Adadelta (Zeiler 2012; rho and eps of Bahdanau et al. 2015,
    B.2), whose step is multiplied by the learning rate: 1, as the paper knows none (A48). On a GPU
    either can be part of a CUDA graph.
    """
    parameters = list(parameters)
    on_gpu = any(parameter.is_cuda for parameter in parameters)
    rate: float | Tensor = recipe.learning_rate
    if on_gpu and recipe.linear_decay:
        rate = torch.tensor(rate, device="cuda")  # of a number, a graph would keep the first value
    if recipe.optimizer == "adadelta":
        return torch.optim.Adadelta(parameters, lr=rate, rho=0.95, eps=1e-6, capturable=on_gpu)
    return torch.optim.Adam(parameters, lr=rate, fused=True, capturable=on_gpu)


def clip_gradients(parameters: Iterable[nn.Parameter], recipe: TrainingSettings) -> Tensor:
    """Shorten the gradient to the recipe's largest L2 norm; its norm before that, a scalar.

    If the norm is not finite, Adadelta's recipe puts a tenth of each parameter in the place of its
    gradient, unclipped, as the code of Bahdanau et al. 2015 does. Adam's has no such rule. No
    number has to reach the host for this, so a GPU is not waited for.
    """
    parameters = list(parameters)
    norm = nn.utils.clip_grad_norm_(parameters, recipe.clip)
    if recipe.replaces_non_finite:
        finite = norm.isfinite()
        for parameter in parameters:
            if parameter.grad is not None:
                decay = DECAY * parameter.detach()
                parameter.grad.copy_(torch.where(finite, parameter.grad, decay))
    return norm


class Taken(NamedTuple):
    """Loss and gradient of an update, on the device."""

    loss: Tensor  # nats, summed over the target words
    norm: Tensor  # of the gradient, before it was clipped


class Updater:
    """Takes updates of a model by a recipe."""

    def __init__(self, model: Translator, recipe: TrainingSettings, device: torch.device) -> None:
        """`model` is on `device`."""
        self.model, self.recipe, self.device = model, recipe, device
        self.optimizer = build_optimizer(recipe, model.parameters())

    def __call__(self, source: Tensor, target: Tensor) -> Taken:
        """Update the weights by a batch, ids [B, S] and [B, T] on any device."""
        loss = self.differentiate(source, target)
        norm = clip_gradients(self.model.parameters(), self.recipe)
        self.optimizer.step()
        return Taken(loss, norm)

    def decay(self, update: int) -> None:
        """Set the learning rate of this update, counted from 1, if the recipe has it decay."""
        recipe = self.recipe
        if recipe.linear_decay:
            left = recipe.max_updates + 1 - update
            share = min(1.0, left / (recipe.linear_decay * recipe.max_updates))
            for group in self.optimizer.param_groups:
                if isinstance(group["lr"], Tensor):
                    group["lr"].fill_(recipe.learning_rate * share)
                else:
                    group["lr"] = recipe.learning_rate * share

    def differentiate(self, source: Tensor, target: Tensor) -> Tensor:
        """Replace the gradient by that of a batch's objective; return the loss of `Taken`."""
        self.optimizer.zero_grad()
        source, target = (ids.to(self.device, non_blocking=True) for ids in (source, target))
        # In bfloat16 torch multiplies matrices; the softmax over the words, the loss, weights,
        # gradients and the optimizer's state stay in 32 bits (A46).
        bf16 = self.recipe.precision == "bf16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=bf16):
            losses: Tensor = self.model(source, target)  # nats [B, T], zero in the padding
        torch.autograd.backward(objective(losses, len(source), self.recipe.loss))
        return losses.detach().sum()


def rehearse(updater: Updater, source: Tensor, target: Tensor) -> None:
    """Differentiate a batch, [B, S] and [B, T], without a trace; see that memory suffices.

    Gradients are dropped, and the state of the random numbers is as before. Room for the
    optimizer's state, which is made later, is taken too. Raises UserError if memory is too small.
    """
    model, device = updater.model, updater.device
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        try:
            state = [torch.empty_like(weight) for weight in model.parameters() for _ in range(2)]
            updater.differentiate(source, target)
            del state
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            raise UserError(
                f"out of memory on {device.type} with the largest batch, {len(source)} pairs of up "
                f"to {source.size(1)} and {target.size(1)} tokens: {REMEDY}"
            ) from None
        finally:
            model.zero_grad()


def out_of_memory(error: RuntimeError) -> bool:
    """Whether torch found no memory, on a GPU or on the CPU (which has no type of error for it)."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


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
                say(f"torch cannot capture updates as CUDA graphs, so they take longer ({reason})")
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
