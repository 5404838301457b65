"""The decoders' steps as search takes them: without gradients, in memory that is written anew.

Every product is added to what is there already, so that nothing is copied or read twice.
"""

import torch
from torch import Tensor, nn

from contextnmt.model.decoder import GRUDecoder, LSTMDecoder
from contextnmt.model.units import Memory


def add_product(to: Tensor, values: Tensor, weight: Tensor) -> Tensor:
    """`to` [..., d] plus `weight` [d, s] times `values` [..., s], written to `to`."""
    rows = to.flatten(0, -2)
    torch.addmm(rows, values.flatten(0, -2), weight.t(), out=rows)
    return to


class LSTMStep:
    """The step of `LSTMDecoder`."""

    def __init__(self, decoder: LSTMDecoder) -> None:
        self.decoder = decoder

    def move(self, memory: Memory, gates: Tensor) -> Memory:
        """`LSTMDecoder.step`, given what words, context and biases contribute in `gates`
        [batch, width, 4 hidden], which is lost."""
        hidden, cell = memory
        add_product(gates, hidden, self.decoder.recurrent.weight)
        size = hidden.size(2)
        candidate = gates[:, :, 3 * size :].tanh_()
        into, forget, out = gates[:, :, : 3 * size].sigmoid_().chunk(3, dim=2)
        cell = (forget * cell).addcmul_(into, candidate)
        return cell.tanh().mul_(out), cell


class GRUStep:
    """The step of `GRUDecoder`."""

    def __init__(self, decoder: GRUDecoder) -> None:
        self.cell = decoder.cell

    def move(self, memory: Memory, gates: Tensor) -> Memory:
        """As `LSTMStep.move`, with `gates` [batch, width, 3 hidden]."""
        (state,) = memory
        size = state.size(2)
        candidate, gates = gates[:, :, :size], gates[:, :, size:]
        add_product(gates, state, self.cell.recurrent_gates.weight)
        update, reset = gates.sigmoid_().chunk(2, dim=2)
        add_product(candidate, reset * state, self.cell.recurrent_candidate.weight)
        return (torch.lerp(state, candidate.tanh_(), update),)


def step_of(decoder: nn.Module) -> LSTMStep | GRUStep:
    """How search moves `decoder`."""
    if isinstance(decoder, LSTMDecoder):
        return LSTMStep(decoder)
    assert isinstance(decoder, GRUDecoder)
    return GRUStep(decoder)
