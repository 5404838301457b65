"""The recurrent units of `contextnmt.model.units` in C: what a step computes between two products
of matrices is one function. Sizes are those of one tensor; that others agree is not checked.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from contextnmt.model.native.library import Library, in_training
from contextnmt.model.products import add_product
from contextnmt.model.units import GRUUnit, LSTMUnit, Memory, Trace, Unit

#: What `functions` are compiled from.
SOURCE = "units.c"


class NativeLSTM(LSTMUnit):
    """As `LSTMUnit`."""

    def __init__(self, functions: Library, *weights: Tensor) -> None:
        super().__init__(*weights)
        self.functions = functions

    def step(self, inputs: Tensor, memory: Memory, out: Tensor) -> tuple[Memory, Trace]:
        """As `Unit.step`."""
        state, before = memory
        products = torch.bmm(state.to(self.forth.dtype), self.forth)
        gates = state.new_empty(products.shape)
        cell, squashed = (state.new_empty(out.shape) for _ in range(2))
        numbers, lower = self.functions.numbers, self.functions.lower
        self.functions.call(
            "lstm_forth",
            *numbers.rows(inputs.to(state.dtype)),
            lower.whole(products),
            *numbers.rows(before),
            numbers.whole(gates),
            numbers.whole(cell),
            numbers.whole(squashed),
            *numbers.rows(out),
            *out.shape,
        )
        return (out, cell), (gates, squashed, before)

    def back(self, trace: Trace, gradient: Memory, inputs: Tensor) -> Memory:
        """As `Unit.back`."""
        gates, squashed, before = trace
        of_state, of_cell = gradient
        numbers, lower = self.functions.numbers, self.functions.lower
        self.functions.call(
            "lstm_back",
            numbers.whole(gates),
            *numbers.rows(before),
            numbers.whole(squashed),
            numbers.whole(of_state),
            numbers.whole(of_cell),
            *lower.rows(inputs),
            *before.shape,
        )
        return torch.bmm(inputs, self.recurrent).to(of_state.dtype), of_cell


class NativeGRU(GRUUnit):
    """As `GRUUnit`."""

    def __init__(self, functions: Library, *weights: Tensor) -> None:
        super().__init__(*weights)
        self.functions = functions

    def step(self, inputs: Tensor, memory: Memory, out: Tensor) -> tuple[Memory, Trace]:
        """As `Unit.step`."""
        (state,) = memory
        numbers, lower = self.functions.numbers, self.functions.lower
        products = torch.bmm(state.to(self.gates_forth.dtype), self.gates_forth)
        gates, candidate = state.new_empty(products.shape), state.new_empty(out.shape)
        shortened = products.new_empty(out.shape)
        entering = numbers.rows(inputs.to(state.dtype))
        self.functions.call(
            "gru_gates",
            *entering,
            lower.whole(products),
            *numbers.rows(state),
            numbers.whole(gates),
            lower.whole(shortened),
            *out.shape,
        )
        self.functions.call(
            "gru_forth",
            *entering,
            lower.whole(torch.bmm(shortened, self.candidate_forth)),
            numbers.whole(gates),
            *numbers.rows(state),
            numbers.whole(candidate),
            *numbers.rows(out),
            *out.shape,
        )
        return (out,), (shortened, gates, candidate, state)

    def back(self, trace: Trace, gradient: Memory, inputs: Tensor) -> Memory:
        """As `Unit.back`."""
        _, gates, candidate, state = trace
        (of_state,) = gradient
        numbers, lower = self.functions.numbers, self.functions.lower
        into, entering = self.split(inputs)
        self.functions.call(
            "gru_back",
            numbers.whole(gates),
            numbers.whole(candidate),
            numbers.whole(of_state),
            *lower.rows(inputs),
            *candidate.shape,
        )
        self.functions.call(
            "gru_gates_back",
            lower.whole(torch.bmm(into, self.candidate)),
            numbers.whole(gates),
            numbers.whole(candidate),
            *numbers.rows(state),
            numbers.whole(of_state),
            *lower.rows(inputs),
            *candidate.shape,
        )
        return (add_product(of_state, entering, self.gates),)


NATIVE: dict[type[Unit], type[NativeLSTM] | type[NativeGRU]] = {
    LSTMUnit: NativeLSTM,
    GRUUnit: NativeGRU,
}


def choose(kind: type[Unit], weight: Tensor, state: Tensor) -> Callable[..., Unit]:
    """What makes a unit of its weights, which are like `weight`, for memory like `state`: one in C,
    if gradients are wanted and there is one for such tensors."""
    functions = in_training(SOURCE, weight.dtype, weight.device)
    if functions and state.dtype == functions.numbers.kind:
        return partial(NATIVE[kind], functions)
    return kind
