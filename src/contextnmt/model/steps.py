"""The decoders' steps as search takes them: without gradients, in memory that is written anew.

Products are added to what is there already, so that nothing is copied or read twice; those of the
state are of fewer rows than what they are added to (`Matrix.add_once`).
"""

import torch
from torch import Tensor, nn

from contextnmt.model.decoder import GRUDecoder, LSTMDecoder
from contextnmt.model.matrix import Matrix
from contextnmt.model.rows import take
from contextnmt.model.units import Memory, into_gates, into_its_tanh, tanh


class LSTMStep:
    """The step of `LSTMDecoder`."""

    def __init__(self, decoder: LSTMDecoder, bf16: bool) -> None:
        self.recurrent = Matrix(decoder.recurrent.weight, bf16)

    def move(self, memory: Memory, slots: Tensor, gates: Tensor) -> Memory:
        """`LSTMDecoder.step` of the hypotheses `slots` [batch, width] of each sentence, given what
        words, context and biases contribute in `gates` [batch, width, 4 hidden], which is lost."""
        hidden, cell = memory
        self.recurrent.add_once(gates, hidden, slots)
        into, forget, out, candidate = into_gates(gates)
        cell = take(cell, slots).mul_(forget).addcmul_(into, candidate)
        return tanh(cell).mul_(out), cell


class GRUStep:
    """The step of `GRUDecoder`."""

    def __init__(self, decoder: GRUDecoder, bf16: bool) -> None:
        self.gates = Matrix(decoder.cell.recurrent_gates.weight, bf16)
        self.candidate = Matrix(decoder.cell.recurrent_candidate.weight, bf16)

    def move(self, memory: Memory, slots: Tensor, gates: Tensor) -> Memory:
        """As `LSTMStep.move`, with `gates` [batch, width, 3 hidden]."""
        (state,) = memory
        size = state.size(2)
        candidate, gates = gates[:, :, :size], gates[:, :, size:]
        self.gates.add_once(gates, state, slots)
        state = take(state, slots)
        update, reset = gates.sigmoid_().chunk(2, dim=2)
        self.candidate.add_to(candidate, reset * state)
        return (torch.lerp(state, into_its_tanh(candidate), update),)


def step_of(decoder: nn.Module, bf16: bool) -> LSTMStep | GRUStep:
    """How search moves `decoder`; with `bf16`, matrices are multiplied in bfloat16 (A46)."""
    if isinstance(decoder, LSTMDecoder):
        return LSTMStep(decoder, bf16)
    assert isinstance(decoder, GRUDecoder)
    return GRUStep(decoder, bf16)
