"""The kernels of units and losses on a GPU, between two matrix products, and how Triton compiles.

A program of a kernel works on a block of one sentence. Kernels get whole tensors and the row where
a step begins: for another alignment of memory, and for numbers with other divisors, Triton would
compile again, which it cannot while a CUDA graph is captured. Kernels compute in the type `KIND`,
of 32 bits or more, whatever type they read and write.

The equations are those of `contextnmt.model.units` and `.readout`, against which tests hold them.

Shapes: directions D, steps T, batch B, hidden n; of the losses, words of all steps N, words of the
vocabulary V. WIDTH is the length of rows that hold more than one thing.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

#: Arguments that may change from call to call.
VARYING = ("step", "steps", "batch", "time", "products_from", "of_states_from", "row")

#: Words of a row that a program of the losses works on at a time.
BLOCK = 4096

#: Less than any logit but minus infinity, of which it may be subtracted.
LEAST = tl.constexpr(-1e30)


def kernel(function: Any) -> Any:
    """Compile a function by Triton, once for all steps and all shapes of batches."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return triton.jit(function, do_not_specialize=[name for name in names if name in VARYING])


@triton.jit
def fetch(place, there, KIND: tl.constexpr):
    """Load the numbers at a place, zero where `there` is false, in the type to compute in."""
    return tl.load(place, there, 0.0).to(KIND)


def kind_of(tensor: Tensor) -> Any:
    """Return the type to compute in with such numbers."""
    return tl.float64 if tensor.dtype == torch.float64 else tl.float32


def apart_in_memory(tensor: Tensor) -> Tensor:
    """Copy a tensor row by row: as a part of a larger one it may begin where Triton would have to
    compile again."""
    return tensor.clone(memory_format=torch.contiguous_format)


