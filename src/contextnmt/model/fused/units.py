"""The recurrent units of `contextnmt.model.units` for a GPU, which computes all that lies between
two products of matrices as one function (`unit_kernels`).

All sentences of a batch take all steps here.

Shapes: directions D, steps T, batch B, hidden n, what enters the gates g, alignment a; what the
state is multiplied by at each step [D, h, n]: the matrix of the unit, and below it W_a, if there is
an attention.
"""

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor

from contextnmt.model.fused import unit_kernels
from contextnmt.model.fused.compiling import kind_of
from contextnmt.model.products import of_matrix
from contextnmt.model.units import GRUUnit, LSTMUnit, Unit

#: Units of a state that a program works on.
BLOCK = 256


class FusedUnit:
    """A unit over all steps of a batch: the states that it has had, and their gradients."""

    #: g is `gates` times n. For so many of these blocks, the `first` ones, the state itself is not
    #: multiplied, but something made of it.
    gates: ClassVar[int]
    first: ClassVar[int] = 0
    #: Which of the unit's weights the state itself is multiplied by.
    place: ClassVar[int] = 0

    def __init__(
        self,
        start: Tensor,
        inputs: Tensor | None,
        steps: int,
        weights: Sequence[Tensor],
        query: Tensor | None,
    ) -> None:
        """`start` [D, B, n] is the state before the first step. `inputs` [D, T, B, g], biases
        included; None: they are written to `out` before each step. The weights are those of the
        unit, `query` is W_a [a, n]."""
        matrix = weights[self.place]
        self.own = matrix.size(1)
        if query is not None:
            matrix = torch.cat([matrix, query.unsqueeze(0)], 1)
        ways, batch, size = start.shape
        self.matrix, self.steps, self.batch = matrix, steps, batch
        self.states = start.new_empty(ways, steps + 1, batch, size)
        #: As matrices multiply them.
        self.lower = self.states
        if matrix.dtype != start.dtype:
            self.lower = torch.empty_like(self.states, dtype=matrix.dtype)
        for each in self.states, self.lower:
            each[:, 0] = start
        #: What enters the gates, then what comes out of them.
        self.out = start.new_empty(ways, steps, batch, self.gates * size)
        self.inputs = self.out if inputs is None else inputs
        self.grid = batch, -(-size // BLOCK), ways
        self.sizes = {"SIZE": size, "KIND": kind_of(start), "BLOCK": BLOCK}

    def multiply(self, step: int, out: Tensor) -> None:
        """The matrix times the states before a step, written to `out` [D, B, h]."""
        torch.bmm(self.lower[:, step], self.matrix.transpose(1, 2), out=out)

    def forth(self, step: int, products: Tensor, row: int) -> None:
        """Take a step. `products` [..., h] has what `multiply` wrote, from a row on."""
        raise NotImplementedError

    def start_back(self, entered: Tensor) -> None:
        """Begin with the gradients, which `back` writes to `entered` [D, T, B, g or more]."""
        self.entered = entered
        self.of_after = entered.new_zeros(self.states[:, 0].shape)

    def back(self, step: int, of_states: Tensor, row: int) -> None:
        """The gradient of what entered the gates at a step, from what is known of that of the state
        after it: `of_states` [D, ..., B, n], from a row on, and what the step after it has left."""
        raise NotImplementedError

    def multiply_back(self, step: int) -> None:
        """To be called after `back`, for the step before."""
        factors = self.entered[:, step, :, self.first * self.states.size(3) :]
        torch.bmm(factors, self.matrix, out=self.of_after)

    def end_back(self) -> None:
        """Free what the gradients of steps took, which lives as long as the loss otherwise."""
        del self.entered, self.of_after

    def of_start(self) -> Tensor:
        """The gradient of the state before the first step [D, B, n]."""
        return self.of_after.to(self.states.dtype)

    def of_weights(self) -> tuple[tuple[Tensor, ...], Tensor]:
        """The gradients of the weights, and that of W_a, without rows if there is none."""
        entered = self.entered[..., self.first * self.states.size(3) :]
        states = self.lower[:, : entered.size(1)]
        of_matrix_and_query = of_matrix(entered.flatten(1, 2), states.flatten(1, 2))
        return (of_matrix_and_query[:, : self.own],), of_matrix_and_query[0, self.own :]


class FusedLSTM(FusedUnit):
    """As `LSTMUnit`."""

    gates = 4

    def __init__(
        self,
        start: Tensor,
        inputs: Tensor | None,
        steps: int,
        weights: Sequence[Tensor],
        query: Tensor | None,
    ) -> None:
        super().__init__(start, inputs, steps, weights, query)
        self.cells = torch.empty_like(self.states)
        self.cells[:, 0] = 0  # (A36)

    def forth(self, step: int, products: Tensor, row: int) -> None:
        """As `FusedUnit.forth`."""
        unit_kernels.lstm_forth[self.grid](
            *(self.inputs, products, self.cells, self.states, self.lower, self.out),
            *(step, self.steps, self.batch, row),
            WIDTH=products.size(-1),
            **self.sizes,
        )

    def start_back(self, entered: Tensor) -> None:
        """As `FusedUnit.start_back`."""
        super().start_back(entered)
        self.of_cells = torch.zeros_like(self.cells[:, 0])

    def back(self, step: int, of_states: Tensor, row: int) -> None:
        """As `FusedUnit.back`."""
        unit_kernels.lstm_back[self.grid](
            *(of_states, self.of_after, self.of_cells, self.cells, self.out, self.entered),
            *(step, self.steps, self.batch, row),
            WIDTH=self.entered.size(-1),
            **self.sizes,
        )


class FusedGRU(FusedUnit):
    """As `GRUUnit`."""

    gates = 3
    first = 1
    place = 1

    def __init__(
        self,
        start: Tensor,
        inputs: Tensor | None,
        steps: int,
        weights: Sequence[Tensor],
        query: Tensor | None,
    ) -> None:
        super().__init__(start, inputs, steps, weights, query)
        self.candidate = weights[0]
        self.shortened = torch.empty_like(self.lower[:, 1:])
        self.of_shortened = torch.empty_like(self.lower[:, 0])

    def forth(self, step: int, products: Tensor, row: int) -> None:
        """As `FusedUnit.forth`."""
        unit_kernels.gru_gates[self.grid](
            *(self.inputs, products, self.states, self.shortened, self.out),
            *(step, self.steps, self.batch, row),
            WIDTH=products.size(-1),
            **self.sizes,
        )
        product = self.of_shortened  # of that size, and of no use before `back`
        torch.bmm(self.shortened[:, step], self.candidate.transpose(1, 2), out=product)
        unit_kernels.gru_forth[self.grid](
            *(self.inputs, product, self.states, self.lower, self.out),
            *(step, self.steps, self.batch),
            **self.sizes,
        )

    def start_back(self, entered: Tensor) -> None:
        """As `FusedUnit.start_back`."""
        super().start_back(entered)
        self.of_state = torch.zeros_like(self.states[:, 0])

    def back(self, step: int, of_states: Tensor, row: int) -> None:
        """As `FusedUnit.back`."""
        numbers, size = (step, self.steps, self.batch), self.states.size(3)
        unit_kernels.gru_back[self.grid](
            *(of_states, self.of_after, self.of_state, self.out, self.entered, *numbers, row),
            WIDTH=self.entered.size(-1),
            **self.sizes,
        )
        torch.bmm(self.entered[:, step, :, :size], self.candidate, out=self.of_shortened)
        unit_kernels.gru_gates_back[self.grid](
            *(self.of_shortened, self.of_state, self.states, self.out, self.entered, *numbers),
            WIDTH=self.entered.size(-1),
            **self.sizes,
        )

    def of_start(self) -> Tensor:
        """As `FusedUnit.of_start`."""
        return self.of_state + self.of_after

    def of_weights(self) -> tuple[tuple[Tensor, ...], Tensor]:
        """As `FusedUnit.of_weights`."""
        entered = self.entered[:, : self.steps, :, : self.states.size(3)]
        candidate = of_matrix(entered.flatten(1, 2), self.shortened.flatten(1, 2))
        gates, query = super().of_weights()
        return (candidate, *gates), query


#: What takes the place of a unit.
FUSED: dict[type[Unit], type[FusedUnit]] = {LSTMUnit: FusedLSTM, GRUUnit: FusedGRU}
