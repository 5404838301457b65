"""Recurrences over whole sentences on a GPU: `contextnmt.model.units` and `.attention` there.

Between two matrix products there is one kernel of `kernels`, and two of `attention_kernels`
with attention. All B sentences of a batch take all T steps.

Shapes: directions D, steps T, batch B, source time S, hidden n, inputs of the gates g, alignment a.
At each step one matrix [D, h, n] multiplies the state: the unit's, and below it W_a of the
attention, if there is one.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from contextnmt.model.arithmetic import of_matrix
from contextnmt.model.fused import attention_kernels, kernels
from contextnmt.model.fused.kernels import apart_in_memory, kind_of
from contextnmt.model.units import GRUUnit, LSTMUnit, Unit

#: Units of a state that a program works on; numbers of a row that one of the attention works on.
UNITS, NUMBERS = 256, 1024


class FusedUnit:
    """A unit over all steps of a batch, with its states and their gradients.

    The docstrings of the methods hold for the units below too.
    """

    #: Blocks of n numbers that enter the gates: g is `gates` times n.
    gates: ClassVar[int]
    #: How many of these blocks, the first ones, have a matrix that does not multiply the state: the
    #: GRU's candidate multiplies r s.
    first: ClassVar[int] = 0
    #: The index of the weights that multiply the state.
    place: ClassVar[int] = 0

    def __init__(
        self,
        start: Tensor,
        inputs: Tensor | None,
        steps: int,
        weights: Sequence[Tensor],
        query: Tensor | None,
    ) -> None:
        """Start from the state `start` [D, B, n].

        `inputs` [D, T, B, g] enter the gates, biases included; if None, the caller writes them to
        `out` before each step. `weights` are the unit's, `query` is W_a [a, n].
        """
        matrix = weights[self.place]
        self.own = matrix.size(1)
        if query is not None:
            matrix = torch.cat([matrix, query.unsqueeze(0)], 1)
        ways, batch, size = start.shape
        self.matrix, self.steps, self.batch = matrix, steps, batch
        self.states = start.new_empty(ways, steps + 1, batch, size)
        #: The states in the type of the matrices.
        self.lower = self.states
        if matrix.dtype != start.dtype:
            self.lower = torch.empty_like(self.states, dtype=matrix.dtype)
        for each in self.states, self.lower:
            each[:, 0] = start
        #: The inputs of the gates, then their outputs.
        self.out = start.new_empty(ways, steps, batch, self.gates * size)
        self.inputs = self.out if inputs is None else inputs
        self.grid = batch, -(-size // UNITS), ways
        self.sizes = {"SIZE": size, "KIND": kind_of(start), "BLOCK": UNITS}

    def multiply(self, step: int, out: Tensor) -> None:
        """Write the product of the matrix and the states before a step to `out` [D, B, h]."""
        torch.bmm(self.lower[:, step], self.matrix.transpose(1, 2), out=out)

    def forward(self, step: int, products: Tensor, row: int) -> None:
        """Take a step. `products` [..., h] holds the result of `multiply` from a row on."""
        raise NotImplementedError

    def start_backward(self, entered: Tensor) -> None:
        """Begin with the gradients, which `backward` writes to `entered` [D, T, B, g or more]."""
        self.entered = entered
        self.of_after = entered.new_zeros(self.states[:, 0].shape)
        #: The gradient of an LSTM's cell, or the rest of the gradient of a GRU's state.
        self.of_kept = torch.zeros_like(self.states[:, 0])

    def backward(self, step: int, of_states: Tensor, row: int) -> None:
        """Compute the gradient of the inputs of the gates at a step.

        The gradient of the state after it is the sum of `of_states` [D, ..., B, n], from a row on,
        and of what the backward pass of the next step has left.
        """
        raise NotImplementedError

    def multiply_backward(self, step: int) -> None:
        """Multiply the gradient for the step before; call it after `backward`."""
        factors = self.entered[:, step, :, self.first * self.states.size(3) :]
        torch.bmm(factors, self.matrix, out=self.of_after)

    def end_backward(self) -> None:
        """Free the buffers of the backward pass, which would live as long as the loss."""
        del self.entered, self.of_after, self.of_kept

    def of_start(self) -> Tensor:
        """Return the gradient of the state before the first step [D, B, n]."""
        return self.of_after.to(self.states.dtype)

    def of_weights(self) -> tuple[tuple[Tensor, ...], Tensor]:
        """Return the gradients of the weights, and that of W_a, without rows if there is none."""
        entered = self.entered[..., self.first * self.states.size(3) :]
        states = self.lower[:, : entered.size(1)]
        of_matrix_and_query = of_matrix(entered.flatten(1, 2), states.flatten(1, 2))
        return (of_matrix_and_query[:, : self.own],), of_matrix_and_query[0, self.own :]


class FusedLSTM(FusedUnit):
    """The unit `LSTMUnit`."""

    gates = 4

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.cells = torch.empty_like(self.states)
        self.cells[:, 0] = 0  # (A36)

    def forward(self, step: int, products: Tensor, row: int) -> None:
        kernels.lstm_forward[self.grid](
            *(self.inputs, products, self.cells, self.states, self.lower, self.out),
            *(step, self.steps, self.batch, row),
            WIDTH=products.size(-1),
            **self.sizes,
        )

    def backward(self, step: int, of_states: Tensor, row: int) -> None:
        kernels.lstm_backward[self.grid](
            *(of_states, self.of_after, self.of_kept, self.cells, self.out, self.entered),
            *(step, self.steps, self.batch, row),
            WIDTH=self.entered.size(-1),
            **self.sizes,
        )


class FusedGRU(FusedUnit):
    """The unit `GRUUnit`."""

    gates = 3
    first = 1
    place = 1

    def __init__(
        self, start: Tensor, inputs: Tensor | None, steps: int, weights: Any, query: Tensor | None
    ) -> None:
        super().__init__(start, inputs, steps, weights, query)
        self.candidate = weights[0]
        self.shortened = torch.empty_like(self.lower[:, 1:])
        self.of_shortened = torch.empty_like(self.lower[:, 0])

    def forward(self, step: int, products: Tensor, row: int) -> None:
        kernels.gru_gates[self.grid](
            *(self.inputs, products, self.states, self.shortened, self.out),
            *(step, self.steps, self.batch, row),
            WIDTH=products.size(-1),
            **self.sizes,
        )
        product = self.of_shortened  # has that size, and is free before `backward`
        torch.bmm(self.shortened[:, step], self.candidate.transpose(1, 2), out=product)
        kernels.gru_forward[self.grid](
            *(self.inputs, product, self.states, self.lower, self.out),
            *(step, self.steps, self.batch),
            **self.sizes,
        )

    def backward(self, step: int, of_states: Tensor, row: int) -> None:
        numbers, size = (step, self.steps, self.batch), self.states.size(3)
        kernels.gru_backward[self.grid](
            *(of_states, self.of_after, self.of_kept, self.out, self.entered, *numbers, row),
            WIDTH=self.entered.size(-1),
            **self.sizes,
        )
        torch.bmm(self.entered[:, step, :, :size], self.candidate, out=self.of_shortened)
        kernels.gru_gates_backward[self.grid](
            *(self.of_shortened, self.of_kept, self.states, self.out, self.entered, *numbers),
            WIDTH=self.entered.size(-1),
            **self.sizes,
        )

    def of_start(self) -> Tensor:
        return self.of_kept + self.of_after

    def of_weights(self) -> tuple[tuple[Tensor, ...], Tensor]:
        entered = self.entered[:, : self.steps, :, : self.states.size(3)]
        candidate = of_matrix(entered.flatten(1, 2), self.shortened.flatten(1, 2))
        gates, query = super().of_weights()
        return (candidate, *gates), query


#: The unit that replaces one of `units`.
FUSED: dict[type[Unit], type[FusedUnit]] = {LSTMUnit: FusedLSTM, GRUUnit: FusedGRU}


class FusedUnroll(torch.autograd.Function):
    """All states of D units of one size; see `Unroll`."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, kind: type[Unit], inputs: Tensor, state: Tensor, *weights: Tensor
    ) -> Tensor:
        """Return the states after each step [D, T B, n].

        `inputs` [D, T B, g] have the biases included, `state` [D, B, n] is that before the first
        step, `weights` are those of the unit.
        """
        ways, batch, _ = state.shape
        steps = inputs.size(1) // batch
        inputs = torch.unflatten(inputs.contiguous(), 1, (steps, batch))
        unit = FUSED[kind](state, inputs, steps, weights, None)
        products = inputs.new_empty(ways, batch, unit.matrix.size(1))
        with torch.autocast(inputs.device.type, enabled=False):
            for step in range(steps):
                unit.multiply(step, products)
                unit.forward(step, products, 0)
        unit.inputs = unit.out  # frees the inputs, which are no longer needed
        ctx.unit, ctx.shape = unit, inputs.shape
        return unit.states[:, 1:].flatten(1, 2)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Return the gradients of the arguments of `forward`, from that of the states."""
        unit = ctx.unit
        entered = unit.lower.new_empty(ctx.shape)
        unit.start_backward(entered)
        gradient = apart_in_memory(gradient)
        for step in reversed(range(ctx.shape[1])):
            unit.backward(step, gradient, 0)
            unit.multiply_backward(step)
        of_weights, _ = unit.of_weights()
        of_start = unit.of_start()
        unit.end_backward()
        return None, entered.flatten(1, 2), of_start, *of_weights


class FusedAttend(torch.autograd.Function):
    """States and weights of RNNsearch, see `Attend`; all factors of products have one type."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        kind: type[Unit],
        words: Tensor,
        state: Tensor,
        keys: Tensor,
        values: Tensor,
        padding: Tensor,
        query: Tensor,
        energy: Tensor,
        *weights: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return the states and weights of `Attend.forward`."""
        batch, time, size = keys.shape
        wide = values.size(2)
        moves = len(words) // batch  # of the state, T - 1
        words, keys, values = words.contiguous(), keys.contiguous(), values.contiguous()
        padding = padding.contiguous()
        unit = FUSED[kind](state.unsqueeze(0), None, moves, weights, query)
        products = words.new_empty(moves + 1, 1, batch, unit.matrix.size(1))
        alphas = state.new_empty(moves + 1, batch, time)
        found = alphas.new_empty(batch, time)
        blocks = {"KIND": kind_of(state), "BLOCK": NUMBERS}
        positions = -(-time // attention_kernels.POSITIONS.value)
        with torch.autocast(words.device.type, enabled=False):
            for step in range(moves + 1):
                unit.multiply(step, products[step])
                attention_kernels.energies[batch, positions](
                    *(keys, products, energy, padding, found, step * batch, time),
                    WIDTH=products.size(3),
                    SIZE=size,
                    **blocks,
                )
                if step == moves:
                    torch.softmax(found, 1, out=alphas[step])
                    break
                attention_kernels.contexts[batch, -(-wide // NUMBERS)](
                    *(found, values, words, alphas, unit.out, step * batch, time),
                    SIZE=wide,
                    **blocks,
                )
                unit.forward(step, products, step * batch)
        ctx.unit, ctx.products, ctx.blocks = unit, products, blocks
        ctx.alphas = alphas.detach()
        ctx.save_for_backward(keys, values, energy)
        return unit.states.detach().flatten(0, 2), alphas.flatten(0, 1)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(  # type: ignore[override]
        ctx: Any, of_states: Tensor, of_alphas: Tensor
    ) -> tuple[Tensor | None, ...]:
        """Return the gradients of the arguments of `forward`, from those of states and weights."""
        keys, values, energy = ctx.saved_tensors
        unit, products, alphas, blocks = ctx.unit, ctx.products, ctx.alphas, ctx.blocks
        (batch, time, size), wide, moves = keys.shape, values.size(2), unit.steps
        of_states, of_alphas = apart_in_memory(of_states), apart_in_memory(of_alphas)
        positions = -(-time // attention_kernels.POSITIONS.value)
        entered = products.new_empty(1, moves + 1, batch, wide + size)
        entered[:, moves, :, :wide] = 0  # no word is read after the last prediction
        slopes, found = torch.empty_like(alphas), torch.empty_like(alphas[0])
        unit.start_backward(entered)
        for step in reversed(range(moves + 1)):
            row = step * batch
            if step < moves:
                unit.backward(step, of_states, batch)
                attention_kernels.contexts_backward[batch, positions](
                    *(entered, values, of_alphas, found, row, time),
                    WIDTH=wide + size,
                    SIZE=wide,
                    **blocks,
                )
            else:
                found.copy_(of_alphas[row:])
            attention_kernels.queries_backward[batch, -(-size // NUMBERS)](
                *(keys, products, energy, alphas, found, slopes, entered, row, time),
                WIDTH=products.size(3),
                OUT=wide + size,
                SIZE=size,
                **blocks,
            )
            unit.multiply_backward(step)
        of_keys = torch.empty_like(keys)
        of_energies = alphas.new_empty(batch * positions, size)
        attention_kernels.keys_backward[batch, positions, -(-size // NUMBERS)](
            *(keys, products, energy, slopes, of_keys, of_energies, moves + 1, batch, time),
            WIDTH=products.size(3),
            SIZE=size,
            **blocks,
        )
        of_words = entered[0, :moves, :, :wide]
        weighed = alphas[:moves].to(values.dtype).permute(1, 2, 0)  # [B, S, T - 1]
        of_weights, of_query = unit.of_weights()
        of_start = of_states[:batch] + unit.of_start()[0]
        unit.end_backward()
        return (
            None,
            of_words.flatten(0, 1),
            of_start,
            of_keys,
            torch.bmm(weighed, of_words.transpose(0, 1)),
            None,
            of_query,
            of_energies.sum(0, keepdim=True).to(energy.dtype),
            *of_weights,
        )