@triton.jit
def tanh(x):
    """Compute tanh by the sigmoid, as Triton has no tanh."""
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def places(step, steps, batch, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    """Return the places of a program's block: its units, whether each exists, the row of its
    sentence in tensors of all steps and in tensors of one step, and the state before the step."""
    sentence, way = tl.program_id(0).to(tl.int64), tl.program_id(2)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = (way * steps + step) * batch + sentence
    before = ((way * (steps + 1) + step) * batch + sentence) * SIZE + unit
    return unit, unit < SIZE, row, way * batch + sentence, before


@kernel
def lstm_forward(
    inputs,  # [D, T, B, 4 n], may be `gates`
    products,  # [.., D, B, WIDTH]: U s, of which the first 4 n are the gates'
    cells,  # [D, T + 1, B, n]
    states,  # likewise
    lower,  # likewise: the states as matrices multiply them, may be `states`
    gates,  # [D, T, B, 4 n], what comes out of them
    step,
    steps,
    batch,
    products_from,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    unit, real, row, own, before = places(step, steps, batch, SIZE, BLOCK)
    after = before + batch * SIZE
    entering = inputs + row * 4 * SIZE + unit
    product = products + (products_from + own) * WIDTH + unit
    out = gates + row * 4 * SIZE + unit
    into = fetch(entering, real, KIND) + fetch(product, real, KIND)
    forget = fetch(entering + SIZE, real, KIND) + fetch(product + SIZE, real, KIND)
    passed = fetch(entering + 2 * SIZE, real, KIND)
    passed += fetch(product + 2 * SIZE, real, KIND)
    candidate = fetch(entering + 3 * SIZE, real, KIND)
    candidate += fetch(product + 3 * SIZE, real, KIND)
    into, forget, passed = tl.sigmoid(into), tl.sigmoid(forget), tl.sigmoid(passed)
    candidate = tanh(candidate)
    cell = forget * fetch(cells + before, real, KIND) + into * candidate
    state = passed * tanh(cell)
    tl.store(out, into, real)
    tl.store(out + SIZE, forget, real)
    tl.store(out + 2 * SIZE, passed, real)
    tl.store(out + 3 * SIZE, candidate, real)
    tl.store(cells + after, cell, real)
    tl.store(states + after, state, real)
    tl.store(lower + after, state, real)


@kernel
def lstm_backward(
    of_states,  # [D, .., B, n]: those after the steps, from `of_states_from`
    products,  # [D, B, n]: what the step after adds to the gradient of the state
    of_cells,  # [D, B, n]: the gradient of the cell after the step, then before it
    cells,  # [D, T + 1, B, n]
    gates,  # [D, T, B, 4 n]
    entered,  # [D, T, B, WIDTH]: the gradient of what enters the gates comes first
    step,
    steps,
    batch,
    of_states_from,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    unit, real, row, own, before = places(step, steps, batch, SIZE, BLOCK)
    now = own * SIZE + unit
    state = fetch(of_states + (of_states_from + row) * SIZE + unit, real, KIND)
    state += fetch(products + now, real, KIND)
    gate = gates + row * 4 * SIZE + unit
    into, forget = fetch(gate, real, KIND), fetch(gate + SIZE, real, KIND)
    passed = fetch(gate + 2 * SIZE, real, KIND)
    candidate = fetch(gate + 3 * SIZE, real, KIND)
    squashed = tanh(fetch(cells + before + batch * SIZE, real, KIND))
    of_cell = fetch(of_cells + now, real, KIND) + state * passed * (1 - squashed * squashed)
    of_forget = of_cell * fetch(cells + before, real, KIND)
    out = entered + row * WIDTH + unit
    tl.store(out, of_cell * candidate * into * (1 - into), real)
    tl.store(out + SIZE, of_forget * forget * (1 - forget), real)
    tl.store(out + 2 * SIZE, state * squashed * passed * (1 - passed), real)
    tl.store(out + 3 * SIZE, of_cell * into * (1 - candidate * candidate), real)
    tl.store(of_cells + now, of_cell * forget, real)


@kernel
def gru_gates(
    inputs,  # [D, T, B, 3 n], may be `gates`: candidate, update gate, reset gate
    products,  # [.., D, B, WIDTH]: U s, of which the first 2 n are the gates'
    states,  # [D, T + 1, B, n]
    shortened,  # [D, T, B, n]: r s
    gates,  # [D, T, B, 3 n], of which this writes the last two
    step,
    steps,
    batch,
    products_from,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    unit, real, row, own, before = places(step, steps, batch, SIZE, BLOCK)
    entering = inputs + row * 3 * SIZE + unit
    product = products + (products_from + own) * WIDTH + unit
    out = gates + row * 3 * SIZE + unit
    update = fetch(entering + SIZE, real, KIND) + fetch(product, real, KIND)
    reset = fetch(entering + 2 * SIZE, real, KIND) + fetch(product + SIZE, real, KIND)
    reset = tl.sigmoid(reset)
    tl.store(out + SIZE, tl.sigmoid(update), real)
    tl.store(out + 2 * SIZE, reset, real)
    state = fetch(states + before, real, KIND)
    tl.store(shortened + row * SIZE + unit, reset * state, real)


@kernel
def gru_forward(
    inputs,  # as above
    products,  # [D, B, n]: U (r s)
    states,
    lower,  # [D, T + 1, B, n]: the states as matrices multiply them, may be `states`
    gates,  # of which this writes the first
    step,
    steps,
    batch,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    unit, real, row, own, before = places(step, steps, batch, SIZE, BLOCK)
    after = before + batch * SIZE
    out = gates + row * 3 * SIZE + unit
    product = products + own * SIZE + unit
    candidate = fetch(inputs + row * 3 * SIZE + unit, real, KIND)
    candidate = tanh(candidate + fetch(product, real, KIND))
    update = fetch(out + SIZE, real, KIND)
    state = fetch(states + before, real, KIND)
    state += update * (candidate - state)
    tl.store(out, candidate, real)
    tl.store(states + after, state, real)
    tl.store(lower + after, state, real)


@kernel
def gru_backward(
    of_states,  # [D, .., B, n]: those after the steps, from `of_states_from`
    products,  # [D, B, n]: what the step after adds to the gradient of the state
    of_state,  # [D, B, n]: what else of it there is, then all of it
    gates,  # [D, T, B, 3 n]
    entered,  # [D, T, B, WIDTH]: the gradient of what enters the candidate comes first
    step,
    steps,
    batch,
    of_states_from,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    unit, real, row, own, _ = places(step, steps, batch, SIZE, BLOCK)
    now = own * SIZE + unit
    state = fetch(of_states + (of_states_from + row) * SIZE + unit, real, KIND)
    state += fetch(products + now, real, KIND) + fetch(of_state + now, real, KIND)
    gate = gates + row * 3 * SIZE + unit
    candidate, update = fetch(gate, real, KIND), fetch(gate + SIZE, real, KIND)
    tl.store(of_state + now, state, real)
    tl.store(entered + row * WIDTH + unit, state * update * (1 - candidate * candidate), real)


@kernel
def gru_gates_backward(
    products,  # [D, B, n]: the gradient of r s
    of_state,  # [D, B, n]: the gradient of the state after the step, then what is known of before
    states,  # [D, T + 1, B, n]
    gates,  # [D, T, B, 3 n]
    entered,  # [D, T, B, WIDTH]: the gradients of the gates come after that of the candidate
    step,
    steps,
    batch,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    unit, real, row, own, before = places(step, steps, batch, SIZE, BLOCK)
    now = own * SIZE + unit
    gate = gates + row * 3 * SIZE + unit
    candidate, update = fetch(gate, real, KIND), fetch(gate + SIZE, real, KIND)
    reset = fetch(gate + 2 * SIZE, real, KIND)
    state = fetch(states + before, real, KIND)
    after = fetch(of_state + now, real, KIND)
    shortened = fetch(products + now, real, KIND)
    out = entered + row * WIDTH + unit
    tl.store(out + SIZE, (candidate - state) * after * update * (1 - update), real)
    tl.store(out + 2 * SIZE, shortened * state * reset * (1 - reset), real)
    tl.store(of_state + now, after * (1 - update) + shortened * reset, real)


def into_slopes(logits: Tensor, target: Tensor, sums: Tensor, losses: Tensor) -> None:
    """Do the same as `readout.into_slopes`, in two passes over the logits."""
    cross_entropy[(len(logits),)](
        *(logits, target.contiguous(), sums, losses),
        WORDS=logits.size(1),
        KIND=kind_of(sums),
        BLOCK=BLOCK,
        num_warps=8,
    )


@kernel
def cross_entropy(
    logits,  # [N, V], then `slopes` of `CrossEntropy.backward`
    target,  # [N]
    sums,  # [N]: the denominators
    losses,  # [N]
    WORDS: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    line, chosen = logits + row * WORDS, tl.load(target + row)
    expected = tl.load(line + chosen).to(KIND)
    largest = tl.full((BLOCK,), LEAST, KIND)
    total = tl.zeros((BLOCK,), KIND)
    for first in range(0, WORDS, BLOCK):
        word = first + tl.arange(0, BLOCK)
        logit = tl.load(line + word, word < WORDS, -float("inf")).to(KIND)
        larger = tl.maximum(largest, logit)
        total = total * tl.exp(largest - larger) + tl.exp(logit - larger)
        largest = larger
    top = tl.max(largest, 0)
    all_words = tl.sum(total * tl.exp(largest - top), 0)
    for first in range(0, WORDS, BLOCK):
        word = first + tl.arange(0, BLOCK)
        slope = tl.exp(tl.load(line + word, word < WORDS, 0.0).to(KIND) - top)
        # Before it is rounded: what is left of p - 1 at a sure word is small.
        tl.store(line + word, tl.where(word == chosen, slope - all_words, slope), word < WORDS)
    tl.store(sums + row, all_words)
    tl.store(losses + row, tl.log(all_words) + top - expected)
