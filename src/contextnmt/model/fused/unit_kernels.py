"""Steps of the recurrent units on a GPU, but for their products of matrices; see `compiling`.

The equations are those of `contextnmt.model.units`, against which tests hold them.

Shapes: directions D, steps T, batch B, hidden n. WIDTH is the length of rows that hold more than
one thing.
"""

import triton
import triton.language as tl

from contextnmt.model.fused.compiling import fetch, kernel


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
