"""Steps of the recurrent units on a GPU, but for their products of matrices; see `compiling`.

The equations are those of `contextnmt.model.units`, against which tests hold them.

Shapes: directions D, steps T, batch B, hidden n. Widths are those of rows that hold more than one
thing.
"""

import triton
import triton.language as tl

from contextnmt.model.fused.compiling import kernel


@triton.jit
def tanh(x):
    """By the sigmoid, as the language of Triton has no tanh."""
    return 2 * tl.sigmoid(2 * x) - 1


@kernel
def lstm_forth(
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
    sentence, way = tl.program_id(0).to(tl.int64), tl.program_id(2)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    row = (way * steps + step) * batch + sentence
    before = ((way * (steps + 1) + step) * batch + sentence) * SIZE + unit
    after = before + batch * SIZE
    entering = inputs + row * 4 * SIZE + unit
    product = products + (products_from + way * batch + sentence) * WIDTH + unit
    out = gates + row * 4 * SIZE + unit
    into = tl.load(entering, real).to(KIND) + tl.load(product, real).to(KIND)
    forget = tl.load(entering + SIZE, real).to(KIND) + tl.load(product + SIZE, real).to(KIND)
    passed = tl.load(entering + 2 * SIZE, real).to(KIND)
    passed += tl.load(product + 2 * SIZE, real).to(KIND)
    candidate = tl.load(entering + 3 * SIZE, real).to(KIND)
    candidate += tl.load(product + 3 * SIZE, real).to(KIND)
    into, forget, passed = tl.sigmoid(into), tl.sigmoid(forget), tl.sigmoid(passed)
    candidate = tanh(candidate)
    cell = forget * tl.load(cells + before, real).to(KIND) + into * candidate
    state = passed * tanh(cell)
    tl.store(out, into, real)
    tl.store(out + SIZE, forget, real)
    tl.store(out + 2 * SIZE, passed, real)
    tl.store(out + 3 * SIZE, candidate, real)
    tl.store(cells + after, cell, real)
    tl.store(states + after, state, real)
    tl.store(lower + after, state, real)


@kernel
def lstm_back(
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
    sentence, way = tl.program_id(0).to(tl.int64), tl.program_id(2)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    row = (way * steps + step) * batch + sentence
    before = ((way * (steps + 1) + step) * batch + sentence) * SIZE + unit
    now = (way * batch + sentence) * SIZE + unit
    state = tl.load(of_states + (of_states_from + row) * SIZE + unit, real).to(KIND)
    state += tl.load(products + now, real).to(KIND)
    gate = gates + row * 4 * SIZE + unit
    into, forget = tl.load(gate, real).to(KIND), tl.load(gate + SIZE, real).to(KIND)
    passed = tl.load(gate + 2 * SIZE, real).to(KIND)
    candidate = tl.load(gate + 3 * SIZE, real).to(KIND)
    squashed = tanh(tl.load(cells + before + batch * SIZE, real).to(KIND))
    of_cell = tl.load(of_cells + now, real).to(KIND) + state * passed * (1 - squashed * squashed)
    of_forget = of_cell * tl.load(cells + before, real).to(KIND)
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
    sentence, way = tl.program_id(0).to(tl.int64), tl.program_id(2)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    row = (way * steps + step) * batch + sentence
    before = ((way * (steps + 1) + step) * batch + sentence) * SIZE + unit
    entering = inputs + row * 3 * SIZE + unit
    product = products + (products_from + way * batch + sentence) * WIDTH + unit
    out = gates + row * 3 * SIZE + unit
    update = tl.load(entering + SIZE, real).to(KIND) + tl.load(product, real).to(KIND)
    reset = tl.load(entering + 2 * SIZE, real).to(KIND) + tl.load(product + SIZE, real).to(KIND)
    reset = tl.sigmoid(reset)
    tl.store(out + SIZE, tl.sigmoid(update), real)
    tl.store(out + 2 * SIZE, reset, real)
    state = tl.load(states + before, real).to(KIND)
    tl.store(shortened + row * SIZE + unit, reset * state, real)


@kernel
def gru_forth(
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
    sentence, way = tl.program_id(0).to(tl.int64), tl.program_id(2)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    row = (way * steps + step) * batch + sentence
    before = ((way * (steps + 1) + step) * batch + sentence) * SIZE + unit
    after = before + batch * SIZE
    out = gates + row * 3 * SIZE + unit
    product = products + (way * batch + sentence) * SIZE + unit
    candidate = tl.load(inputs + row * 3 * SIZE + unit, real).to(KIND)
    candidate = tanh(candidate + tl.load(product, real).to(KIND))
    update = tl.load(out + SIZE, real).to(KIND)
    state = tl.load(states + before, real).to(KIND)
    state += update * (candidate - state)
    tl.store(out, candidate, real)
    tl.store(states + after, state, real)
    tl.store(lower + after, state, real)


@kernel
def gru_back(
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
    sentence, way = tl.program_id(0).to(tl.int64), tl.program_id(2)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    row = (way * steps + step) * batch + sentence
    now = (way * batch + sentence) * SIZE + unit
    state = tl.load(of_states + (of_states_from + row) * SIZE + unit, real).to(KIND)
    state += tl.load(products + now, real).to(KIND) + tl.load(of_state + now, real).to(KIND)
    gate = gates + row * 3 * SIZE + unit
    candidate, update = tl.load(gate, real).to(KIND), tl.load(gate + SIZE, real).to(KIND)
    tl.store(of_state + now, state, real)
    tl.store(entered + row * WIDTH + unit, state * update * (1 - candidate * candidate), real)


@kernel
def gru_gates_back(
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
    sentence, way = tl.program_id(0).to(tl.int64), tl.program_id(2)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    row = (way * steps + step) * batch + sentence
    before = ((way * (steps + 1) + step) * batch + sentence) * SIZE + unit
    now = (way * batch + sentence) * SIZE + unit
    gate = gates + row * 3 * SIZE + unit
    candidate, update = tl.load(gate, real).to(KIND), tl.load(gate + SIZE, real).to(KIND)
    reset = tl.load(gate + 2 * SIZE, real).to(KIND)
    state = tl.load(states + before, real).to(KIND)
    after = tl.load(of_state + now, real).to(KIND)
    shortened = tl.load(products + now, real).to(KIND)
    out = entered + row * WIDTH + unit
    tl.store(out + SIZE, (candidate - state) * after * update * (1 - update), real)
    tl.store(out + 2 * SIZE, shortened * state * reset * (1 - reset), real)
    tl.store(of_state + now, after * (1 - update) + shortened * reset, real)
