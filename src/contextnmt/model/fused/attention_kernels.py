"""A step of the attention on a GPU, but for its products of matrices; see `kernels`.

The equations are those of `contextnmt.model.attention`, against which tests hold them. The
backward pass computes the hidden layer twice more: at each step for the gradient of the query, and
at the end for the gradients of keys and v_a. To store and read it would take longer.

Shapes: steps T, batch B, source time S, alignment a, inputs of the gates g. WIDTH and OUT are the
lengths of rows that hold more than one thing.
"""

import triton
import triton.language as tl

from contextnmt.model.fused.kernels import fetch, kernel

#: Source positions that a program works on at a time, and those where each is one number.
POSITIONS = tl.constexpr(2)
NUMBERS = tl.constexpr(64)


@triton.jit
def block_of(tensor, sentence, position, unit, time, SIZE: tl.constexpr):
    """Return the places of some units at some positions of a sentence in `tensor` [B, S, SIZE]."""
    return tensor + (sentence * time + position)[:, None] * SIZE + unit[None, :]


@triton.jit
def hidden_layer(queries, keys):
    """Return sigmoid(2 (W_a s + U_a h)) [positions, units] from `queries` [units] and `keys`."""
    return tl.sigmoid(2 * (queries[None, :] + keys))


@kernel
def energies(
    keys,  # [B, S, a]
    products,  # [.., B, WIDTH]: of which the last a are the queries
    weight,  # [a]
    padding,  # [B, S]
    out,  # [B, S], but for a number that all positions have in common
    row,
    time,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    sentence = tl.program_id(0).to(tl.int64)
    position = tl.program_id(1) * POSITIONS + tl.arange(0, POSITIONS)
    there = position < time
    query = products + (row + sentence) * WIDTH + WIDTH - SIZE
    total = tl.zeros((POSITIONS, BLOCK), KIND)
    for first in range(0, SIZE, BLOCK):
        unit = first + tl.arange(0, BLOCK)
        real = unit < SIZE
        queries = fetch(query + unit, real, KIND)
        wanted = there[:, None] & real[None, :]
        key = fetch(block_of(keys, sentence, position, unit, time, SIZE), wanted, KIND)
        hidden = hidden_layer(queries, key)
        total += 2 * fetch(weight + unit, real, KIND)[None, :] * hidden
    place = sentence * time + position
    found = tl.sum(total, 1) + fetch(padding + place, there, KIND)
    tl.store(out + place, found, there)


@kernel
def contexts(
    found,  # [B, S]: the energies
    values,  # [B, S, g]: C h_j
    words,  # [.., B, g]
    alphas,  # [.., B, S]: the softmax of the energies
    inputs,  # [.., B, g]: what words and contexts contribute
    row,
    time,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    sentence = tl.program_id(0).to(tl.int64)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    largest = tl.full((NUMBERS,), -float("inf"), KIND)
    for first in range(0, time, NUMBERS):
        position = first + tl.arange(0, NUMBERS)
        energy = tl.load(found + sentence * time + position, position < time, -float("inf"))
        largest = tl.maximum(largest, energy.to(KIND))
    top = tl.max(largest, 0)
    sums = tl.zeros((POSITIONS,), KIND)
    context = tl.zeros((POSITIONS, BLOCK), KIND)
    for first in range(0, time, POSITIONS):
        position = first + tl.arange(0, POSITIONS)
        there = position < time
        energy = tl.load(found + sentence * time + position, there, -float("inf")).to(KIND)
        share = tl.exp(energy - top)
        sums += share
        value = block_of(values, sentence, position, unit, time, SIZE)
        wanted = there[:, None] & real[None, :]
        context += share[:, None] * fetch(value, wanted, KIND)
    total = tl.sum(sums, 0)
    place = (row + sentence) * SIZE + unit
    word = fetch(words + place, real, KIND)
    tl.store(inputs + place, word + tl.sum(context, 0) / total, real)
    if tl.program_id(1) == 0:
        for first in range(0, time, NUMBERS):
            position = first + tl.arange(0, NUMBERS)
            there = position < time
            energy = tl.load(found + sentence * time + position, there, -float("inf")).to(KIND)
            alpha = alphas + (row + sentence) * time + position
            tl.store(alpha, tl.exp(energy - top) / total, there)


@kernel
def contexts_backward(
    entered,  # [.., B, WIDTH]: the gradient of what enters the gates comes first
    values,  # [B, S, g]
    of_alphas,  # [.., B, S]: of what uses the weights besides
    out,  # [B, S]: the gradient of the weights
    row,
    time,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    sentence = tl.program_id(0).to(tl.int64)
    position = tl.program_id(1) * POSITIONS + tl.arange(0, POSITIONS)
    there = position < time
    total = tl.zeros((POSITIONS, BLOCK), KIND)
    for first in range(0, SIZE, BLOCK):
        unit = first + tl.arange(0, BLOCK)
        real = unit < SIZE
        word = fetch(entered + (row + sentence) * WIDTH + unit, real, KIND)
        value = block_of(values, sentence, position, unit, time, SIZE)
        total += word[None, :] * fetch(value, there[:, None] & real[None, :], KIND)
    besides = fetch(of_alphas + (row + sentence) * time + position, there, KIND)
    tl.store(out + sentence * time + position, besides + tl.sum(total, 1), there)


@kernel
def queries_backward(
    keys,  # [B, S, a]
    products,  # [.., B, WIDTH]: of which the last a are the queries
    weight,  # [a]
    alphas,  # [.., B, S]
    of_alphas,  # [B, S]
    slopes,  # [.., B, S]: the gradient of the energies
    entered,  # [.., B, OUT]: the gradient of the queries comes last
    row,
    time,
    WIDTH: tl.constexpr,
    OUT: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    sentence = tl.program_id(0).to(tl.int64)
    unit = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    real = unit < SIZE
    sums = tl.zeros((NUMBERS,), KIND)
    for first in range(0, time, NUMBERS):
        position = first + tl.arange(0, NUMBERS)
        there = position < time
        alpha = fetch(alphas + (row + sentence) * time + position, there, KIND)
        sums += alpha * fetch(of_alphas + sentence * time + position, there, KIND)
    mean = tl.sum(sums, 0)
    queries = fetch(products + (row + sentence) * WIDTH + WIDTH - SIZE + unit, real, KIND)
    total = tl.zeros((POSITIONS, BLOCK), KIND)
    for first in range(0, time, POSITIONS):
        position = first + tl.arange(0, POSITIONS)
        there = position < time
        place = (row + sentence) * time + position
        gradient = fetch(of_alphas + sentence * time + position, there, KIND)
        slope = fetch(alphas + place, there, KIND) * (gradient - mean)
        wanted = there[:, None] & real[None, :]
        key = fetch(block_of(keys, sentence, position, unit, time, SIZE), wanted, KIND)
        hidden = hidden_layer(queries, key)
        total += slope[:, None] * hidden * (1 - hidden)
        if tl.program_id(1) == 0:
            tl.store(slopes + place, slope, there)
    found = 4 * fetch(weight + unit, real, KIND) * tl.sum(total, 0)
    tl.store(entered + (row + sentence) * OUT + OUT - SIZE + unit, found, real)


@kernel
def keys_backward(
    keys,  # [B, S, a]
    products,  # [T, B, WIDTH]: of which the last a are the queries
    weight,  # [a]
    slopes,  # [T, B, S]
    of_keys,  # [B, S, a]
    of_weight,  # [B, S / POSITIONS, a]: to be summed up
    steps,
    batch,
    time,
    WIDTH: tl.constexpr,
    SIZE: tl.constexpr,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
):
    sentence = tl.program_id(0).to(tl.int64)
    position = tl.program_id(1) * POSITIONS + tl.arange(0, POSITIONS)
    unit = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    there, real = position < time, unit < SIZE
    wanted = there[:, None] & real[None, :]
    key = fetch(block_of(keys, sentence, position, unit, time, SIZE), wanted, KIND)
    of_key = tl.zeros((POSITIONS, BLOCK), KIND)
    total = tl.zeros((POSITIONS, BLOCK), KIND)
    for step in range(steps):
        row = step * batch + sentence
        queries = fetch(products + row * WIDTH + WIDTH - SIZE + unit, real, KIND)
        slope = fetch(slopes + row * time + position, there, KIND)[:, None]
        hidden = hidden_layer(queries, key)
        of_key += slope * hidden * (1 - hidden)
        total += slope * hidden
    share = fetch(weight + unit, real, KIND)
    place = block_of(of_keys, sentence, position, unit, time, SIZE)
    tl.store(place, 4 * share[None, :] * of_key, wanted)
    sums = of_weight + (sentence * tl.num_programs(1) + tl.program_id(1)) * SIZE + unit
    tl.store(sums, 2 * tl.sum(total, 0), real)
